"""The answers of the first page: what a reader has, what to write, and where it was measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from shflbench.analysis.ranking import times
from shflbench.core.model import Mechanism
from tools.docs.answers.distance import Distance, distances
from tools.docs.measured import settings
from tools.docs.opponents import Beside, beside
from tools.docs.records.opponents import Timed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.store import Row

FOLDER = Path(__file__).parent
WARPS, MEMORY = "within-a-warp", "blocks-and-memory"
MODEL, OTHER = "h200", "h100"
SUITE = "opponents"
BEST = "best "  # before a kind, of which the best variant is meant
KINDS = {  # of what a variant exchanges values through
    Mechanism.SHFL.value: "shuffles",
    Mechanism.SMEM.value: "smem",
    Mechanism.HYBRID.value: "a mix",
    Mechanism.GLOBAL.value: "global memory",
    Mechanism.LOCAL.value: "local memory",
    Mechanism.REGISTER.value: "registers",
    Mechanism.ATOMIC.value: "atomics",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer; texts are templates, whose figures are taken from runs."""

    name: str  # of its page
    have: str
    setting: str  # of the suite `opponents`, with `{launch}` for its launch
    launches: Mapping[int | str, str]  # warps per SM → launch; `launch` where the kernel has no timed loop
    short: str  # what to write, in a few words
    write: str
    gain: str
    why: str
    exceptions: Sequence[str]
    except_when: str  # the most important exception, in a few words
    real: Mapping[str, str] | str  # what it gains in a whole kernel; `is one`, or `not measured`
    more: Sequence[str]  # pages of the explanations
    suite: str = SUITE
    before: str = ""  # what to do on GPUs that lack what the kernels need
    against: str = ""  # the variant to compare with, or `best KIND`; empty: the best through something else
    against_words: str = ""  # what that is, in words

    @property
    def pattern(self) -> str:
        """The pattern that was measured."""
        return self.setting.split()[0]

    @property
    def dtype(self) -> str:
        """The element type that was measured."""
        return self.setting.split()[1]

    @property
    def options(self) -> list[str]:
        """The options that were measured, as `name=value`."""
        return [word for word in self.setting.split() if "=" in word]

    @property
    def has_loop(self) -> bool:
        """Whether times are those of an iteration, and not of a launch."""
        return "launch" not in self.launches

    @property
    def at(self) -> dict[int | str, str]:
        """The settings by warps per SM."""
        return {warps: self.setting.format(launch=launch) for warps, launch in self.launches.items()}

    def places(self) -> Iterator[Place]:
        """Yield the settings as they were measured, those of few warps first."""
        for warps, setting in self.at.items():
            yield Place(warps, measured(setting), distance(setting), self)


@dataclass(frozen=True, slots=True)
class Place:
    """A setting of an answer: its safe variants, and how far the fastest is from its limit."""

    warps: int | str
    variants: Beside
    distance: Distance
    answer: Answer

    @property
    def rival(self) -> Timed:
        """The variant to compare with."""
        name = self.answer.against
        if name.startswith(BEST):
            found = self.variants.best_of(Mechanism(name.removeprefix(BEST)))
        elif name:
            found = next(one for one in self.variants.variants if one.variant == name)
        else:
            found = self.variants.next_side
        if found is None:
            raise ValueError(f"{self.distance.fastest.setting}: every variant exchanges through the same")
        return found

    @property
    def factor(self) -> str:
        """The speed of the fastest relative to that of the variant to compare with: `1.4×`."""
        return times(self.rival.time / self.variants.own[0].time)

    @property
    def gain(self) -> str:
        """That speed, and what the other variant is, in words: `1.4× shuffles`."""
        words = self.answer.against_words or KINDS.get(self.variants.side(self.rival), f"`{self.rival.variant}`")
        return f"{self.factor} {words}"

    @property
    def fastest(self) -> str:
        """The fastest variant of each kind that is as fast, faster library calls, and a mark where the limit is far."""
        of_kinds: dict[str, str] = {}
        for one in self.variants.leaders:
            of_kinds.setdefault(self.variants.side(one), f"`{one.variant}`")
        names = ", ".join(of_kinds.values())
        calls = "".join(f" (`{one.variant}`)" for one in self.variants.faster_libraries)
        return f"{names}{calls}{'°' if self.distance.is_open else ''}"


@cache
def answers(part: str) -> tuple[Answer, ...]:
    """Return the answers of a part, in the order of the first page."""
    items: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(
        (FOLDER / f"{part}.yaml").read_text(encoding="utf-8")
    )
    return tuple(Answer(except_when=item.pop("except"), **item) for item in items)


def every_answer() -> tuple[Answer, ...]:
    """Return all answers."""
    return answers(WARPS) + answers(MEMORY)


@cache
def measured(setting: str) -> Beside:
    """Return the variants at a setting of the suite `opponents`, or else of a reference run; KeyError without one."""
    return beside(setting, MODEL) or _of_runs()[setting]


@cache
def _of_runs() -> Mapping[str, Beside]:
    """Return the settings of the reference runs of the suites that the answers name."""
    suites = {answer.suite for answer in every_answer()} - {SUITE}
    found: dict[str, Beside] = {}
    for name, setting in settings().items():
        suite, _, rest = name.partition(" ")
        if suite in suites:
            found[rest] = Beside([_timed(rest, row) for row in setting.rivals])
    return found


def _timed(setting: str, row: Row) -> Timed:
    if row.cycles_per_iteration is None:
        return Timed(setting, row.variant, row.mechanism, row.time_us or 0.0, "µs")
    return Timed(setting, row.variant, row.mechanism, row.cycles_per_iteration, "cycles")


@cache
def _distances() -> Mapping[str, Distance]:
    return {one.fastest.setting: one for one in distances()}


def distance(setting: str) -> Distance:
    """Return how far the fastest variant of a setting is from its limit, where that is known."""
    return _distances().get(setting) or Distance(measured(setting).own[0], None)


def fastest_there(place: Place) -> str | None:
    """Return which variant is faster on the other GPU by over 1% than the fastest here; empty if none is.

    None if it was not measured there.
    """
    setting, name = place.distance.fastest.setting, place.variants.own[0].variant
    there = beside(setting, OTHER)
    ours = next((one for one in there.own if one.variant == name), None) if there else None
    if there is None or ours is None:
        return None
    return "" if ours in there.leaders else there.own[0].variant
