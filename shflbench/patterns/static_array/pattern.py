"""A private array read in a fixed order: in registers, or in local memory if the compiler does not know the order."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
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
    summary="Each thread sums its private array in a fixed order, once per iteration.",
    source="NVIDIA Pro Tip, Fast Dynamic Indexing of Private Arrays in CUDA",
    dtypes=("f32", "f64"),
    representative={"launch": "8*sms x 64"},
    buffers=(Input("arrays", elements=lambda at: at.threads * at.whole("length")), Output("result")),
    scalars=(Scalar("start", lambda _: 0), Scalar("step", lambda _: 0)),
    options={"length": ("32", "4", "8", "16", "64")},
    launch_bounds=True,
    unroll=4,
    notes=(
        "The article sums the array once. Here, the sum continues over all iterations, so that 32 elements take 32 "
        "additions per iteration; the 5 elements of the article take only 4 additions, because adding the first "
        "element to 0 takes none. In `local`, each iteration starts at the index `start`, as in the article, and then "
        "adds `step` to `start`; both arguments are 0, but are not known at compile time. The pattern has no integer "
        "types: the compiler could compute an integer sum once for all iterations, which it must not do with "
        "floating-point numbers."
    ),
    variants=(
        Variant(
            name="local",
            mechanism=Mechanism.LOCAL,
            baseline=True,
            summary="the loop of `register-unrolled`, starting at an index that is not known at compile time",
            per_iteration=per_element("LDL"),
        ),
        Variant(
            name="register-static",
            mechanism=Mechanism.REGISTER,
            summary="all indices are constants in the source",
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
    """Add up each thread's array (`arrays` has the shape [warps, length, 32]) `iterations` times."""
    return np.asarray(arrays.reshape(-1, int(length), WARP).sum(axis=1).ravel() * iterations, arrays.dtype)
