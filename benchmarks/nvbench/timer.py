"""Time the cases of a suite with NVBench in this process; `python -m benchmarks nvbench` starts it.

    python -m benchmarks.nvbench.timer SUITE JSON

The kernels are those that shflbench builds, at the suite's launch and iterations, with the first input set of the
verification. NVBench uses its default settings and writes its results to the file JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.common.pages import program
from shflbench.core.environment import cache_folder
from shflbench.core.model import Case
from shflbench.cuda.backends.base import Array, KernelCall
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.declare import ITERATIONS
from shflbench.patterns.discover import LoadedPattern
from shflbench.patterns.discover import load as load_pattern
from shflbench.suite import load

SEED = 0  # of the input data: the default of `shflbench run`


def main() -> None:
    """Register every case of the suite with NVBench and run them all."""
    parser = program(__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("json")
    wanted = parser.parse_args()
    nvbench, cupy = import_module("cuda.bench"), import_module("cupy")
    builder = Builder(find(), "sm_" + cupy.cuda.Device(0).compute_capability, cache_folder())
    suite = load(wanted.suite)
    for case in suite.cases:
        pattern = load_pattern(suite.pattern_folders[case.pattern])
        nvbench.register(benchmark(cupy, *prepared(builder, pattern, case), case.iterations)).set_name(case.id)
    nvbench.run_all_benchmarks(["nvbench", "--devices", "0", "--json", wanted.json])


def prepared(builder: Builder, pattern: LoadedPattern, case: Case) -> tuple[KernelCall, Sequence[Array]]:
    """Return the launch of a case and its inputs; ValueError if its grid depends on the device."""
    if case.launch.grid is None:
        raise ValueError(f"{case.id}: only launches with a fixed number of blocks can be timed")
    workload = Workload.of(pattern, case, case.launch.grid, SEED)
    return call_of(pattern, case, builder.build(pattern, case), workload.setting), workload.inputs(0)


def benchmark(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> Callable[[Any], None]:
    """Return the benchmark of a case, which NVBench calls once."""

    def timed(state: Any) -> None:  # noqa: ANN401  (cuda.bench.State, of an optional package)
        launch = launcher(cupy, call, inputs, iterations)
        stream = cupy.cuda.Stream.from_external(state.get_stream())
        cupy.cuda.runtime.deviceSynchronize()  # the inputs must be complete before NVBench's own stream reads them
        # Without batches: only NVBench's cold measurement, which times each launch with two events, as shflbench does.
        state.exec(lambda _: launch(stream), batched=False)

    return timed


def launcher(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> Callable[[Any], None]:
    """Return a function that queues one launch on a stream."""
    module = cupy.cuda.function.Module()
    module.load(call.kernel.cubin)
    function = module.get_function(call.kernel.symbol)
    given = arguments(cupy, call, inputs, iterations)

    def launch(stream: Any) -> None:  # noqa: ANN401  (a cupy stream)
        function((call.grid,), (call.block,), given, shared_mem=call.shared_bytes, stream=stream)

    return launch


def arguments(cupy: ModuleType, call: KernelCall, inputs: Sequence[Array], iterations: int) -> tuple[Any, ...]:
    """Return the arguments of a launch, with new buffers that are filled as in the verification by shflbench."""
    contents = {buffer.name: buffer.before() for buffer in call.outputs}
    contents |= {buffer.name: values for buffer, values in zip(call.inputs, inputs, strict=True)}
    given: dict[str, Any] = {ITERATIONS: np.int32(iterations)}
    for name, values in contents.items():
        octets = np.ascontiguousarray(values).reshape(-1).view(np.uint8)  # cupy does not know every type of NumPy
        given[name] = cupy.zeros(octets.size, np.uint8)
        given[name].set(octets)
    return tuple(given[item] if isinstance(item, str) else item for item in call.arguments)


if __name__ == "__main__":
    main()
