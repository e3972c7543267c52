"""The page on the advice on public files: the suggestions, what readers say of them, and what patches give."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.file_advice.sample import HERE, measured, suggestions
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.file_advice.sample import AdvisedFile, Reading, Suggestion

Records = list[dict[str, Any]]
RIGHT = "right"


def page(files: Sequence[AdvisedFile], first: Records, again: Records, readings: Sequence[Reading]) -> str:
    """Return the page as Markdown."""
    parts = (_head(files, first), _shares(first, again, readings), _wrong(readings), _patches(again), _measured())
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(files: Sequence[AdvisedFile], first: Records) -> Iterator[str]:
    yield "# `advise` on public files"
    yield ""
    yield "Written by `python -m benchmarks.file_advice`; do not edit."
    yield ""
    yield (HERE / "rule.txt").read_text(encoding="utf-8").strip()
    yield ""
    read, repositories = [item for item in first if item["read"]], {file.repository for file in files}
    kernels = sum(len(item["kernels"]) for item in read)
    seconds = [item["seconds"] for item in read]
    yield (
        f"{len(read)} of {len(files)} files of {len(repositories)} repositories compile; in them, "
        f"{count_noun(kernels, 'kernel')} exchange values through shared memory or have barriers in launches that the "
        f"host code states. `advise` took {median(seconds):.1f} s per file (median; at most {max(seconds):.0f} s)."
    )
    yield ""


def _level(suggestion: Suggestion) -> str:
    if " → " not in suggestion.line:
        return "barrier, in the launches of the host code"
    where = "in all launches with blocks of the shape" if suggestion.is_fixed else "in the launches of the host code"
    return f"exchange, {where}"


def _shares(first: Records, again: Records, readings: Sequence[Reading]) -> Iterator[str]:
    before, after = ([one for record in records for one in suggestions(record)] for records in (first, again))
    wrong = {(item.file, item.kernel, item.line, item.what) for item in readings if item.decided != RIGHT}
    both = {(item.file, item.kernel, item.line, item.what) for item in readings if item.first == item.second == RIGHT}
    yield "| suggestion | first run | both readers: right | after the corrections | of these, known to be wrong |"
    yield "| --- | --: | --: | --: | --: |"
    levels = Counter(map(_level, before))
    for level in sorted(levels):
        now = [one for one in after if _level(one) == level]
        right = sum(_level(one) == level and _key(one) in both for one in before)
        yield (
            f"| {level} | {levels[level]} | {right} ({right / levels[level]:.0%}) | {len(now)} | "
            f"{sum(_key(one) in wrong for one in now)} |"
        )
    yield ""


def _key(suggestion: Suggestion) -> tuple[str, str, str, str]:
    return suggestion.file, suggestion.kernel, suggestion.line, suggestion.what


def _wrong(readings: Sequence[Reading]) -> Iterator[str]:
    yield "## Suggestions of the first run that a reader calls wrong"
    yield ""
    doubted = [item for item in readings if {item.first, item.second} != {RIGHT}]
    for item in doubted:
        yield f"- {item.file}, `{item.kernel}`, {item.line}, `{item.what}`: {item.reason} (decided: {item.decided})"
    if not doubted:
        yield "None."
    yield ""


def _patches(again: Records) -> Iterator[str]:
    yield "## Patches"
    yield ""
    results = Counter(record["patched"] for record in again if "patched" in record)
    yield "What `check` says of the copies to which `advise --patch` was applied:"
    yield ""
    yield "| kernels of the patched file | files |"
    yield "| --- | --: |"
    yield from (f"| {verdict} | {count} |" for verdict, count in results.most_common())
    yield ""


def _measured() -> Iterator[str]:
    yield "## What the changes bring"
    yield ""
    yield "Measured by `advise --measure` on an H100 in five processes. All changes are barriers that were removed or"
    yield "weakened, for which nothing is predicted; 1 is the speed of the file as it is."
    yield ""
    yield "| file | kernel | speed with the patch |"
    yield "| --- | --- | --- |"
    for one in measured():
        yield f"| {one.file} | `{one.kernel}` | {one.speedup:.3f} ({one.low:.3f} to {one.high:.3f}) |"
