from fractions import Fraction

import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

MOVING_AVERAGE = load(builtin()["moving-average"])
MISSING = MOVING_AVERAGE.declaration.options["missing"]
EPS = {"f32": Fraction(1, 2**23), "f64": Fraction(1, 2**52)}


def workload(dtype: str = "f32", missing: str = "0", launch: str = "2x64") -> Workload:
    return cases.workload(MOVING_AVERAGE, dtype, launch, options={"missing": missing})


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("missing", MISSING)
def test_reference_is_the_mean_of_five_elements(dtype: str, missing: str) -> None:
    data = workload(dtype, missing)
    (x,), (y,) = data.inputs(0), data.expected(0, 1)
    assert len(x) == len(y) == 128 - int(missing)
    for i in range(2, len(x) - 2):
        exact = sum((Fraction(value) for value in x[i - 2 : i + 3].tolist()), Fraction(0)) / 5
        assert abs(Fraction(float(y[i])) - exact) <= 4 * EPS[dtype]


@pytest.mark.parametrize("missing", MISSING)
def test_first_two_and_last_two_are_zero(missing: str) -> None:
    (y,) = workload(missing=missing).expected(0, 1)
    assert np.flatnonzero(y == 0).tolist() == [0, 1, len(y) - 2, len(y) - 1]


def test_sum_is_rounded_from_left_to_right() -> None:
    data = workload()
    x = np.ones(128, "f4")
    x[10] = 2.0**24  # to which adding one changes nothing, and adding four does
    (y,) = MOVING_AVERAGE.reference([x], data.setting, 1)
    fifth = np.float32(0.2)
    assert y[12] == np.float32(2.0**24) * fifth
    assert y[8] == np.float32(2.0**24 + 4) * fifth


def test_one_value_off_by_one_place_is_visible() -> None:
    data = workload()
    (x,), (right,) = data.inputs(0), data.expected(0, 1)
    got = right.copy()
    got[31] = np.add.reduce([*x[29:33], x[32]], dtype="f4") * np.float32(0.2)  # the last lane took x[32] for x[33]
    assert mismatch([got], [right], 0.0).endswith("(1 of 128 are wrong)")


def test_bytes_are_those_of_the_array_and_not_of_the_launch() -> None:
    assert cases.bytes_moved(workload("f64", "5")) == 123 * (8 + 8)
