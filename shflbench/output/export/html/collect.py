"""Collect what a report shows, from runs to content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench import __version__
from shflbench.analysis.kernel_sentences import is_of_kernels, kernel_sentences
from shflbench.analysis.summary import sentences
from shflbench.core.grouping import group_by
from shflbench.output.export.html.answers import answer_lines, answers_on_gpus
from shflbench.output.export.html.case_table import measured_cases, other_cases
from shflbench.output.export.html.changes import series_of
from shflbench.output.export.html.charts import bar_chart, strip_chart, usual_setting
from shflbench.output.export.html.content import PatternOnGpu, PatternSection, ReportContent
from shflbench.output.export.html.headline import three_sentences
from shflbench.output.export.html.kernel_code import header_texts, kernel_text
from shflbench.output.export.html.run_cards import run_cards
from shflbench.output.export.html.selection import TimedRow, TimesOfRuns, in_order, is_measured, newest, rows_by_gpu
from shflbench.output.export.html.texts import short

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.claims.times import RunTimes
    from shflbench.output.export.html.content import ClaimLine, HeaderText, KernelText
    from shflbench.output.export.html.selection import GpuRows
    from shflbench.store import Run
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel

USUAL_TITLE = "Shuffle or shared memory"
LONGEST_TITLE = 120  # characters
MOST_SENTENCES = 3  # about a pattern: more are folded into ranges over settings


def collect(
    runs: Sequence[Run],
    baselines: Path,
    title: str = "",
    claims: Sequence[ClaimLine] = (),
    times: Mapping[Path, RunTimes] | None = None,
) -> ReportContent:
    """Return the content of a report of these runs.

    Only files of the run folders are read, and the noise that was learned in `baselines`; `times` are by run folder, if
    they are known already. ResultsError where a file is damaged.
    """
    results = rows_by_gpu(runs, times)
    names = list(dict.fromkeys(row.pattern for run in newest(runs) for row in run.rows))
    anchors = {name: _anchor(name, place) for place, name in enumerate(names, 1)}
    by_topic = group_by(
        (answer for part in results for answer in answer_lines(part, anchors)),
        lambda answer: (names.index(answer.pattern), answer.dtype),
    )
    every_answer = tuple(answer for topic in sorted(by_topic, key=_pattern) for answer in by_topic[topic])
    archives = {run.folder: archive for run in newest(runs) if (archive := run.kernels())}
    untimed = [run for run in newest(runs) if not is_measured(run)]
    gpus = tuple(part.gpu for part in results)
    sections = tuple(_section(name, anchors[name], results, untimed, archives, claims) for name in names)
    return ReportContent(
        title=short(title or _title(runs, results), LONGEST_TITLE),
        sentences=three_sentences(every_answer, claims, runs),
        answers=every_answer,
        on_gpus=tuple(answers_on_gpus(every_answer, gpus)),
        patterns=sections,
        headers=tuple(_shared_headers(sections)),
        series=tuple(series_of(runs, baselines)),
        claims=tuple(claims),
        runs=tuple(run_cards(in_order(runs))),
        gpus=gpus,
        version=__version__,
    )


def _pattern(topic: tuple[int, str]) -> int:
    """Return the place of a topic's pattern: GPUs stand side by side, element types in the order of the suite."""
    return topic[0]


def _title(runs: Sequence[Run], results: Sequence[GpuRows]) -> str:
    """Return the question of shflbench, or where all times are if other tools measured them, and the GPUs."""
    gpus = ", ".join(part.gpu for part in results)
    is_own = any(run.info.converted is None for run in runs)
    what = USUAL_TITLE if is_own else ", ".join(dict.fromkeys(run.info.suite.title for run in runs))
    return f"{what}: {gpus}" if gpus else what


def _anchor(name: str, place: int) -> str:
    """Return the id of a pattern's section: its name where that is one, else its place."""
    return f"pattern-{name}" if re.fullmatch(r"[a-z0-9-]{1,60}", name) else f"pattern-{place}"


def _section(  # noqa: PLR0913, PLR0917  (all that a section can show)
    name: str,
    anchor: str,
    results: Sequence[GpuRows],
    untimed: Sequence[Run],
    archives: Mapping[Path, KernelArchive],
    claims: Sequence[ClaimLine],
) -> PatternSection:
    parts = [(part, rows) for part in results if (rows := part.of_pattern(name))]
    others = [TimedRow(row, run, None) for run in untimed for row in run.rows if row.pattern == name]
    kernels, headers = _code([*(item for _, rows in parts for item in rows), *others], archives)
    return PatternSection(
        name=name,
        anchor=anchor,
        on_gpus=tuple(_on_gpu(part, rows) for part, rows in parts),
        kernels=tuple(kernels),
        headers=tuple(headers),
        claims=tuple(claim for claim in claims if name in claim.patterns),
        cases=measured_cases(name, [item for _, rows in parts for item in rows]),
        others=other_cases(name, others),
    )


def _on_gpu(results: GpuRows, rows: Sequence[TimedRow]) -> PatternOnGpu:
    return PatternOnGpu(
        gpu=results.gpu,
        sentences=tuple(_sentences(rows, TimesOfRuns(rows, results.times))),
        bars=bar_chart(usual_setting(rows)),
        strips=strip_chart(rows),
    )


def _sentences(rows: Sequence[TimedRow], times: TimesOfRuns) -> list[str]:
    """Return the sentences on one pattern: on a user's kernels those that `bench` and `show` print."""
    of_kernels = [item.row for item in rows if is_of_kernels(item.run)]
    others = [item.row for item in rows if not is_of_kernels(item.run)]
    return [*sentences(others, times, MOST_SENTENCES), *kernel_sentences(of_kernels, times)]


def _shared_headers(sections: Sequence[PatternSection]) -> list[HeaderText]:
    by_anchor = group_by((header for section in sections for header in section.headers), lambda header: header.anchor)
    return [headers[0] for headers in by_anchor.values() if len(headers) > 1]


def _code(
    rows: Sequence[TimedRow], archives: Mapping[Path, KernelArchive]
) -> tuple[list[KernelText], list[HeaderText]]:
    """Return the code of each variant, preferably of the setting that the chart shows, and the headers of all."""
    usual = usual_setting(rows) if rows else []
    stored: dict[str, tuple[TimedRow, StoredKernel, KernelArchive]] = {}
    for item in (*usual, *rows):
        archive = archives.get(item.run.folder)
        if archive and item.row.variant not in stored and (kernel := archive.kernel_of(item.row.case_id)):
            stored[item.row.variant] = item, kernel, archive
    headers = (header for _, kernel, archive in stored.values() for header in header_texts(kernel, archive))
    order = dict.fromkeys(item.row.variant for item in rows)
    return (
        [kernel_text(*stored[variant]) for variant in order if variant in stored],
        list({header.anchor: header for header in headers}.values()),
    )
