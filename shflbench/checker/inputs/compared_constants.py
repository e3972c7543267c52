"""Constants that a kernel compares loaded values with: contents on both sides of them take both branches.

In `if (in[i] > 200) out[next++] = i;` nothing happens with small contents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.dataflow.index_values import to_signed
from shflbench.emulator.dataflow.slices import Slice
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Branch
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role
from shflbench.emulator.ptx.syntax import NUMPY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

MOST = 1 << 16  # larger ones may be markers, or lead to loops that take minutes
EQUALITY = {"eq", "ne", "equ", "neu"}
MOST_COMPARISONS = 64  # to follow; kernels that compare contents have a few
MOST_BRANCHES = 64  # of loops, likewise


@dataclass(frozen=True, slots=True)
class ContentThresholds:
    """The constants that contents of one buffer are compared with."""

    limits: tuple[float, ...] = ()  # by less or more
    marks: tuple[float, ...] = ()  # by equality


def thresholds(kernel: SourceKernel, slicer: Slicer) -> dict[str, ContentThresholds]:
    """Return the constants that the contents of buffers are compared with, by the names of the buffers.

    Buffers whose contents are addresses, or decide how often a loop runs, have none: other contents may not be legal.
    """
    compared = compared_constants(slicer)
    names = kernel.pointers
    starts = sorted(compared.keys() & names.keys() - structural_contents(slicer)) if compared else []
    return {names[start]: _thresholds(compared[start]) for start in starts}


def compared_constants(slicer: Slicer) -> dict[int, dict[tuple[float, bool], None]]:
    """Return the constants that contents are compared with, and whether by equality, by the first byte of pointers."""
    compared: dict[int, dict[tuple[float, bool], None]] = {}
    for op, constant in list(_comparisons(slicer))[:MOST_COMPARISONS]:
        equality = bool(EQUALITY & set(op.instruction.modifiers))
        for start in slicer.of([op], address_only=True).contents:
            compared.setdefault(start, {})[constant, equality] = None
    return compared


def parameter_constants(slicer: Slicer) -> dict[int, dict[float, None]]:
    """Return the constants that parameters are compared with, by the first byte of the parameter."""
    compared: dict[int, dict[float, None]] = {}
    for op, constant in list(_comparisons(slicer))[:MOST_COMPARISONS]:
        for start in slicer.of([op], address_only=True).parameters:
            compared.setdefault(start, {})[constant] = None
    return compared


def _thresholds(compared: Iterable[tuple[float, bool]]) -> ContentThresholds:
    every = list(compared)
    return ContentThresholds(
        tuple(value for value, equality in every if not equality), tuple(value for value, equality in every if equality)
    )


def _comparisons(slicer: Slicer) -> Iterator[tuple[Op, float]]:
    for op in slicer.ops:
        constants = [source for source in op.sources if not isinstance(source, Slot)]
        compares = has_role(op.instruction, OpcodeRole.COMPARISON) and len(op.sources) == 2  # noqa: PLR2004  (compared)
        if compares and len(constants) == 1:
            type_ = NUMPY.get(op.instruction.modifiers[-1], "")
            value = _decoded(constants[0], type_)
            if value is not None and abs(value) <= MOST:
                yield op, value


def _decoded(bits: int, type_: str) -> float | None:
    if type_[:1] == "f":
        size = np.dtype(type_).itemsize
        value = float(np.frombuffer((bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), type_)[0])
        return value if np.isfinite(value) else None
    return to_signed(bits) if type_[:1] in {"i", "u"} else None


def structural_contents(slicer: Slicer) -> set[int]:
    """Return the pointers whose contents are part of addresses, or decide how often a loop runs."""
    return structural_values(slicer).contents


def structural_values(slicer: Slicer) -> Slice:
    """Return what addresses depend on, and how often loops run."""
    accesses = [op for op in slicer.ops if isinstance(op.form, Access)]
    branches = [op for op in slicer.ops if isinstance(op.form, Branch) and op.guard is not None and slicer.in_loop(op)]
    if len(branches) > MOST_BRANCHES:
        return Slice(
            parameters=set(slicer.program.parameter_offsets),
            contents={start for op in accesses for start in slicer.pointers(op)},
            variables={item.name for item in slicer.program.symbols},
        )
    addresses, loops = _of_addresses(slicer), slicer.of(branches, address_only=True)
    return Slice(
        parameters=addresses.parameters | loops.parameters,
        contents=addresses.contents | loops.contents,
        variables=addresses.variables | loops.variables,
    )


def address_contents(slicer: Slicer) -> set[int]:
    """Return the pointers whose contents are part of addresses."""
    return _of_addresses(slicer).contents


def _of_addresses(slicer: Slicer) -> Slice:
    places = [op.place for op in slicer.ops if isinstance(op.form, Access) and op.place is not None]
    bases = {place.base.number for place in places if place.base is not None}
    computed = [op for number in bases for op in slicer.writers(number)]
    result = slicer.of(computed, address_only=True)
    for op in computed:
        if isinstance(op.form, Access):
            result.contents |= slicer.pointers(op)
            result.variables |= slicer.variables(op)
    return result
