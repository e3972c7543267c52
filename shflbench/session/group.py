"""One group, the cases that differ in variant only: verified one by one, then timed together."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from shflbench.errors import KernelError, LaunchError, PatternError
from shflbench.measure.sampler import GroupSampler, Subject
from shflbench.measure.stopping import FEWEST_ROUNDS
from shflbench.measure.verify import verify, verify_reference
from shflbench.measure.workload import Workload, buffers_of, call_of, setting_of, shared_bytes
from shflbench.model import Case, Kernel, Sample, Status
from shflbench.session import rows
from shflbench.session.events import Working
from shflbench.session.kernels import key
from shflbench.suite import resolve_grid

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from shflbench.backends.base import Backend, OpenKernel
    from shflbench.session.kernels import KernelKey
    from shflbench.session.plan import Plan
    from shflbench.store import Row

FEW_BLOCKS = 2  # to verify with where the grid depends on a device that is not known


def _verified_grid(case: Case, backend: Backend) -> int:
    """Return the blocks to verify `case` with: its own, or as many as the backend runs in acceptable time."""
    grid = case.launch.grid or FEW_BLOCKS
    if backend.most_threads is None:
        return grid
    return max(1, min(grid, backend.most_threads // case.launch.block))


@dataclass(slots=True)
class Progress:
    """How much of the run is done: one unit to verify a case, one to time it."""

    total: float
    done: float = 0.0

    def at(self, text: str, ahead: float = 0.0) -> Working:
        """Return the event that tells where the run is."""
        return Working(text, min(self.done + ahead, self.total), self.total)


class Group:
    """Takes the cases of one group as far as they go; `finished` holds their rows."""

    def __init__(
        self,
        plan: Plan,
        cases: Sequence[Case],
        kernels: Mapping[KernelKey, Kernel | KernelError],
        progress: Progress,
    ) -> None:
        """Prepare the group's rows; no kernel is run yet."""
        self._plan, self._progress = plan, progress
        self._pattern = plan.patterns[cases[0].pattern]
        self._kernels = {case.variant: kernels.get(key(case)) for case in cases}
        self._cases = self._placed(cases)
        backend = plan.backend.name if plan.backend else "none"
        declaration = self._pattern.declaration
        self._rows = {case.variant: rows.planned(case, declaration, backend, plan.arch) for case in self._cases}

    @property
    def finished(self) -> tuple[Row, ...]:
        """The rows, with speed-ups over the baseline."""
        return tuple(rows.with_speedups(list(self._rows.values())))

    def run(self) -> Generator[Working, None, list[Sample]]:
        """Check, verify and time the cases; return the samples taken."""
        name, end = self._cases[0].group, self._progress.done + 2 * len(self._cases)
        samples: list[Sample] = []
        yield self._progress.at(name)
        sound = [case for case in self._cases if self._check(case)]
        if self._plan.backend is not None:
            with ExitStack() as opened:
                subjects = yield from self._verify(sound, self._plan.backend, opened)
                if subjects:
                    samples = yield from self._time(subjects, self._plan.backend)
        self._progress.done = end
        return samples

    def _placed(self, cases: Sequence[Case]) -> list[Case]:
        """Return the cases with their grid, as far as it can be known."""
        launch = cases[0].launch
        if launch.grid is None and self._plan.sms is not None:
            resident = None
            if "fill" in launch.expression:
                resident = min(filter(None, map(self._resident_blocks_if_any, cases)), default=None)
                if resident is None or not self._on_a_gpu:  # how many blocks fill an SM, only a GPU says
                    return list(cases)
            launch = replace(launch, grid=resolve_grid(launch.expression, self._plan.sms, resident))
        return [replace(case, launch=launch) for case in cases]

    @property
    def _on_a_gpu(self) -> bool:
        return self._plan.backend is not None and self._plan.backend.timed

    def _resident_blocks(self, case: Case) -> int | None:
        kernel = self._kernels[case.variant]
        if self._plan.backend is None or not isinstance(kernel, Kernel):
            return None
        return self._plan.backend.resident_blocks(kernel, case.launch.block, self._dynamic_shared(case))

    def _resident_blocks_if_any(self, case: Case) -> int | None:
        try:
            return self._resident_blocks(case)
        except (LaunchError, PatternError):  # its row will say so
            return None

    def _dynamic_shared(self, case: Case) -> int:
        variant = self._pattern.declaration.variant(case.variant)
        with self._pattern.calling("PATTERN"):
            return shared_bytes(variant, case, setting_of(case, case.launch.grid or FEW_BLOCKS))

    def _end(self, case: Case, status: Status, reason: str) -> bool:
        self._rows[case.variant] = rows.ended(self._rows[case.variant], status, reason)
        return False

    def _check(self, case: Case) -> bool:
        """Note what the compiler found; return whether the case can be run."""
        kernel = self._kernels[case.variant]
        if kernel is None:
            return self._end(case, Status.SKIPPED, self._plan.lacking(case))
        if isinstance(kernel, KernelError):
            return self._end(case, Status.FAILED, kernel.message)
        try:
            shared = self._dynamic_shared(case)
        except PatternError as error:
            return self._end(case, Status.FAILED, error.message)
        self._rows[case.variant] = rows.compiled(self._rows[case.variant], kernel, shared)
        if kernel.violations:
            return self._end(case, Status.FAILED, "; ".join(kernel.violations))
        return self._plan.backend is None or self._fits(case, self._plan.backend)

    def _fits(self, case: Case, backend: Backend) -> bool:
        """Note the occupancy; return whether an SM can hold a block."""
        row = self._rows[case.variant]
        try:
            resident = self._resident_blocks(case)
            needed = self._buffer_bytes(case, _verified_grid(case, backend))
        except (LaunchError, PatternError) as error:
            return self._end(case, Status.FAILED, error.message)
        if not resident:
            reason = f"a block of {row.block} threads with {row.shared_bytes} bytes of shared memory does not fit an SM"
            return self._end(case, Status.SKIPPED, reason)
        if needed > backend.device.memory_bytes:
            memory = backend.device.memory_bytes / 2**30
            reason = f"its buffers take {needed / 2**30:.0f} GiB, and the GPU has {memory:.0f} GiB"
            return self._end(case, Status.SKIPPED, reason)
        if backend.timed:  # an emulated device's occupancy would be a model among measurements
            self._rows[case.variant] = rows.resident(row, resident, backend.device)
        return True

    def _bytes_moved(self, case: Case) -> int | None:
        moved = self._pattern.declaration.bytes_moved
        with self._pattern.calling("PATTERN"):
            return moved(setting_of(case, case.launch.grid or 0)) if moved else None

    def _buffer_bytes(self, case: Case, grid: int) -> int:
        setting = setting_of(case, grid)
        with self._pattern.calling("PATTERN"):
            return sum(buffer.nbytes for buffer in buffers_of(self._pattern, setting))

    def _verify(
        self, cases: Sequence[Case], backend: Backend, opened: ExitStack
    ) -> Generator[Working, None, list[Subject]]:
        """Verify each case, at its own launch if the backend can; return those that may be timed."""
        subjects = []
        workload: Workload | None = None
        for case in self._reference_first(cases):
            yield self._progress.at(f"verifying {case.id}")
            grid, block = _verified_grid(case, backend), case.launch.block
            try:
                workload = workload or Workload.of(self._pattern, case, grid, self._plan.seed)
                kernel = self._open(case, backend, workload)
                opened.enter_context(closing(kernel))
                decides = case.variant == self._pattern.declaration.reference_variant
                proof = (verify_reference if decides else verify)(kernel, workload, f"{grid}x{block}")
            except (LaunchError, PatternError) as error:
                self._end(case, Status.FAILED, error.message)
                continue
            except MemoryError:
                self._end(case, Status.FAILED, "this machine's memory does not hold the data to verify it with")
                continue
            row = self._rows[case.variant] = rows.verified(self._rows[case.variant], proof)
            if backend.timed and row.status is Status.VERIFIED:
                subjects.append(Subject.of(case, kernel, self._pattern.declaration.unroll))
            self._progress.done += 1
        return subjects

    def _reference_first(self, cases: Sequence[Case]) -> list[Case]:
        reference = self._pattern.declaration.reference_variant
        return sorted(cases, key=lambda case: case.variant != reference)

    def _open(self, case: Case, backend: Backend, workload: Workload) -> OpenKernel:
        kernel = self._kernels[case.variant]
        assert isinstance(kernel, Kernel)  # noqa: S101  (_check lets no other case through)
        return backend.open(call_of(self._pattern, case, kernel, workload.setting))

    def _time(self, subjects: Sequence[Subject], backend: Backend) -> Generator[Working, None, list[Sample]]:
        """Time the verified cases together."""
        name = self._cases[0].group
        random = Random(f"{self._plan.seed} {name}")  # noqa: S311  (an order, not a secret)
        sampler = GroupSampler(backend, subjects, self._plan.suite.rules, random)
        for number in sampler.rounds():
            share = min(1.0, (number + 1) / FEWEST_ROUNDS)
            yield self._progress.at(f"timing {name}", ahead=share * len(subjects))
        for subject in subjects:
            timing = sampler.timing(subject)
            if timing is None:
                reason = subject.failure or "every sample was taken while the GPU was throttled"
                self._end(subject.case, Status.FAILED, reason)
                continue
            try:
                moved = self._bytes_moved(subject.case)
            except PatternError as error:
                self._end(subject.case, Status.FAILED, error.message)
                continue
            row = self._rows[subject.case.variant]
            self._rows[subject.case.variant] = rows.timed(row, timing, moved)
        return sampler.samples
