"""Kernels that crash, and the process that runs one: `python -m tests.gpu.faults KERNEL run|burst`.

In a process of its own, because an illegal address leaves the CUDA context of its process unusable. It prints, as JSON,
what the backend said of the crash and of what was tried afterwards.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shflbench.cuda.backends.base import Buffer, KernelCall
from shflbench.cuda.backends.cuda import CudaBackend, open_backend
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import LaunchError
from tests.cases import kernel

SOURCE = """
// Stores terabytes behind its result, where no memory is mapped.
__global__ void illegal(const unsigned* values, unsigned* result, int iterations) {
    result[threadIdx.x + (1LL << 40)] = values[threadIdx.x];
}

// Stores at an odd address, in odd iterations.
__global__ void misaligned(const unsigned* values, unsigned* result, int iterations) {
    *reinterpret_cast<unsigned*>(reinterpret_cast<char*>(result) + iterations) = values[threadIdx.x];
}

__global__ void trap(const unsigned* values, unsigned* result, int iterations) {
    if (iterations > 0) __trap();
}

__global__ void nothing(const unsigned* values, unsigned* result, int iterations) {}

// Follows the indices in `values` from one to the next: as slow as the memory that they are in.
__global__ void chase(const unsigned* values, unsigned* result, int iterations) {
    unsigned place = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) place = values[place];
    result[threadIdx.x] = place;
}

// Reads all `count` words, neighbors by neighbors.
__global__ void stream(const unsigned* values, unsigned* result, unsigned count) {
    const unsigned threads = gridDim.x * blockDim.x, own = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned i = own; i < count; i += threads) sum += values[i];
    if (own < 32) result[own] = sum;
}
"""


def call_of(
    backend: CudaBackend, name: str, elements: int = 32, grid: int = 1, block: int = 32, shared_bytes: int = 0
) -> KernelCall:
    """Return a launch of one of the kernels above on `elements` words."""
    compiled = compile_kernel(Source("faults.cu", SOURCE, {}, name), backend.device.arch, find())
    built = replace(kernel(compiled.symbol, compiled.ptx, backend.device.arch), cubin=compiled.cubin)
    buffers = (Buffer("values", elements, "uint32", read=True), Buffer("result", 32, "uint32", written=True))
    count: str | np.generic = np.uint32(elements) if name == "stream" else "iterations"
    return KernelCall(built, grid, block, shared_bytes, buffers, ("values", "result", count))


def said(attempt: Callable[[], object]) -> str:
    """Return the message of the LaunchError that an attempt raises, empty if none."""
    try:
        attempt()
    except LaunchError as error:
        return error.message
    return ""


def main(name: str, how: str) -> None:
    """Let one kernel crash, and print what came of it."""
    backend = open_backend("0")
    call = call_of(backend, name)
    opened = backend.open(call)
    before = backend.usable()
    values = np.zeros(32, np.uint32)
    crash = said(lambda: opened.run([values], 1) if how == "run" else opened.burst(1, 3))
    after = backend.usable()
    opened.close()
    reopened = said(lambda: backend.open(call))
    print(json.dumps({"before": before, "crash": crash, "after": after, "reopened": reopened}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
