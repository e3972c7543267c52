"""The page on whole programs: the rule of the sample, the shares, and every verdict that readers call wrong."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from benchmarks.whole_programs.counts import counts
from benchmarks.whole_programs.sample import WRONG
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.whole_programs.counts import Counts
    from benchmarks.whole_programs.sample import ProgramFile, Reading, Sample

KINDS = (
    "clean",
    "schedule-dependent",
    "broken",
    "doubtful",
    "needs arguments",
    "not checked",
    "not compiled",
    "no verdict",
)


def page(sample: Sample) -> str:
    """Return the page as Markdown."""
    files, readings = sample.files(), sample.readings()
    figures = counts(sample.results(), readings)
    parts = (
        _head(sample),
        _repositories(files, readings, figures),
        _shares(figures),
        _wrong(readings),
        _left_out(figures),
    )
    return "\n".join(chain.from_iterable(parts)) + "\n"


def _head(sample: Sample) -> Iterator[str]:
    yield f"# {sample.title}"
    yield ""
    yield f"Written by `python -m benchmarks.whole_programs {sample.name}`; do not edit."
    yield ""
    yield sample.rule
    yield ""


def _repositories(files: Sequence[ProgramFile], readings: Sequence[Reading], figures: Counts) -> Iterator[str]:
    read = {item.file for item in readings} - set(figures.left_out)
    wrong = {item.file for item in readings if item.decided == WRONG} & read
    yield "| repository | commit | files | read | wrong |"
    yield "| --- | --- | --: | --: | --: |"
    for repository, commit in dict.fromkeys((file.repository, file.commit) for file in files):
        keys = {file.key for file in files if file.repository == repository}
        yield f"| {repository} | {commit} | {len(keys)} | {len(keys & read)} | {len(keys & wrong)} |"
    yield f"| all | | {len(files)} | {len(read)} | {len(wrong)} |"
    yield ""
    yield f"{len(figures.left_out)} files are left out (below); the other {figures.files} count."
    yield ""


def _shares(figures: Counts) -> Iterator[str]:
    yield "| verdict on the file | files | share |"
    yield "| --- | --: | --: |"
    for kind in KINDS:
        if figures.verdicts[kind]:
            yield f"| {kind} | {figures.verdicts[kind]} | {figures.verdicts[kind] / figures.files:.1%} |"
    yield ""
    yield (
        f"**{figures.right:.1%} of the files have a right verdict.** Two readers, each without the other's answers, "
        f"read {figures.read} files, among them {figures.clean_read} clean ones, of which {figures.clean_right} are "
        f"right; clean files that nobody read count at that rate. They differed in "
        f"{count_noun(figures.differing, 'verdict')}, on which a third look decided. A sound file that is called "
        "`needs arguments` or `not checked` counts as wrong."
    )
    yield ""
    yield "| verdict on the kernel | read | right |"
    yield "| --- | --: | --: |"
    for kind in KINDS:
        if kind in figures.kernels:
            number, right = figures.kernels[kind]
            yield f"| {kind} | {number} | {right} ({right / number:.0%}) |"
    yield ""
    yield (
        f"Time per file: median {figures.median_s:.1f} s, 95% at most {figures.most_of_s:.1f} s, longest "
        f"{figures.longest_s:.1f} s."
    )
    yield ""


def _wrong(readings: Sequence[Reading]) -> Iterator[str]:
    yield "## Verdicts that are wrong"
    yield ""
    wrong = [item for item in readings if item.decided == WRONG]
    for item in wrong:
        kernel = f", `{item.kernel}`" if item.kernel else ""
        yield f"- {item.file}{kernel}: {item.reason}"
    if not wrong:
        yield "None."
    yield ""


def _left_out(figures: Counts) -> Iterator[str]:
    yield "## Files that are left out"
    yield ""
    yield "nvcc cannot compile them with the options of their build, or they have no kernel:"
    yield ""
    for file in figures.left_out:
        yield f"- {file}"
