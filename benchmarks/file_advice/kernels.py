"""Programs of strangers and public questions: `advise` on them, what people say of its suggestions, and the page."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.common.pages import bullets, table, written_by
from benchmarks.common.records import read_rows, read_table
from benchmarks.file_advice.runs import Records, shflbench_on

FOLDER = Path(__file__).with_name("kernels")
WEAKER = {"__syncwarp() is enough": "syncwarp", "not needed": "not needed"}  # need of a barrier → answer of an author
ORDER = ("needed", "syncwarp", "not needed")  # answers, the weakest barrier last
OF_WARP = "warp barrier"  # on which advise says nothing
PART = " where it stays in a warp"
PAGE = FOLDER.parent.with_name("advised_kernels.md")
QUESTIONS = FOLDER.with_name("questions")
RUN_ON_GPU = 104
CLOSE = 0.2  # of a measured speed
POSSIBLE = {"syncwarp", "not needed", "shuffle", "part"}  # answers that a suggestion can have
TEXT = """\
# `advise` on programs of strangers, and on public questions

{written}

{rule}

{files} programs; {barriers} barriers and {exchanges} exchanges have an answer of the author. The first run has \
{first} programs, that after the corrections {again}.

{outcomes}

## Wrong suggestions of the first run

{wrong_first}

## Wrong suggestions of the run after the corrections

{wrong_again}

`advise` took {median:.1f} s per program (median; 95% at most {most:.1f} s; at most {longest:.1f} s), 15 programs at a \
time on a machine with 16 cores.

## Patches

After the corrections, `advise --patch` changes {changed} of the {on_gpu} programs. Each \
patch was applied by `git apply`, the copy was checked without arguments and with three \
others, and compiled by nvcc and run on an NVIDIA H200 beside the original, without arguments and with seven others.

{patches}

## Gains

Measured by `advise --measure` on an NVIDIA H200: the speed of the patched file in units of that of the file \
as it is; 1 is no gain. {within} of {measured} predictions are within {close:.0%}.

{gains}

## Public questions

{count} public questions, each with a program in other words than the public one. Two experts answered \
them, each without the other's answer and without the tool (`file_advice/questions/answers.tsv`); a third \
reader compared the advice with both. \
Answered as by the experts: {after}. In the first run: {before}. \
Words of comparisons of two kernels were corrected after this reading.

{questions}
"""
QUESTION = """\
### {0.question}

`{0.file}`, after <{0.url}>

