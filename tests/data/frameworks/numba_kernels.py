"""Numba kernels as people write them, recorded at commit 17e7ec90 for tests without Numba."""

# The language of kernels has no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: ignore-errors

import numba
from numba import cuda

BLOCK = 128
TILE = 16
PADDED = 17
BINS = 64


@cuda.jit
def vector_add(x, y, out):
    """Add two vectors."""
    place = cuda.grid(1)
    if place < out.size:
        out[place] = x[place] + y[place]


@cuda.jit
def block_sum(x, sums):
    """Add the values of a block in shared memory."""
    values = cuda.shared.array(BLOCK, numba.float32)
    thread = cuda.threadIdx.x
    place = cuda.grid(1)
    values[thread] = x[place] if place < x.size else 0
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if thread < width:
            values[thread] += values[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = values[0]


@cuda.jit
def transpose(x, out):
    """Transpose a matrix through tiles in shared memory."""
    tile = cuda.shared.array((TILE, PADDED), numba.float32)
    column, row = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    row = cuda.blockIdx.x * TILE + cuda.threadIdx.y
    column = cuda.blockIdx.y * TILE + cuda.threadIdx.x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def warp_sum(x, sums):
    """Add the values of each warp by shuffles, and the warps by atomics."""
    place = cuda.grid(1)
    value = x[place] if place < x.size else numba.float32(0)
    width = 16
    while width > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, width)
        width //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(sums, cuda.blockIdx.x, value)


@cuda.jit
def histogram(x, counts):
    """Count values in bins of a block in shared memory, then add the blocks."""
    bins = cuda.shared.array(BINS, numba.int32)
    for number in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        bins[number] = 0
    cuda.syncthreads()
    for place in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, x[place] % BINS, 1)
    cuda.syncthreads()
    for number in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(counts, number, bins[number])


@cuda.jit
def racy_block_sum(x, sums):
    """Add the values of a block in shared memory, without the barrier in the loop."""
    values = cuda.shared.array(BLOCK, numba.float32)
    thread = cuda.threadIdx.x
    place = cuda.grid(1)
    values[thread] = x[place] if place < x.size else 0
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if thread < width:
            values[thread] += values[thread + width]
        width //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = values[0]


@cuda.jit
def racy_smoothing(values):
    """Average three neighbors in place, which other threads overwrite meanwhile."""
    place = cuda.grid(1)
    if 0 < place < values.size - 1:
        values[place] = (values[place - 1] + values[place] + values[place + 1]) / 3
