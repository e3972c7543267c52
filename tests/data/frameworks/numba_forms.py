"""Numba kernels that lead to many instructions, recorded at commit 15c16f5e."""

# The language of kernels has no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: ignore-errors

import math

import numba
from numba import cuda

FULL = 0xFFFFFFFF
BLOCK = 128
TILE = 16


@cuda.jit
def shuffles(x, out):
    place = cuda.grid(1)
    value = x[place]
    value += cuda.shfl_down_sync(FULL, value, 16)
    value += cuda.shfl_up_sync(FULL, value, 8)
    value += cuda.shfl_xor_sync(FULL, value, 4)
    cuda.syncwarp(FULL)
    out[place] = cuda.shfl_sync(FULL, value, 0)


@cuda.jit
def votes(x, out):
    place = cuda.grid(1)
    value = x[place]
    votes = cuda.ballot_sync(FULL, value > 0) + cuda.all_sync(FULL, value > 1) + cuda.any_sync(FULL, value > 2)
    out[place] = votes + cuda.match_any_sync(FULL, value) + cuda.popc(value) + cuda.clz(value) + cuda.ffs(value)


@cuda.jit
def atomics(counts, sums):
    thread = cuda.threadIdx.x
    cuda.atomic.add(counts, thread % 4, 1)
    cuda.atomic.max(counts, 4, thread)
    cuda.atomic.min(counts, 5, thread)
    cuda.atomic.cas(counts, 6, 0, thread)
    cuda.atomic.exch(counts, 7, thread)
    cuda.atomic.add(sums, 0, 1.0)
    cuda.atomic.max(sums, 1, 2.0)
    cuda.threadfence()


@cuda.jit
def largest(x, place_of):
    values = cuda.shared.array(BLOCK, numba.float32)
    places = cuda.shared.array(BLOCK, numba.int32)
    thread = cuda.threadIdx.x
    values[thread] = x[cuda.grid(1)]
    places[thread] = cuda.grid(1)
    cuda.syncthreads()
    width = BLOCK // 2
    while width > 0:
        if thread < width and values[thread + width] > values[thread]:
            values[thread] = values[thread + width]
            places[thread] = places[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        place_of[cuda.blockIdx.x] = places[0]


@cuda.jit
def prefix_sums(x, out):
    values = cuda.shared.array(BLOCK, numba.float32)
    thread = cuda.threadIdx.x
    values[thread] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        value = values[thread - step] if thread >= step else numba.float32(0)
        cuda.syncthreads()
        values[thread] += value
        cuda.syncthreads()
        step *= 2
    out[cuda.grid(1)] = values[thread]


@cuda.jit
def multiply(a, b, c):
    left = cuda.shared.array((TILE, TILE), numba.float32)
    right = cuda.shared.array((TILE, TILE), numba.float32)
    row, column = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = numba.float32(0)
    for start in range(0, a.shape[1], TILE):
        left[x, y] = a[row, start + y]
        right[x, y] = b[start + x, column]
        cuda.syncthreads()
        for inner in range(TILE):
            total += left[x, inner] * right[inner, y]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def functions(x, out):
    place = cuda.grid(1)
    value = x[place]
    out[place] = math.sqrt(value) + math.exp(value) + math.log(value) + math.floor(value) + abs(value) + value % 3.0


@cuda.jit
def private(x, out, n):
    values = cuda.local.array(8, numba.int32)
    for place in range(8):
        values[place] = x[place] // 3
    for place in range(n):
        values[place & 7] += values[(place * 5) & 7]
    out[cuda.grid(1)] = values[n & 7]
