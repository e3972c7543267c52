"""All lanes get the largest number of their warp, and the sum of the powers of 2 relative to it."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant, elements_per_thread

STEPS = 5  # of a butterfly over 32 lanes
OF_GROUPS = {"STS": 1, "LDS": 2, "SHFL": 3}  # a sum of the values of groups of 8 lanes by loads, then of 4 groups

PATTERN = Pattern(
    summary=(
        "Each lane has a pair of a maximum and a sum, and all lanes get the pair of the warp: the largest maximum, and "
        "the sum of all sums, each scaled by 2 to the power of its maximum minus the largest (online softmax)."
    ),
    source="Milakov and Gimelshein, Online normalizer calculation for softmax, arXiv 1805.02867, 2018",
    dtypes=("f32",),
    buffers=(Input("states", dtype="i32"), Output("result", dtype="i32")),
    representative={"launch": "26x1024"},
    also_called=("online softmax", "log-sum-exp", "softmax of a warp"),
    launch_bounds=True,
    unroll=4,
    notes=(
        "A lane derives its pair from 32 bits, of which the pair of the warp makes the next ones. `two-reductions` and "
        "`pair` both take 10 shuffles: ten that wait for one another and one power of 2, or five times two that do not "
        "wait for one another and five powers of 2. In `half-pair`, both numbers are rounded to f16 in each step: the "
        "relative error of the sum is at most 5·2^-11 more, and that of the maximum 2^-11, which scales the sum by "
        "another 2^(|maximum|·2^-11) at most; whole numbers up to 2048 are exact. `rescale-smem8-shfl` has the sum "
        "twice in its code: the second one is for a maximum that differs from the one before by more than 32, as in "
        "the first iteration here and in no other. The pairs here are such that every sum is exact even in f16."
    ),
    variants=(
        *(
            Variant(
                name=name,
                mechanism=mechanism,
                baseline=name == "x-rescale-likely",
                summary=name,
                needs="sm_90",
                **({"shared": elements_per_thread(2)} if shared else {}),
                per_iteration=counts,
            )
            for name, mechanism, shared, counts in (
                ("x-rescale-likely", Mechanism.HYBRID, True, {"STS": 2, "LDS": 4, "SHFL": 6, "REDUX": 1}),
                ("x-rescale-wide", Mechanism.HYBRID, True, {"STS": 2, "LDS": 16, "REDUX": 1}),
                ("x-rescale-wide16", Mechanism.HYBRID, True, {"STS": 2, "LDS": 8, "SHFL": 2, "REDUX": 1}),
                ("x-rescale-vote", Mechanism.HYBRID, True, {"STS": 2, "LDS": 16, "REDUX": 1, "VOTE": 1}),
                ("x-rescale-dmma", Mechanism.MATRIX, False, {"DMMA": 4, "REDUX": 1}),
                ("x-rescale-shfl", Mechanism.COLLECTIVE, False, {"SHFL": 10, "REDUX": 1}),
                ("x-redux-dmma", Mechanism.MATRIX, False, {"DMMA": 2, "REDUX": 1}),
                ("x-redux-dmma-shfl", Mechanism.MATRIX, False, {"DMMA": 1, "SHFL": 2, "REDUX": 1}),
                ("x-redux-shfl-dmma", Mechanism.MATRIX, False, {"DMMA": 1, "SHFL": 3, "REDUX": 1}),
                ("x-redux-sign", Mechanism.COLLECTIVE, False, {"SHFL": 5, "REDUX": 2}),
                ("x-redux-sign-dmma", Mechanism.MATRIX, False, {"DMMA": 2, "REDUX": 2}),
            )
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(states: NDArray[np.int32], iterations: int) -> NDArray[np.int32]:
    """Repeat pair.cuh in whole numbers; shape [warps, 32]."""
    state = states.view(np.uint32)
    for _ in range(iterations):
        largest, total = pair_of_warp(state)
        digits = total.astype(np.float32).view(np.uint32) + np.uint32(1 << 12) >> np.uint32(13)
        state = state * FACTOR + (digits + largest.astype(np.float32).view(np.uint32))[:, None]
    return state.view(np.int32)


def pair_of_warp(state: NDArray[np.uint32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest maximum and the scaled sum of each warp."""
    chosen = state & state >> np.uint32(3) & state >> np.uint32(7)
    maxima = 4.0 + (chosen >> np.uint32(21) & np.uint32(3))
    sums = 1 + (state >> np.uint32(19) & np.uint32(1)) / 2
    largest = maxima.max(axis=1)
    return largest, (sums * 2.0 ** (maxima - largest[:, None])).sum(axis=1)
