"""Find why a kernel is shorter under shflbench than under NVBench: time it in the surroundings of both, and in between.

    python -m benchmarks.nvbench_offset FILE               measure on GPU 0 in this process, and write FILE (JSON)
    python -m benchmarks.nvbench_offset --page FILE...     print the page on several such processes

All launches of a kernel share one process, one cubin and one set of buffers. Each row of the page changes one thing
before or after the launch. Needs the extra `nvbench`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.nvbench_agreement_runs import CASES, suite_text
from benchmarks.nvbench_agreement_table import read_nvbench
from benchmarks.nvbench_agreement_timer import arguments, prepared
from shflbench.backends.cuda_harness import Harness, harness_source
from shflbench.compile.build import Builder
from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source
from shflbench.compile.toolchain import find
from shflbench.environment import cache_folder
from shflbench.patterns.discover import load as load_pattern
from shflbench.suite import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import ModuleType

    from shflbench.backends.base import Array, KernelCall

    Samples = dict[str, dict[str, list[float]]]  # by kernel and surroundings: one value for each round, in µs

SOURCE = Path(__file__).with_suffix(".cu")
SAMPLES = 5  # in a row, after one that is discarded
LONG_US = 50.0
ITSELF = "NVBench itself"
PROBES = ("empty", "arithmetic", "copy")  # kernels of nvbench_offset.cu that do little

PAGE = """\
# What a launch takes in the surroundings of NVBench and of shflbench

Written by `python -m benchmarks.nvbench_offset --page`; do not edit.

- {device}, NVBench {nvbench} (`cuda-bench`); figures of {count} processes, separated by slashes.
- Every kernel in all surroundings in one process, with one cubin and one set of buffers, in shuffled order.
- Figures are µs above the surroundings of shflbench (`l2: cold`), the median over kernels: an empty kernel, one with
  arithmetic and no memory access, one that copies; kernels of the agreement below {limit:.0f} µs (short, {short}), and
  the others (long, {long}).
- The other rows change one thing in the surroundings that they name.

