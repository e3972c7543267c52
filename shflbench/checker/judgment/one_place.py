"""Races whose two threads access one place whatever the numbers are that nobody gave.

A block writes `carry[row * chunks + blockIdx.y]`, and the next one reads `carry[row * chunks + blockIdx.y - 1]`: one
place for each number of chunks, because the difference of the addresses is a polynomial without it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import LOOP, PARAMETER, IndexValues
from shflbench.emulator.dataflow.polynomials import difference, product_of, sum_of
from shflbench.emulator.link.registers import AXES
from shflbench.emulator.machine.threads import coordinates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.judgment.observations import Observation
    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer

_FREE = (PARAMETER, LOOP, "%ntid", "%nctaid")  # equal for both threads, the iterations of a loop in some execution


def is_one_place(observation: Observation, slicer: Slicer) -> bool:
    """Whether the two threads of a race access one address for all values of the parameters."""
    hazard, shape = observation.hazard, observation.launches[0].launch.shape
    if len(hazard.threads) < 2:  # noqa: PLR2004  (of a race)
        return False
    indexes, addresses = slicer.kept(IndexValues), []
    for instruction, thread in zip((hazard.instruction, hazard.other), hazard.threads, strict=False):
        ops = slicer.ops_of(instruction) if instruction is not None else []
        if len(ops) != 1 or ops[0].place is None:
            return False
        address = of_thread(indexes.address(ops[0].place), numbers_of_thread(shape, *thread))
        if address is None:
            return False
        addresses.append(address)
    return not difference(*addresses)


def numbers_of_thread(shape: LaunchShape, block: int, index: int) -> dict[str, int]:
    """Return the numbers of a thread along the axes, by the names of the registers."""
    return {
        f"{name}.{axis}": number
        for name, place, dims in (("%ctaid", block, shape.grid), ("%tid", index, shape.block))
        for axis, number in zip(AXES, coordinates(place, dims), strict=True)
    }


def of_thread(address: Polynomial, numbers: Mapping[str, int]) -> Polynomial | None:
    """Return an address with the numbers of a thread in place of their names; None for one of unknown values."""
    total: Polynomial = Counter()
    for term, factor in address.items():
        value: Polynomial = Counter({(): factor})
        for name in term:
            if name not in numbers and not name.startswith(_FREE):
                return None
            part: Polynomial = Counter({(): numbers[name]} if name in numbers else {(name,): 1})
            value = product_of(value, part)
        total = sum_of(total, value)
    return total or None
