"""Translate CUDA's errors into plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from types import ModuleType

WHERE = "Run it under compute-sanitizer to see where: `shflbench check --sanitizer`."
SMALLER = "Choose a smaller block, or less shared memory."
LESS_MEMORY = "Choose a smaller launch, or end other programs on the GPU; `nvidia-smi` lists them."
HARDWARE = "The GPU or its driver may be faulty: `dmesg` shows the driver's own messages (Xid)."
REPORT = "See `shflbench doctor`."


class Meaning(NamedTuple):
    """What an error of CUDA means for the author of a kernel or a suite, and what to do."""

    sentence: str
    advice: str


OUT_OF_MEMORY = 2
# By number, because the runtime and the driver interface number errors alike but name them differently. Source: CUDA
# Driver API, CUresult, and CUDA Runtime API, cudaError_t.
MEANINGS = {
    1: Meaning("the device refuses this grid, block or amount of shared memory", SMALLER),
    OUT_OF_MEMORY: Meaning("out of device memory", LESS_MEMORY),
    9: Meaning("the device refuses this grid, block or amount of shared memory", SMALLER),
    46: Meaning(
        "another program uses the GPU exclusively", "Its compute mode is exclusive; see `nvidia-smi -q -d COMPUTE`."
    ),
    209: Meaning("compiled for another architecture than this GPU's", REPORT),
    214: Meaning("the GPU's memory has an uncorrectable error", HARDWARE),
    700: Meaning("illegal memory access: the kernel read or wrote outside of allocated memory", WHERE),
    701: Meaning("the launch needs more registers or shared memory than an SM has", SMALLER),
    702: Meaning("the kernel exceeded the time limit of a GPU that drives a display", "Choose fewer iterations."),
    710: Meaning("an assertion in the kernel failed", WHERE),
    714: Meaning("the kernel's call stack overflowed or was overwritten", WHERE),
    715: Meaning("the kernel executed an illegal instruction or a trap", WHERE),
    716: Meaning("misaligned memory access: an address is not a multiple of the element size", WHERE),
    717: Meaning("an instruction got an address in the wrong memory space", WHERE),
    718: Meaning("the kernel jumped to an address without code", WHERE),
    719: Meaning("the kernel crashed; CUDA gives no reason", WHERE),
}


class CudaErrors:
    """A context manager that turns exceptions of CUDA and cupy into LaunchError."""

    def __init__(self, cupy: ModuleType, what: str) -> None:
        """Begin each message with `what`: the operation, or the kernel's name."""
        cuda = cupy.cuda
        self._types = (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError, cuda.memory.OutOfMemoryError)
        self._what = what

    def __enter__(self) -> None:
        """Translate the errors of the block that follows."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Raise LaunchError for an exception of CUDA or cupy."""
        if not isinstance(error, self._types):
            return
        if isinstance(error, MemoryError):  # cupy's own, which has no number
            known = MEANINGS[OUT_OF_MEMORY]
            meaning = Meaning(f"{known.sentence} ({first_line(error)})", known.advice)
        else:
            meaning = meaning_of(error.status, first_line(error))
        raise LaunchError(f"{self._what}: {meaning.sentence}", meaning.advice) from error


def meaning_of(status: int, text: str) -> Meaning:
    """Return the meaning of error number `status`; `text` is CUDA's message, `NAME: words`."""
    name, _, words = text.partition(": ")
    known = MEANINGS.get(status)
    if known is None:
        return Meaning(f"{words or 'CUDA reports an error'} ({name})", REPORT)
    return Meaning(f"{known.sentence} ({name})", known.advice)


def first_line(error: BaseException) -> str:
    """Return the first line of an exception's message, or its type where the message is empty."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
