"""A private array in local memory, shared memory or registers, read at indices known only at run time."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Scalar, Setting, Variant

Floats = NDArray[np.floating]
Integers = NDArray[np.integer]

MAX_LENGTH = 256  # as in kernels.cu: an index takes the low 8 bits of an element
SHORT = ("4", "8")  # arrays for which the compiler may do without local memory


def loads(*opcodes: str) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Expect one such instruction per iteration, and as many multiply-adds as the option `math` says."""

    def counts(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        multiply_add = "FFMA" if dtype.name == "f32" else "DFMA"
        return {**dict.fromkeys(opcodes, 1), multiply_add: int(options["math"])}

    return counts


def local_loads(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int] | None:
    """Expect the same of local memory, except for short arrays."""
    return None if options["length"] in SHORT else loads("LDL")(dtype, options)


PATTERN = Pattern(
    summary="Each thread reads one element of its own array per iteration, at an index known only at run time.",
    source="NVIDIA Pro Tip, Fast Dynamic Indexing of Private Arrays in CUDA",
    dtypes=("f32", "f64"),
    buffers=(
        Input("arrays", elements=lambda at: at.threads * at.whole("length")),
        Input("start", dtype="i32"),
        Output("result"),
    ),
    scalars=(Scalar("one", lambda _: 1, "f32"),),
    options={
        "length": ("32", "4", "8", "16", "48", "64", "128", "256"),
        "index": ("uniform", "random", "worst"),
        "math": ("0", "1", "2", "4", "8", "16"),
    },
    unroll=4,
    claims={
        "P03": "an index known only at run time forces the array into local memory, even if the loop is unrolled",
        "P04": "4 to 8 arithmetic instructions per load, and enough threads, hide the loads from local memory",
        "P05": "a local load is replayed once per further index in the warp: never if uniform, 31 times if all differ",
        "P06": "random indices from 0 to 31 cost 2.5 replays on average",
        "P07": "shared memory at i * block + thread has no bank conflict, whatever the indices",
        "P08": "local memory is slower by a factor of 24 if all indices differ than if they are uniform",
        "P09": "shared memory at indices that differ has 1.34 times the speed of local memory at uniform indices",
        "P10": "on Maxwell the two ratios are 14 and 4",
        "P11": "a block has at most 48 KB of shared memory",
        "P12": "shared memory suits private arrays of up to 30 to 50 elements",
        "P13": "local memory gets slower in steps, as the arrays outgrow L1 and then L2",
        "P14": "preferring L1 to shared memory helps local arrays, but not on Maxwell",
        "P16": "shared memory is more deterministic than local memory",
    },
    notes=(
        "The low 8 bits of an element are the index of the next one: each load waits for the last, and no loads can be "
        "merged or left out. `index` is `uniform` (all lanes of a warp read the same index), `random` (each lane takes "
        "its own order through its array) or `worst` (as many indices differ as the length allows, all 32 from 32 "
        "elements on). `math` is the number of fused multiply-adds after each load, beside one addition. Shared memory "
        "takes length * block elements per block, so long arrays need small blocks; P14 is the launch option "
        "`carveout`. `select` and `select-bits` are not in the article. The compiler may turn local arrays of 4 and 8 "
        "elements into registers and selects, so that their instruction counts are reported, but not checked."
    ),
    variants=(
        Variant(
            name="local",
            mechanism=Mechanism.LOCAL,
            baseline=True,
            summary="the array in local memory",
            per_iteration=local_loads,
            may_fold={"length": SHORT},
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            only={"length": ("32", "4", "8", "16", "48", "64", "128")},  # more does not fit beside f64 and 128 threads
            summary="the array in shared memory, element i of thread t at i * block + t: no bank conflicts",
            shared=lambda at: at.block * at.whole("length") * at.dtype.size,
            per_iteration=loads("LDS"),
        ),
        Variant(
            name="select",
            mechanism=Mechanism.REGISTER,
            summary="the array in registers, the index compared with each constant in turn",
            only={"length": ("4", "8", "16", "32", "48", "64")},
            per_iteration=loads(),
        ),
        Variant(
            name="select-bits",
            mechanism=Mechanism.REGISTER,
            summary="the array in registers, halved by each bit of the index",
            only={"length": ("4", "8", "16", "32", "64")},
            per_iteration=loads(),
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[Floats, Integers]:
    """Draw elements from 1 to 2 with the next index in their low bits, and the first index of each thread.

    The indices form one cycle through the whole array. `uniform`: all lanes of a warp read the same index; `random`:
    each has an order of its own; `worst`: each is one element ahead of the lane before.
    """
    length = at.whole("length")
    order_count = {"uniform": at.warps, "random": at.threads, "worst": 1}[at.options["index"]]
    order = np.tile(np.arange(length), (order_count, 1))
    if at.options["index"] != "worst":
        order = rng.permuted(order, axis=1)
    following = np.empty_like(order)
    np.put_along_axis(following, order, np.roll(order, -1, axis=1), axis=1)
    following = np.repeat(following, at.threads // order_count, axis=0)
    first = np.repeat(order[:, 0], at.threads // order_count)
    if at.options["index"] == "worst":
        first = np.arange(at.threads) % WARP % length
    arrays = rng.integers(0, 2**12, following.shape).astype(at.dtype.numpy) / 2**12 + 1
    bits = arrays.view(f"u{at.dtype.size}")
    bits |= following.astype(bits.dtype)
    return arrays.ravel(), first.astype("i4")


def reference(arrays: Floats, start: Integers, iterations: int, length: str, math: str, **_: str) -> Floats:
    """Follow the indices through `arrays` (length elements per thread), adding each element 1 + math times."""
    rows = arrays.reshape(-1, int(length))
    x = np.zeros(len(rows), arrays.dtype)
    index = start.ravel()
    for _iteration in range(iterations):
        element = rows[np.arange(len(rows)), index]
        for _time in range(1 + int(math)):
            x += element
        index = (element.view(f"u{arrays.itemsize}") % MAX_LENGTH).astype("i4")
    return x
