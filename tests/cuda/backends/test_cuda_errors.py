"""The sentences for CUDA's errors."""

import pytest

from shflbench.cuda.backends.cuda_errors import CudaErrors, meaning_of
from shflbench.errors import LaunchError
from tests.fakes.cupy import ILLEGAL_ADDRESS, CudaError, FakeGpu, OutOfMemoryError, fake_cupy


def translated(error: BaseException) -> LaunchError:
    with pytest.raises(LaunchError) as caught, CudaErrors(fake_cupy(FakeGpu()), "neighbor_shfl"):
        raise error
    assert caught.value.exit_code == 5
    return caught.value


def test_illegal_address_is_one_sentence_with_the_kernel_and_the_name_of_the_error() -> None:
    error = translated(ILLEGAL_ADDRESS)
    assert error.message == (
        "neighbor_shfl: illegal memory access: the kernel read or wrote outside of allocated memory "
        "(CUDA_ERROR_ILLEGAL_ADDRESS)"
    )
    assert "compute-sanitizer" in error.advice


def test_errors_of_runtime_and_driver_differ_in_name_only() -> None:
    of_driver = meaning_of(716, "CUDA_ERROR_MISALIGNED_ADDRESS: misaligned address")
    of_runtime = meaning_of(716, "cudaErrorMisalignedAddress: misaligned address")
    words = "misaligned memory access: an address is not a multiple of the element size"
    assert of_driver.sentence == f"{words} (CUDA_ERROR_MISALIGNED_ADDRESS)"
    assert of_runtime.sentence == f"{words} (cudaErrorMisalignedAddress)"


def test_launch_that_is_refused_advises_a_smaller_one() -> None:
    error = translated(CudaError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument"))
    assert "refuses this grid, block or amount of shared memory (CUDA_ERROR_INVALID_VALUE)" in error.message
    assert error.advice == "Choose a smaller block, or less shared memory."


def test_failed_allocation_says_how_much_was_requested() -> None:
    error = translated(OutOfMemoryError("Out of memory allocating 4,096 bytes (allocated so far: 512 bytes)."))
    expected = (
        "neighbor_shfl: out of device memory (Out of memory allocating 4,096 bytes (allocated so far: 512 bytes).)"
    )
    assert error.message == expected
    assert "nvidia-smi" in error.advice


def test_unknown_error_keeps_the_message_of_cuda() -> None:
    assert translated(CudaError(999, "CUDA_ERROR_UNKNOWN: unknown error")).message == (
        "neighbor_shfl: unknown error (CUDA_ERROR_UNKNOWN)"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("of the host"), ValueError("not of CUDA")])
def test_other_exceptions_pass_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, CudaErrors(fake_cupy(FakeGpu()), "neighbor_shfl"):
        raise error
    assert caught.value is error
