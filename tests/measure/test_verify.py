from typing import Any, NoReturn

import numpy as np
import pytest

from shflbench.core.model import Proof
from shflbench.errors import LaunchError, PatternError
from shflbench.measure.agreement import Agreement, agreement, mismatch
from shflbench.measure.verify import verify, verify_reference
from tests import cases
from tests.fakes.backend import (
    FakeBackend,
    Fault,
    Script,
    after_first_iteration,
    in_iteration,
    lost,
    one_lane,
    unrolled_body,
)
from tests.measure.prepared import NEIGHBOR, opened, workload

LONG = max(workload().verify_iterations)


def proof(fault: Fault | None, dtype: str = "f32") -> Proof:
    kernel = opened(FakeBackend({"shfl": Script(fault=fault)}), dtype=dtype)
    return verify(kernel, workload(dtype), "2x64")


@pytest.mark.parametrize("dtype", NEIGHBOR.declaration.dtypes)
def test_right_kernel_matches_on_every_input(dtype: str) -> None:
    assert proof(None, dtype) == Proof(8, 8, (1, LONG), "2x64")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i32", "i64"])
@pytest.mark.parametrize(
    ("fault", "iterations"),
    [
        pytest.param(one_lane(in_iteration(0)), 1, id="first iteration"),
        pytest.param(one_lane(in_iteration(LONG - 1)), LONG, id="last iteration"),
        pytest.param(one_lane(in_iteration(20)), LONG, id="an iteration in the middle"),
        pytest.param(one_lane(after_first_iteration), LONG, id="second iteration and later"),
        pytest.param(one_lane(unrolled_body), LONG, id="unrolled body"),
        pytest.param(lost(unrolled_body), LONG, id="unrolled body does nothing"),
    ],
)
def test_wrong_kernel_is_found_and_the_first_wrong_count_is_named(fault: Fault, iterations: int, dtype: str) -> None:
    found = proof(fault, dtype)
    assert (found.matched, found.inputs, found.complete) == (0, 8, False)
    assert found.mismatch.startswith(f"after {iterations} iteration{'s' * (iterations > 1)} on input 0, element ")


def test_kernel_that_is_sometimes_wrong_matches_on_the_other_inputs() -> None:
    found = proof(one_lane(in_iteration(0), runs=5))  # two launches per input: both of inputs 0 and 1, one of input 2
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
def test_nan_and_infinity_never_match(value: float, tolerance: float) -> None:
    assert mismatch(changed(7, value), [RIGHT], tolerance) == f"element 7 is {value}, not 7.0 (1 of 64 are wrong)"


@pytest.mark.parametrize("tolerance", [0.0, 0.25])
@pytest.mark.parametrize(
    ("value", "others"), [(np.inf, (0, 3.4e38, -np.inf, np.nan)), (-np.inf, (-3.4e38, np.inf)), (np.nan, (0, np.inf))]
)
def test_reference_that_is_not_finite_takes_the_same_only(
    value: float, others: tuple[float, ...], tolerance: float
) -> None:
    wanted = np.array([1, value, 3], np.float32)
    relative = 0.0 if tolerance else 1e-4
    assert mismatch([wanted.copy()], [wanted], tolerance, (), [relative]) == ""
    for other in others:
        assert mismatch([np.array([1, other, 3], np.float32)], [wanted], tolerance, (), [relative])


def test_small_results_are_compared_with_the_median_and_not_with_the_mean() -> None:
    wanted = np.array([1e12, 2, 3, 4, 1e-9], np.float32)
    near = np.array([1e12, 2, 3, 4, 2e-9], np.float32)
    assert agreement([near], [wanted], 0.0, (), [1e-4]) == Agreement("", by_median=1)
    wrong = np.array([1e12, 2, 3.1, 4, 1e-9], np.float32)
    assert "(1 of 5 are wrong)" in mismatch([wrong], [wanted], 0.0, (), [1e-4])