- Advise: {0.advice}
- **{0.verdict}**: {0.reason}
"""


class Outcome(StrEnum):
    """How a suggestion, or none, compares with the truth."""

    NAMED = "named"  # what is possible
    LESS = "less named"  # `__syncwarp()`, and no barrier is needed
    NONE = "not named"  # what is possible
    RIGHT = "nothing to name"
    LIMITED = "wrong for other values, and it says so"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Truth:
    """What the author of a program says of a barrier, or of values that go from a store to a load."""

    file: str  # set/name
    kernel: str
    kind: str  # barrier or exchange
    line: int  # of the barrier, or of the store
    load: int  # 0 of a barrier
    answer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Compared:
    """One truth with what advise says of it."""

    truth: Truth
    said: str  # its suggestions and reasons; empty without
    outcome: Outcome


def truths() -> list[Truth]:
    """Return the truth on all programs, but for barriers of a warp."""
    return [
        Truth(f"{path.parent.name}/{name}", kernel, kind, int(line), int(load or 0), answer, reason)
        for path in sorted(FOLDER.glob("*/truth.tsv"))
        for name, kernel, kind, line, load, answer, reason in (row.values() for row in read_table(path))
        if kind != OF_WARP
    ]


@dataclass(frozen=True, slots=True)
class AuthoredProgram:
    """A program of a stranger."""

    path: Path

    @property
    def key(self) -> str:
        """Its set and its name."""
        return f"{self.path.parent.name}/{self.path.name}"


def programs() -> list[AuthoredProgram]:
    """Return all programs."""
    return [AuthoredProgram(path) for path in sorted(FOLDER.glob("*/*.cu"))]


def advice_on(program: AuthoredProgram) -> dict[str, Any]:
    """Return the advice on a program, and the seconds that it took."""
    reply = shflbench_on(program.path, "advise", program.path.name, "--format", "json")
    return {"seconds": reply.seconds, "message": reply.errors.strip()[:200], "kernels": reply.json().get("kernels", [])}


def compare(records: Iterable[Mapping[str, Any]], known: Iterable[Truth]) -> list[Compared]:
    """Return each truth on the programs of the records with what advise says of it."""
    barriers: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    exchanges: dict[tuple[str, int, int], list[dict[str, Any]]] = defaultdict(list)
    files = set()
    for record in records:
        file = record["file"]
        files.add(file)
        for kernel in record["kernels"]:
            for item in kernel["barriers"]:
                barriers[file, _line(item["line"])].append(item)
            for item in kernel["exchanges"]:
                exchanges[file, _line(item["store"]), _line(item["load"])].append(item)
    return [
        _of_barrier(truth, barriers.get((truth.file, truth.line), []))
        if truth.kind == "barrier"
        else _of_exchange(truth, exchanges.get((truth.file, truth.line, truth.load), []))
        for truth in known
        if truth.file in files
    ]


def _line(place: str) -> int:
    return int(place.rpartition(":")[2])


def _of_barrier(truth: Truth, items: Sequence[Mapping[str, Any]]) -> Compared:
    said = "; ".join(f"{item['need']} ({item['reason']})" for item in items)
    needs = [WEAKER.get(_alone(item), "needed") for item in items]
    need = min(needs, key=ORDER.index, default="needed")  # that of all instances
    is_proved = all(item["proved"] or item["need"] == "needed" for item in items if _alone(item) in WEAKER)
    if need == truth.answer:
        outcome = Outcome.RIGHT if need == "needed" else Outcome.NAMED
    elif ORDER.index(need) > ORDER.index(truth.answer):
        outcome = Outcome.WRONG if is_proved else Outcome.LIMITED
    else:
        outcome = Outcome.NONE if need == "needed" else Outcome.LESS
    return Compared(truth, said, outcome)


def _alone(item: Mapping[str, Any]) -> str:
    """Return what a barrier is needed for while all others stay."""
    return str((item.get("alternative") or item)["need"])


def _of_exchange(truth: Truth, items: Sequence[Mapping[str, Any]]) -> Compared:
    said = "; ".join(item["instead"] or item["reason"] for item in items)
    suggested = [item["instead"] for item in items if item["instead"]]
    is_part = bool(suggested) and all(text.endswith(PART) for text in suggested)
    is_proved = all(item["proved"] for item in items if item["instead"])
    if not suggested:
        outcome = Outcome.NONE if truth.answer in {"shuffle", "part"} else Outcome.RIGHT
    elif truth.answer == "shuffle" or (truth.answer == "part" and is_part):
        outcome = Outcome.NAMED
    else:
        outcome = Outcome.WRONG if is_proved or is_part else Outcome.LIMITED
    return Compared(truth, said, outcome)


@dataclass(frozen=True, slots=True)
class Gain:
    """The speed of a patched kernel, by prediction and by measurement."""

    program: str
    kernel: str
    predicted: float
    measured: float
    low: float  # of the interval
    high: float


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


def results(name: str) -> Records:
    """Return the records of a run, which has no more than what comparisons read."""
    return [json.loads(line) for line in gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def questions() -> list[Question]:
    """Return the public questions."""
    return read_rows(QUESTIONS / "answers.tsv", Question)


def kernels_page() -> str:
    """Return the page as Markdown, from the advice of the first run and of the code after the corrections."""
    known, first, again, every = truths(), results("first"), results("again"), questions()
    before, after = compare(first, known), compare(again, known)
    kinds = Counter(truth.kind for truth in known)
    seconds = [item["seconds"] for item in again]
    patches = read_table(FOLDER / "patched.tsv")
    gains = read_rows(FOLDER / "gains.tsv", Gain)
    verdicts, verdicts_before = (Counter(getattr(item, name) for item in every) for name in ("verdict", "before"))
    return TEXT.format(
        written=written_by("file_advice"),
        rule=(FOLDER / "rule.txt").read_text(encoding="utf-8").strip(),
        files=len({truth.file for truth in known}),
        barriers=kinds["barrier"],
        exchanges=kinds["exchange"],
        first=len(first),
        again=len(again),
        outcomes=table(("", "first run", "after the corrections"), _outcomes(before, after)),
        wrong_first=_wrong(before),
        wrong_again=_wrong(after),
        median=median(seconds),
        most=quantiles(seconds, n=20)[-1],
        longest=max(seconds),
        changed=len(patches),
        on_gpu=RUN_ON_GPU,
        patches=table(("the patched program", "programs"), Counter(one["outcome"] for one in patches).most_common()),
        within=sum(abs(one.measured / one.predicted - 1) <= CLOSE for one in gains),
        measured=len(gains),
        close=CLOSE,
        gains=table(("program", "kernel", "predicted", "measured"), map(_gain, gains), texts=2),
        count=len(every),
        after="{as the experts}; partly: {partly}; otherwise: {other}".format_map(verdicts),
        before="{as the experts}, {partly} and {other}".format_map(verdicts_before),
        questions="\n".join(map(QUESTION.format, every)),
    )


def _outcomes(before: Sequence[Compared], after: Sequence[Compared]) -> Iterator[tuple[object, ...]]:
    for kind in ("barrier", "exchange"):
        both = [[item for item in items if item.truth.kind == kind] for items in (before, after)]
        counts = [Counter(item.outcome for item in items) for items in both]
        yield from ((f"{kind}s: {outcome}", *(count[outcome] for count in counts)) for outcome in Outcome)
        yield (f"**{kind}s: possible suggestions that are named**", *map(_share, both))


def _share(items: Sequence[Compared]) -> str:
    possible = [item for item in items if item.truth.answer in POSSIBLE]
    named = sum(item.outcome in {Outcome.NAMED, Outcome.LESS} for item in possible)
    return f"{named} of {len(possible)} ({named / max(1, len(possible)):.0%})"


def _wrong(items: Sequence[Compared]) -> str:
    return bullets(
        f"{item.truth.file}:{item.truth.line}, `{item.truth.kernel}`: {item.said}. The author: "
        f"{item.truth.answer}; {item.truth.reason}"
        for item in items
        if item.outcome is Outcome.WRONG
    )


def _gain(one: Gain) -> tuple[str, ...]:
    measured = f"{one.measured:.3f} ({one.low:.3f} to {one.high:.3f})"
    return one.program, f"`{one.kernel}`", f"{one.predicted:.2f}", measured
