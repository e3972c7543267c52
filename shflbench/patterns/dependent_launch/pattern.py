"""A kernel that needs the results of another one: launched after it, overlapping it, or fused with it."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Dims, Mechanism
from shflbench.patterns.declare import Input, LaterKernel, Output, Pattern, Setting, Variant

FACTOR = 0x9E3779B1  # odd: 2^32 divided by the golden ratio


def same_launch(at: Setting) -> tuple[Dims, Dims]:
    """Return the launch of the setting."""
    return at.grid_dims, at.block_dims


WAITING = LaterKernel(
    kernel="dependent_launch_consume_after_wait",
    dims=same_launch,
    arguments=("weights", "between", "result"),
    opcodes=("ACQBULK",),
    programmatic=True,
)

PATTERN = Pattern(
    summary="A kernel computes a value per thread, and a second one uses it, which has other work to do before.",
    source="ggml-org/llama.cpp, pull requests 22522 and 24030; NVIDIA/cutlass, issue 2962; NVIDIA/cccl, issue 11463",
    dtypes=("i32",),
    options={"work": ("64", "1024"), "prologue": ("0", "64", "1024")},
    representative={"launch": "sms x 256", "prologue": "64"},
    also_called=("programmatic dependent launch", "PDL", "griddepcontrol"),
    launch_bounds=True,
    one_pass=True,
    static_block=True,
    blocks=(128, 256, 512),
    buffers=(
        Input("values"),
        Input("weights"),
        Output("result"),
        Output("between", compared=False),
    ),
    notes=(
        "`work` steps in the first kernel, and `prologue` steps in the second one before it needs the first one's "
        "results, each a multiplication and an addition that depend on the step before. The time is that of both "
        "launches. The first kernel of a launch never overlaps the launch before. `fused` shows what one kernel takes; "
        "it is possible only where a block needs results of its own."
    ),
    variants=(
        Variant(
            name="stream-order",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="two launches, the second of which begins after the end of the first one",
            kernel="dependent_launch_stream_order",
            arguments=("values", "between"),
            later=(
                LaterKernel(
                    kernel="dependent_launch_consume", dims=same_launch, arguments=("weights", "between", "result")
                ),
            ),
        ),
        Variant(
            name="no-signal",
            mechanism=Mechanism.GLOBAL,
            summary="a programmatic launch, and no signal: the end of each block of the first kernel counts as one",
            needs="sm_90",
            source="programmatic.cu",
            kernel="dependent_launch_no_signal",
            arguments=("values", "between"),
            later=(WAITING,),
        ),
        Variant(
            name="late-signal",
            mechanism=Mechanism.GLOBAL,
            summary="a programmatic launch; the first kernel signals after its stores",
            needs="sm_90",
            source="programmatic.cu",
            kernel="dependent_launch_late_signal",
            arguments=("values", "between"),
            opcodes=("PREEXIT",),
            later=(WAITING,),
        ),
        Variant(
            name="early-signal",
            mechanism=Mechanism.GLOBAL,
            summary="a programmatic launch; the first kernel signals when it begins",
            needs="sm_90",
            source="programmatic.cu",
            kernel="dependent_launch_early_signal",
            arguments=("values", "between"),
            opcodes=("PREEXIT",),
            later=(WAITING,),
        ),
        Variant(
            name="fused",
            mechanism=Mechanism.SMEM,
            summary="one kernel, which keeps the results in shared memory",
            kernel="dependent_launch_fused",
            arguments=("values", "weights", "result"),
        ),
    ),
)


def reference(
    values: NDArray[np.int32], weights: NDArray[np.int32], work: str, prologue: str, at: Setting
) -> NDArray[np.int32]:
    """Return what the second kernel computes, in wrapping integers; shape [warps, 32]."""
    between = after_steps(values, int(work)).reshape(at.grid, at.block)[:, ::-1]
    x = after_steps(weights, int(prologue)).reshape(at.grid, at.block) + np.uint32(2) * between
    return x.view(np.int32).reshape(values.shape)


def after_steps(values: NDArray[np.int32], steps: int) -> NDArray[np.uint32]:
    """Return the values after so many steps of kernels.cu, each a multiplication by FACTOR and an addition of 1."""
    factor, constant = 1, 0
    for _ in range(steps):
        factor, constant = factor * FACTOR % 2**32, (constant * FACTOR + 1) % 2**32
    return values.view(np.uint32) * np.uint32(factor) + np.uint32(constant)
