"""Triton kernels that lead to many instructions, recorded at commit 15c16f5e."""

# The language of kernels has no annotations.
# ruff: noqa: ANN001, ANN201
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit
def softmax_tile(x, out, stride, rows: tl.constexpr, columns: tl.constexpr):
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    places = row[:, None] * stride + tl.arange(0, columns)[None, :]
    values = tl.load(x + places).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=1)[:, None])
    tl.store(out + places, powers / tl.sum(powers, axis=1)[:, None])


@triton.jit
def arg_extremes(x, largest, smallest, n, block: tl.constexpr):
    places = tl.arange(0, block)
    values = tl.load(x + tl.program_id(0) * n + places, mask=places < n, other=float("nan"))
    tl.store(largest + tl.program_id(0), tl.argmax(values, axis=0))
    tl.store(smallest + tl.program_id(0), tl.argmin(values, axis=0))


@triton.jit
def extremes_of_nan(x, out, rows: tl.constexpr, columns: tl.constexpr):
    places = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    values = tl.load(x + places)
    low = tl.minimum(values, 1.0, propagate_nan=tl.PropagateNan.ALL)
    high = tl.maximum(tl.maximum(values, 0.5), 0.25)
    clamped = tl.clamp(values, -1.0, 1.0)
    tl.store(out + places, low + high + clamped + tl.max(values, axis=1)[:, None])


@triton.jit
def reduce_bits(x, out, block: tl.constexpr):
    values = tl.load(x + tl.program_id(0) * block + tl.arange(0, block))
    tl.store(out + 3 * tl.program_id(0), tl.xor_sum(values, axis=0))
    tl.store(out + 3 * tl.program_id(0) + 1, tl.max(values, axis=0))
    tl.store(out + 3 * tl.program_id(0) + 2, tl.sum(values, axis=0))


@triton.jit
def scan_tile(x, out, rows: tl.constexpr, columns: tl.constexpr):
    places = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    values = tl.load(x + places)
    tl.store(out + places, tl.cumsum(values, axis=0) + tl.cumsum(values, axis=1, reverse=True))


@triton.jit
def step(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrence(a, b, out, block: tl.constexpr):
    places = tl.program_id(0) * block + tl.arange(0, block)
    _, result = tl.associative_scan((tl.load(a + places), tl.load(b + places)), 0, step)
    tl.store(out + places, result)


@triton.jit
def transpose_tile(x, out, rows: tl.constexpr, columns: tl.constexpr):
    row, column = tl.arange(0, rows), tl.arange(0, columns)
    values = tl.load(x + row[:, None] * columns + column[None, :])
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(values))


@triton.jit
def sort_rows(x, out, rows: tl.constexpr, columns: tl.constexpr):
    places = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    tl.store(out + places, tl.sort(tl.load(x + places), dim=1))


@triton.jit
def gather_rows(x, indices, out, rows: tl.constexpr, columns: tl.constexpr):
    places = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    chosen = tl.load(indices + places) % columns
    tl.store(out + places, tl.gather(tl.load(x + places), chosen, axis=1))


@triton.jit
def interleave(x, y, out, block: tl.constexpr):
    places = tl.arange(0, block)
    joined = tl.interleave(tl.load(x + places), tl.flip(tl.load(y + places)))
    tl.store(out + tl.arange(0, 2 * block), joined)


@triton.jit
def bins_of_block(x, counts, bins: tl.constexpr, block: tl.constexpr):
    values = tl.load(x + tl.program_id(0) * block + tl.arange(0, block)) & (bins - 1)
    tl.atomic_add(counts + tl.arange(0, bins), tl.histogram(values, bins), sem="relaxed")


@triton.jit
def dot(a, b, c, rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr, exact: tl.constexpr):
    row, column, inner = tl.arange(0, rows), tl.arange(0, columns), tl.arange(0, depth)
    left = tl.load(a + row[:, None] * depth + inner[None, :])
    right = tl.load(b + inner[:, None] * columns + column[None, :])
    total = tl.dot(left, right, input_precision="ieee" if exact else "tf32")
    tl.store(c + row[:, None] * columns + column[None, :], total)


