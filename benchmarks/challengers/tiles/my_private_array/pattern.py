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


def large(at):
    threads = at.grid * at.block
    return ((threads // 1024, 1, 1), (1024, 1, 1)) if threads % 1024 == 0 else ((at.grid, 1, 1), (at.block, 1, 1))


PATTERN = Pattern(
    summary="Each thread reads one element of its private array per iteration, at an index known only at run time.",
    source="NVIDIA Pro Tip, Fast Dynamic Indexing of Private Arrays in CUDA",
    dtypes=("f32",),
    representative={"launch": "8*sms x 64", "index": "worst"},
    also_called=("local array", "thread array", "dynamic indexing"),
    buffers=(
        Input("arrays", elements=lambda at: at.threads * at.whole("length")),
        Input("start", dtype="i32"),
        Output("result"),
    ),
    scalars=(Scalar("one", lambda _: 1, "f32"),),
    options={
        "length": ("32",),
        "index": ("uniform", "random", "worst"),
        "math": ("0",),
    },
    launch_bounds=True,
    unroll=4,
    notes=(
        "The low 8 bits of an element are the index of the next element, so that each load depends on the previous one "
        "and the compiler can neither merge nor remove loads. With `index=uniform`, all lanes of a warp read the same "
        "index; with `index=random`, each lane visits the elements of its array in its own random order; with "
        "`index=worst`, the lanes of a warp read as many distinct indices as the length allows (32 for 32 or more "
        "elements). The option `math` is the number of fused multiply-adds after each load, in addition to one "
        "addition; the argument `one` is their factor, which is not known at compile time. The arrays of a block take "
        "`length * block` elements of shared memory, where `block` is the number of threads per block, so long arrays "
        "require small blocks. The launch option `carveout` tests claim P14. `smem-dp4a`, `select` and `select-bits` "
        "are not from the article. `smem-dp4a` takes the whole element for an index: its `dp4a` multiplies the lowest "
        "byte by the distance between elements, the other three bytes by 0, and adds the place of the first. The "
        "compiler may replace local arrays of 4 or 8 elements by registers and selects; the instruction counts of "
        "`local` are therefore reported, but not checked, for these lengths."
    ),
    variants=(
        *(
            Variant(
                name=name,
                mechanism=Mechanism.SMEM,
                baseline=name == "x-dp4a",
                kernel="my_private_array_" + kernel + "<{T}>",
                summary=summary,
                shared=shared,
                dims=dims,
                per_iteration={"LDS": 1, **counts},
            )
            for name, kernel, summary, shared, dims, counts in (
                ("x-dp4a", "x_dp4a", "smem-dp4a, the load without a base", lambda at: at.block * 128, None, {"IDP": 1}),
                ("x-dp4a-register", "x_dp4a_register", "the same, the factor in a register of each thread", lambda at: at.block * 128, None, {"IDP": 1}),
                ("x-dp4a-16", "x_dp4a", "the same, with shared memory for 16 blocks of 64 threads per SM", lambda at: at.block * 208, None, {"IDP": 1}),
                ("x-dp4a-1024", "x_dp4a", "the same, in blocks of 1024 threads", lambda at: large(at)[1][0] * 128, lambda at: large(at), {"IDP": 1}),
                ("x-prmt", "x_prmt", "64 elements side by side at a fixed place: one byte permutation finds the address", lambda at: at.block * 128 + 2048, None, {"PRMT": 1}),
                ("x-prmt-16", "x_prmt", "the same, with shared memory for 16 blocks of 64 threads per SM", lambda at: at.block * 208, None, {"PRMT": 1}),
                ("x-prmt-base", "x_prmt_base", "the same anywhere in shared memory", lambda at: at.block * 128, None, {"PRMT": 1}),
            )
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
    return arrays.reshape(-1, WARP, length).swapaxes(1, 2).ravel(), first.astype("i4")


def reference(arrays: Floats, start: Integers, iterations: int, length: str, math: str, **_: str) -> Floats:
    """Follow the indices through `arrays` (shape [warps, length, 32]), adding each element 1 + math times."""
    rows = arrays.reshape(-1, int(length), WARP).swapaxes(1, 2).reshape(-1, int(length))
    x = np.zeros(len(rows), arrays.dtype)
    index = start.ravel()
    for _iteration in range(iterations):
        element = rows[np.arange(len(rows)), index]
        for _time in range(1 + int(math)):
            x += element
        index = (element.view(f"u{arrays.itemsize}") % MAX_LENGTH).astype("i4")
    return x
