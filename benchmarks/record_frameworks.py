"""Record the PTX that Triton and Numba compile, for tests that need neither: `python benchmarks/record_frameworks.py`.

Run it where both are installed (`pip install triton 'numba-cuda[cu13]'`); no GPU is needed. It compiles the kernels in
tests/data/frameworks for compute capability 8.0 and writes a .ptx file per kernel beside them, and for Triton a .json
file with the metadata that a CompiledKernel carries. Paths of source files become relative to the repository.
"""

from __future__ import annotations

# mypy: disable-error-code="import-not-found"
import json
import sys
from importlib import import_module
from pathlib import Path

import triton
from numba import cuda, types
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

REPOSITORY = Path(__file__).parents[1]
FOLDER = REPOSITORY / "tests" / "data" / "frameworks"
CAPABILITY = (8, 0)

# For each Triton kernel: the types of its arguments, the values of its constants, and the number of warps.
TRITON = {
    "vector_add": ({"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"block": 256}, 4),
    "softmax_rows": ({"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32"}, {"block": 128}, 4),
    "layer_norm": (
        {"x": "*fp16", "weight": "*fp32", "bias": "*fp32", "out": "*fp16", "columns": "i32", "eps": "fp32"},
        {"block": 128},
        4,
    ),
    "matmul": (
        {"a": "*fp16", "b": "*fp16", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"},
        {"rows": 32, "columns": 32, "depth": 16},
        4,
    ),
    "histogram": ({"x": "*i32", "counts": "*i32", "n": "i32"}, {"bins": 64, "block": 256}, 4),
    "scan_rows": ({"x": "*fp32", "out": "*fp32", "columns": "i32"}, {"block": 128}, 4),
    "racy_blocks": ({"x": "*fp32", "out": "*fp32", "n": "i32"}, {"block": 128}, 4),
    "racy_total": ({"x": "*fp32", "total": "*fp32", "n": "i32"}, {"block": 128}, 4),
}
# The metadata of a CompiledKernel that a check reads.
METADATA = (
    "name",
    "num_warps",
    "num_ctas",
    "shared",
    "global_scratch_size",
    "global_scratch_align",
    "profile_scratch_size",
    "profile_scratch_align",
    "launch_cooperative_grid",
)


def record_triton() -> None:
    """Compile the Triton kernels, and write their PTX and metadata."""
    kernels = import_module("triton_kernels")
    target = GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], 32)
    for name, (arguments, constants, warps) in TRITON.items():
        signature = arguments | dict.fromkeys(constants, "constexpr")
        # As a launch: pointers are multiples of 16 bytes, and numbers are not.
        pointers = (place for place, type_ in enumerate(arguments.values()) if type_[0] == "*")
        aligned = {(place,): [["tt.divisibility", 16]] for place in pointers}
        source = ASTSource(getattr(kernels, name), signature, constants, aligned)
        kernel = triton.compile(source, target=target, options={"num_warps": warps})
        metadata = {key: getattr(kernel.metadata, key) for key in METADATA}
        metadata["target"] = {"backend": "cuda", "arch": target.arch, "warp_size": target.warp_size}
        write(f"triton_{name}", kernel.asm["ptx"], {"metadata": metadata, "signature": signature})


def record_numba() -> None:
    """Compile the Numba kernels, and write their PTX."""
    kernels = import_module("numba_kernels")
    vector, counts, matrix = types.float32[::1], types.int32[::1], types.float32[:, ::1]
    signatures = {
        "vector_add": (vector, vector, vector),
        "block_sum": (vector, vector),
        "transpose": (matrix, matrix),
        "warp_sum": (vector, vector),
        "histogram": (counts, counts),
        "racy_block_sum": (vector, vector),
        "racy_smoothing": (vector,),
    }
    for name, arguments in signatures.items():
        function = getattr(kernels, name).py_func
        ptx, _ = cuda.compile(function, types.void(*arguments), device=False, abi="numba", cc=CAPABILITY, lineinfo=True)
        write(f"numba_{name}", ptx)


def write(name: str, ptx: str, metadata: dict[str, object] | None = None) -> None:
    """Write a recording, and print its path."""
    # The debugging information that follows the code says nothing that `.loc` does not.
    code = ptx.split("\t.section\t.debug", 1)[0].replace(f"{REPOSITORY}/", "")
    path = FOLDER / f"{name}.ptx"
    path.write_text(code.rstrip("\0\n") + "\n", encoding="utf-8")
    if metadata is not None:
        path.with_suffix(".json").write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    record_triton()
    record_numba()
