"""Loops that step by the size of the grid or of a block: `for (i = t; i < n; i += gridDim.x * blockDim.x)`.

With as many elements as threads such a loop runs once, which hides what its iterations do to each other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.guards import guards
from shflbench.emulator.dataflow.index_values import LOOP, IndexValues, parameters_of, variable
from shflbench.emulator.dataflow.polynomials import product_of, sorted_term
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer

BLOCKS = ("%ctaid.", "%nctaid.")
SIZES = ("%nctaid.", "%ntid.")
ON_CHIP = {"shared", "local"}
LINEAR = {sorted_term("%ctaid.x", "%ntid.x"), ("%tid.x",)}  # whose sum is the number of a thread
MOST_PER_THREAD = 64  # more are the pixels of a row, or a tile


@dataclass(frozen=True, slots=True)
class Stride:
    """A loop whose index grows by `step` per iteration, and is compared with a parameter."""

    limit: int  # the first byte of the parameter
    factor: int  # that the parameter is multiplied by
    step: tuple[tuple[int, tuple[str, ...]], ...]  # factors, and the sizes of the launch to multiply

    def elements(self, sizes: Mapping[str, int], iterations: int) -> int:
        """Return the value of the parameter with which a thread has so many iterations."""
        step = 0
        for factor, names in self.step:
            for name in names:
                factor *= sizes[name]  # noqa: PLW2901  (a product)
            step += factor
        return -(-iterations * step // self.factor)


def strides(slicer: Slicer) -> frozenset[Stride]:
    """Return the loops that step by the size of the grid or of a block, up to a parameter.

    Without those whose index is one of an array in shared or local memory: its size limits the number of iterations.
    """
    values = slicer.kept(IndexValues)
    bounded = set(_loops_on_chip(slicer, values))
    return frozenset(stride for stride in _strides(slicer, values, bounded) if stride.step)


def numbers_of_blocks(slicer: Slicer) -> frozenset[int]:
    """Return the first bytes of the parameters that are compared with numbers of blocks, and with nothing else.

    In `for (row = blockIdx.x; row < rows; row += gridDim.x)`, a block has a row, however many threads it has.
    """
    of_blocks: dict[int, bool] = {}
    values = slicer.kept(IndexValues)
    for guard in slicer.kept(guards):
        symbols = {name for term in guard.index for symbol in term for name in _names(symbol, values)}
        is_of_blocks = bool(symbols) and all(symbol.startswith(BLOCKS) for symbol in symbols)
        for term in variable(guard.limit):
            for start in parameters_of(term) or ():
                of_blocks[start] = is_of_blocks and of_blocks.get(start, True)
    return frozenset(start for start, is_of_blocks in of_blocks.items() if is_of_blocks)


def elements_per_thread(slicer: Slicer) -> dict[int, int]:
    """Return how many elements each thread has of the numbers that limit them, by first byte, where it has several.

    In `i = 8 * (blockIdx.x * blockDim.x + threadIdx.x); if (i + 7 < n)`, it has 8 elements of `n`.
    """
    result: dict[int, int] = {}
    for guard in slicer.kept(guards):
        limit, factors = variable(guard.limit), set(variable(guard.index).values())
        starts = [start for term in limit for start in parameters_of(term) or ()]
        if set(variable(guard.index)) == LINEAR and len(factors) == len(starts) == len(limit) == 1:
            (many,) = factors
            if 1 < many <= MOST_PER_THREAD and set(limit.values()) == {1}:
                result[starts[0]] = max(many, result.get(starts[0], 0))
    return result


def _names(symbol: str, values: IndexValues) -> Iterator[str]:
    """Yield what a symbol of an index stands for; nothing for the iterations of a loop."""
    if not symbol.startswith(LOOP):
        yield from (name for term in values.of_symbol(symbol) for name in term)


def _strides(slicer: Slicer, values: IndexValues, bounded: set[str]) -> Iterator[Stride]:
    for guard in slicer.kept(guards):
        limit = list(variable(guard.limit).items())
        if len(limit) != 1:
            continue
        ((term, factor),) = limit
        parameters = parameters_of(term)
        if parameters is None or len(parameters) != 1 or factor <= 0:
            continue
        for loop in {symbol for term in guard.index for symbol in term if symbol.startswith(LOOP)} - bounded:
            step = _of_launch(_step(guard.index, loop, values))
            if step is not None:
                yield Stride(parameters[0], factor, step)


def _step(index: Polynomial, loop: str, values: IndexValues) -> Polynomial:
    """Return what an iteration of a loop adds to an index."""
    step: Polynomial = Counter()
    for term, factor in index.items():
        if loop in term:
            part: Polynomial = Counter({(): factor})
            for symbol in term:
                part = part if symbol == loop else product_of(part, values.of_symbol(symbol))
            step.update(part)
    return step


def _of_launch(step: Polynomial) -> tuple[tuple[int, tuple[str, ...]], ...] | None:
    """Return the terms of a step that the launch alone decides, None for any other step."""
    terms = [(factor, term) for term, factor in sorted(step.items()) if factor]
    is_known = all(factor > 0 and all(name.startswith(SIZES) for name in term) for factor, term in terms)
    return tuple(terms) if is_known and any(term for _, term in terms) else None


def _loops_on_chip(slicer: Slicer, values: IndexValues) -> Iterator[str]:
    for op in slicer.ops:
        if isinstance(op.form, Access) and op.place is not None and op.place.space in ON_CHIP:
            yield from (symbol for term in values.address(op.place) for symbol in term if symbol.startswith(LOOP))
