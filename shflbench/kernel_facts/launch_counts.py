"""Count in the emulator what the blocks of a launch do, at its own shape and arguments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from shflbench.checker import counted_blocks, may_wait
from shflbench.core.model import AccessSpace
from shflbench.core.processes import map_in_processes
from shflbench.cuda.backends.emulator import NO_STEP_LIMIT, EmulatorBackend
from shflbench.emulator import Shape, count_with_outputs
from shflbench.errors import BudgetError, EmulatorError, KernelError
from shflbench.kernel_facts.launch_results import LaunchResults
from shflbench.measure.workload import Workload, call_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import Case, Kernel, KernelRequests, LaunchCounts
    from shflbench.cuda.backends.base import Array, KernelCall
    from shflbench.emulator import EmulatedLaunch, Location
    from shflbench.patterns.discover import LoadedPattern

MOST_COUNTED_BYTES = 1 << 31  # of the buffers of a launch, which the emulator has in memory
FEWEST_SAMPLED = 2  # blocks, neighbors, that stand for a launch of which more take too many instructions
MOST_WORK = 2e6  # instructions of a launch, about five seconds; a sample takes a fiftieth of them
INPUT_SET, SEED = 0, 0
MANY_BYTES = 1 << 28  # of launches that are counted one after another, because each takes as much memory

CountsJob = tuple["LoadedPattern", "Case", "Kernel"]


class _Counted(NamedTuple):
    """A launch that was counted, with what it read and wrote."""

    counts: LaunchCounts
    call: KernelCall
    inputs: Sequence[Array]
    launch: EmulatedLaunch
    outputs: Sequence[Array]


def counts_of(pattern: LoadedPattern, case: Case, kernel: Kernel) -> LaunchCounts:
    """Return what the blocks of a case's launch do: of all blocks if it is small, else of a sample of them.

    KernelError where the emulator cannot run the kernel, or not in time, PatternError where a function of the pattern
    fails.
    """
    return _counted(pattern, case, kernel).counts


def counts_and_results_of(pattern: LoadedPattern, case: Case, kernel: Kernel) -> tuple[LaunchCounts, LaunchResults]:
    """Return what the blocks of a case's launch do, and what they write; errors as for `counts_of`."""
    one = _counted(pattern, case, kernel)
    return one.counts, LaunchResults.of(one.call, one.inputs, one.launch, one.outputs)


def _counted(pattern: LoadedPattern, case: Case, kernel: Kernel) -> _Counted:
    if kernel.later:
        raise EmulatorError(f"it launches {1 + len(kernel.later)} kernels, and a limit is that of one")
    workload = Workload.of(pattern, case, case.launch.grid or 1, SEED)
    if (size := _bytes(workload)) > MOST_COUNTED_BYTES:
        raise EmulatorError(
            f"its buffers have {size / 2**30:.1f} GiB, and the emulator has {MOST_COUNTED_BYTES >> 30} GiB"
        )
    call = replace(call_of(pattern, case, kernel, workload.setting), emulated_work=MOST_WORK)
    emulated = EmulatorBackend(kernel.arch).open(call)
    dims = call.launches[0].dims
    blocks = dims.blocks
    inputs = workload.inputs(INPUT_SET)

    def sampled(sample: Sequence[int]) -> EmulatedLaunch:
        if sample and may_wait(list(emulated.program.ops())):
            raise EmulatorError(f"its blocks may wait for one another, and {blocks:,} are too many to run all of them")
        launch = emulated.launch(inputs, 1)
        if sample and launch.shape.has_clusters:
            raise EmulatorError(f"its blocks form clusters, and {blocks:,} are too many to run all of them")
        return replace(launch, shape=Shape.of(dims.grid, dims.block, tuple(sample))) if sample else launch

    launch = sampled(counted_blocks(blocks, dims.threads_per_block))
    try:
        counts, outputs = count_with_outputs(launch, _kernel_line, NO_STEP_LIMIT)
    except BudgetError:
        if launch.shape.grid <= FEWEST_SAMPLED:
            raise
        launch = sampled(range(blocks // 2 - 1, blocks // 2 + 1))
        counts, outputs = count_with_outputs(launch, _kernel_line, NO_STEP_LIMIT)
    return _Counted(replace(counts, requests=as_compiled(counts.requests, kernel)), call, inputs, launch, outputs)


def counts_of_all(jobs: Sequence[CountsJob]) -> Iterator[LaunchCounts | KernelError]:
    """Yield what each launch does, or why it is not known, in order; uses all cores unless the data is large."""
    reduced = [(pattern, case, replace(kernel, cubin=b"", sass=None, loop=None)) for pattern, case, kernel in jobs]
    is_large = any(
        _bytes(Workload.of(pattern, case, case.launch.grid or 1, SEED)) > MANY_BYTES for pattern, case, _ in jobs
    )
    yield from (map if len(jobs) == 1 or is_large else map_in_processes)(_of_job, reduced)


def _kernel_line(location: Location | None) -> tuple[str, int]:
    """Return the line of the kernel that leads to an instruction; the file without its place on this machine."""
    outermost = location.outermost if location else None
    return (PurePath(outermost.file).name, outermost.line) if outermost else ("", 0)


def _bytes(workload: Workload) -> int:
    return sum(buffer.nbytes for buffer in workload.buffers)


def _of_job(job: CountsJob) -> LaunchCounts | KernelError:
    try:
        return counts_of(*job)
    except KernelError as error:
        return KernelError(error.message, error.advice)  # a fault holds instructions, which cannot be sent


def as_compiled(requests: KernelRequests, kernel: Kernel) -> KernelRequests:
    """Return the requests without those to arrays that the PTX has in local memory and ptxas has put into registers."""
    if kernel.resources.local_bytes:
        return requests
    return replace(requests, accesses=tuple(one for one in requests.accesses if one.space is not AccessSpace.LOCAL))
