"""The page on the advice on public files: the suggestions, what readers say of them, and what patches give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.common.pages import bullets, table, written_by
from benchmarks.file_advice.runs import (
    HERE,
    RIGHT,
    Reading,
    Records,
    Suggestion,
    measured,
    readings,
    results,
    sample,
    suggestions,
)
from shflbench.core.words import count_noun

PAGE = """\
# `advise` on public files

{written}

{rule}

{compiled} of {files} files of {repositories} repositories compile; in them, {kernels} exchange values through shared \
memory or have barriers in launches that the host code specifies. `advise` took {median:.1f} s per file (median; \
at most {longest:.0f} s).

{shares}

## Suggestions of the first run that a reader calls wrong

{wrong}

## Patches

What `check` says of the copies to which `advise --patch` was applied:

{patches}

## What the changes bring

Measured by `advise --measure` on an H100 in five processes. All changes are barriers that were removed or
weakened, for which nothing is predicted; 1 is the speed of the file as it is.

{gains}
"""


def page() -> str:
    """Return the page as Markdown."""
    files, first, again, known = sample(), results("first.jsonl"), results("again.jsonl"), readings()
    read = [item for item in first if item["read"]]
    seconds = [item["seconds"] for item in read]
    doubted = [item for item in known if {item.first, item.second} != {RIGHT}]
    gains = [
        (one.file, f"`{one.kernel}`", f"{one.speedup:.3f} ({one.low:.3f} to {one.high:.3f})") for one in measured()
    ]
    return PAGE.format(
        written=written_by("file_advice"),
        rule=(HERE / "rule.txt").read_text(encoding="utf-8").strip(),
        compiled=len(read),
        files=len(files),
        repositories=len({file.repository for file in files}),
        kernels=count_noun(sum(len(item["kernels"]) for item in read), "kernel"),
        median=median(seconds),
        longest=max(seconds),
        shares=table(
            ("suggestion", "first run", "both readers: right", "after the corrections", "of these, known to be wrong"),
            _shares(first, again, known),
        ),
        wrong=bullets(
            f"{item.file}, `{item.kernel}`, {item.line}, `{item.what}`: {item.reason} (decided: {item.decided})"
            for item in doubted
        ),
        patches=table(
            ("kernels of the patched file", "files"),
            Counter(record["patched"] for record in again if "patched" in record).most_common(),
        ),
        gains=table(("file", "kernel", "speed with the patch"), gains, texts=3),
    )


def _level(suggestion: Suggestion) -> str:
    if " → " not in suggestion.line:
        return "barrier, in the launches of the host code"
    where = "in all launches with blocks of the shape" if suggestion.is_fixed else "in the launches of the host code"
    return f"exchange, {where}"


def _shares(first: Records, again: Records, known: Sequence[Reading]) -> Iterator[tuple[object, ...]]:
    before, after = ([one for record in records for one in suggestions(record)] for records in (first, again))
    wrong = {item.key for item in known if item.decided != RIGHT}
    both = {item.key for item in known if item.first == item.second == RIGHT}
    levels = Counter(map(_level, before))
    for level in sorted(levels):
        now = [one for one in after if _level(one) == level]
        right = sum(_level(one) == level and one.key in both for one in before)
        share = f"{right} ({right / levels[level]:.0%})"
        yield level, levels[level], share, len(now), sum(one.key in wrong for one in now)
