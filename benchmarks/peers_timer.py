"""Capture the calls of a work as CUDA graphs, verify their results, and time their replays in shuffled rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peers_works import BANDWIDTH, bandwidth_case, cases_of, useful_bytes, zeroed
from shflbench.backends.base import POISON
from shflbench.backends.cuda_kernel import load
from shflbench.measure.workload import Workload, call_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from benchmarks.peers_libraries import Libraries, Peer
    from benchmarks.peers_works import Work
    from shflbench.backends.base import Array, KernelCall
    from shflbench.backends.cuda_harness import Harness
    from shflbench.compile.build import Builder
    from shflbench.model import Case
    from shflbench.patterns.discover import LoadedPattern

SEED = 0
TRIES = 5  # of a sample before which the host was too slow
FAILURES = (RuntimeError, TypeError, ImportError, AttributeError, NotImplementedError)  # of a library's call
OURS, PEER, REFERENCE = "ours", "peer", "bandwidth"


@dataclass(frozen=True, slots=True)
class Replay:
    """One captured call."""

    name: str
    kind: str  # `ours`, `peer` or `bandwidth`
    nbytes: int  # useful bytes of the work
    launch: Callable[[], object]  # queues the graph on the default stream
    result: Any  # the bytes of the result on the device


@dataclass(frozen=True, slots=True)
class Timed:
    """The samples of one subject, in µs, or why it has none."""

    name: str
    kind: str
    nbytes: int
    samples_us: tuple[float, ...] = ()
    problem: str = ""


def error(got: Array, expected: Array) -> float:
    """Return the largest error as a fraction of the largest absolute value; infinite where a number is missing.

    Integers that differ have an infinite error.
    """
    if np.array_equal(got.view(np.uint8), expected.view(np.uint8)):
        return 0.0  # in a tenth of the time
    if not np.issubdtype(expected.dtype, np.integer):
        wide, right = got.astype(np.float32), expected.astype(np.float32)
        largest = float(np.abs(right).max()) or 1.0
        worst = float(np.abs(wide - right).max()) / largest
        return worst if np.isfinite(worst) else float("inf")
    return float("inf")


class Subjects:
    """The captured calls of a work whose results are right, and why others have none."""

    def __init__(self) -> None:
        """Begin without any."""
        self.replays: list[Replay] = []
        self.refused: list[Timed] = []

    def refuse(self, name: str, kind: str, nbytes: int, problem: str) -> None:
        """Note why a call is not timed."""
        self.refused.append(Timed(name, kind, nbytes, problem=problem))

    def accept(self, replay: Replay, got: Array, expected: Array, tolerance: float) -> None:
        """Keep a call if its result is as expected."""
        worst = error(got, expected.reshape(-1)) if got.size == expected.size else float("inf")
        if worst <= tolerance:
            self.replays.append(replay)
        else:
            problem = f"wrong result: error {worst:.2g}, allowed {tolerance:.2g}"
            self.refuse(replay.name, replay.kind, replay.nbytes, problem)


class Session:
    """Works of one GPU."""

    def __init__(
        self, harness: Harness, builder: Builder, libraries: Libraries, patterns: Mapping[str, LoadedPattern]
    ) -> None:
        """Use cupy and the harness of `harness`; kernels are built by `builder`."""
        self.cupy = harness.cupy
        self._harness, self._builder, self._libraries, self._patterns = harness, builder, libraries, patterns
        self._pools: list[Any] = []  # of the peers of a work
        harness.make_cold()

    def measure(self, work: Work, blocks: Sequence[int], rounds: int, rng: np.random.Generator) -> list[Timed]:
        """Return the samples of all subjects, those that failed or gave a wrong result without samples."""
        pattern = self._patterns[work.pattern]
        cases = list(cases_of(work, pattern, blocks))
        workload = Workload.of(pattern, cases[0], cases[0].launch.grid or 0, SEED)
        inputs, expected = workload.inputs(0), workload.expected(0, 1)[0]
        if work.function == "sum" and workload.setting.dtype.floating:
            expected = expected.view(np.float32)  # its bits
        names = [buffer.name for buffer in workload.buffers if buffer.read]
        arrays = {name: self._on_device(values) for name, values in zip(names, inputs, strict=True)}
        subjects = Subjects()
        for case in cases:
            replay = self._ours(case, pattern, arrays, OURS)
            subjects.accept(replay, self._result(replay, expected), expected, work.tolerance)
        nbytes = useful_bytes(cases[0], pattern)
        for peer in self._libraries.peers(work, arrays, float(getattr(pattern.module, "EPSILON", 0.0))):
            try:
                replay = self._captured_peer(peer, nbytes)
            except FAILURES as failure:
                subjects.refuse(peer.name, PEER, nbytes, f"failed: {failure}".splitlines()[0])
            else:
                subjects.accept(replay, self._result(replay, expected), expected, work.tolerance)
        case = bandwidth_case(work, self._patterns[BANDWIDTH], blocks[0])
        replay, bits = self._bandwidth(case, arrays[names[0]], inputs[0])
        subjects.accept(replay, self._result(replay, bits), bits, 0.0)
        return [*self._timed(subjects.replays, rounds, rng), *subjects.refused]

    def release(self) -> None:
        """Return the memory of a work to the device: cupy and torch do not share what they keep."""
        self._pools.clear()
        self.cupy.get_default_memory_pool().free_all_blocks()
        if self._libraries.torch:
            self._libraries.torch.cuda.empty_cache()

    def _bandwidth(self, case: Case, array: Any, values: Array) -> tuple[Replay, Array]:  # noqa: ANN401  (of cupy)
        """Return the kernel that reads or copies an array, and the bytes of its result."""
        stream = self._patterns[BANDWIDTH]
        at = Workload.of(stream, case, case.launch.grid or 0, SEED).setting
        seen = np.ascontiguousarray(values).reshape(-1).view(at.dtype.numpy)
        (expected,) = stream.reference([seen], at, 1)
        bits = np.ascontiguousarray(expected).reshape(-1).view(np.uint8)
        return self._ours(case, stream, {"values": array}, REFERENCE), bits

    def _ours(self, case: Case, pattern: LoadedPattern, arrays: Mapping[str, Any], kind: str) -> Replay:
        """Capture a kernel of shflbench, after what sets its result to zero if it adds to it."""
        at = Workload.of(pattern, case, case.launch.grid or 0, SEED).setting
        call = call_of(pattern, case, self._builder.build(pattern, case), at)
        outputs = {buffer.name: self.cupy.zeros(buffer.nbytes, np.uint8) for buffer in call.outputs}
        run = self._launcher(call, {**arrays, **outputs}, [outputs[name] for name in zeroed(case)])
        result = outputs[call.outputs[0].name]
        name = f"{case.variant}, {case.launch.block} threads per block"
        return Replay(name, kind, useful_bytes(case, pattern), captured(self.cupy, run), result)

    def _launcher(self, call: KernelCall, buffers: Mapping[str, Any], cleared: Sequence[Any]) -> Callable[[], None]:
        function = load(self.cupy, call.kernel, call.shared_bytes)
        given = tuple(buffers[item] if isinstance(item, str) else item for item in call.arguments)

        def run() -> None:
            for array in cleared:
                array.data.memset_async(0, array.nbytes)
            function((call.grid,), (call.block,), given, shared_mem=call.shared_bytes)

        return run

    def _captured_peer(self, peer: Peer, nbytes: int) -> Replay:
        if peer.of_torch and self._libraries.torch:
            launch, tensor = captured_by_torch(self._libraries.torch, peer.call)
            result = self.cupy.asarray(tensor.reshape(-1).view(self._libraries.torch.uint8))
            return Replay(peer.name, PEER, nbytes, launch, result)
        pool = self.cupy.cuda.MemoryPool()  # of its own: the graph keeps the addresses of workspaces
        results: list[Any] = []
        with self.cupy.cuda.using_allocator(pool.malloc):
            launch = captured(self.cupy, lambda: results.append(peer.call()))
        self._pools.append(pool)
        return Replay(peer.name, PEER, nbytes, launch, results[-1].reshape(-1).view(np.uint8))

    def _result(self, replay: Replay, expected: Array) -> Array:
        """Replay once, and return the result, which is overwritten before, with the type of what is expected."""
        # A kernel that only reads adds its bits to zero, and has no need of it while it is timed.
        replay.result.fill(0 if replay.kind == REFERENCE else POISON)
        replay.launch()
        self.cupy.cuda.runtime.deviceSynchronize()
        result: Array = replay.result.get().view(expected.dtype)
        return result

    def _timed(self, replays: Sequence[Replay], rounds: int, rng: np.random.Generator) -> Iterator[Timed]:
        samples: dict[str, list[float]] = {replay.name + replay.kind: [] for replay in replays}
        for _ in range(rounds):
            for index in rng.permutation(len(replays)):
                replay = replays[index]
                samples[replay.name + replay.kind].append(self._sample(replay.launch))
        for replay in replays:
            yield Timed(replay.name, replay.kind, replay.nbytes, tuple(samples[replay.name + replay.kind]))

    def _sample(self, launch: Callable[[], object]) -> float:
        """Return the µs of one replay, which starts with none of its data in the L2 cache."""
        harness = self._harness
        start, end = harness.event_pairs(1)[0]
        for _ in range(TRIES):
            harness.empty_l2()
            harness.block_stream(1, 2)
            start.record()
            launch()
            end.record()
            host_bound = start.done  # the time would include the host's
            end.synchronize()
            harness.delay.learn(host_bound=host_bound)
            if not host_bound:
                break
        return 1000 * float(self.cupy.cuda.get_elapsed_time(start, end))

    def _on_device(self, values: Array) -> Any:  # noqa: ANN401  (an array of cupy)
        octets = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        array = self.cupy.empty(octets.size, np.uint8)
        array.set(octets)
        return array


@dataclass(frozen=True, slots=True)
class Graph:
    """What a call queued, to be replayed.

    A graph of CUDA does not keep what it uses: without `run`, which has the kernel and its arrays, cupy would unload
    them before the graph is replayed.
    """

    graph: Any  # of cupy
    stream: Any
    run: Callable[[], object]

    def __call__(self) -> None:
        """Queue the graph on its stream."""
        self.graph.launch(self.stream)


def captured(cupy: ModuleType, run: Callable[[], object]) -> Callable[[], object]:
    """Return a function that replays what `run` queues; `run` is called once before, so that libraries are ready."""
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        run()
        stream.synchronize()
        stream.begin_capture()
        try:
            run()
        finally:
            graph = stream.end_capture()

    return Graph(graph, cupy.cuda.Stream.null, run)


def captured_by_torch(torch: ModuleType, call: Callable[[], Any]) -> tuple[Callable[[], object], Any]:
    """Return a function that replays a call of torch, and its result, which lies in the memory of the graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()
    return graph.replay, result
