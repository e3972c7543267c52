"""Integers of threads: a number per thread, plus multiples of symbols for what is not known, and their sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.opcodes.forms import Values

UNIFORM = "="  # begins the name of a symbol with one value for all threads of a block
LOOP = "loop "  # begins the symbol for the number of iterations
SEVERAL = " several times"  # ends the symbol for a multiple of several such numbers
TURN = "turn "  # begins the symbol for the number of times that a loop went through all states of its counters
BELOW = "at most "  # begins the symbol for a number from 0 to the one behind it
ITSELF = "itself "  # begins the symbol for a register while its value is computed


@dataclass(frozen=True, slots=True)
class ThreadValue:
    """An integer per thread: `number` plus, for each symbol, its multiple."""

    number: Values  # int64, one per thread
    multiples: Mapping[str, Values]

    @property
    def is_known(self) -> bool:
        """Whether it has no symbols."""
        return not self.multiples


def most_of(symbol: str) -> int | None:
    """Return the largest number that a symbol stands for, of which the least is 0; None if it is not known."""
    return int(symbol.removeprefix(BELOW).partition(" ")[0]) if symbol.startswith(BELOW) else None


def is_uniform(symbol: str) -> bool:
    """Return whether a symbol has one value for all threads of a block."""
    return symbol.startswith(UNIFORM)


def sum_of(a: ThreadValue, b: ThreadValue) -> ThreadValue:
    """Return a sum; of a symbol in both that may stand for another number each time, only a divisor is kept."""
    return ThreadValue(a.number + b.number, _together(a.multiples, b.multiples))


def _together(*parts: Mapping[str, Values]) -> dict[str, Values]:
    """Return the multiples of sums: of a symbol that may differ each time, the common divisors."""
    multiples: dict[str, Values] = {}
    for symbol, value in (item for part in parts for item in part.items()):
        if symbol in multiples and symbol.startswith(BELOW):  # a sum of two such numbers may be larger
            _add_divisor(multiples, f"any {symbol}", np.gcd(multiples.pop(symbol), value))
            continue
        if symbol in multiples and symbol.startswith(LOOP) and not symbol.endswith(SEVERAL):
            # Only a divisor of the sum is known, which no longer is the number of iterations times it.
            _add_divisor(multiples, f"{symbol}{SEVERAL}", np.gcd(multiples.pop(symbol), value))
            continue
        before = multiples.get(symbol)
        if before is None:
            multiples[symbol] = value
        else:
            is_exact = symbol.startswith((UNIFORM, ITSELF, TURN))
            multiples[symbol] = before + value if is_exact else np.gcd(before, value)
    return {symbol: value for symbol, value in multiples.items() if value.any()}


def _add_divisor(multiples: dict[str, Values], symbol: str, value: Values) -> None:
    multiples[symbol] = np.gcd(multiples[symbol], value) if symbol in multiples else value


def scaled(a: ThreadValue, factor: int) -> ThreadValue:
    """Return a multiple."""
    return ThreadValue(a.number * factor, {symbol: value * factor for symbol, value in a.multiples.items()})


def product_of(a: ThreadValue, b: ThreadValue) -> ThreadValue:
    """Return a product; that of two symbols is a symbol."""
    parts = [
        {symbol: value * second.number for symbol, value in first.multiples.items()}
        for first, second in ((a, b), (b, a))
    ]
    for one, first_value in a.multiples.items():
        for other, second_value in b.multiples.items():
            names = "*".join(sorted(name.removeprefix(UNIFORM) for name in (one, other)))
            symbol = f"{UNIFORM if is_uniform(one) and is_uniform(other) else 'product '}{names}"
            parts.append({symbol: first_value * second_value})
    return ThreadValue(a.number * b.number, _together(*parts))


def joined(upper: ThreadValue, lower: ThreadValue) -> ThreadValue | None:
    """Return the bits of both values: their sum if none of the upper one's is as low as the lower one's."""
    sizes = {symbol: most_of(symbol) for symbol in lower.multiples}
    largest = lower.number.copy()
    for symbol, most in sizes.items():
        if most is None or (lower.multiples[symbol] < 0).any():
            return None
        largest = largest + lower.multiples[symbol] * most
    unit = 1 << int(largest.max()).bit_length()
    parts = (upper.number, *upper.multiples.values())
    is_apart = (lower.number >= 0).all() and not any((part % unit).any() for part in parts)
    return sum_of(upper, lower) if is_apart else None
