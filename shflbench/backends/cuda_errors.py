"""Say in plain words what CUDA reports."""

from __future__ import annotations

import re
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
    """What an error of CUDA means to whoever wrote the kernel or the suite, and what to do about it."""

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
        "another program has the GPU to itself", "Its compute mode is exclusive; see `nvidia-smi -q -d COMPUTE`."
    ),
    209: Meaning("compiled for another architecture than this GPU's", REPORT),
    214: Meaning("the GPU's memory has an error that cannot be corrected", HARDWARE),
    700: Meaning("illegal memory access: it read or wrote where no memory is", WHERE),
    701: Meaning("the launch needs more registers or shared memory than an SM has", SMALLER),
    702: Meaning("it ran for longer than the driver allows on a GPU that drives a display", "Choose fewer iterations."),
    710: Meaning("an assertion in the kernel failed", WHERE),
    714: Meaning("its call stack overflowed or was overwritten", WHERE),
    715: Meaning("it came upon an illegal instruction or trapped", WHERE),
    716: Meaning("misaligned memory access: an address is no multiple of the element's size", WHERE),
    717: Meaning("an instruction was given an address of another kind of memory", WHERE),
    718: Meaning("it jumped to where no code is", WHERE),
    719: Meaning("it crashed, and CUDA does not say why", WHERE),
}


class CudaErrors:
    """A context that turns the exceptions of CUDA and cupy into LaunchError."""

    def __init__(self, cupy: ModuleType, what: str) -> None:
        """Begin each message with `what` was being done, or with the kernel's name."""
        cuda = cupy.cuda
        self._types = (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError, cuda.memory.OutOfMemoryError)
        self._what = what

    def __enter__(self) -> None:
        """Watch what follows."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Raise LaunchError if it was one of these."""
        if not isinstance(error, self._types):
            return
        if isinstance(error, MemoryError):  # cupy's own, which has no number
            known = MEANINGS[OUT_OF_MEMORY]
            meaning = Meaning(f"{known.sentence} ({first_line(error)})", known.advice)
        else:
            meaning = meaning_of(error.status, first_line(error))
        raise LaunchError(f"{self._what}: {meaning.sentence}", meaning.advice) from error


def meaning_of(status: int, text: str) -> Meaning:
    """Return what error number `status` means; `text` is CUDA's own, `NAME: words`."""
    name, _, words = text.partition(": ")
    known = MEANINGS.get(status)
    if known is None:
        return Meaning(f"{words or 'CUDA reports an error'} ({name})", REPORT)
    return Meaning(f"{known.sentence} ({name})", known.advice)


def first_line(error: BaseException) -> str:
    """Return an exception's first line, or its type where it says nothing."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def plain_name(symbol: str) -> str:
    """Return the name in C++ of a mangled symbol, without what is in brackets: `scan` for `_Z4scanIfEvPKT_`.

    Source: Itanium C++ ABI, section 5.1, where each name stands behind its length. Other symbols stay as they are.
    """
    start = re.match(r"_Z(N?)K?(?=\d)", symbol)
    if start is None:
        return symbol
    names: list[str] = []
    rest = symbol[start.end() :]
    while (length := re.match(r"\d+", rest)) and (start[1] or not names):
        end = length.end() + int(length[0])
        names.append(rest[length.end() : end])
        rest = rest[end:]
    return "::".join(names)
