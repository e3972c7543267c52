"""Time the cases of a suite with NVBench, in a process of its own; `nvbench_agreement.py` starts it.

    python -m benchmarks.nvbench_agreement_timer SUITE JSON GPU

Each kernel is the one that shflbench builds, at the suite's launch and iterations, with the first of the input sets
that shflbench verifies it with. NVBench takes its default settings and writes its results to the file JSON.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.cli.environment import cache_folder
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.declare import ITERATIONS
from shflbench.patterns.discover import load as load_pattern
from shflbench.suite import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from shflbench.backends.base import Array, KernelCall
    from shflbench.model import Case
    from shflbench.patterns.discover import LoadedPattern

SEED = 0  # of the input data: the default of `shflbench run`


def main() -> None:
    """Register every case of the suite with NVBench and run them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("json", type=Path)
    parser.add_argument("gpu", type=int)
    wanted = parser.parse_args()
    nvbench, cupy = import_module("cuda.bench"), import_module("cupy")
    cupy.cuda.Device(wanted.gpu).use()
    builder = Builder(find(), "sm_" + cupy.cuda.Device(wanted.gpu).compute_capability, cache_folder())
    suite = load(wanted.suite)
    for case in suite.cases:
        pattern = load_pattern(suite.pattern_folders[case.pattern])
        nvbench.register(benchmark(cupy, *prepared(builder, pattern, case), case.iterations)).set_name(case.id)
    nvbench.run_all_benchmarks(["nvbench", "--devices", str(wanted.gpu), "--json", str(wanted.json)])


def prepared(builder: Builder, pattern: LoadedPattern, case: Case) -> tuple[KernelCall, Sequence[Array]]:
    """Return the launch of a case and its inputs; ValueError where its grid depends on the device."""
    if case.launch.grid is None:
        raise ValueError(f"{case.id}: only launches of a fixed number of blocks are timed here")
    workload = Workload.of(pattern, case, case.launch.grid, SEED)
    return call_of(pattern, case, builder.build(pattern, case), workload.setting), workload.inputs(0)


def benchmark(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> Callable[[Any], None]:
    """Return what NVBench calls once to have a case timed."""

    def timed(state: Any) -> None:  # noqa: ANN401  (cuda.bench.State, of an optional package)
        launch = launcher(cupy, call, inputs, iterations)
        stream = cupy.cuda.Stream.from_external(state.get_stream())
        cupy.cuda.runtime.deviceSynchronize()  # the inputs are there before NVBench's own stream reads them
        # Without batches: only NVBench's cold measurement, which times each launch by two events, as shflbench does.
        state.exec(lambda _: launch(stream), batched=False)

    return timed


def launcher(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> Callable[[Any], None]:
    """Return what queues one launch on a stream; its buffers are filled as shflbench fills them before it verifies."""
    module = cupy.cuda.function.Module()
    module.load(call.kernel.cubin)
    function = module.get_function(call.kernel.symbol)
    filled = {buffer.name: buffer.before() for buffer in call.outputs}
    filled |= {buffer.name: values for buffer, values in zip(call.inputs, inputs, strict=True)}
    given: dict[str, Any] = {ITERATIONS: np.int32(iterations)}
    for name, values in filled.items():
        octets = np.ascontiguousarray(values).reshape(-1).view(np.uint8)  # cupy does not know every type of NumPy's
        given[name] = cupy.zeros(octets.size, np.uint8)
        given[name].set(octets)
    arguments = tuple(given[item] if isinstance(item, str) else item for item in call.arguments)

    def launch(stream: Any) -> None:  # noqa: ANN401  (a cupy stream)
        function((call.grid,), (call.block,), arguments, shared_mem=call.shared_bytes, stream=stream)

    return launch


if __name__ == "__main__":
    main()
