"""A private array read in a fixed order: in registers, or in local memory if the compiler does not know the order."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

Floats = NDArray[np.floating]

MAX_ELEMENT = 64  # sums of 64 of them stay exact in f32 for more than 4096 iterations


def per_element(*opcodes: str) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Expect one such instruction and one addition per iteration and element of the array."""

    def counts(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        addition = "FADD" if dtype.name == "f32" else "DADD"
        return dict.fromkeys((*opcodes, addition), int(options["length"]))

    return counts


PATTERN = Pattern(
    summary="Each thread adds up its own array in a fixed order, once per iteration.",
    source="NVIDIA Pro Tip, Fast Dynamic Indexing of Private Arrays in CUDA",
    dtypes=("f32", "f64"),
    buffers=(Input("arrays", elements=lambda at: at.threads * at.whole("length")), Output("result")),
    scalars=(Scalar("start", lambda _: 0), Scalar("step", lambda _: 0)),
    options={"length": ("32", "4", "8", "16", "64")},
    unroll=4,
    claims={
        "P01": "with indices known at compile time the array is in registers: no local loads and stores",
        "P02": "a loop over the array that the compiler unrolls is one addition per element, without loads",
        "P15": "registers at fixed indices are fastest, then shared memory at any index and local memory at "
        "uniform indices, then local memory at indices that differ",
    },
    notes=(
        "The article sums the array once; here the sum continues over all iterations, so that 32 elements are 32 "
        "additions per iteration, where the article's 5 elements were 4 (the first was to 0). In `local` an iteration "
        "starts at an index given at run time, as in the article, which advances by a step given at run time; both are "
        "0, which the compiler does not know. Integers are left out: the compiler would add them up once for all "
        "iterations, which it may not do with floating-point numbers."
    ),
    variants=(
        Variant(
            name="local",
            mechanism=Mechanism.LOCAL,
            baseline=True,
            summary="the same loop, started at an index that the compiler does not know",
            per_iteration=per_element("LDL"),
        ),
        Variant(
            name="register-static",
            mechanism=Mechanism.REGISTER,
            summary="every index a constant in the source",
            arguments=("arrays", "result", "iterations"),
            per_iteration=per_element(),
        ),
        Variant(
            name="register-unrolled",
            mechanism=Mechanism.REGISTER,
            summary="a loop that the compiler unrolls",
            arguments=("arrays", "result", "iterations"),
            per_iteration=per_element(),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> Floats:
    """Draw whole numbers from 1 to 64."""
    return rng.integers(1, MAX_ELEMENT, at.threads * at.whole("length"), endpoint=True).astype(at.dtype.numpy)


def reference(arrays: Floats, iterations: int, length: str) -> Floats:
    """Add up each thread's array (the next `length` elements of `arrays`) `iterations` times."""
    return np.asarray(arrays.reshape(-1, int(length)).sum(axis=1) * iterations, arrays.dtype)
