"""Record the PTX of many small kernels that Triton and Numba compile: `python benchmarks/record_framework_ptx.py`.

Run it where both are installed (`pip install triton 'numba-cuda[cu13]'`); no GPU is needed. It compiles the kernels of
tests/data/frameworks for several architectures and writes one archive beside them, which tests read without either
framework. With the same versions of both, the archive has the same bytes.
"""

from __future__ import annotations

# mypy: disable-error-code="import-not-found"
import re
import sys
import zipfile
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import triton
from numba import cuda, types
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REPOSITORY = Path(__file__).parents[1]
FOLDER = REPOSITORY / "tests" / "data" / "frameworks"
ARCHIVE = FOLDER / "ptx.zip"
START = (1980, 1, 1, 0, 0, 0)  # the first date of the format, so that the time of recording changes no byte
ARCHITECTURES = (80, 90, 100)

# For each recording: the kernel, the types of its arguments, the values of its constants, the number of warps.
F32, F16, BF16, I32, I64 = "*fp32", "*fp16", "*bf16", "*i32", "*i64"
TILE = {"rows": 16, "columns": 64}
DOT = {"rows": 32, "columns": 32, "depth": 32, "exact": False}
TRITON: Mapping[str, tuple[str, dict[str, str], Mapping[str, object], int]] = {
    "softmax_tile": ("softmax_tile", {"x": F16, "out": F32, "stride": "i32"}, TILE, 4),
    "softmax_warps": ("softmax_tile", {"x": F32, "out": F32, "stride": "i32"}, {"rows": 1, "columns": 512}, 4),
    "arg_extremes": ("arg_extremes", {"x": F32, "largest": I32, "smallest": I32, "n": "i32"}, {"block": 256}, 4),
    "extremes_of_nan": ("extremes_of_nan", {"x": F32, "out": F32}, TILE, 2),
    "extremes_of_halves": ("extremes_of_nan", {"x": F16, "out": F16}, TILE, 2),
    "reduce_bits": ("reduce_bits", {"x": I32, "out": I32}, {"block": 256}, 4),
    "reduce_long": ("reduce_bits", {"x": I64, "out": I64}, {"block": 128}, 2),
    "scan_tile": ("scan_tile", {"x": F32, "out": F32}, {"rows": 32, "columns": 32}, 4),
    "recurrence": ("recurrence", {"a": F32, "b": F32, "out": F32}, {"block": 256}, 4),
    "transpose_tile": ("transpose_tile", {"x": F32, "out": F32}, {"rows": 32, "columns": 32}, 4),
    "transpose_halves": ("transpose_tile", {"x": F16, "out": F16}, {"rows": 64, "columns": 32}, 4),
    "transpose_bytes": ("transpose_tile", {"x": "*i8", "out": "*i8"}, {"rows": 64, "columns": 64}, 4),
    "sort_rows": ("sort_rows", {"x": I32, "out": I32}, {"rows": 4, "columns": 32}, 2),
    "gather_rows": ("gather_rows", {"x": F32, "indices": I32, "out": F32}, {"rows": 4, "columns": 64}, 4),
    "interleave": ("interleave", {"x": F32, "y": F32, "out": F32}, {"block": 128}, 2),
    "bins_of_block": ("bins_of_block", {"x": I32, "counts": I32}, {"bins": 32, "block": 256}, 4),
    "dot_halves": ("dot", {"a": F16, "b": F16, "c": F32}, DOT, 4),
    "dot_brains": ("dot", {"a": BF16, "b": BF16, "c": F32}, DOT, 2),
    "dot_tf32": ("dot", {"a": F32, "b": F32, "c": F32}, DOT, 4),
    "dot_exact": ("dot", {"a": F32, "b": F32, "c": F32}, {"rows": 16, "columns": 16, "depth": 16, "exact": True}, 1),
    "dot_bytes": ("dot", {"a": "*i8", "b": "*i8", "c": I32}, DOT, 4),
    "dot_doubles": ("dot", {"a": "*fp64", "b": "*fp64", "c": "*fp64"}, DOT | {"rows": 16, "columns": 16}, 2),
    "dot_loop": (
        "dot_loop",
        {"a": F16, "b": F16, "c": F16, "k": "i32"},
        {"rows": 32, "columns": 32, "depth": 32},
        4,
    ),
    "attention": (
        "attention",
        {"q": F16, "k": F16, "v": F16, "out": F32, "n": "i32"},
        {"rows": 32, "depth": 16},
        2,
    ),
    "dot_large": ("dot", {"a": F16, "b": F16, "c": F32}, DOT | {"rows": 128, "columns": 64}, 4),
    "atomics": ("atomics", {"numbers": I32, "floats": F32, "halves": F16}, {"block": 64}, 2),
    "lock": ("lock", {"state": I32, "total": F32, "x": F32}, {"block": 64}, 2),
    "drop": ("drop", {"x": F32, "out": F32, "seed": "i32", "n": "i32"}, {"block": 128}, 4),
    "functions": ("functions", {"x": F32, "out": F32}, {"block": 64}, 2),
    "conversions": ("conversions", {"x": F32, "halves": F16, "brains": BF16, "bytes_": "*i8"}, {"block": 256}, 2),
    "small_floats": ("small_floats", {"x": F32, "small": "*fp8e5", "out": F16}, {"block": 128}, 1),
    "wide": ("wide", {"x": I64, "out": I64, "n": "i64"}, {"block": 64}, 2),
    "assembly": ("assembly", {"x": I32, "out": I32}, {"block": 64}, 2),
}
# Recorded for the newest architecture alone, because the others get almost the same code.
ONLY_NEWEST = {"assembly", "drop", "functions", "interleave", "lock", "reduce_long", "sort_rows", "wide"}


