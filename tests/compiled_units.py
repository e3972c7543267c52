"""Kernels of tests that are compiled as one translation unit, once for all tests and processes, and the next run.

What NVRTC makes of them is addressed by all that determines it, beside the compiled patterns.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from zlib import decompress

from shflbench.cuda.compile.cache import entry_path, write_entry
from shflbench.cuda.compile.nvrtc import OPTIONS, compile_unit, ptx_by_kernel
from shflbench.cuda.compile.source import Source
from tests import kernels

ARCH = "sm_90"
KEPT = "unit-ptx"  # ending of the files


def ptx_of_each(name: str, text: str, expressions: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """Return the symbol and the PTX of each kernel of a unit, which has no headers but those of CUDA, by expression."""
    parts = [kernels.tools().identity, ARCH, *OPTIONS, name, text, *expressions]
    path = entry_path(kernels.CACHE, sha256(json.dumps(parts).encode()).hexdigest(), KEPT)
    if not path.exists():
        sources = [Source(name, text, {}, expression) for expression in expressions]
        results = compile_unit(sources, ARCH, kernels.tools())
        write_entry(path, json.dumps([[item.symbol for item in results], results[0].ptx]).encode())
    symbols, ptx = json.loads(decompress(path.read_bytes()))
    by_kernel = ptx_by_kernel(ptx)
    return {item: (symbol, by_kernel[symbol]) for item, symbol in zip(expressions, symbols, strict=True)}
