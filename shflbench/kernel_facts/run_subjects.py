"""The kernels of a run, declared by what the run recorded: the files of their pattern may be gone, as in `bench`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.model import Case, Launch, Mechanism
from shflbench.errors import UsageError
from shflbench.kernel_facts.inspected_kernel import RecordedLaunch
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.recorded_limits import current_limits
from shflbench.patterns.declare import LAUNCH_OPTIONS, Pattern, Variant
from shflbench.patterns.discover import LoadedPattern
from shflbench.patterns.pattern_functions import PatternFunctions
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.patterns.declare import Size
    from shflbench.store import Row, Run
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel

RUN_FILE = "run.json"


def run_of(targets: Sequence[str]) -> Run | None:
    """Return the run of the only target; None if no target is a run; UsageError for a run beside other targets."""
    folder = next((target for target in targets if (Path(target) / RUN_FILE).is_file()), None)
    if folder is None:
        return None
    run = read_run(Path(folder))
    if len(targets) > 1:
        others = ", ".join(f"`{target}`" for target in targets if target != folder)
        raise UsageError(
            f"{folder} is the folder of a run, which is inspected alone, without {others}",
            f"Choose kernels by {_filters(run)}; compare two runs by --diff A B.",
        )
    return run


def _filters(run: Run) -> str:
    """Return the options that choose kernels of a run, with their values."""
    values = {
        "--pattern": dict.fromkeys(row.pattern for row in run.rows),
        "--variant": dict.fromkeys(row.variant for row in run.rows),
    }
    listed = [f"{name} ({', '.join(known)})" for name, known in values.items() if len(known) > 1]
    return " and ".join(listed) or "--variant"


def subjects_of(run: Run) -> list[KernelSubject]:
    """Return each kernel of a run once, or once per launch if it has no timed loop, in its order."""
    archive = run.kernels()
    kernels = archive.index.kernels if archive else ()
    static = {case: kernel.resources.shared_bytes for kernel in kernels for case in kernel.cases}
    subjects: dict[tuple[object, ...], KernelSubject] = {}
    for name, rows in group_by(run.rows, lambda row: row.pattern).items():
        declared = _declaration(rows, static)
        pattern = LoadedPattern(name, run.folder / name, declared, PatternFunctions())
        for row in rows:
            case = _case(row)
            launch = row.launch if declared.one_pass else ""
            subjects.setdefault((name, case.variant, case.dtype, case.options, launch), KernelSubject(pattern, case))
    return list(subjects.values())


def recorded_launches(run: Run, subjects: Sequence[KernelSubject]) -> dict[KernelSubject, RecordedLaunch]:
    """Return what a run recorded of the subjects without a timed loop, which may be those of another run.

    Of such a subject, a run that has another launch only has that one.
    """
    recorded_limits, counts = read_limits(run.folder), run.counts()
    unlimited = {case_id: limit for case_id, limit in recorded_limits.items() if limit.limit_reason}
    limits = unlimited | current_limits(run, recorded_limits)
    rows = group_by(run.rows, lambda row: _name(_case(row)))
    recorded = {}
    for subject in subjects:
        known = rows.get(_name(subject.case), [])
        same = [row for row in known if row.launch == subject.case.launch.expression]
        if subject.pattern.declaration.one_pass and (same or len(known) == 1):
            row = (same or known)[0]
            recorded[subject] = RecordedLaunch(row, limits.get(row.case_id), counts.get(row.case_id))
    return recorded


def stored_kernels(
    run: Run, archive: KernelArchive, subjects: Sequence[KernelSubject]
) -> dict[KernelSubject, StoredKernel]:
    """Return the kernels that a run stored of the subjects, which may be those of another run.

    A kernel may be compiled for each launch: that of the subject's launch, or else of the first one.
    """
    rows = group_by(run.rows, lambda row: _name(_case(row)))
    stored = {}
    for subject in subjects:
        known = sorted(rows.get(_name(subject.case), []), key=lambda row: row.launch != subject.case.launch.expression)
        kernel = next(filter(None, (archive.kernel_of(row.case_id) for row in known)), None)
        if kernel is not None:
            stored[subject] = kernel
    return stored


def _name(case: Case) -> tuple[object, ...]:
    return case.pattern, case.variant, case.dtype, case.options


def _case(row: Row) -> Case:
    """Return the case of a row, without the options that do not change its kernel."""
    options = tuple(item for item in row.options if item[0] not in LAUNCH_OPTIONS)
    return Case(row.pattern, row.variant, row.dtype, Launch(row.launch, row.block, row.grid), 1, options)


def _declaration(rows: Sequence[Row], static: Mapping[str, int]) -> Pattern:
    variants = {
        row.variant: Variant(
            name=row.variant,
            mechanism=Mechanism(row.mechanism),
            summary=row.variant,
            shared=_dynamic((row.shared_bytes or 0) - static.get(row.case_id, 0)),
        )
        for row in reversed(rows)
    }
    return Pattern(
        summary=rows[0].pattern,
        source="a run",
        buffers=(),
        variants=tuple(variants[name] for name in dict.fromkeys(row.variant for row in rows)),
        one_pass=all(row.sass_per_iteration is None for row in rows),
        blocks=tuple(dict.fromkeys(row.block for row in rows)),
    )


def _dynamic(shared_bytes: int) -> Size:
    return lambda _: max(0, shared_bytes)