def test_zeros_of_another_sign_are_counted() -> None:
    wanted, got = np.array([0, 1], np.float32), np.array([-0.0, 1], np.float32)
    assert agreement([got], [wanted], 0.0, (), [1e-4]) == Agreement("", other_zeros=1)


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


def test_rows_of_an_unordered_output_may_have_any_order() -> None:
    mixed = [np.concatenate([RIGHT[0][::-1], RIGHT[1][::-1]])]
    assert mismatch(mixed, [RIGHT], 0.0, [True]) == ""
    assert mismatch(mixed, [RIGHT], 0.0, [False])
    assert mismatch(mixed, [RIGHT], 0.0)


def test_number_in_another_row_or_twice_is_a_mismatch_of_an_unordered_output() -> None:
    swapped = changed(0, 63.0)
    swapped[0][63] = 0.0
    assert mismatch(swapped, [RIGHT], 0.0, [True]).endswith("(64 of 64 are wrong)")
    assert mismatch(changed(7, 8.0), [RIGHT], 0.0, [True]) == "element 7 is 8.0, not 7.0 (1 of 64 are wrong)"


def test_wrong_output_of_two_is_named() -> None:
    got = [RIGHT.reshape(-1), *changed(3, 0.0)]
    assert mismatch(got, [RIGHT, RIGHT], 0.0) == "in output 2, element 3 is 0.0, not 3.0 (1 of 64 are wrong)"


def test_tolerance_applies_to_floats_and_not_to_integers() -> None:
    whole = np.arange(4, dtype=np.int32)
    assert mismatch([*changed(7, 7.25), whole], [RIGHT, whole], 0.5) == ""
    assert mismatch([RIGHT.reshape(-1), whole ^ 1], [RIGHT, whole], 5.0).startswith(
        "in output 2, element 0 is 1, not 0"
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_compared_by_their_bits_or_their_error(dtype: str) -> None:
    right = np.linspace(1, 2, 32).astype(dtype)
    got = right.copy()
    got.view(np.uint16)[3] += 1
    assert mismatch([got], [right], 0.0).endswith("(1 of 32 are wrong)")
    assert mismatch([got], [right], 0.01) == ""


def test_pattern_of_one_pass_names_no_iterations() -> None:
    data = cases.workload(cases.own_pattern({"reference": lambda values: values}, one_pass=True))
    kernel = Answers(np.zeros(128, np.float32))
    assert verify(kernel, data, "2x64").mismatch.startswith("on input 0, element 0 is 0.0, not ")


class Answers:
    """A kernel that returns one result after another, and then repeats the last."""

    def __init__(self, *answers: np.ndarray) -> None:
        self._answers = list(answers)

    def run(self, *_: Any) -> list[np.ndarray]:
        return [self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]]

    def run_again(self, *_: Any) -> NoReturn:
        raise AssertionError

    def burst(self, *_: Any) -> NoReturn:
        raise AssertionError

    def close(self) -> None:
        raise AssertionError


def test_other_variants_are_compared_with_the_reference_variant() -> None:
    data = cases.workload(cases.own_pattern(reference_variant="smem"))
    ones, twos = np.ones(128, np.float32), np.full(128, 2, np.float32)
    assert verify_reference(Answers(ones), data, "2x64").complete
    assert verify(Answers(ones), data, "2x64").complete
    assert verify(Answers(twos), data, "2x64").mismatch == (
        "after 1 iteration on input 0, element 0 is 2.0, not 1.0 (128 of 128 are wrong)"
    )


def test_reference_variant_with_two_different_results_is_no_reference() -> None:
    data = cases.workload(cases.own_pattern(reference_variant="smem"))
    proof = verify_reference(Answers(np.ones(128, np.float32), np.zeros(128, np.float32)), data, "2x64")
    assert not proof.complete
    assert proof.mismatch.startswith("the reference gives another result the second time: after 1 iteration on input 0")
    with pytest.raises(PatternError, match="gave no result"):
        data.expected(0, 1)
