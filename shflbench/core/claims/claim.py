"""A claim: what was said, where, and the expression that tests it."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (a field's default is made of it)
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.core.claims.expression import Expression


class Quantifier(StrEnum):
    """In how many of its settings a claim has to hold."""

    ALL = "all"  # in each; a claim that holds in some depends on the setting
    ALWAYS = "always"  # in each, and it says so (always, never, forces): one setting in which it fails refutes it
    SOME = "some"  # in at least one, as for "up to six times"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence about results that can be true or false, with its source."""

    id: str
    says: str  # the claim in one sentence
    source: str = ""
    figure: str = ""  # that the source gives, in words: `more than 3×`
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # pattern, dtype, launch, option, … → values
    holds: Expression | None = None  # None: it cannot be tested
    text: str = ""  # of `holds`, as the suite has it
    measure: Expression | None = None  # the quantity to print as measured; None: the first compared one of `holds`
    quantifier: Quantifier = Quantifier.ALL
    required: bool = False  # whether a run fails if the claim does not hold
    untestable: str = ""  # why it cannot be tested
