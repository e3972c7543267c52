"""The syntax tree of an expression over the results of one setting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ComparisonSign: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
ArithmeticSign: TypeAlias = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text or a truth value."""

    value: float | str | bool


@dataclass(frozen=True, slots=True)
class Call:
    """A quantity: `sass(shfl, SHFL)`, or of another setting `time(local, index=worst)`."""

    function: str
    arguments: tuple[str, ...] = ()  # variants, then an opcode or the name of a device property
    settings: tuple[tuple[str, str], ...] = ()  # replaced in the setting: `dtype`, `launch`, an option, …
    position: int = field(default=0, compare=False, repr=False)  # in the text, counted from 0, for errors


@dataclass(frozen=True, slots=True)
class Negative:
    """A number with the opposite sign."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two numbers, added, subtracted, multiplied or divided."""

    sign: ArithmeticSign
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Relation:
    """Two values compared; `==` and `!=` of numbers within a tolerance."""

    sign: ComparisonSign
    left: Expression
    right: Expression
    tolerance: float = 0.0  # of `==` and `!=`: `within 5%` is 0.05 of the right side


@dataclass(frozen=True, slots=True)
class Not:
    """True where the operand is false."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Both:
    """`and`: true where both are."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Either:
    """`or`: true where one is."""

    left: Expression
    right: Expression


Expression: TypeAlias = Constant | Call | Negative | Arithmetic | Relation | Not | Both | Either
