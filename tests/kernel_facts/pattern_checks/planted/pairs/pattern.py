"""Kernels for `check`: some right ones, and others with one fault each."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant, elements_per_thread

SUMMARIES = {
    "right": "two barriers",
    "modest": "right, and declared unsafe",
    "one-barrier": "a barrier short",
    "lockstep": "no barrier",
    "equal-writes": "all threads write one value to one place",
    "activemask": "the active lanes as the mask",
    "curious": "reads the mask of active lanes without need",
    "after-continue": "shuffles after `continue`",
    "fns": "__fns off by one",
    "pointer": "the output pointer is advanced in lane 0 only",
    "half": "half of the lanes add nothing",
    "past-the-end": "reads one element past its input",
    "past-shared": "reads 32 elements past its shared memory",
    "deadlock": "a barrier that half of the lanes never reach",
    "folded": "no loop",
    "endless": "waits forever",
    "half-warps": "a barrier for each half of a warp",
    "split-pairs": "a barrier for the even lanes and one for the odd ones",
    "two-dimensions": "uses threadIdx.y",
    "linear-number": "the number of a thread from all three dimensions",
    "counted-barrier": "a barrier with a number of threads",
    "computed-barrier": "a barrier whose number depends on the thread",
    "tomorrow": "for a GPU that does not exist",
    "initialized": "shared memory with an initializer, which does not compile",
}

# In files of their own: one does not compile, and one includes headers that take 1 s to compile.
ALONE = {"initialized": "initialized.cu", "linear-number": "linear_number.cu"}

PATTERN = Pattern(
    summary="The neighbors of a pair swap their values and add one.",
    source="planted for the tests",
    dtypes=("i32", "i64"),
    buffers=(Input("values"), Output("result")),
    variants=tuple(
        Variant(
            name=name,
            mechanism=Mechanism.REGISTER,
            baseline=name == "right",
            safe=name != "modest",
            needs="sm_121" if name == "tomorrow" else "",
            source=ALONE.get(name, "kernels.cu"),
            shared=elements_per_thread(1),
            summary=summary,
        )
        for name, summary in SUMMARIES.items()
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Swap the values of each pair of lanes and add one, `iterations` times; shape [warps, 32]."""
    swapped = values[:, np.arange(32) ^ 1] if iterations % 2 else values
    result: NDArray[np.generic] = np.add(swapped, iterations, dtype=values.dtype)
    return result