@triton.jit
def dot_loop(a, b, c, k, rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr):
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    column = tl.program_id(1) * columns + tl.arange(0, columns)
    inner = tl.arange(0, depth)
    total = tl.zeros((rows, columns), dtype=tl.float32)
    for start in tl.range(0, k, depth, num_stages=3):
        left = tl.load(a + row[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * columns + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * columns + column[None, :], total.to(tl.float16))


@triton.jit
def attention(q, k, v, out, n, rows: tl.constexpr, depth: tl.constexpr):
    row, inner = tl.program_id(0) * rows + tl.arange(0, rows), tl.arange(0, depth)
    query = tl.load(q + row[:, None] * depth + inner[None, :])
    largest = tl.full([rows], -float("inf"), tl.float32)
    total = tl.zeros([rows], tl.float32)
    result = tl.zeros([rows, depth], tl.float32)
    for start in range(0, n, rows):
        other = start + tl.arange(0, rows)
        scores = tl.dot(query, tl.trans(tl.load(k + other[:, None] * depth + inner[None, :])))
        higher = tl.maximum(largest, tl.max(scores, axis=1))
        weights, scale = tl.exp2(scores - higher[:, None]), tl.exp2(largest - higher)
        total = total * scale + tl.sum(weights, axis=1)
        values = tl.load(v + other[:, None] * depth + inner[None, :])
        result = result * scale[:, None] + tl.dot(weights.to(tl.float16), values)
        largest = higher
    tl.store(out + row[:, None] * depth + inner[None, :], result / total[:, None])


@triton.jit
def atomics(numbers, floats, halves, block: tl.constexpr):
    places = tl.arange(0, block)
    old = tl.atomic_add(floats + places % 8, 1.0)
    tl.atomic_max(floats + 8 + places % 8, old)
    tl.atomic_min(numbers + places % 8, places)
    tl.atomic_max(numbers + 8 + places % 8, places, sem="release")
    tl.atomic_and(numbers + 16 + places % 8, places)
    tl.atomic_or(numbers + 24 + places % 8, places, scope="cta")
    tl.atomic_xor(numbers + 32 + places % 8, places, sem="acquire")
    tl.atomic_xchg(numbers + 40 + places, places)
    tl.atomic_add(halves + places, 1.0)


@triton.jit
def lock(state, total, x, block: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * block + tl.arange(0, block)), axis=0)
    while tl.atomic_cas(state, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + part)
    tl.debug_barrier()
    tl.atomic_xchg(state, 0)


@triton.jit
def drop(x, out, seed, n, block: tl.constexpr):
    places = tl.program_id(0) * block + tl.arange(0, block)
    kept = tl.rand(seed, places) > 0.5
    tl.store(out + places, tl.where(kept, 2 * tl.load(x + places, mask=places < n), 0.0), mask=places < n)


@triton.jit
def functions(x, out, block: tl.constexpr):
    places = tl.arange(0, block)
    values = tl.load(x + places)
    result = tl.exp(values) + tl.log(values) + tl.sin(values) + tl.cos(values) + tl.sqrt_rn(values) + tl.rsqrt(values)
    result += tl.sigmoid(values) + tl.erf(values) + tl.floor(values) + tl.ceil(values) + tl.fma(values, values, values)
    tl.store(out + places, result + tl.div_rn(values, result) + tl.abs(values) + tl.log2(values) + tl.exp2(values))


@triton.jit
def conversions(x, halves, brains, bytes_, block: tl.constexpr):
    places = tl.arange(0, block)
    values = tl.load(x + places)
    tl.store(halves + places, values.to(tl.float16) * 2)
    tl.store(brains + places, values.to(tl.bfloat16) + 1)
    tl.store(bytes_ + places, values.to(tl.int8))


@triton.jit
def small_floats(x, small, out, block: tl.constexpr):
    places = tl.arange(0, block)
    tl.store(small + places, tl.load(x + places).to(tl.float8e5))
    tl.store(out + places, tl.load(small + places).to(tl.float16))


@triton.jit
def wide(x, out, n, block: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    values = tl.load(x + places, mask=places < n, other=0)
    tl.store(out + places, tl.cumsum(values // 3 + values % 7, axis=0), mask=places < n)


@triton.jit
def assembly(x, out, block: tl.constexpr):
    places = tl.arange(0, block)
    packed = tl.inline_asm_elementwise(
        "shr.b32 $0, $1, 3;", "=r,r", [tl.load(x + places)], dtype=tl.int32, is_pure=True, pack=1
    )
    tl.store(out + places, packed)
