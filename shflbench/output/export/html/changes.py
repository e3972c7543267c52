"""Several runs of one suite side by side, newest last, with the change between neighbors as `compare` judges it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from shflbench.analysis.compare import Outcome, Settings, Side, compare, with_causes
from shflbench.analysis.compare.learned import learned_noise
from shflbench.core.grouping import group_by
from shflbench.errors import ShflbenchError
from shflbench.output.export.comparison_words import (
    basis,
    change,
    correction,
    count_unchanged,
    describe_missed,
    explain,
    headline,
    legend,
)
from shflbench.output.export.html.content import Neighbors, Series, SortableTable, TableCell, TableColumn
from shflbench.output.export.html.run_cards import HASH_DIGITS
from shflbench.output.export.html.selection import gpu_of, in_order, is_measured
from shflbench.output.export.html.texts import number, short, without_folders

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.compare import ChangeVerdict, Comparison
    from shflbench.store import Run

    NamedRun = tuple[str, Run]  # its name in the report: `run 2`

CORRECTION = "what the comparison adds to the difference of the measured times: see the text above the table"
JUDGED = "new - base + correction, in percent of the corrected base, with its interval"
MOST_ROWS = 1500  # of one table: more would make the file too large; those that changed come first


def series_of(runs: Sequence[Run], baselines: Path) -> Iterator[Series]:
    """Yield the suites of which there are several measured runs."""
    for suite, alike in group_by(filter(is_measured, in_order(runs)), lambda run: run.info.suite.name).items():
        if len(alike) > 1:
            yield _series(suite, _by_gpu(alike), baselines)


def _by_gpu(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of each GPU together, newest last, and last the GPU with the newest run."""
    groups = group_by(runs, gpu_of).values()
    return [run for group in sorted(groups, key=lambda group: group[-1].info.started) for run in group]


def _series(suite: str, runs: Sequence[Run], baselines: Path) -> Series:
    named = [(f"run {place}", run) for place, run in enumerate(runs, 1)]
    compared = [_compare(base, new, baselines) for base, new in pairwise(named)]
    labels = list(map(_label, runs))
    verdicts = [{verdict.case_id: verdict for verdict in item.verdicts} if item else {} for item, _ in compared]
    ids = list(dict.fromkeys(row.case_id for run in reversed(runs) for row in run.rows))
    ids.sort(key=lambda case_id: min((_rank(part.get(case_id)) for part in verdicts), default=len(Outcome)))
    times = [{row.case_id: row.time_us for row in run.rows} for run in runs]
    table = SortableTable(
        f"{suite}: runs side by side, newest last",
        tuple(_columns(labels)),
        tuple(tuple(_cells(case_id, times, verdicts)) for case_id in ids[:MOST_ROWS]),
    )
    neighbors = [_neighbors(*pair, *result) for pair, result in zip(pairwise(named), compared, strict=True)]
    return Series(
        suite=suite,
        runs=tuple(labels),
        neighbors=tuple(neighbors),
        table=table,
        omitted=max(0, len(ids) - MOST_ROWS),
    )


def _label(run: Run) -> str:
    """Return what can differ between the runs of a suite."""
    versions = run.info.versions
    parts = (
        gpu_of(run),
        run.info.started[:10],
        f"driver {versions.driver}" if versions.driver else "",
        f"NVRTC {versions.nvrtc}" if versions.nvrtc else "",
        f"commit {versions.git_commit[:HASH_DIGITS]}" if versions.git_commit else f"shflbench {versions.shflbench}",
        f"revision {run.info.suite.sha256[:HASH_DIGITS]}",
    )
    return short(", ".join(filter(None, parts)))


def _columns(labels: Sequence[str]) -> Iterator[TableColumn]:
    yield TableColumn("Case")
    for place, label in enumerate(labels, 1):
        yield TableColumn(f"Run {place}, µs", is_number=True, meaning=label)
        if place > 1:
            pair = f"{place - 1} to {place}"
            yield TableColumn(f"Correction {pair}, µs", is_number=True, meaning=CORRECTION)
            yield TableColumn(f"Judged change {pair}", is_number=True, meaning=JUDGED)
            yield TableColumn(f"Verdict {pair}")
            yield TableColumn("Why")


def _compare(base: NamedRun, new: NamedRun, baselines: Path) -> tuple[Comparison | None, str]:
    """Return the comparison of two runs, or why they cannot be compared."""
    try:
        sides = Side.of([base[1]], base[0]), Side.of([new[1]], new[0])
        noise, _ = learned_noise(*sides, None, baselines)
        return with_causes(compare(*sides, Settings(noise=noise)), *sides), ""
    except ShflbenchError as error:
        return None, error.message


def _neighbors(base: NamedRun, new: NamedRun, comparison: Comparison | None, reason: str) -> Neighbors:
    notes: tuple[str, ...] = ()
    if comparison:
        sentences = (count_unchanged(comparison), describe_missed(comparison), *basis(comparison), *legend(comparison))
        notes = (*comparison.warnings, *comparison.notes, *filter(None, sentences))
    folders = [base[1].folder, new[1].folder]
    return Neighbors(
        base=base[0],
        new=new[0],
        headline=headline(comparison) if comparison else "not compared",
        reason=short(without_folders(reason, folders)),
        notes=tuple(short(without_folders(note, folders)) for note in notes),
    )


def _cells(
    case_id: str, times: Sequence[Mapping[str, float | None]], verdicts: Sequence[Mapping[str, ChangeVerdict]]
) -> Iterator[TableCell]:
    yield TableCell(short(case_id))
    for place, run in enumerate(times):
        time = run.get(case_id)
        yield TableCell(number(time) if time is not None else "", time)
        if place:
            verdict = verdicts[place - 1].get(case_id)
            ratio = verdict.ratio if verdict else None
            corrected = verdict.correction if verdict else None
            yield TableCell(correction(verdict) if verdict else "", corrected.total if corrected else None)
            yield TableCell(change(ratio), ratio.value if ratio else None)
            yield TableCell(verdict.outcome.value if verdict else "")
            yield TableCell(short("; ".join(explain(verdict))) if verdict else "")


def _rank(verdict: ChangeVerdict | None) -> int:
    return verdict.outcome.rank if verdict else len(Outcome)
