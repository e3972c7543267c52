"""A family: what an expert would try for a pattern, as members of one template.

Each member is a variant, made from one value of each parameter. A pattern lists its variants, and a suite runs those
unless it names others; members run where they are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Variant = TypeVar("Variant")  # what a pattern runs: `declare.Variant`
Choice = Mapping[str, int]  # the value of each parameter, as the template takes it


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyParameter:
    """What an expert decides: its name, and its values by the words that stand for them in the name of a member.

    An empty word stands for the plain value.
    """

    name: str
    meaning: str
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Which combinations of values are no members, and why."""

    reason: str
    excludes: Callable[[Choice], bool]


@dataclass(frozen=True, slots=True)
class Member(Generic[Variant]):
    """A valid combination of values."""

    choice: Choice
    variant: Variant


@dataclass(frozen=True, kw_only=True)
class Family(Generic[Variant]):
    """The members of one template; each combination of values that is not excluded is one."""

    parameters: tuple[FamilyParameter, ...]
    exclusions: tuple[Exclusion, ...]
    variant: Callable[[str, Choice], Variant]  # of the name and the values of a member

    @cached_property
    def members(self) -> Mapping[str, Member[Variant]]:
        """All members by name, such as `lanes8-bits128-double-apart`."""
        valid = ((name, choice) for name, choice in self.combinations() if not self.excluded(choice))
        return {name: Member(choice, self.variant(name, choice)) for name, choice in valid}

    def excluded(self, choice: Choice) -> str:
        """Return why a combination of values is no member; empty if it is one."""
        return next((one.reason for one in self.exclusions if one.excludes(choice)), "")

    def combinations(self) -> Iterator[tuple[str, Choice]]:
        """Yield each combination of values, member or not, with the name that a member has."""
        for words in product(*(parameter.values for parameter in self.parameters)):
            chosen = zip(self.parameters, words, strict=True)
            yield "-".join(filter(None, words)), {parameter.name: parameter.values[word] for parameter, word in chosen}
