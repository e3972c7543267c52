"""Count the memory requests of compiled kernels in the emulator."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.core.processes import map_in_processes
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.emulator import POLICIES, Shape, count_requests
from shflbench.errors import EmulatorError, KernelError, PatternError
from shflbench.kernel_facts.launch_counts import INPUT_SET, SEED, as_compiled
from shflbench.kernel_facts.pattern_checks.source_files import SourceFiles
from shflbench.measure.verify import agreement_with
from shflbench.measure.workload import Workload, call_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.core.model import Case, Kernel, KernelRequests
    from shflbench.emulator import Locate, Location
    from shflbench.patterns.discover import LoadedPattern

    Locator = Callable[[LoadedPattern], Locate]

BLOCKS = 2  # of the emulated launch: enough, because blocks do the same
FEWEST = 8  # iterations to average over, where the values that are moved decide the addresses
MOST_FIXED_BYTES = 1 << 26  # of buffers that do not shrink with the launch

RequestsJob = tuple["LoadedPattern", "Case", "Kernel"]


def kernel_line(_: LoadedPattern) -> Locate:
    """Return the function that names an instruction by the line of the kernel that leads to it."""
    return _outermost


def source_line(pattern: LoadedPattern) -> Locate:
    """Return the function that names an instruction by the innermost line of the pattern's own files."""
    return SourceFiles(pattern).compiled_line


def _outermost(location: Location | None) -> tuple[str, int]:
    return (location.outermost.file, location.outermost.line) if location else ("", 0)


def requests_of(pattern: LoadedPattern, case: Case, kernel: Kernel, locator: Locator = kernel_line) -> KernelRequests:
    """Return the memory requests of a compiled kernel in blocks of the case's size.

    They are those of one iteration if the pattern has a timed loop. `locator` decides how source lines are named.
    KernelError where the emulator cannot run the kernel, PatternError where a function of the pattern fails.
    """
    if kernel.later:
        raise EmulatorError("it launches several kernels, whose requests are not counted together")
    declared, dims = pattern.declaration, case.launch.dims
    workload = Workload.of(pattern, case, BLOCKS if dims is None else dims.blocks, SEED)
    if (declared.fixed_sizes or dims) and sum(buffer.nbytes for buffer in workload.buffers) > MOST_FIXED_BYTES:
        raise EmulatorError(f"its buffers have more than {MOST_FIXED_BYTES >> 20} MiB, whose accesses are not counted")
    call = call_of(pattern, case, kernel, workload.setting)
    emulated = EmulatorBackend(kernel.arch).open(call)
    inputs = workload.inputs(INPUT_SET)
    step = declared.unroll * -(-FEWEST // declared.unroll)
    counts = (1,) if declared.one_pass else (step, 2 * step)
    launches = [emulated.launch(inputs, iterations) for iterations in counts]
    if dims is not None:  # the strides of rows and columns may depend on the sizes of the whole grid
        shape = Shape.of(dims.grid, dims.block, tuple(range(min(BLOCKS, dims.blocks))))
        launches = [replace(launch, shape=shape) for launch in launches]
    return as_compiled(count_requests(launches, locator(pattern)), kernel)


def requests_of_all(
    jobs: Sequence[RequestsJob], locator: Locator = kernel_line, *, verified: bool = False
) -> Iterator[KernelRequests | KernelError]:
    """Yield the requests of each kernel, or why they are not known, in order; uses all cores.

    Those of a kernel that does not compute what its pattern expects are not known where kernels are to be `verified`.
    `locator` is a function of a module, because it travels to other processes.
    """
    reduced = [(pattern, case, replace(kernel, cubin=b"", sass=None, loop=None)) for pattern, case, kernel in jobs]
    of_job = partial(_of_job, locator=locator, verified=verified)
    yield from (map if len(jobs) == 1 else map_in_processes)(of_job, reduced)


def _of_job(job: RequestsJob, locator: Locator, *, verified: bool) -> KernelRequests | KernelError:
    try:
        requests = requests_of(*job, locator)
        if verified and not _is_right(*job):
            return EmulatorError("it does not compute what its pattern expects")
    except KernelError as error:
        return error
    except PatternError as error:
        if not verified:
            raise
        return EmulatorError(f"its pattern has no data for it: {error}")
    return requests


def _is_right(pattern: LoadedPattern, case: Case, kernel: Kernel) -> bool:
    """Return whether a kernel computes what its pattern expects, under one schedule at least: it may have a race."""
    workload = Workload.of(pattern, case, BLOCKS, SEED)
    emulated = EmulatorBackend(kernel.arch).open(call_of(pattern, case, kernel, workload.setting))
    inputs, iterations = workload.inputs(INPUT_SET), workload.verify_iterations[0]
    return any(
        not agreement_with(workload, emulated.run(inputs, iterations), INPUT_SET, iterations).mismatch for _ in POLICIES
    )