{table}
"""


@dataclass(frozen=True)
class Surroundings:
    """What precedes and follows a launch; the defaults are those of shflbench with `l2: cold`."""

    flush: tuple[str, ...] = ("read",)  # how the L2 cache is emptied: read, write
    flag: bool = False  # whether a flag of the host ends the wait, and not the time
    stamps: str = ""  # the memory, device or host, to which kernels beside the events write timestamps; empty: none
    stream: bool = False  # whether the stream was created, and is not the default one
    code: str = ""  # loaded: the kernel runs on other buffers before; evicted: other code fills the caches


OURS = Surroundings()
THEIRS = Surroundings(flush=("write",), flag=True, stamps="host", stream=True)
SURROUNDINGS = {
    "shflbench": OURS,
    "shflbench, a created stream": replace(OURS, stream=True),
    "shflbench, the host ends the wait": replace(OURS, flag=True),
    "shflbench, stamps to device memory": replace(OURS, stamps="device"),
    "shflbench, stamps to host memory": replace(OURS, stamps="host"),
    "shflbench, cache written": replace(OURS, flush=("write",)),
    "shflbench, cache written, then read": replace(OURS, flush=("write", "read")),
    "shflbench, cache not emptied": replace(OURS, flush=()),
    "shflbench, code loaded before": replace(OURS, code="loaded"),
    "shflbench, code evicted before": replace(OURS, code="evicted"),
    "NVBench": THEIRS,
    "NVBench, the default stream": replace(THEIRS, stream=False),
    "NVBench, the time ends the wait": replace(THEIRS, flag=False),
    "NVBench, no stamps": replace(THEIRS, stamps=""),
    "NVBench, cache read": replace(THEIRS, flush=("read",)),
    "NVBench, cache written, then read": replace(THEIRS, flush=("write", "read")),
    "NVBench, code loaded before": replace(THEIRS, code="loaded"),
}


@dataclass(frozen=True)
class Prepared:
    """Everything that is compiled."""

    cases: Mapping[str, tuple[KernelCall, Sequence[Array], int]]  # launch, inputs, iterations
    harness: bytes  # cubins
    kernels: bytes


def prepare(arch: str) -> Prepared:
    """Compile the kernels of the agreement and those beside them."""
    toolchain = find()
    builder = Builder(toolchain, arch, cache_folder())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.yaml"
        path.write_text(suite_text(len(CASES), "cold"), encoding="utf-8")
        suite = load(path)
        cases = {
            case.id: (*prepared(builder, load_pattern(suite.pattern_folders[case.pattern]), case), case.iterations)
            for case in suite.cases
        }
    beside = Source(SOURCE.name, SOURCE.read_text(encoding="utf-8"), {}, "empty")
    return Prepared(
        cases, compile_kernel(harness_source(), arch, toolchain).cubin, compile_kernel(beside, arch, toolchain).cubin
    )


@dataclass(frozen=True)
class Kernel:
    """A kernel with two sets of buffers."""

    function: Any
    grid: int
    block: int
    shared_bytes: int
    arguments: tuple[Any, ...]
    others: tuple[Any, ...]  # likewise, in other buffers

    def launch(self, arguments: tuple[Any, ...] | None = None) -> None:
        """Queue it on the current stream."""
        given = self.arguments if arguments is None else arguments
        self.function((self.grid,), (self.block,), given, shared_mem=self.shared_bytes)


class Timer:
    """Times launches in chosen surroundings."""

    def __init__(self, cupy: ModuleType, given: Prepared) -> None:
        """Load everything onto GPU 0."""
        self._cupy = cupy
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self._sms: int = properties["multiProcessorCount"]
        self._harness = Harness(cupy, given.harness, self._sms, properties["l2CacheSize"])
        self._harness.make_cold()
        self._written = cupy.zeros(properties["l2CacheSize"], np.uint8)
        self._created, self._default = cupy.cuda.Stream(), cupy.cuda.Stream.null
        self._start, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        module = cupy.cuda.function.Module()
        module.load(given.kernels)
        self._beside = {name: module.get_function(name) for name in ("block_until", "timestamps", "long_code")}
        pinned = cupy.cuda.alloc_pinned_memory(64)
        self._flag = np.frombuffer(pinned, np.int32, 1)
        self._flag_address, self._host_stamps = np.uint64(pinned.ptr), np.uint64(pinned.ptr + 16)
        self._device_stamps = cupy.zeros(2, np.uint64)
        self._sink = cupy.zeros(1, np.float32)
        words = cupy.zeros((4, 26 * 1024), np.float32)
        self.kernels = {
            "empty": Kernel(module.get_function("empty"), 26, 1024, 0, (), ()),
            "arithmetic": Kernel(
                module.get_function("arithmetic"), 26, 1024, 0, *([(row, np.int32(4096)) for row in words[:2]])
            ),
            "copy": Kernel(module.get_function("copy"), 26, 1024, 0, (words[0], words[1]), (words[2], words[3])),
        }
        self.kernels |= {name: loaded(cupy, *case) for name, case in given.cases.items()}

    def sample(self, kernel: Kernel, around: Surroundings) -> float:
        """Return the µs between two events around one launch."""
        with self._created if around.stream else self._default:
            self._flush(around)
            self._cupy.cuda.runtime.deviceSynchronize()
            if around.code == "loaded":
                kernel.launch(kernel.others)
            elif around.code == "evicted":
                self._beside["long_code"]((2 * self._sms,), (128,), (self._sink,))
            self._flag[0] = 0
            if around.flag:
                self._beside["block_until"]((1,), (1,), (self._flag_address,))
            else:
                self._harness.block_stream(10, 2)  # 104 µs: the host needs some 30
            self._stamp(around.stamps)
            self._start.record()
            kernel.launch()
            self._end.record()
            self._stamp(around.stamps)
            self._flag[0] = 1
            self._end.synchronize()
            self._cupy.cuda.runtime.deviceSynchronize()
            return 1000.0 * float(self._cupy.cuda.get_elapsed_time(self._start, self._end))

    def _flush(self, around: Surroundings) -> None:
        for way in around.flush:
            if way == "read":
                self._harness.empty_l2()
            else:
                self._written.data.memset_async(0, self._written.nbytes)

    def _stamp(self, memory: str) -> None:
        if memory:
            where = self._device_stamps if memory == "device" else self._host_stamps
            self._beside["timestamps"]((self._sms,), (1,), (where,))

    def rounds(self, count: int) -> Samples:
        """Take every kernel in all surroundings, in shuffled order, so many times."""
        random = Random(0)  # noqa: S311  (an order, no secret)
        samples: Samples = {name: {around: [] for around in SURROUNDINGS} for name in self.kernels}
        self._harness.keep_busy(500)
        for _ in range(count):
            for name, kernel in self.kernels.items():
                for around in random.sample(list(SURROUNDINGS), len(SURROUNDINGS)):
                    times = [self.sample(kernel, SURROUNDINGS[around]) for _ in range(1 + SAMPLES)]
                    samples[name][around].append(float(np.mean(sorted(times[1:])[1:-1])))  # finer than the timer's step
        return samples

    def nvbench(self) -> dict[str, float]:
        """Return NVBench's own medians of the same kernels in the same buffers, in µs."""
        nvbench = import_module("cuda.bench")
        for name, kernel in self.kernels.items():
            nvbench.register(self._benchmark(kernel)).set_name(name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "nvbench.json"
            nvbench.run_all_benchmarks(["nvbench", "--quiet", "--devices", "0", "--json", str(path)])
            return {name: case.median_us for name, case in read_nvbench(path.read_text(encoding="utf-8")).items()}

    def _benchmark(self, kernel: Kernel) -> Callable[[Any], None]:
        def timed(state: Any) -> None:  # noqa: ANN401  (cuda.bench.State, of an optional package)
            stream = self._cupy.cuda.Stream.from_external(state.get_stream())

            def launch(_: object) -> None:
                with stream:
                    kernel.launch()

            state.exec(launch, batched=False)

        return timed


def loaded(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> Kernel:
    """Load a kernel, with two sets of buffers of equal contents."""
    module = cupy.cuda.function.Module()
    module.load(call.kernel.cubin)
    sets = [arguments(cupy, call, inputs, iterations) for _ in range(2)]
    return Kernel(module.get_function(call.kernel.symbol), call.grid, call.block, call.shared_bytes, *sets)


def measure(rounds: int) -> dict[str, object]:
    """Measure on GPU 0 in all surroundings, then by NVBench; return the record."""
    cupy = import_module("cupy")
    timer = Timer(cupy, prepare("sm_" + cupy.cuda.Device(0).compute_capability))
    samples = timer.rounds(rounds)
    for name, time_us in timer.nvbench().items():
        samples[name][ITSELF] = [time_us] * rounds
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return {"device": device, "nvbench": metadata.version("cuda-bench"), "samples": samples}


def offsets(samples: Samples, kernels: Iterable[str]) -> dict[str, float]:
    """Return, by surroundings, the median over `kernels` of the µs above the surroundings of shflbench."""
    base = next(iter(SURROUNDINGS))
    return {
        around: median(
            median(time - ours for time, ours in zip(samples[name][around], samples[name][base], strict=True))
            for name in kernels
        )
        for around in next(iter(samples.values()))
    }


def page(records: Sequence[Any]) -> str:
    """Return the page on several processes, whose `records` are files of this program."""
    processes: list[Samples] = [record["samples"] for record in records]
    base = next(iter(SURROUNDINGS))
    cases = [name for name in processes[0] if name not in PROBES]
    short = [name for name in cases if median(processes[0][name][base]) < LONG_US]
    columns = {**{f"`{name}`": [name] for name in PROBES}, "short": short, "long": sorted({*cases} - {*short})}
    cells = [{head: offsets(samples, names) for head, names in columns.items()} for samples in processes]
    lines = [f"| surroundings | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
    for around in next(iter(processes[0].values())):
        figures = (" / ".join(f"{process[head][around]:+.2f}" for process in cells) for head in columns)
        lines.append(f"| {around} | {' | '.join(figures)} |")
    return PAGE.format(
        device=records[0]["device"],
        nvbench=records[0]["nvbench"],
        count=len(processes),
        short=len(short),
        long=len(cases) - len(short),
        limit=LONG_US,
        table="\n".join(lines),
    )


def main() -> None:
    """Measure, or print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    if options.page:
        print(page([json.loads(path.read_text(encoding="utf-8")) for path in options.files]), end="")
        return
    options.files[0].write_text(json.dumps(measure(options.rounds)), encoding="utf-8")


if __name__ == "__main__":
    main()
