"""The cases of a run in groups, and the case that a call of an expression means (pure functions)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from shflbench.core.grouping import group_by
from shflbench.core.launch import grid_and_block, parse_grid, parse_launch
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.suite.claims import LAUNCH_DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store.columns import Row

    Where: TypeAlias = Mapping[str, tuple[str, ...]]
    Changes: TypeAlias = tuple[tuple[str, str], ...]

Facts: TypeAlias = Mapping[str, str]  # what sets a group apart from others, by the keys of `where`

PATTERN, DTYPE, LAUNCH, GRID, BLOCK, ITERATIONS = "pattern", "dtype", "launch", "grid", "block", "iterations"
SHAPE = frozenset({LAUNCH, GRID, BLOCK})
NAMED = 4  # settings or options in a sentence


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """Cases that differ in variant only."""

    rows: Mapping[str, Row]  # by variant
    facts: Facts

    @property
    def first(self) -> Row:
        """Any of its rows."""
        return next(iter(self.rows.values()))


@dataclass(frozen=True, slots=True)
class Absent:
    """A case that a run does not have, or that is not the only one of its kind."""

    sentence: str  # what to add


class RunCases:
    """The cases of one run."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Group the rows."""
        self._rows = tuple(rows)

    @cached_property
    def groups(self) -> list[CaseGroup]:
        """The groups, in the order of the rows."""
        groups = group_by(self._rows, lambda row: (row.pattern, row.dtype, row.launch, row.iterations, row.options))
        return [CaseGroup({row.variant: row for row in rows}, facts_of(rows[0])) for rows in groups.values()]

    @cached_property
    def _by_variant(self) -> Mapping[str, list[tuple[CaseGroup, Row]]]:
        pairs = [(group, row) for group in self.groups for row in group.rows.values()]
        return group_by(pairs, lambda pair: pair[1].variant)

    def matching(self, where: Where) -> list[CaseGroup]:
        """Return the groups that have one of the values of each key."""
        return [group for group in self.groups if _matches(group.facts, where)]

    def select(self, group: CaseGroup, variant: str, changes: Changes = ()) -> Row | Absent:
        """Return the case of a variant in a group, or in the one that differs from it by the `changes` alone."""
        if not changes:
            return group.rows.get(variant) or Absent(f"there is no case of `{variant}` at {_words(group.facts)}")
        where = {key: (value,) for key, value in changes}
        similar = [
            row
            for other, row in self._by_variant.get(variant, ())
            if _matches(other.facts, where) and _agrees(group.facts, other.facts, where)
        ]
        if len(similar) == 1:
            return similar[0]
        wanted = ", ".join(f"{key}={value}" for key, value in changes)
        if not similar:
            kept = {key: value for key, value in group.facts.items() if key not in where}
            return Absent(f"there is no case of `{variant}` with {wanted} at {_words(kept)}; add it to the suite")
        keys = ", ".join(_differing([facts_of(row) for row in similar])[:NAMED])
        return Absent(f"{len(similar)} cases of `{variant}` have {wanted}; name {keys}, too")


def facts_of(row: Row) -> dict[str, str]:
    """Return everything but the variant that a suite can vary, by the keys of `where`."""
    launch = canonical_launch(row.launch)
    grid, block = grid_and_block(launch, row.block)
    built_in = {
        PATTERN: row.pattern,
        DTYPE: row.dtype,
        LAUNCH: launch,
        GRID: grid,
        BLOCK: block,
        ITERATIONS: str(row.iterations),
    }
    return dict(row.options) | built_in


@lru_cache(maxsize=4096)
def canonical_launch(text: str) -> str:
    """Return the canonical expression of a launch; the text itself if it is none."""
    try:
        return parse_launch(text).expression
    except ValueError:
        return text.strip()


@lru_cache(maxsize=4096)
def _canonical_grid(text: str) -> str:
    try:
        return parse_grid(text).text
    except ValueError:
        return text.strip()


def _matches(facts: Facts, where: Where) -> bool:
    return all(any(_is(facts, key, value) for value in values) for key, values in where.items())


def _is(facts: Facts, key: str, value: str) -> bool:
    """Whether a fact has this value; numbers may be written in several ways."""
    fact = facts.get(key, LAUNCH_DEFAULTS.get(key))
    if fact is None:
        return False
    if key == LAUNCH:
        return fact == canonical_launch(value)
    if key == GRID:
        return fact == _canonical_grid(value)
    return fact == value or _same_number(fact, value)


def _same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def _agrees(base: Facts, other: Facts, where: Where) -> bool:
    """Whether two groups differ in the keys of `where` alone; those of two patterns, in options of one of them, too."""
    free = {*where, LAUNCH} if SHAPE & where.keys() else set(where)
    if LAUNCH in where:
        free |= SHAPE
    keys = (base.keys() | other.keys()) - free
    if base[PATTERN] == other[PATTERN]:
        return all(_value(base, key) == _value(other, key) for key in keys)
    return all(base[key] == other[key] for key in keys if key in base and key in other)


def _value(facts: Facts, key: str) -> str | None:
    return facts.get(key, LAUNCH_DEFAULTS.get(key, "") if key in LAUNCH_OPTIONS else None)


def _differing(settings: Sequence[Facts]) -> list[str]:
    keys = dict.fromkeys(key for facts in settings for key in facts)
    return [key for key in keys if key not in SHAPE - {LAUNCH} and len({facts.get(key) for facts in settings}) > 1]


def _words(facts: Facts) -> str:
    """Return a setting as a suite names it: `reduce, f32, 26x1024, 4096 iterations, width=32`."""
    named = [facts[key] for key in (PATTERN, DTYPE, LAUNCH) if key in facts]
    if ITERATIONS in facts:
        named.append(f"{facts[ITERATIONS]} iterations")
    known = {PATTERN, DTYPE, ITERATIONS, *SHAPE}
    return ", ".join([*named, *(f"{key}={value}" for key, value in facts.items() if key not in known)])
