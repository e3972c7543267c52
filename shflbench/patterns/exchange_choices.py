"""Families whose members exchange bits of register numbers with bits of lane numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.patterns.bit_exchange import (
    ALL,
    EARLY,
    HALF,
    LATE,
    MATRIX,
    NO_WORDS,
    QUARTER,
    WIDEST,
    WORD,
    ExchangePlan,
    common,
)
from shflbench.patterns.declare import Variant
from shflbench.patterns.family import Exclusion, Family, FamilyParameter
from shflbench.patterns.load_choices import DOUBLE, flags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.model import Dtype
    from shflbench.patterns.bit_exchange import BitExchange
    from shflbench.patterns.declare import Setting
    from shflbench.patterns.family import Choice

MATRIX_OPCODES = {"store": "STSM.16.M88.4", "load": "LDSM.16.M88.4"}

PARAMETERS = (
    FamilyParameter(
        name="shuffled",
        meaning="the words that shuffles move: none but for wider accesses, a quarter, half or all",
        values={"memory": NO_WORDS, "quarter": QUARTER, "half": HALF, "shuffles": ALL},
    ),
    FamilyParameter(
        name="store",
        meaning="bits of a store, or `stmatrix`, which stores words of adjacent lanes side by side",
        values={"": WORD, "store64": 64, "store128": WIDEST, "stmatrix": MATRIX},
    ),
    FamilyParameter(
        name="load",
        meaning="bits of a load, or `ldmatrix`, which loads words that lie side by side into adjacent lanes",
        values={"": WORD, "load64": 64, "load128": WIDEST, "ldmatrix": MATRIX},
    ),
    FamilyParameter(
        name="order",
        meaning="where all words go through shared memory: no shuffles, shuffles before it, or after it",
        values={"": 0, "early": EARLY, "late": LATE},
    ),
    FamilyParameter(
        name="rounds",
        meaning="shuffles exchange bit by bit, or in rounds, in which each word that moves is shuffled once",
        values={"": 0, "rounds": 1},
    ),
    FamilyParameter(
        name="product",
        meaning="of two conditional moves both are selections, or one is a product, which takes another unit",
        values={"": 0, "product": 1},
    ),
    FamilyParameter(
        name="padded",
        meaning="slots change places against bank conflicts, or some after each 32 are unused",
        values={"": 0, "padded": 1},
    ),
    DOUBLE,
)
EXCLUSIONS = (
    Exclusion(
        reason="without shared memory there are no stores, loads and slots",
        excludes=lambda it: (
            it["shuffled"] == ALL
            and ((it["store"], it["load"]) != (WORD, WORD) or bool(it["padded"]) or bool(it["double"]))
        ),
    ),
    Exclusion(
        reason="`stmatrix` is for loads of 128 bits, and `ldmatrix` for stores of 128 bits",
        excludes=lambda it: (
            (it["store"] == MATRIX and it["load"] != WIDEST) or (it["load"] == MATRIX and it["store"] != WIDEST)
        ),
    ),
    Exclusion(
        reason="only where all words go through shared memory do shuffles come before or after it",
        excludes=lambda it: it["shuffled"] != NO_WORDS and bool(it["order"]),
    ),
    Exclusion(
        reason="where all words are stored, shuffles are only for stores and loads that are both wide",
        excludes=lambda it: it["shuffled"] == NO_WORDS and bool(it["order"]) and not common(it),
    ),
    Exclusion(
        reason="without shuffles there are no rounds and no conditional moves",
        excludes=lambda it: it["shuffled"] == NO_WORDS and not it["order"] and bool(it["rounds"] or it["product"]),
    ),
)

DECISIVE = ("shuffled", "store", "load", "order", "rounds", "padded")  # parameters of which a plan must be possible


@dataclass(frozen=True, slots=True)
class Exchanges:
    """The exchanges of a pattern, for the values of its option for which they are of this kind."""

    option: str
    by_value: Mapping[str, BitExchange]
    _values: dict[tuple[int, ...], tuple[str, ...]] = field(default_factory=dict, repr=False)  # by decisive parameters

    def values(self, choice: Choice) -> tuple[str, ...]:
        """Return the values of the option for which a member can do the exchange."""
        key = tuple(choice[name] for name in DECISIVE)
        if key not in self._values:
            plans = {value: ExchangePlan.of(choice, exchange) for value, exchange in self.by_value.items()}
            self._values[key] = tuple(value for value, plan in plans.items() if plan.is_possible)
        return self._values[key]

    def impossible(self, choice: Choice) -> bool:
        """Whether a choice that no other rule excludes is for no value of the option."""
        return not any(one.excludes(choice) for one in EXCLUSIONS) and not self.values(choice)

    def leaves_padding_conflicts(self, choice: Choice) -> bool:
        """Whether a choice is impossible only because some slots are unused instead of changing places."""
        return bool(choice["padded"]) and self.impossible(choice) and not self.impossible({**choice, "padded": 0})

    def variant(self, pattern: str, dtypes: tuple[str, ...], name: str, choice: Choice) -> Variant:
        """Return a member of the family of a pattern."""
        plans = {value: ExchangePlan.of(choice, self.by_value[value]) for value in self.values(choice)}

        def shared(at: Setting) -> int:
            return at.block // WARP * plans[at.options[self.option]].slots * WORD // 8

        def per_iteration(_: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
            return plans[options[self.option]].counts

        return Variant(
            name=name,
            mechanism=next(iter(plans.values())).mechanism,
            summary="a member of the family of exchanges",
            dtypes=dtypes,
            only={self.option: tuple(plans)},
            needs="sm_90" if choice["store"] == MATRIX else "",
            source="family.cu",
            kernel=f"{pattern}_member<{{T}}, Choice<{_arguments(choice)}>>",
            shared=shared,
            per_iteration=per_iteration,
            opcodes=tuple(opcode for side, opcode in MATRIX_OPCODES.items() if choice[side] == MATRIX),
        )


def family(pattern: str, exchanges: Exchanges, dtypes: tuple[str, ...], impossible: str) -> Family[Variant]:
    """Return the family of a pattern, and say with `impossible` why a choice is for no value of the option."""
    of_values = (
        Exclusion(
            reason=impossible,
            excludes=lambda it: exchanges.impossible(it) and not exchanges.leaves_padding_conflicts(it),
        ),
        Exclusion(
            reason="with unused slots instead of slots that change places, there are bank conflicts",
            excludes=exchanges.leaves_padding_conflicts,
        ),
    )
    return Family[Variant](
        parameters=PARAMETERS,
        exclusions=(*EXCLUSIONS, *of_values),
        variant=partial(exchanges.variant, pattern, dtypes),
    )


def _arguments(choice: Choice) -> str:
    """Return the values of a choice as arguments of the template `Choice`."""
    numbers = (str(choice[name]) for name in ("shuffled", "store", "load", "order"))
    return f"{', '.join(numbers)}, {flags(choice, 'rounds', 'product', 'padded', 'double')}"