def triton_texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the PTX of each recording of Triton."""
    kernels = import_module("triton_forms")
    for name, (function, arguments, constants, warps) in TRITON.items():
        signature = arguments | dict.fromkeys(constants, "constexpr")
        pointers = (place for place, type_ in enumerate(arguments.values()) if type_[0] == "*")
        aligned = {(place,): [["tt.divisibility", 16]] for place in pointers}
        for arch in ARCHITECTURES[-1:] if name in ONLY_NEWEST else ARCHITECTURES:
            source = ASTSource(getattr(kernels, function), signature, constants, aligned)
            options = {"num_warps": warps}
            yield f"triton/sm_{arch}/{name}", triton.compile(source, GPUTarget("cuda", arch, 32), options).asm["ptx"]


def numba_texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the PTX of each recording of Numba."""
    kernels = import_module("numba_forms")
    vector, counts, matrix = types.float32[::1], types.int32[::1], types.float32[:, ::1]
    signatures = {
        "shuffles": (counts, counts),
        "votes": (counts, counts),
        "atomics": (counts, vector),
        "largest": (vector, counts),
        "prefix_sums": (vector, vector),
        "multiply": (matrix, matrix, matrix),
        "functions": (types.float64[::1], types.float64[::1]),
        "private": (counts, counts, types.int32),
    }
    for arch in ARCHITECTURES[-1:]:
        for name, arguments in signatures.items():
            function = getattr(kernels, name).py_func
            capability = divmod(arch, 10)
            ptx, _ = cuda.compile(function, types.void(*arguments), device=False, abi="numba", cc=capability)
            yield f"numba/sm_{arch}/{name}", ptx


def stripped(ptx: str) -> str:
    """Return PTX without debugging information, comments and paths, which say nothing of the instructions."""
    code = ptx.split("\t.section\t.debug", 1)[0].rstrip("\0\n")
    code = re.sub(r"^\s*//.*\n|[ \t]*//[^\n]*$|^\s*\.(?:loc|file)\b.*\n", "", code, flags=re.MULTILINE)
    return re.sub(r"\n{2,}", "\n", code) + "\n"


def main() -> None:
    """Compile all kernels, and write the archive."""
    versions = "".join(f"{name} {version(name)}\n" for name in ("triton", "numba", "numba-cuda"))
    texts = {"versions.txt": versions}
    texts |= {f"{name}.ptx": stripped(ptx) for name, ptx in (*triton_texts(), *numba_texts())}
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(name, START), text, zipfile.ZIP_DEFLATED, 9)
    print(ARCHIVE, len(texts) - 1, ARCHIVE.stat().st_size)


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    main()
