from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.errors import LaunchError
from shflbench.measure.verify import mismatch, verify
from shflbench.model import DTYPES, Proof
from tests.fakes.backend import FakeBackend, Script, after_first_trip, in_trip, lost, one_lane, unrolled_body
from tests.measure.prepared import opened, workload

if TYPE_CHECKING:
    from tests.fakes.backend import Fault

LONG = max(workload().verify_iterations)


def proof(fault: Fault | None, dtype: str = "f32") -> Proof:
    kernel = opened(FakeBackend({"shfl": Script(fault=fault)}), dtype=dtype)
    return verify(kernel, workload(dtype), "2x64")


@pytest.mark.parametrize("dtype", DTYPES)
def test_right_kernel_matches_on_every_input(dtype: str) -> None:
    assert proof(None, dtype) == Proof(8, 8, (1, LONG), "2x64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("fault", "iterations"),
    [
        pytest.param(one_lane(in_trip(0)), 1, id="first trip"),
        pytest.param(one_lane(in_trip(LONG - 1)), LONG, id="last trip"),
        pytest.param(one_lane(in_trip(20)), LONG, id="a trip in the middle"),
        pytest.param(one_lane(after_first_trip), LONG, id="second trip and later"),
        pytest.param(one_lane(unrolled_body), LONG, id="unrolled body"),
        pytest.param(lost(unrolled_body), LONG, id="unrolled body does nothing"),
    ],
)
def test_wrong_kernel_is_found_and_the_first_wrong_count_is_named(fault: Fault, iterations: int, dtype: str) -> None:
    found = proof(fault, dtype)
    assert (found.matched, found.inputs, found.complete) == (0, 8, False)
    assert found.mismatch.startswith(f"after {iterations} iteration{'s' * (iterations > 1)} on input 0, element ")


def test_kernel_that_is_wrong_now_and_then_matches_on_the_other_inputs() -> None:
    found = proof(one_lane(in_trip(0), runs=5))  # two launches an input: both of inputs 0 and 1, one of input 2
    assert (found.matched, found.inputs) == (5, 8)


def test_crash_is_passed_on() -> None:
    kernel = opened(FakeBackend({"shfl": Script(run_raises={3: LaunchError("illegal address")})}))
    with pytest.raises(LaunchError, match=r"^illegal address$"):
        verify(kernel, workload(), "2x64")


RIGHT = np.arange(64, dtype=np.float32).reshape(2, 32)


def changed(element: int, value: float) -> list[np.ndarray]:
    got = RIGHT.reshape(-1).copy()
    got[element] = value
    return [got]


def test_first_wrong_element_is_shown_with_what_it_should_be() -> None:
    got = changed(7, 9.5)
    got[0][40:50] = -1
    assert mismatch(got, [RIGHT], 0.0) == "element 7 is 9.5, not 7.0 (11 of 64 are wrong)"


@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_equal_outputs_have_no_mismatch(tolerance: float) -> None:
    assert mismatch([RIGHT.reshape(-1).copy()], [RIGHT], tolerance) == ""


@pytest.mark.parametrize(
    ("value", "sentence"), [(7.25, ""), (6.75, ""), (7.5, "element 7 is 7.5, not 7.0 (1 of 64 are wrong)")]
)
def test_tolerance_is_an_absolute_error(value: float, sentence: str) -> None:
    assert mismatch(changed(7, value), [RIGHT], 0.25) == sentence


@pytest.mark.parametrize("tolerance", [0.0, 0.25, 1e30])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_never_passes(value: float, tolerance: float) -> None:
    assert mismatch(changed(7, value), [RIGHT], tolerance) == f"element 7 is {value}, not 7.0 (1 of 64 are wrong)"


def test_without_a_tolerance_the_bits_decide() -> None:
    assert mismatch(changed(0, -0.0), [RIGHT], 0.0) == "element 0 is -0.0, not 0.0 (1 of 64 are wrong)"
    assert mismatch(changed(7, np.nextafter(np.float32(7), np.float32(8))), [RIGHT], 0.0)


def test_integers_differ_in_any_bit() -> None:
    right = np.array([[1 << 62, 5]], dtype=np.int64)
    got = right.reshape(-1) ^ np.array([1, 0])
    assert mismatch([got], [right], 0.0) == f"element 0 is {(1 << 62) + 1}, not {1 << 62} (1 of 2 are wrong)"


def test_poison_that_no_kernel_overwrote_is_a_mismatch() -> None:
    poison = np.full(256, 0xA5, dtype=np.uint8).view(np.float32)
    assert mismatch([poison], [RIGHT], 0.0).endswith("(64 of 64 are wrong)")


def test_second_output_is_compared_as_well() -> None:
    assert mismatch([RIGHT, *changed(3, 0.0)], [RIGHT, RIGHT], 0.0) == "element 3 is 0.0, not 3.0 (1 of 64 are wrong)"
