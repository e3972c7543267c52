"""The page on the advice on programs of strangers, and on public questions."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from benchmarks.file_advice.kernels import FOLDER, Compared, Outcome, compare, truths
from benchmarks.file_advice.sample import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = FOLDER.parent.with_name("advised_kernels.md")
QUESTIONS = FOLDER.with_name("questions")
RUN_ON_GPU = 104
CLOSE = 0.2  # of a measured speed
POSSIBLE = {"syncwarp", "not needed", "shuffle", "part"}  # answers that a suggestion can have
Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """A public question, what two experts answer, and how the advice on its program compares."""

    file: str
    url: str
    kind: str  # faster or barrier
    question: str
    first: str
    second: str
    advice: str  # the sentences that answer it, of the code after the corrections
    verdict: str  # as the experts, partly, or other
    reason: str
    before: str  # the verdict on the first run


def kernels_page() -> str:
    """Return the page as Markdown, from the advice of the first run and of the code after the corrections."""
    first, again = results("first"), results("again")
    parts = (
        _head(first, again),
        _table(first, again),
        _wrong(first, again),
        _times(again),
        _patches(),
        _gains(),
        _questions(),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def results(name: str) -> Records:
    """Return the records of a run: what `advise_kernels` writes, without what no comparison reads."""
    return [json.loads(line) for line in gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def _head(first: Records, again: Records) -> Iterator[str]:
    known = truths()
    files = {truth.file for truth in known}
    yield "# `advise` on programs of strangers, and on public questions"
    yield ""
    yield "Written by `python -m benchmarks.file_advice`; do not edit."
    yield ""
    yield (FOLDER / "rule.txt").read_text(encoding="utf-8").strip()
    yield ""
    yield (
        f"{len(files)} programs; {sum(truth.kind == 'barrier' for truth in known)} barriers and "
        f"{sum(truth.kind == 'exchange' for truth in known)} exchanges have an answer of the author. The first run has "
        f"{len(first)} programs, that after the corrections {len(again)}."
    )
    yield ""


def _table(first: Records, again: Records) -> Iterator[str]:
    yield "| | first run | after the corrections |"
    yield "| --- | --: | --: |"
    before, after = (compare(records, truths()) for records in (first, again))
    for kind in ("barrier", "exchange"):
        counts = [Counter(item.outcome for item in items if item.truth.kind == kind) for items in (before, after)]
        for outcome in Outcome:
            yield f"| {kind}s: {outcome} | " + " | ".join(str(one[outcome]) for one in counts) + " |"
        shares = (_share([item for item in items if item.truth.kind == kind]) for items in (before, after))
        yield f"| **{kind}s: possible suggestions that are named** | " + " | ".join(shares) + " |"
    yield ""


def _share(items: Sequence[Compared]) -> str:
    possible = [item for item in items if item.truth.answer in POSSIBLE]
    named = sum(item.outcome in {Outcome.NAMED, Outcome.LESS} for item in possible)
    return f"{named} of {len(possible)} ({named / max(1, len(possible)):.0%})"


def _wrong(first: Records, again: Records) -> Iterator[str]:
    for title, records in (("first run", first), ("run after the corrections", again)):
        yield f"## Wrong suggestions of the {title}"
        yield ""
        lines = [
            f"- {item.truth.file}:{item.truth.line}, `{item.truth.kernel}`: {item.said}. The author: "
            f"{item.truth.answer}; {item.truth.reason}"
            for item in compare(records, truths())
            if item.outcome is Outcome.WRONG
        ]
        yield from lines or ["None."]
        yield ""


def _times(records: Records) -> Iterator[str]:
    seconds = [item["seconds"] for item in records]
    yield (
        f"`advise` took {median(seconds):.1f} s per program (median; 95% at most {quantiles(seconds, n=20)[-1]:.1f} s; "
        f"at most {max(seconds):.1f} s), 15 programs at a time on a machine with 16 cores."
    )
    yield ""


def _patches() -> Iterator[str]:
    changed = rows(FOLDER / "patched.tsv")
    counts = Counter(outcome for _, _, outcome, _ in changed)
    yield "## Patches"
    yield ""
    yield (
        f"After the corrections, `advise --patch` changes {len(changed)} of the {RUN_ON_GPU} programs. Each "
        "patch was applied by `git apply`, the copy was checked without arguments and with three "
        "others, and compiled by nvcc and run on an NVIDIA H200 beside the original, without arguments and with seven "
        "others."
    )
    yield ""
    yield "| the patched program | programs |"
    yield "| --- | --: |"
    yield from (f"| {outcome} | {count} |" for outcome, count in counts.most_common())
    yield ""


def _gains() -> Iterator[str]:
    gains = [(row[0], row[1], [float(number) for number in row[2:]]) for row in rows(FOLDER / "gains.tsv")]
    within = sum(abs(measured / predicted - 1) <= CLOSE for _, _, (predicted, measured, _, _) in gains)
    yield "## Gains"
    yield ""
    yield (
        "Measured by `advise --measure` on an NVIDIA H200: the speed of the patched file in units of that of the file "
        f"as it is; 1 is no gain. {within} of {len(gains)} predictions are within {CLOSE:.0%}."
    )
    yield ""
    yield "| program | kernel | predicted | measured |"
    yield "| --- | --- | --: | --: |"
    for file, kernel, (predicted, measured, low, high) in gains:
        yield f"| {file} | `{kernel}` | {predicted:.2f} | {measured:.3f} ({low:.3f} to {high:.3f}) |"
    yield ""


def questions() -> list[Question]:
    """Return the public questions."""
    return [Question(*row) for row in rows(QUESTIONS / "answers.tsv")]


def _questions() -> Iterator[str]:
    every = questions()
    counts, before = Counter(item.verdict for item in every), Counter(item.before for item in every)
    yield "## Public questions"
    yield ""
    yield (
        f"{len(every)} public questions, each with a program in other words than the public one. Two experts answered "
        "them, each without the other's answer and without the tool (`file_advice/questions/answers.tsv`); a third "
        "reader compared the advice with both. "
        f"Answered as by the experts: {counts['as the experts']}; partly: {counts['partly']}; otherwise: "
        f"{counts['other']}. In the first run: {before['as the experts']}, {before['partly']} and {before['other']}. "
        "Words of comparisons of two kernels were corrected after this reading."
    )
    yield ""
    for item in every:
        yield f"### {item.question}"
        yield ""
        yield f"`{item.file}`, after <{item.url}>"
        yield ""
        yield f"- Advise: {item.advice}"
        yield f"- **{item.verdict}**: {item.reason}"
        yield ""
