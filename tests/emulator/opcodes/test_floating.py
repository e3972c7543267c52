"""Floating-point forms against exact rationals."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from shflbench.emulator.opcodes import fused
from shflbench.emulator.opcodes.forms import Values
from shflbench.errors import EmulatorError
from tests.emulator.declared import each
from tests.emulator.forms import floats, run, run_in_place
from tests.emulator.rational import (
    MODES,
    Number,
    assert_same_numbers,
    flushed,
    larger,
    number,
    of_sizes,
    product,
    quotient,
    saturated,
    settled,
    smaller,
    total,
)

TYPES = ("f32", "f64")
BINARY: Mapping[str, Callable[[Number, Number, str], Number]] = {
    "add": total,
    "sub": lambda a, b, mode: total(a, -b, mode),
    "mul": lambda a, b, _: product(a, b),
    "div": lambda a, b, _: quotient(a, b),
}
EXTREMES = {"min": smaller, "max": larger}
SIGNS: Mapping[str, Callable[[float], float]] = {"neg": lambda x: -x, "abs": abs}
NAN = 0x7FFFFFFF  # the only one that arithmetic in single precision makes


def size_of(form: str) -> int:
    return int(form[-2:]) // 8


def mode_of(form: str) -> str:
    return next((word for word in form.split(".") if word in MODES), "rn")


def check(form: str, exact: Callable[..., Number], *operands: Values) -> None:
    """Compare a form with one rounding of an exact formula, and what its modifiers do before and after that."""
    _, *words, type_ = form.split(".")
    (got,) = run(form, *operands)
    columns = [[flushed(x) if "ftz" in words else x for x in operand.tolist()] for operand in operands]
    expected = [settled(exact(*map(number, row)), type_, mode_of(form)) for row in zip(*columns, strict=True)]
    if "ftz" in words:
        expected = [flushed(x) for x in expected]
    if "sat" in words:
        expected = [saturated(x) for x in expected]
    assert_same_numbers(got.tolist(), expected)
    if type_ == "f32":
        assert set(got[np.isnan(expected)].view(np.uint32).tolist()) <= {NAN}


@pytest.mark.parametrize(
    "form",
    [
        *each(("add", "sub", "mul"), ("", *MODES), TYPES),
        *each(("div",), MODES, TYPES),
        *each(("add", "sub", "mul"), ("", "rn"), ("ftz", "sat", "ftz.sat"), ("f32",)),
    ],
)
def test_arithmetic_is_rounded_once(form: str) -> None:
    opcode, mode = form.split(".", maxsplit=1)[0], mode_of(form)
    a, b = floats(size_of(form), 2)
    check(form, lambda x, y: BINARY[opcode](x, y, mode), a, b)


@pytest.mark.parametrize("form", [*each(("fma",), MODES, TYPES), *each(("fma.rn",), ("ftz", "sat"), ("f32",))])
def test_fused_multiply_and_add_is_rounded_once(form: str) -> None:
    size, mode = size_of(form), mode_of(form)
    a, b, c = floats(size, 3)
    rng = np.random.default_rng(5)
    near = [x[-150:] for x in floats(size, 3, seed=9)]  # where c cancels most of the product
    with np.errstate(all="ignore"):
        a, b = np.concatenate([a, near[0]]), np.concatenate([b, near[1]])
        canceling = -(near[0] * near[1]) * (1 + rng.integers(-2, 3, 150) * np.finfo(c.dtype).eps)
        c = np.concatenate([c, canceling]).astype(c.dtype)
    check(form, lambda x, y, z: total(product(x, y), z, mode), a, b, c)


def test_the_double_rounding_of_single_precision_is_repaired() -> None:
    # The exact sum lies just above the middle of two singles, and its double exactly on it.
    a = np.array([1 + 2.0**-12], np.float32)
    c = np.array([2.0**-60], np.float32)
    b = np.array([1 + 2.0**-12], np.float32)  # a·b = 1 + 2^-11 + 2^-24: the middle
    (got,) = run("fma.rn.f32", a, b, c)
    naive = (a.astype(np.float64) * b + c).astype(np.float32)
    assert got[0] == np.float32(1 + 2.0**-11 + 2.0**-23)
    assert naive[0] != got[0]


@pytest.mark.parametrize("mode", MODES)
def test_single_precision_needs_no_exact_rationals(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # They took a hundred times as long, in every kernel that calls `expf`.
    monkeypatch.setattr(fused, "slowly", None)
    tiny = np.array([3.0, 5.0], np.float32) * np.float32(2.0**-140)
    (got,) = run(f"fma.{mode}.f32", tiny, np.array([0.25, 0.25], np.float32), tiny)
    assert got.tolist() == [settled(number(x) * Fraction(5, 4), "f32", mode) for x in tiny.tolist()]


def test_double_precision_needs_no_exact_rationals_for_normal_results(monkeypatch: pytest.MonkeyPatch) -> None:
    # Bytes that a kernel takes for doubles are of all sizes: each instruction took 50 ms per 1,000 threads.
    a, b, c = np.random.default_rng(3).integers(0, 2**64, (3, 3000), dtype=np.uint64).view(np.float64)
    with np.errstate(all="ignore"):
        near = np.ldexp(np.frexp(c)[0], np.clip(np.frexp(a)[1] + np.frexp(b)[1], -1000, 1000))
        a, b, c = np.tile(a, 3), np.tile(b, 3), np.concatenate([c, near, np.zeros(3000)])
        place = np.frexp(a)[1] + np.frexp(b)[1]
    normal = np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (place > -900)
    assert normal.sum() > 5000
    monkeypatch.setattr(fused, "slowly", None)
    check("fma.rn.f64", lambda x, y, z: total(product(x, y), z, "rn"), a[normal], b[normal], c[normal])


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("factor", [0.5, 1 / 64, 2.0**-100, 3.0, 2.0])
def test_a_constant_factor_uses_the_fast_path_only_where_it_is_exact(factor: float, size: int) -> None:
    short_cut = {4: fused._single, 8: fused._double}[size]  # noqa: SLF001
    a, c = floats(size, 2)
    a, c = np.concatenate([a, np.zeros(3, a.dtype)]), np.concatenate([c, np.ones(3, c.dtype)])
    finite = np.array([1.0] * 5 + [0.0] * 2, a.dtype)
    for x, z in ((a, c), (finite, np.ones_like(finite))):
        out = np.empty_like(x)
        with np.errstate(all="ignore"):
            short_cut(x, a.dtype.type(factor), z, out)
        rows = zip(x.tolist(), z.tolist(), strict=True)
        exact = [total(product(number(p), Fraction(factor)), number(q)) for p, q in rows]
        assert_same_numbers(out.tolist(), [settled(value, f"f{8 * size}") for value in exact])


@pytest.mark.parametrize("form", ["add.f32", "mul.f64", "fma.rn.f32", "fma.rn.f64", "min.f32", "sub.f64"])
def test_the_result_may_replace_an_operand(form: str) -> None:
    operands = floats(size_of(form), 3 if "fma" in form else 2)
    assert_same_numbers(run_in_place(form, *operands).tolist(), run(form, *operands)[0].tolist())


@pytest.mark.parametrize("form", ["add.f32", "fma.rn.f32", "min.NaN.f32"])
def test_single_precision_makes_one_kind_of_nan(form: str) -> None:
    a = np.array([0x7F800000, 0x7F800001, 0xFFC00123, 0x3F800000], np.uint32).view(np.float32)
    b = np.array([0xFF800000, 0x3F800000, 0x3F800000, 0x3F800000], np.uint32).view(np.float32)
    bits = run(form, *((a, b, b) if "fma" in form else (a, b)))[0].view(np.uint32).tolist()
    assert bits[1:3] == [NAN, NAN]
    assert bits[0] == (0xFF800000 if "min" in form else bits[0] if "fma" in form else NAN)


@pytest.mark.parametrize("form", [*each(EXTREMES, ("",), TYPES), *each(EXTREMES, ("NaN", "ftz"), ("f32",))])
def test_minimum_and_maximum_ignore_nan_and_order_zeros(form: str) -> None:
    opcode, *words, _ = form.split(".")
    a, b = floats(size_of(form), 2)

    def exact(x: Number, y: Number) -> Number:
        nan = "NaN" in words and (math.isnan(x) or math.isnan(y))
        return math.nan if nan else number(EXTREMES[opcode](float(x), float(y)))

    check(form, exact, a, b)
    no_zeros = (a != 0) & (b != 0)  # they take a shorter path
    check(form, exact, a[no_zeros], b[no_zeros])


@pytest.mark.parametrize("form", each(EXTREMES, ("", "ftz"), ("", "NaN"), ("xorsign.abs",), ("f32",)))
def test_extreme_of_sizes_with_the_sign_of_the_product(form: str) -> None:
    opcode, *words, _ = form.split(".")
    a, b = floats(4, 2)
    b = np.where(np.arange(b.size) % 2, np.copysign(b, -1), b)  # NaN with a sign, too

    def exact(x: Number, y: Number) -> Number:
        nan = "NaN" in words and (math.isnan(x) or math.isnan(y))
        return math.nan if nan else number(of_sizes(EXTREMES[opcode], float(x), float(y)))

    check(form, exact, a, b)
    no_zeros = (a != 0) & (b != 0)  # they take a shorter path
    check(form, exact, a[no_zeros], b[no_zeros])


@pytest.mark.parametrize("form", each(EXTREMES, ("", "ftz"), ("", "NaN"), ("", "abs"), ("f32",)))
def test_extreme_of_three_numbers_or_of_their_sizes(form: str) -> None:
    opcode, *words, _ = form.split(".")
    a, b, c = floats(4, 3)

    def exact(*numbers: Number) -> Number:
        if "NaN" in words and any(map(math.isnan, numbers)):
            return math.nan
        x, y, z = (abs(float(value)) if "abs" in words else float(value) for value in numbers)
        return number(EXTREMES[opcode](EXTREMES[opcode](x, y), z))

    check(form, exact, a, b, c)
    no_zeros = (a != 0) & (b != 0) & (c != 0)
    check(form, exact, a[no_zeros], b[no_zeros], c[no_zeros])


@pytest.mark.parametrize(
    ("opcode", "inputs"),
    [("max.xorsign.abs.f32", 3), ("max.abs.f32", 2), ("max.f64", 3), ("min.f16", 3), ("max.f32", 4)],
)
def test_an_extreme_that_ptx_does_not_have_is_refused(opcode: str, inputs: int) -> None:
    with pytest.raises((EmulatorError, AssertionError)):
        run(opcode, *floats(8 if opcode.endswith("64") else 4, inputs))


@pytest.mark.parametrize("form", each(SIGNS, TYPES))
def test_signs_are_one_bit(form: str) -> None:
    (a,) = floats(size_of(form), 1)
    got = run(form, a)[0].view(a.dtype).tolist()
    assert_same_numbers(got, [SIGNS[form.split(".", maxsplit=1)[0]](x) for x in a.tolist()])


@pytest.mark.parametrize("form", each(("copysign",), TYPES))
def test_copysign_joins_the_sign_of_one_operand_and_the_magnitude_of_the_other(form: str) -> None:
    a, b = floats(size_of(form), 2)
    rows = zip(a.tolist(), b.tolist(), strict=True)
    assert_same_numbers(run(form, a, b)[0].tolist(), [math.copysign(y, x) for x, y in rows])


@pytest.mark.parametrize("form", each(("rcp",), MODES, TYPES))
def test_reciprocals_are_rounded_once(form: str) -> None:
    (a,) = floats(size_of(form), 1)
    check(form, lambda x: quotient(Fraction(1), x), a)


@pytest.mark.parametrize("form", each(("sqrt.rn",), TYPES))
def test_roots_are_rounded_once(form: str) -> None:
    type_ = form[-3:]
    (a,) = floats(size_of(form), 1)
    squares = a[np.isfinite(a)][:100]
    with np.errstate(all="ignore"):
        a = np.concatenate([a, np.abs(a), squares * squares])

    def exact(value: float) -> Number:
        if not value or math.isnan(value) or value in {math.inf, -math.inf} or value < 0:
            return value if not value or value == math.inf else math.nan
        scale = 2**2400  # 1,200 digits after the point, and one more that says whether others follow
        whole = math.isqrt(int(Fraction(value) * scale))
        return Fraction(2 * whole + (Fraction(whole**2, scale) != Fraction(value)), 2 * 2**1200)

    assert_same_numbers(run(form, a)[0].tolist(), [settled(exact(x), type_) for x in a.tolist()])


# The largest errors that the PTX ISA allows (9.7.3), relative to the exact result.
APPROXIMATE: Mapping[str, tuple[Callable[..., Decimal], Decimal]] = {
    "rcp.approx.ftz.f32": (lambda a: 1 / a, Decimal(2) ** -23),
    "div.approx.f32": (lambda a, b: a / b, Decimal(2) ** -22),
    "ex2.approx.ftz.f32": (lambda a: Decimal(2) ** a, Decimal(2) ** -22),
    "ex2.approx.f32": (lambda a: Decimal(2) ** a, Decimal(2) ** -22),
    "rsqrt.approx.f32": (lambda a: 1 / a.sqrt(), Decimal(2) ** -22),
}


@pytest.mark.parametrize("form", APPROXIMATE)
def test_approximations_are_within_the_documented_error(form: str) -> None:
    function, error = APPROXIMATE[form]
    rng = np.random.default_rng(8)
    operands = [
        np.concatenate([[1, 2, 0.5, 3, 1 + 2.0**-23, 120], rng.uniform(0.01, 120, 300)]).astype(np.float32)
        for _ in range(2 if form.startswith("div") else 1)
    ]
    (got,) = run(form, *operands)
    with localcontext(prec=60):
        for *row, result in zip(*(x.tolist() for x in (*operands, got)), strict=True):
            exact = function(*map(Decimal, row))
            assert abs(Decimal(result) - exact) <= error * exact, row


@pytest.mark.parametrize(
    ("form", "operands", "expected"),
    [
        ("rcp.approx.ftz.f32", [[0.0, -0.0, 2.0**-127, math.inf, -math.inf]], [math.inf, -math.inf, math.inf, 0, -0.0]),
        ("div.approx.f32", [[1.0, 0.0, -1.0, 1.0], [math.inf, 0.0, 0.0, -0.0]], [0.0, math.nan, -math.inf, -math.inf]),
        ("ex2.approx.ftz.f32", [[0.0, -math.inf, math.inf, -127.0, 128.0]], [1.0, 0.0, math.inf, 0.0, math.inf]),
    ],
)
def test_approximations_are_exact_at_the_corners(form: str, operands: list[list[float]], expected: list[float]) -> None:
    (got,) = run(form, *(np.array(x, np.float32) for x in operands))
    assert_same_numbers(got.tolist(), [float(x) for x in expected])
