"""Prepare the cases of one group: resolve the grid, open the kernels and verify them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shflbench.core.arch import load
from shflbench.core.arch.residency import REGISTERS, SHARED_MEMORY, SmCapacity, occupancy
from shflbench.core.dimensions import LaunchDims
from shflbench.core.launch import resolve_grid
from shflbench.core.model import Case, Status
from shflbench.errors import BudgetError, LaunchError, PatternError
from shflbench.measure.events import CaseFailed, Converged, GridResolved, StepStarted, Verified
from shflbench.measure.placements import count_places, open_again
from shflbench.measure.sampler import DeviceLostError, SampledKernel
from shflbench.measure.schedule import verified_counts
from shflbench.measure.verify import fill, verify, verify_reference
from shflbench.measure.verify_again import expect_again, expect_timed, wrong_again
from shflbench.measure.verify_varied import VariedReference
from shflbench.measure.workload import Workload, buffers_of, call_of, setting_of, shared_bytes

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from shflbench.core.model import Proof
    from shflbench.cuda.backends.base import Backend, KernelCall, OpenKernel
    from shflbench.measure.events import JobEvent
    from shflbench.measure.job import Task
    from shflbench.measure.sampler import VerifyAgain
    from shflbench.patterns.discover import LoadedPattern

MOST_EMULATED = 1 << 16  # threads of a launch that the emulator cannot shorten; more take minutes
TOO_LONG = "its results are compared on a GPU only"
FEW_BLOCKS = 2  # in verification, if the grid depends on an unknown device


class Group:
    """The cases of one group on a device; they share their inputs."""

    def __init__(
        self, tasks: Sequence[Task], pattern: LoadedPattern, backend: Backend, seed: int, places: int = 1
    ) -> None:
        """Keep the arguments; the device is not used yet. Each case is opened at up to so many `places`."""
        self._pattern, self._backend, self._seed, self._most_places = pattern, backend, seed, places
        # Trusted variants come before others, which are compared with them.
        declared = pattern.declaration
        self._tasks = sorted(
            tasks,
            key=lambda task: (
                declared.variant(task.case.variant).untrusted,
                task.case.variant != declared.reference_variant,
            ),
        )
        self._has_timed_reference = False
        self._kernels: list[SampledKernel] = []
        self._workload: Workload | None = None
        self._varied: VariedReference | None = None
        self._too_long = ""  # why the emulator did not run the reference variant, to which the others are compared

    def footprint(self) -> int:
        """Return the bytes of device memory for all its buffers; 0 if the pattern fails to compute them."""
        self._resolve_grid()
        try:
            sizes = [_bytes(self._pattern, task.case, self._grid(task.case)) for task in self._tasks]
        except PatternError:  # reported in its rows
            return 0
        memory = self._backend.device.memory_bytes
        return sum(size * count_places(self._most_places, size, memory) for size in sizes)

    def prepare(self) -> Generator[JobEvent, None, list[SampledKernel]]:
        """Open and verify each case; return those that may be timed.

        DeviceLostError after a crash that destroys the context.
        """
        self._resolve_grid()
        for task in self._tasks:
            yield StepStarted(task.case.id, "verifying")
            try:
                yield from self._one(task)
            except BudgetError as error:  # only of the emulator
                reason = f"{TOO_LONG}; {error.message}"
                if task.case.variant == self._pattern.declaration.reference_variant:
                    self._too_long = reason
                yield CaseFailed(task.case.id, Status.SKIPPED, reason)
            except (LaunchError, PatternError) as error:
                yield CaseFailed(task.case.id, Status.FAILED, error.message)
                if isinstance(error, LaunchError) and not self._backend.usable():
                    raise DeviceLostError from error
            except MemoryError:
                reason = "the host does not have enough memory to verify it"
                yield CaseFailed(task.case.id, Status.FAILED, reason)
        return self._kernels

    def _resolve_grid(self) -> None:
        """Compute the grid of a launch with `fill`: for all variants that of the variant with the lowest occupancy."""
        launch = self._tasks[0].case.launch
        if launch.grid is not None or not self._backend.timed:  # only a GPU has an occupancy
            return
        resident = min(filter(None, map(self._resident_if_any, self._tasks)), default=None)
        if resident is not None:
            grid = resolve_grid(launch.expression, self._backend.device.sms, resident)
            resolved = replace(launch, grid=grid)
            self._tasks = [replace(task, case=replace(task.case, launch=resolved)) for task in self._tasks]

    def _one(self, task: Task) -> Generator[JobEvent, None, None]:
        case, grid = task.case, self._grid(task.case)
        resident = self._resident(task)
        # The occupancy of an emulated device would be a model among measurements; several kernels have several.
        has_occupancy = self._backend.timed and not task.kernel.later
        yield GridResolved(case.id, case.launch.grid, resident if has_occupancy else None)
        decides = case.variant == self._pattern.declaration.reference_variant
        if reason := self._unfit(task, grid, resident):
            self._too_long = reason if decides and reason.startswith(TOO_LONG) else self._too_long
            yield CaseFailed(case.id, Status.SKIPPED, reason)
            return
        self._workload = self._workload or Workload.of(self._pattern, case, grid, self._seed)
        call = call_of(self._pattern, case, task.kernel, setting_of(case, grid))
        kernel = self._backend.open(call)
        try:
            varied = call_of(self._pattern, case, task.kernel, setting_of(case, grid), varied=True)
            proof = self._proof(kernel, varied, str(call.dims or f"{grid}x{case.launch.block}"), decides=decides)
        except BaseException:
            kernel.close()
            raise
        yield Verified(case.id, proof)
        declared = self._pattern.declaration
        if declared.variant(case.variant).safe and not proof.complete:
            kernel.close()
            yield CaseFailed(case.id, Status.INCORRECT, proof.mismatch)
        elif self._backend.timed:
            self._expect_timed(case, kernel)
            sampled = SampledKernel.of(case, self._places(call, kernel), declared.unroll)
            sampled.verify_again = self._again(case, call)
            self._kernels.append(sampled)
        else:
            yield self._ended(case, call, kernel)

    def _proof(self, kernel: OpenKernel, varied: KernelCall, launch: str, *, decides: bool) -> Proof:
        """Verify a kernel that is open, and its `varied` call; other errors than wrong results are raised."""
        assert self._workload is not None  # noqa: S101  (it is that of the group)
        if not decides:
            proof = verify(kernel, self._workload, launch)
        else:
            if self._pattern.declaration.fixed_sizes:
                expect_again(kernel, self._workload)
            proof = verify_reference(kernel, self._workload, launch)
        if not proof.complete:
            return proof
        open_varied = partial(self._backend.open, varied)
        if decides:
            self._varied = VariedReference.of(self._workload, open_varied)
        elif self._varied is not None:
            return self._varied.completed(proof, open_varied)
        return proof

    def _expect_timed(self, case: Case, kernel: OpenKernel) -> None:
        """Make a verified kernel the reference for untrusted ones of its group at the timed iteration counts."""
        variants = [self._pattern.declaration.variant(task.case.variant) for task in self._tasks]
        variant = self._pattern.declaration.variant(case.variant)
        is_needed = not self._has_timed_reference and any(other.untrusted for other in variants)
        if not is_needed or variant.untrusted or not variant.safe:
            return
        assert self._workload is not None  # noqa: S101  (it was verified with it)
        expect_timed(kernel, self._workload, self._timed_counts(case))
        self._has_timed_reference = True

    def _timed_counts(self, case: Case) -> tuple[int, ...]:
        """Return the iteration counts, besides those of verification, at which an untrusted variant has to be right.

        None on the emulator: it times nothing, and takes minutes for as many iterations under all schedules.
        """
        declared = self._pattern.declaration
        is_timed = self._backend.timed and not declared.one_pass
        return verified_counts(case.iterations, declared.unroll) if is_timed else ()

    def _again(self, case: Case, call: KernelCall) -> VerifyAgain | None:
        """Return what verifies a case after it was timed; None where a launch cannot depend on earlier ones.

        Variants that a pattern declares are trusted to do their work at each launch, and unsafe ones may give any
        result.
        """
        declared = self._pattern.declaration
        variant = declared.variant(case.variant)
        if not variant.safe or not (declared.fixed_sizes or variant.untrusted):
            return None
        assert self._workload is not None  # noqa: S101  (it was verified with it)
        return partial(
            wrong_again,
            workload=self._workload,
            open_new=partial(self._backend.open, call),
            others=variant.other_inputs,
            timed=self._timed_counts(case) if variant.untrusted else (),
        )

    def _ended(self, case: Case, call: KernelCall, kernel: OpenKernel) -> JobEvent:
        """Close a kernel that is not timed, after the launches that follow timing elsewhere if they end in time."""
        wrong = ""
        try:
            with suppress(BudgetError):
                again = self._again(case, call)
                wrong = again(kernel) if again else ""
        finally:
            kernel.close()
        return CaseFailed(case.id, Status.INCORRECT, wrong) if wrong else Converged(case.id, "")

    def _places(self, call: KernelCall, kernel: OpenKernel) -> tuple[OpenKernel, ...]:
        assert self._workload is not None  # noqa: S101  (it was verified with it)
        try:
            return open_again(self._backend, call, kernel, self._most_places, partial(fill, workload=self._workload))
        except BaseException:
            kernel.close()
            raise

    def _grid(self, case: Case) -> int:
        """Return the blocks in verification: those of the case, or as many as the backend runs in acceptable time."""
        grid = case.launch.grid or FEW_BLOCKS
        if self._backend.most_threads is None or self._pattern.declaration.fixed_sizes:
            return grid
        variants = {task.case: self._pattern.declaration.variant(task.case.variant) for task in self._tasks}
        launches = (first_launch(self._pattern, item, 1) for item, variant in variants.items() if variant.dims)
        threads = max([case.launch.block, *(dims.blocks * dims.threads_per_block for dims in launches)])
        return setting_of(case, max(1, min(grid, self._backend.most_threads // threads))).grid

    def _resident(self, task: Task) -> int:
        """Return the resident blocks of the first kernel; 0 if that of a later one does not fit."""
        case = task.case
        threads = first_launch(self._pattern, case).threads_per_block
        blocks = self._backend.resident_blocks(task.kernel, threads, shared_of(self._pattern, case))
        for kernel, (dims, shared) in zip(task.kernel.later, later_launches(self._pattern, case), strict=True):
            if not self._backend.resident_blocks(kernel, dims.threads_per_block, shared):
                return 0
        return blocks

    def _resident_if_any(self, task: Task) -> int | None:
        try:
            return self._resident(task)
        except (LaunchError, PatternError):  # reported in its row
            return None

    def _unfit(self, task: Task, grid: int, resident: int) -> str:
        """Return why a case does not fit the device; empty if it does."""
        case = task.case
        if self._too_long:
            return self._too_long
        later = [dims for dims, _ in later_launches(self._pattern, case, grid)]
        first = first_launch(self._pattern, case, grid)
        if not resident:
            needs = _needs(task, first.threads_per_block, shared_of(self._pattern, case), self._backend.device.arch)
            block = "one of its kernels" if later else f"{first.threads_per_block} threads with {needs}"
            return f"a block of {block} does not fit an SM"
        held = resident * self._backend.device.sms
        if self._backend.timed and first.blocks > held and self._pattern.declaration.variant(case.variant).cooperative:
            return f"its {first.blocks:,} blocks have to be resident at once, and the GPU holds {held:,} of them"
        threads = max(dims.blocks * dims.threads_per_block for dims in (first, *later))
        if not self._backend.timed and threads > MOST_EMULATED:
            return f"{TOO_LONG}; the emulator compares smaller sizes, with at most {MOST_EMULATED:,} threads"
        needed, memory = _bytes(self._pattern, case, grid), self._backend.device.memory_bytes
        if needed > memory:
            return f"its buffers take {needed / 2**30:.0f} GiB, and the GPU has {memory / 2**30:.0f} GiB"
        return ""


def _needs(task: Task, threads: int, dynamic_bytes: int, arch: str) -> str:
    """Return what a block takes more of than an SM has: shared memory, where the figures of `arch` do not tell."""
    registers, shared = task.kernel.resources.registers, task.kernel.resources.shared_bytes + dynamic_bytes
    figures = load(arch)
    capacity = SmCapacity.of(figures) if figures else None
    blocks_by = occupancy(capacity, registers, shared, threads).blocks_by if capacity else {}
    needs = {REGISTERS: f"{registers} registers per thread", SHARED_MEMORY: f"{shared} bytes of shared memory"}
    scarce = [words for resource, words in needs.items() if blocks_by.get(resource) == 0]
    return " and ".join(scarce) or needs[SHARED_MEMORY]


def shared_of(pattern: LoadedPattern, case: Case) -> int:
    """Return the dynamic shared memory per block, in bytes; PatternError if a function of the pattern fails."""
    with pattern.calling("PATTERN"):
        setting = setting_of(case, case.launch.grid or FEW_BLOCKS)
        return shared_bytes(pattern.declaration.variant(case.variant), case, setting)


def first_launch(pattern: LoadedPattern, case: Case, grid: int | None = None) -> LaunchDims:
    """Return the launch of the first kernel of a case with `grid` blocks, by default its own.

    PatternError if a function of the pattern fails.
    """
    setting = setting_of(case, grid or case.launch.grid or FEW_BLOCKS)
    with pattern.calling("PATTERN"):
        dims = pattern.declaration.variant(case.variant).launch_dims(setting)
    return dims or LaunchDims(setting.grid_dims, setting.block_dims)


def own_shape(pattern: LoadedPattern, case: Case, grid: int) -> str:
    """Return the launches of a case with `grid` blocks, `132x128, 1x128`; empty for one of the case's own shape.

    PatternError if a function of the pattern fails.
    """
    variant = pattern.declaration.variant(case.variant)
    if not (variant.dims or variant.later):
        return ""
    every = (first_launch(pattern, case, grid), *(dims for dims, _ in later_launches(pattern, case, grid)))
    return ", ".join(map(str, every))


def later_launches(pattern: LoadedPattern, case: Case, grid: int | None = None) -> list[tuple[LaunchDims, int]]:
    """Return the launches of the kernels that follow the first, with their bytes of dynamic shared memory per block.

    PatternError if a function of the pattern fails.
    """
    with pattern.calling("PATTERN"):
        setting = setting_of(case, grid or case.launch.grid or FEW_BLOCKS)
        later = pattern.declaration.variant(case.variant).later
        return [(LaunchDims(*item.dims(setting)), item.shared(setting)) for item in later]


def _bytes(pattern: LoadedPattern, case: Case, grid: int) -> int:
    with pattern.calling("PATTERN"):
        return sum(buffer.nbytes for buffer in buffers_of(pattern, setting_of(case, grid)))
