"""Copy an array, or read all of it: the bandwidth that kernels which pass over an array once can reach."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STAGES = 4  # slots per thread of `async`, as in kernels.cu
LOAD_BYTES = 16  # of the widest load
WORD = np.dtype(np.uint32)  # that a block stores for what it read


def _elements(at: Setting) -> int:
    return at.threads * at.whole("per_thread")


def _results(at: Setting) -> int:
    """Return the elements that are stored: all of them, or those that one word per block fills."""
    return _elements(at) if at.options["work"] == "copy" else at.grid * WORD.itemsize // at.dtype.size


def _bytes(at: Setting) -> int:
    """Return the bytes of the array, twice if it is copied; one word per block is not counted."""
    return _elements(at) * at.dtype.size * (2 if at.options["work"] == "copy" else 1)


PATTERN = Pattern(
    summary="Copy an array, or read all of it: a reference for the bandwidth that other patterns reach.",
    source="our own; copying is STREAM's kernel `copy` (McCalpin, 1995)",
    notes=(
        "The array has `per_thread` elements per thread of the launch: 32 elements of type `f32` at `8192x256` are "
        "256 MiB. With `work=read`, all bits that a block reads are combined by xor into one word of the "
        "result, so that no read can be left out; the bandwidth does not count this word. In all variants, the threads "
        "of a warp load adjacent words, and several loads per thread are in flight: eight of one element, or four of "
        "16 bytes. There is no variant with bulk copies (`cp.async.bulk`, TMA), because the emulator cannot verify "
        "them: it has no barriers that count bytes."
    ),
    dtypes=("f32", "bf16"),
    options={"work": ("copy", "read"), "per_thread": ("32", "8", "128")},
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(64, 128, 256, 512, 1024),
    representative={"launch": "16384x256"},
    also_called=("copy", "memcpy", "bandwidth"),
    buffers=(Input("values", elements=_elements), Output("result", elements=_results, initial=0)),
    bytes_moved=_bytes,
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="one element per load; up to eight loads in flight per thread",
        ),
        Variant(
            name="vector",
            mechanism=Mechanism.GLOBAL,
            summary="16 bytes per load; up to four loads in flight per thread",
        ),
        Variant(
            name="async",
            mechanism=Mechanism.GLOBAL,
            summary="16 bytes per `cp.async` to shared memory; four in flight per thread",
            needs="sm_80",
            shared=lambda at: at.block * STAGES * LOAD_BYTES,
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw all bits at random: they are moved, but not computed with; shape [elements]."""
    words = rng.integers(0, 1 << 32, _elements(at) * at.dtype.size // WORD.itemsize, WORD)
    return words.view(at.dtype.numpy)


def reference(values: NDArray[np.generic], work: str, per_thread: str, at: Setting) -> NDArray[np.generic]:  # noqa: ARG001
    """Return the array itself, or for each block the xor of the 32-bit words of its part of the array."""
    if work == "copy":
        return values
    words: NDArray[np.uint32] = np.bitwise_xor.reduce(values.view(WORD).reshape(at.grid, -1), axis=1)
    return words.view(at.dtype.numpy)
