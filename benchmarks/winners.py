"""Compare the ratios of variants on two GPUs: `python -m benchmarks winners` writes the page.

Needs no GPU. Whether a variant leads on both GPUs says little: where intervals are wide, slow variants count as
leaders, too. A ratio of two variants is measured on both, and its drift can be any number. The two GPUs are the H100 of
`opponents.json` and an H200 with the same kernels, `winners.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.common.pages import table, written_by
from benchmarks.common.records import read_json
from shflbench.analysis.ranking import times
from tools.docs.records.opponents import kept, of_model

PAGE = Path(__file__).with_suffix(".md")
SAME = Path(__file__).with_suffix(".json")  # the record of an H200 with the kernels of the H100 of opponents.json
DRIFT = 0.03  # as much as two cards of one model may differ by (docs/explanation/how-we-compare.md)
ALLOWED = 0.05  # of the ratios may drift by more
TURNED = 0.01  # by as much, a variant has to be faster on one GPU and slower on the other
TEXT = """\
# Ratios on two GPUs

{written}

Two GPUs measured the same settings. At each, the time of every safe variant, libraries included, is divided by that of
the fastest one of the first GPU, on both GPUs; drift is how much the second ratio differs from the first. A comparison
is turned if one GPU shows the variant to be over 1% slower, and the other over 1% faster.

{summary}
"""
BEYOND = """
Ratios that drift by more than 3%. In clusters, variants with an arrival that releases have a fence of the whole GPU,
whose cost is that of one GPU: answers there are given for each GPU by itself.

{lines}
"""
HEAD = (
    *("what", "GPU", "other GPU", "settings", "ratios", "drift, median", "95% within", "largest", "beyond 3%"),
    "turned",
)
LINES = ("setting", "variant", "over", "first GPU", "second GPU", "drift")

Times = dict[str, float]  # by variant


@dataclass(frozen=True, slots=True)
class Side:
    """What one GPU measured: times per iteration, or of launches, by setting and variant."""

    name: str
    settings: Mapping[str, Times]


@dataclass(frozen=True, slots=True)
class Drift:
    """The time of a variant divided by that of another one, on two GPUs."""

    setting: str
    variant: str
    fastest: str
    ratios: tuple[float, float]

    @property
    def size(self) -> float:
        """How much the second ratio differs from the first, as a part of it."""
        return self.ratios[1] / self.ratios[0] - 1

    @property
    def is_turned(self) -> bool:
        """Whether the variant is slower on one GPU and faster on the other."""
        low, high = sorted(self.ratios)
        return low < 1 - TURNED and high > 1 + TURNED


def side_of_record(record: Mapping[str, Any]) -> Side:
    """Return what a record of the suite `opponents` has of a GPU: cycles per iteration, no launches of one pass."""
    rows = (
        (setting, {name: time for name, (_, time, unit) in variants.items() if unit == "cycles"})
        for setting, variants in record["settings"].items()
    )
    return Side(f"{record['device']}, {record['uuid'][:12]}", {setting: times for setting, times in rows if times})


def drifts(one: Side, other: Side) -> list[Drift]:
    """Return the drift of each ratio that both GPUs have."""
    found = []
    for setting, measured in one.settings.items():
        second = other.settings.get(setting, {})
        both = [name for name in measured if name in second]
        fastest = min(both, key=measured.__getitem__, default="")
        for name in both:
            if name != fastest:
                ratios = (measured[name] / measured[fastest], second[name] / second[fastest])
                found.append(Drift(setting, name, fastest, ratios))
    return found


def beyond(found: Sequence[Drift]) -> list[Drift]:
    """Return the ratios that drift by more than cards of one model differ, the largest first."""
    return sorted((one for one in found if abs(one.size) > DRIFT), key=lambda one: -abs(one.size))


def summary(what: str, sides: Sequence[Side], found: Sequence[Drift]) -> list[object]:
    """Return a line of the first table."""
    sizes, settings = sorted(abs(one.size) for one in found), {one.setting for one in found}
    shares = (f"{size:.1%}" for size in (median(sizes), sizes[int(0.95 * len(sizes))], sizes[-1]))
    far, turned = len(beyond(found)), sum(one.is_turned for one in found)
    names = (one.name for one in sides)
    return [what, *names, len(settings), len(found), *shares, f"{far} ({far / len(found):.1%})", turned]


def lines(found: Sequence[Drift]) -> Iterator[Sequence[object]]:
    """Yield the lines of the second table."""
    for one in beyond(found):
        yield f"`{one.setting}`", one.variant, one.fastest, *map(times, one.ratios), f"{one.size:+.1%}"


def parts(found: Sequence[Drift]) -> dict[str, list[Drift]]:
    """Return the drifts of clusters, whose arrivals have fences of the whole GPU, and those of all others."""
    clusters = [one for one in found if one.setting.startswith("cluster-")]
    others = [one for one in found if one not in clusters]
    return {name: part for name, part in (("within a block", others), ("in clusters", clusters)) if part}


def same_kernels() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the records of an H100 and of an H200 with the same kernels."""
    return of_model("H100", kept()), read_json(SAME)


def main() -> int:
    """Write the page; the exit code is 1 if too many ratios within a block drift."""
    sides = [side_of_record(record) for record in same_kernels()]
    found = drifts(*sides)
    split = parts(found)
    rows = (summary(name, sides, part) for name, part in split.items())
    text = TEXT.format(written=written_by("winners"), summary=table(HEAD, rows, 3))
    if listed := list(lines(found)):
        text += BEYOND.format(lines=table(LINES, listed, 3))
    PAGE.write_text(text, encoding="utf-8")
    return int(len(beyond(split["within a block"])) > ALLOWED * len(split["within a block"]))
