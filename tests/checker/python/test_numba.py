import numpy as np
import pytest

import shflbench
from shflbench.checker.python.numba_kernels import plain_name
from shflbench.errors import UsageError
from tests.checker.python.recordings import line_of, numba

RANDOM = np.random.default_rng(6)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def test_vector_add_is_clean_and_adds() -> None:
    x, y = floats(600), floats(600)
    result = shflbench.check(numba("vector_add"), launch=(3, 256), args=[x, y, np.zeros_like(x)])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[2], x + y)


def test_block_sum_in_shared_memory_is_clean_and_adds() -> None:
    x = floats(600)
    result = shflbench.check(numba("block_sum"), launch=(5, 128), args=[x, np.zeros(5, np.float32)])
    assert result.verdict == "clean", result
    sums = np.pad(x, (0, 40)).reshape(5, 128).sum(axis=1)
    np.testing.assert_allclose(result.outputs[1], sums, rtol=1e-4, atol=1e-4)


def test_transpose_of_two_dimensions_is_clean_and_transposes() -> None:
    x = floats(40, 30)
    result = shflbench.check(numba("transpose"), launch=((2, 3), (16, 16)), args=[x, np.zeros((30, 40), np.float32)])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[1], x.T)


def test_warp_sum_by_shuffles_has_no_race_and_adds() -> None:
    x = RANDOM.integers(-8, 8, 300).astype(np.float32)  # their sums are exact in any order
    result = shflbench.check(numba("warp_sum"), launch=(3, 128), args=[x, np.zeros(3, np.float32)])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[1], np.pad(x, (0, 84)).reshape(3, 128).sum(axis=1))


@pytest.mark.every_schedule
def test_sums_that_atomics_round_in_any_order_depend_on_the_schedule() -> None:
    x = np.array([2**20, 1 / 32, 1 / 32, 1 / 32], np.float32).repeat(32)  # each 1 alone is lost beside 2**25
    result = shflbench.check(numba("warp_sum"), launch=(1, 128), args=[x, np.zeros(1, np.float32)])
    assert result.verdict == "schedule-dependent", result
    assert not result.findings


def test_histogram_with_atomics_is_clean_and_counts() -> None:
    x = RANDOM.integers(0, 1000, 600).astype(np.int32)
    result = shflbench.check(numba("histogram"), launch=(2, 96), args=[x, np.zeros(64, np.int32)])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[1], np.bincount(x % 64, minlength=64))


def test_missing_syncthreads_in_a_loop_is_a_race_on_its_line() -> None:
    result = shflbench.check(numba("racy_block_sum"), launch=(3, 128), args=[floats(300), np.zeros(3, np.float32)])
    assert result.verdict == "broken", result
    line = line_of("numba_kernels.py", "values[thread] += values[thread + width]")
    assert {(finding.kind, finding.line) for finding in result.findings} >= {("RAW", line)}, result


def test_neighbors_that_other_threads_overwrite_are_a_race() -> None:
    result = shflbench.check(numba("racy_smoothing"), launch=(3, 128), args=[floats(300)])
    assert result.verdict == "broken", result
    assert {finding.kind for finding in result.findings} & {"RAW", "WAR"}, result


def test_output_of_too_few_elements_is_out_of_bounds() -> None:
    result = shflbench.check(numba("block_sum"), launch=(5, 128), args=[floats(600), np.zeros(3, np.float32)])
    assert result.verdict == "broken", result
    assert [finding.kind for finding in result.findings] == ["out of bounds"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (None, "a Numba kernel needs its arguments"),
        ({"x": floats(3)}, "the names of the arguments are not in the PTX of Numba"),
        ([floats(3)], "the Numba kernel vector_add has 21 parameters, and the arguments make 7"),
        ([floats(3), floats(3), None], "argument args[2] is None"),
        ([floats(3, 3)[:, 1]] * 3, "argument args[0] is not contiguous in memory"),
    ],
)
def test_arguments_that_do_not_fit_are_errors_in_one_sentence(args: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        shflbench.check(numba("vector_add"), launch=(1, 32), args=args)  # type: ignore[arg-type]
    assert caught.value.message.startswith(message)


def test_kernel_is_called_by_the_name_of_its_function() -> None:
    assert plain_name("_ZN13numba_kernels9block_sumB2v2B106cw51cXTL_3dE5ArrayIfLi1E") == "block_sum"
    assert plain_name("kernel") == "kernel"
