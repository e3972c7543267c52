"""The results of the sentinels, checked against formulas on the emulator: no iteration can be skipped."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shflbench.core.model import WARP
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile.nvrtc import compile_unit
from shflbench.cuda.compile.source import Source
from shflbench.emulator.explore import explore
from shflbench.measure.sentinels import SENTINELS, calls
from shflbench.measure.sentinels.frozen import SOURCE
from tests import kernels
from tests.emulator.breaking import breaking

Numbers = NDArray[Any]

SYMBOLS = sorted({sentinel.symbol for sentinel in SENTINELS})


def first_numbers(threads: int) -> Numbers:
    return (2654435769 * np.arange(threads) + 1).astype(np.uint32)


def exchanged(ring: Numbers, iterations: int) -> Numbers:
    """Return x + 2·next(x), repeated, around the last axis: the binomial theorem, because shifts commute."""
    sums = np.zeros(ring.shape, np.uint32)
    for distance in range(iterations + 1):
        sums += np.uint32(comb(iterations, distance) * 2**distance % 2**32) * np.roll(ring, -distance, axis=-1)
    return sums


def in_warps(threads: int, _block: int, iterations: int) -> Numbers:
    return exchanged(first_numbers(threads).reshape(-1, WARP), iterations).reshape(-1)


def between_warps(threads: int, block: int, iterations: int) -> Numbers:
    lanes_apart = first_numbers(threads).reshape(-1, block // WARP, WARP).swapaxes(1, 2)
    return exchanged(lanes_apart, iterations).swapaxes(1, 2).reshape(-1)


def squares(threads: int, _block: int, iterations: int) -> Numbers:
    x = (np.arange(threads) % 1024 / 1024).astype(np.float32)
    for _ in range(iterations):  # a product of two floats is exact in double precision
        x = (x.astype(np.float64) ** 2 + np.float32(-1.9)).astype(np.float32)
    bits: Numbers = x.view(np.uint32)
    return bits


def xorshift(threads: int, _block: int, iterations: int) -> Numbers:
    x = first_numbers(threads)
    for _ in range(iterations):
        x ^= x << np.uint32(13)
        x ^= x >> np.uint32(17)
        x ^= x << np.uint32(5)
    return x


def places(threads: int, block: int, iterations: int) -> Numbers:
    words = 16 * block
    table = (np.arange(16 * threads) % words + 37 * WARP) % words
    thread = np.arange(threads)
    visited = (thread[:, np.newaxis] % block + 37 * WARP * np.arange(1, iterations + 1)) % words
    table.reshape(-1, words)[:, :block] = (thread + visited.sum(axis=1)).reshape(-1, block)
    return table.astype(np.uint32)


FORMULAS: Mapping[str, Callable[[int, int, int], Numbers]] = {
    "sentinel_barrier": between_warps,
    "sentinel_integer": xorshift,
    "sentinel_l2": places,
    "sentinel_multiply_add": squares,
    "sentinel_shared_memory": in_warps,
    "sentinel_shuffle": in_warps,
}


@cache
def ptx() -> str:
    text = SOURCE.read_text(encoding="utf-8")
    unit = [Source(SOURCE.name, text, {}, symbol) for symbol in SYMBOLS]
    return compile_unit(unit, "sm_90", kernels.tools())[0].ptx


@pytest.mark.parametrize(
    ("place", "iterations"),
    [
        pytest.param(
            place,
            iterations,
            id=f"{sentinel.name}-{iterations}",
            marks=pytest.mark.archs if iterations > 1 and sentinel.name.endswith("-long") else (),
        )
        for iterations in (0, 1, 37)  # 37: twice through the unrolled loop, and five iterations more
        for place, sentinel in enumerate(SENTINELS)
    ],
)
def test_source_computes_what_the_formula_says_under_every_schedule(place: int, iterations: int) -> None:
    backend = EmulatorBackend("sm_90")
    _, call, _ = calls(backend.device)[place]
    opened = backend.open(replace(call, kernel=replace(call.kernel, ptx=ptx())))
    report = explore(opened.launch([], iterations))
    expected = FORMULAS[call.kernel.symbol](call.grid * call.block, call.block, iterations)
    assert (breaking(report), report.errors) == ((), ())
    assert [result.policy for result in report.results if not np.array_equal(result.outputs[0], expected)] == []


def test_multiply_add_has_no_fixed_point() -> None:
    seen = [squares(256, 256, iterations) for iterations in (2000, 2001, 2002, 2003)]
    assert all(len(set(numbers.tolist())) > 200 for numbers in seen)
    assert all(np.count_nonzero(now == later) < 8 for now in seen for later in seen if now is not later)
