"""Name the likely causes of each case that got slower or faster, from what both sides recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.compare.cause import CaseChange, CaseRecord, Cause, CauseKind
from shflbench.analysis.compare.code_causes import code_causes, origins
from shflbench.analysis.compare.comparison import Metric, Outcome
from shflbench.analysis.compare.kernel_changes import column_change, occupancy_change
from shflbench.errors import ResultsError
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeVar

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison
    from shflbench.analysis.compare.sides import Side
    from shflbench.store import Run
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel
    from shflbench.store.limits_file import CaseLimit

    Value = TypeVar("Value")

EXPLAINED = frozenset({Outcome.SLOWER, Outcome.FASTER, Outcome.SUSPECTED})
HALF = 0.5  # of a change: a clock or a prediction that moved by less is not named as its cause
LIMIT_MOVED = 0.005  # of a limit: smaller changes are those of the clock from run to run


def with_causes(comparison: Comparison, base: Side, new: Side) -> Comparison:
    """Return the comparison with the likely causes of each case that is slower, faster or suspected.

    Reads `kernels.zip` and `limits.csv` of the runs if there is such a case. A file that cannot be read is a warning,
    because the verdicts do not depend on it.
    """
    changed = {verdict.case_id for verdict in comparison.verdicts if verdict.outcome in EXPLAINED and verdict.ratio}
    if not changed:  # nor in a report across, which has no verdicts
        return comparison
    warnings: list[str] = []
    before, after = (_records(side, changed, warnings) for side in (base, new))
    verdicts = tuple(
        replace(verdict, causes=_causes(verdict, before[verdict.case_id], after[verdict.case_id], comparison.metric))
        if verdict.case_id in changed
        else verdict
        for verdict in comparison.verdicts
    )
    return replace(comparison, verdicts=verdicts, warnings=(*comparison.warnings, *warnings))


def _causes(verdict: ChangeVerdict, base: CaseRecord, new: CaseRecord, metric: Metric) -> tuple[Cause, ...]:
    assert verdict.ratio is not None  # noqa: S101  (only cases with a ratio are explained)
    change = CaseChange(base, new, verdict.ratio.value)
    return tuple(origins(change) if metric is Metric.REGISTERS else causes_of_time(change, metric))


def causes_of_time(change: CaseChange, metric: Metric = Metric.TIME) -> Iterator[Cause]:
    """Yield the likely causes of a change of time, the most specific first; none if nothing is known that explains it.

    A property that changed in the opposite direction, such as fewer spills in a slower kernel, is no cause.
    """
    inside = [*_resources(change), *_grid(change), *code_causes(change), *_bounds(change), *origins(change)]
    outside = [*_clock(change)] if metric is not Metric.CYCLES_PER_ITERATION else []
    yield from (*inside, *outside)
    if change.same_code:
        yield _same_code(change, named=bool(inside or outside))


def _resources(change: CaseChange) -> Iterator[Cause]:
    """Yield what the kernel uses more of in a slower case, and less of in a faster one."""
    rows = change.base.row, change.new.row
    for kind, column, words in (
        (CauseKind.SPILLS, "spill_bytes", "bytes of spills per thread"),
        (CauseKind.LOCAL_MEMORY, "local_bytes", "bytes of local memory per thread"),
    ):
        text = column_change(*rows, column)
        before, after = (getattr(row, column) for row in rows)
        if text and change.sign * (after - before) > 0:
            yield Cause(kind, f"{after} instead of {before} {words}", (text,))
    if (text := occupancy_change(*rows)) and change.sign * (rows[0].occupancy - rows[1].occupancy) > 0:  # type: ignore[operator]  # both are known
        users = tuple(filter(None, (column_change(*rows, column) for column in ("registers", "shared_bytes"))))
        yield Cause(CauseKind.OCCUPANCY, f"{text} ({', '.join(users)})" if users else text, (text, *users))


def _grid(change: CaseChange) -> Iterator[Cause]:
    before, after = change.base.row.grid, change.new.row.grid
    if before and after and before != after:  # as of a launch that fills the GPU with resident blocks
        yield Cause(CauseKind.GRID, f"{after} instead of {before} blocks per launch")


def _bounds(change: CaseChange) -> Iterator[Cause]:
    """Yield how the limit and the prediction moved; of the same code both move with the clock alone."""
    base, new = change.base.limit, change.new.limit
    if base is None or new is None or change.same_code:
        return
    limiter = f"limited by {new.limit_by} instead of {base.limit_by}"
    other = base.limit_by and new.limit_by and base.limit_by != new.limit_by
    if base.limit_us and new.limit_us and change.sign * (new.limit_us / base.limit_us - 1) >= LIMIT_MOVED:
        moved = f"the limit is {new.limit_us:.4g} instead of {base.limit_us:.4g} µs"
        yield Cause(CauseKind.LIMIT, f"{limiter}: {moved}" if other else moved)
    if base.model_us and new.model_us and change.explained_by(new.model_us / base.model_us, HALF):
        predicted = 100 * (new.model_us / base.model_us - 1)
        yield Cause(CauseKind.MODEL, f"the model predicts {predicted:+.2g}% from the machine code")


def _clock(change: CaseChange) -> Iterator[Cause]:
    before, after = change.base.row.sm_clock_mhz, change.new.row.sm_clock_mhz
    if before and after and change.explained_by(before / after, HALF):
        throttle = ", ".join(change.new.row.throttle if after < before else change.base.row.throttle)
        clock = f"the SM clock was {before:.0f} MHz, now {after:.0f} MHz"
        yield Cause(CauseKind.CLOCK, f"{clock} ({throttle})" if throttle else clock)


def _same_code(change: CaseChange, *, named: bool) -> Cause:
    """Return that the kernel is not the cause, and where else to look; `named`: another cause stands beside it."""
    base, new = change.base, change.new
    differences = []
    if base.driver and new.driver and base.driver != new.driver:
        differences.append(f"the driver was {base.driver}, now {new.driver}")
    if base.gpu and new.gpu and base.gpu != new.gpu:
        differences.append("the sides were measured on two GPUs")
    if differences:
        sentence = f"the machine code is the same; {', and '.join(differences)}"
    elif named:
        sentence = "the machine code is the same"
    else:
        sentence = (
            "the machine code is the same: check the clock and other programs, and measure in more processes if the "
            "kernel waits for memory"
        )
    return Cause(CauseKind.SAME_CODE, sentence)


def _records(side: Side, cases: Iterable[str], warnings: list[str]) -> dict[str, CaseRecord]:
    """Return what a side recorded of these cases; adds a warning for each file that cannot be read."""
    kernels: dict[str, list[tuple[StoredKernel, KernelArchive]]] = {}
    limits: dict[str, list[CaseLimit]] = {}
    for run in side.runs:
        for kernel, archive in _kernels(run, warnings):
            for case_id in kernel.cases:
                kernels.setdefault(case_id, []).append((kernel, archive))
        for case_id, limit in _limits(run, warnings).items():
            limits.setdefault(case_id, []).append(limit)
    drivers = {run.info.versions.driver for run in side.runs}
    gpus = {run.info.device.uuid for run in side.runs if run.info.device}

    def record(case_id: str) -> CaseRecord:
        stored = kernels.get(case_id, [])
        agreed = len(stored) == len(side.runs) and len({kernel.code_hashes for kernel, _ in stored}) == 1
        kernel, archive = stored[0] if agreed else (None, None)
        return CaseRecord(
            row=side.rows[case_id],
            kernel=kernel,
            compiler=archive.index.compiler if archive else None,
            texts=archive.contents if archive else {},
            limit=_only(limits.get(case_id, [])),
            driver=_only(drivers),
            gpu=_only(gpus),
        )

    return {case_id: record(case_id) for case_id in cases}


def _only(values: Iterable[Value]) -> Value | None:
    """Return the value if there is exactly one."""
    known = list(values)
    return known[0] if len(known) == 1 else None


def _kernels(run: Run, warnings: list[str]) -> Iterator[tuple[StoredKernel, KernelArchive]]:
    try:
        archive = run.kernels()
    except ResultsError as error:
        warnings.append(f"no cause is read from the machine code: {error.message}")
        return
    if archive:
        yield from ((kernel, archive) for kernel in archive.index.kernels)


def _limits(run: Run, warnings: list[str]) -> Mapping[str, CaseLimit]:
    try:
        return read_limits(run.folder)
    except ResultsError as error:
        warnings.append(f"no cause is read from the limits: {error.message}")
        return {}
