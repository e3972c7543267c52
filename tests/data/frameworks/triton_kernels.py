"""Triton kernels as people write them, recorded at commit 17e7ec90 for tests without Triton."""

# The language of kernels has no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, block: tl.constexpr):
    """Add two vectors."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < n
    tl.store(out + places, tl.load(x + places, mask=inside) + tl.load(y + places, mask=inside), mask=inside)


@triton.jit
def softmax_rows(x, out, columns, stride, block: tl.constexpr):
    """Compute the softmax of a row per program."""
    row = tl.program_id(0)
    column = tl.arange(0, block)
    inside = column < columns
    values = tl.load(x + row * stride + column, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + column, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, columns, eps, block: tl.constexpr):
    """Normalize a row per program, longer than a block."""
    row = tl.program_id(0) * columns
    total = tl.zeros([block], dtype=tl.float32)
    squares = tl.zeros([block], dtype=tl.float32)
    for start in range(0, columns, block):
        column = start + tl.arange(0, block)
        values = tl.load(x + row + column, mask=column < columns, other=0.0).to(tl.float32)
        total += values
        squares += values * values
    mean = tl.sum(total, axis=0) / columns
    scale = tl.rsqrt(tl.sum(squares, axis=0) / columns - mean * mean + eps)
    for start in range(0, columns, block):
        column = start + tl.arange(0, block)
        inside = column < columns
        values = tl.load(x + row + column, mask=inside, other=0.0).to(tl.float32)
        result = (values - mean) * scale * tl.load(weight + column, mask=inside) + tl.load(bias + column, mask=inside)
        tl.store(out + row + column, result, mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr):
    """Multiply matrices of halves in row-major order, a tile of the result per program."""
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    column = tl.program_id(1) * columns + tl.arange(0, columns)
    total = tl.zeros((rows, columns), dtype=tl.float32)
    for start in range(0, k, depth):
        inner = start + tl.arange(0, depth)
        left = tl.load(a + row[:, None] * k + inner[None, :], mask=(row[:, None] < m) & (inner[None, :] < k), other=0.0)
        right = tl.load(
            b + inner[:, None] * n + column[None, :], mask=(inner[:, None] < k) & (column[None, :] < n), other=0.0
        )
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + column[None, :], total, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def histogram(x, counts, n, bins: tl.constexpr, block: tl.constexpr):
    """Count values in bins that all programs share."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < n
    values = tl.load(x + places, mask=inside, other=0)
    tl.atomic_add(counts + (values & (bins - 1)), 1, mask=inside)


@triton.jit
def scan_rows(x, out, columns, block: tl.constexpr):
    """Compute the inclusive prefix sums of a row per program."""
    place = tl.program_id(0) * columns + tl.arange(0, block)
    inside = tl.arange(0, block) < columns
    tl.store(out + place, tl.cumsum(tl.load(x + place, mask=inside, other=0.0), axis=0), mask=inside)


@triton.jit
def racy_blocks(x, out, n, block: tl.constexpr):
    """Add a neighbor in place: a program reads the element that the next program overwrites."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places + 1 < n
    total = tl.load(out + places, mask=inside) + tl.load(out + places + 1, mask=inside)
    tl.store(out + places, total + tl.load(x + places, mask=inside), mask=inside)


@triton.jit
def racy_total(x, total, n, block: tl.constexpr):
    """Store a sum per program at one address, which needs an atomic addition."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    part = tl.sum(tl.load(x + places, mask=places < n, other=0.0), axis=0)
    tl.store(total, tl.load(total) + part)
