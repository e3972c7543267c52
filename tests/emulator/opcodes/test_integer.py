"""Integer forms against Python's own integers."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.syntax import NUMPY
from shflbench.errors import EmulatorError
from tests.emulator.declared import each
from tests.emulator.forms import integers, run
from tests.emulator.threads import number

ALL = ("u16", "s16", "u32", "s32", "u64", "s64")
WORDS = ("u32", "s32", "u64", "s64")


def check(form: str, operand_type: str, result_type: str, count: int, reference: Callable[..., int]) -> None:
    operands = integers(operand_type, count)
    (got,) = run(form, *operands)
    expected = [number(reference(*values), result_type) for values in zip(*(x.tolist() for x in operands), strict=True)]
    assert got.view(NUMPY[result_type]).tolist() == expected


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BINARY: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "min": min,
    "max": max,
    "div": quotient,
    "rem": lambda a, b: a if b == 0 else a - quotient(a, b) * b,
}


@pytest.mark.parametrize("form", each(BINARY, ALL))
def test_arithmetic_wraps(form: str) -> None:
    opcode, type_ = form.rsplit(".", 1)
    check(form, type_, type_, 2, BINARY[opcode])


@pytest.mark.parametrize("form", each(("mul.hi",), ALL))
def test_the_upper_half_of_a_product(form: str) -> None:
    type_ = form.split(".")[2]
    check(form, type_, type_, 2, lambda a, b: (a * b) >> int(type_[1:]))


@pytest.mark.parametrize("form", each(("mul.wide",), ("u16", "s16", "u32", "s32")))
def test_a_wide_product_keeps_all_bits(form: str) -> None:
    type_ = form.split(".")[2]
    check(form, type_, f"{type_[0]}{2 * int(type_[1:])}", 2, lambda a, b: a * b)


@pytest.mark.parametrize("form", each(("mad",), ("lo", "hi"), ALL))
def test_multiply_and_add(form: str) -> None:
    _, half, type_ = form.split(".")
    shift = int(type_[1:]) if half == "hi" else 0
    check(form, type_, type_, 3, lambda a, b, c: ((a * b) >> shift) + c)


@pytest.mark.parametrize("form", ["mad.wide.s32"])
def test_multiply_wide_and_add(form: str) -> None:
    a, b = integers("s32", 2)
    c = np.resize(integers("s64", 1)[0], a.shape)
    (got,) = run(form, a, b, c)
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    assert got.tolist() == [number(x * y + z, "s64") for x, y, z in rows]


@pytest.mark.parametrize("form", ["add.sat.s32", "sub.sat.s32"])
def test_saturation_stops_at_the_limits(form: str) -> None:
    sign = 1 if form.startswith("add") else -1
    check(form, "s32", "s32", 2, lambda a, b: min(max(a + sign * b, -(2**31)), 2**31 - 1))


@pytest.mark.parametrize("form", each(("neg", "abs"), ("s16", "s32", "s64")))
def test_signs(form: str) -> None:
    opcode, type_ = form.split(".")
    check(form, type_, type_, 1, abs if opcode == "abs" else lambda a: -a)


@pytest.mark.parametrize("form", each(("sad",), ALL))
def test_sum_of_absolute_differences(form: str) -> None:
    type_ = form.split(".")[1]
    check(form, type_, type_, 3, lambda a, b, c: abs(a - b) + c)


@pytest.mark.parametrize("form", each(("mul24",), ("lo", "hi"), ("u32", "s32")))
def test_multiplication_of_24_bits(form: str) -> None:
    _, half, type_ = form.split(".")
    narrow, shift = f"{type_[0]}24", 16 if half == "hi" else 0
    check(form, type_, type_, 2, lambda a, b: (number(a, narrow) * number(b, narrow)) >> shift)


@pytest.mark.parametrize("form", [*each(("dp4a", "dp2a.lo", "dp2a.hi"), ("u32", "s32"), ("u32", "s32"))])
def test_dot_products_of_parts(form: str) -> None:
    opcode, *half, a_type, b_type = form.split(".")
    bits, first = (8, 0) if opcode == "dp4a" else (16, 2 * (half == ["hi"]))  # of a's parts; the first of b's bytes

    def dot(a: int, b: int, c: int) -> int:
        parts = [number(a >> shift, f"{a_type[0]}{bits}") for shift in range(0, 32, bits)]
        chosen = [number(b >> 8 * (first + place), f"{b_type[0]}8") for place in range(len(parts))]
        return c + sum(x * y for x, y in zip(parts, chosen, strict=True))

    check(form, "u32", "u32", 3, dot)


def check_carry(form: str, exact: Callable[..., int], *operands: Values) -> None:
    """Compare value and flag, if the form writes it, with an exact sum of unsigned operands."""
    type_ = f"u{form.rsplit('.', 1)[1][1:]}"
    expected = [exact(*row) for row in zip(*(x.tolist() for x in operands), strict=True)]
    value, *flag = run(form, *operands, results=2 if ".cc." in form else 1)
    assert value.tolist() == [number(x, type_) for x in expected]
    if ".cc." in form:
        assert flag[0].tolist() == [number(x, type_) != x for x in expected]


@pytest.mark.parametrize("form", each(("add.cc", "sub.cc", "addc", "addc.cc", "subc", "subc.cc"), WORDS))
def test_carry_and_borrow(form: str) -> None:
    a, b = (x.view(f"u{x.itemsize}") for x in integers(form.rsplit(".", 1)[1], 2))
    flag = (np.arange(a.size) % 2 == 1,) if form[3] == "c" else ()
    sign = 1 if form.startswith("add") else -1
    check_carry(form, lambda x, y, carry=False: x + sign * (y + carry), a, b, *flag)


@pytest.mark.parametrize(
    "form", each(("mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"), ("u32",))
)
def test_multiply_and_add_with_carry(form: str) -> None:
    a, b, c = integers("u32", 3)
    flag = (np.arange(a.size) % 2 == 0,) if form.startswith("madc") else ()

    def exact(x: int, y: int, z: int, carry: int = 0) -> int:
        return (x * y >> 32 if ".hi." in form else x * y % 2**32) + z + carry

    check_carry(form, exact, a, b, c, *flag)


@pytest.mark.parametrize("form", each(("add", "sub", "min", "max"), ("u16x2", "s16x2")))
def test_pairs_of_short_integers(form: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(form, a, b)
    opcode, type_ = form.removesuffix("x2").split(".")
    for x, y, z in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        for shift in (0, 16):
            expected = BINARY[opcode](number(x >> shift, type_), number(y >> shift, type_))
            assert number(z >> shift, type_) == number(expected, type_)


@pytest.mark.parametrize("form", [*each(("min", "max"), ("s32.relu", "relu.s32"))])
def test_a_clamped_extreme_is_never_negative(form: str) -> None:
    opcode = form.partition(".")[0]
    check(form, "s32", "s32", 2, lambda a, b: max(BINARY[opcode](a, b), 0))


@pytest.mark.parametrize("form", [*each(("min", "max"), ("s16x2.relu", "relu.s16x2"))])
def test_clamped_pairs_of_short_integers(form: str) -> None:
    a, b = integers("u32", 2)
    (got,) = run(form, a, b)
    extreme = BINARY[form.partition(".")[0]]
    for x, y, z in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        for shift in (0, 16):
            assert number(z >> shift, "s16") == max(extreme(number(x >> shift, "s16"), number(y >> shift, "s16")), 0)


@pytest.mark.parametrize(
    "unknown", ["max.u32.relu", "max.s16.relu", "max.s64.relu", "max.u16x2.relu", "add.s16x2.relu"]
)
def test_clamped_forms_that_ptxas_rejects_are_unknown(unknown: str) -> None:
    with pytest.raises(EmulatorError, match="does not support"):
        run(unknown, *integers("u64" if "64" in unknown else "u32", 2))
