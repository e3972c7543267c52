"""What a person is told of CUDA's errors."""

import pytest

from shflbench.backends.cuda_errors import CudaErrors, meaning_of, plain_name
from shflbench.errors import LaunchError
from tests.fakes.cupy import ILLEGAL_ADDRESS, CudaError, FakeGpu, OutOfMemoryError, fake_cupy


def told(error: BaseException) -> LaunchError:
    with pytest.raises(LaunchError) as caught, CudaErrors(fake_cupy(FakeGpu()), "neighbor_shfl"):
        raise error
    assert caught.value.exit_code == 5
    return caught.value


def test_illegal_address_is_said_in_plain_words_with_the_kernel_and_cuda_s_name() -> None:
    error = told(ILLEGAL_ADDRESS)
    said = "neighbor_shfl: illegal memory access: it read or wrote where no memory is (CUDA_ERROR_ILLEGAL_ADDRESS)"
    assert error.message == said
    assert "compute-sanitizer" in error.advice


def test_runtime_and_driver_name_an_error_differently_and_mean_the_same() -> None:
    of_driver = meaning_of(716, "CUDA_ERROR_MISALIGNED_ADDRESS: misaligned address")
    of_runtime = meaning_of(716, "cudaErrorMisalignedAddress: misaligned address")
    words = "misaligned memory access: an address is no multiple of the element's size"
    assert of_driver.sentence == f"{words} (CUDA_ERROR_MISALIGNED_ADDRESS)"
    assert of_runtime.sentence == f"{words} (cudaErrorMisalignedAddress)"


def test_launch_that_is_refused_advises_a_smaller_one() -> None:
    error = told(CudaError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument"))
    assert "refuses this grid, block or amount of shared memory (CUDA_ERROR_INVALID_VALUE)" in error.message
    assert error.advice == "Choose a smaller block, or less shared memory."


def test_allocation_that_fails_says_what_was_asked() -> None:
    error = told(OutOfMemoryError("Out of memory allocating 4,096 bytes (allocated so far: 512 bytes)."))
    expected = (
        "neighbor_shfl: out of device memory (Out of memory allocating 4,096 bytes (allocated so far: 512 bytes).)"
    )
    assert error.message == expected
    assert "nvidia-smi" in error.advice


def test_error_that_nobody_explains_keeps_cuda_s_own_words() -> None:
    assert told(CudaError(999, "CUDA_ERROR_UNKNOWN: unknown error")).message == (
        "neighbor_shfl: unknown error (CUDA_ERROR_UNKNOWN)"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("of the host"), ValueError("a fault of ours")])
def test_what_is_not_cuda_s_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, CudaErrors(fake_cupy(FakeGpu()), "neighbor_shfl"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z13neighbor_shflIfEvPKT_PS0_i", "neighbor_shfl"),
        ("_Z4scanv", "scan"),
        ("_ZN5mylib6detail4scanIiEEvPT_", "mylib::detail::scan"),
        ("stamp", "stamp"),
        ("_Zsomething", "_Zsomething"),
    ],
)
def test_kernel_is_named_as_its_author_wrote_it(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
