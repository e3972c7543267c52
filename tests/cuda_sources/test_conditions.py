"""Conditions of the preprocessor: true, false, or open."""

import pytest

from shflbench.cuda_sources.conditions import condition
from shflbench.cuda_sources.macros import Macros

MACROS = Macros((), ["A", "N=4", "SQUARE(x)=x*x", "LOOP=LOOP+1", "EMPTY="]).of_command_line()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("defined(A) && !defined B", True),
        ("N > 3 ? A : 0", True),
        ("SQUARE(N + 1) == 9", True),  # as text: 4 + 1*4 + 1
        ("N << 2 == 16 && N % 3 == 1 && 0x10u == 020", True),
        ("UNDEFINED", False),
        ("LOOP", True),
        ("__has_include(<a.h>)", None),
        ("__has_include(<a.h>) && 0", False),
        ("CUDART_VERSION >= 11000 || A", True),
        ("CUDART_VERSION >= 11000", None),
        ("1 / 0", None),
        ("(" * 2000 + "1" + ")" * 2000, None),
        ("N N", None),
    ],
)
def test_a_condition_holds_or_not_or_is_open(text: str, *, result: bool | None) -> None:
    assert condition(text, MACROS) is result


def test_unknown_names_leave_a_condition_open() -> None:
    assert condition("X && !A", MACROS, {"X"}) is False
    assert condition("defined(X)", MACROS, {"X"}) is None


def test_macros_that_grow_without_end_leave_a_condition_open() -> None:
    define = [f"M{number}=M{number + 1}+M{number + 1}" for number in range(40)]
    assert condition("M0", Macros((), define).of_command_line()) is None
