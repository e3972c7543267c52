"""Complete a signature that the source does not give: what the code loads from its parameters, and uses as pointers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.accessors import ADDRESS_BYTES, accessor_fields
from shflbench.cuda_sources.kernel_file import Field
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel
    from shflbench.emulator.dataflow.slices import Slicer


def complete(kernel: SourceKernel, slicer: Slicer) -> SourceKernel:
    """Return the kernel with types for its parameters, and fields for its structures, where the source gives none."""
    loads, pointers = _loads(slicer), _pointers(slicer)
    parameters = tuple(_completed(parameter, loads, pointers) for parameter in kernel.parameters)
    return replace(kernel, parameters=parameters)


def _completed(parameter: KernelParameter, loads: Mapping[int, str], pointers: Mapping[int, str]) -> KernelParameter:
    if parameter.pointer or parameter.fields or parameter.element is not None:
        return parameter
    start, end = parameter.offset, parameter.offset + parameter.size
    if fields := accessor_fields(parameter, pointers.get(start)):
        return replace(parameter, fields=fields)
    if parameter.size == ADDRESS_BYTES and start in pointers:
        size = np.dtype(pointers[start]).itemsize
        return replace(parameter, pointer=True, element=pointers[start], element_bytes=size)
    inside = {byte: type_ for byte, type_ in loads.items() if start <= byte < end}
    if set(inside) == {start} and np.dtype(inside[start]).itemsize == parameter.size:
        return replace(parameter, element=inside[start], element_bytes=parameter.size)
    parts = (_field(byte - start, type_, pointers.get(byte)) for byte, type_ in sorted(inside.items()))
    return replace(parameter, fields=tuple(parts))


def _field(offset: int, type_: str, target: str | None) -> Field:
    size = np.dtype(type_).itemsize
    pointer = target is not None and size == ADDRESS_BYTES
    return Field(f"byte{offset}", "", target if pointer else type_, pointer=pointer, offset=offset, size=size)


def _loads(slicer: Slicer) -> dict[int, str]:
    """Return the NumPy type of what is loaded from each byte of the parameters."""
    loads: dict[int, str] = {}
    for op in slicer.ops:
        byte = parameter_byte(op)
        if byte is not None and isinstance(op.form, Access):
            size = np.dtype(op.form.type).itemsize
            for part in range(op.form.vector):
                loads.setdefault(byte + part * size, op.form.type)
    return loads


def _pointers(slicer: Slicer) -> dict[int, str]:
    """Return the most frequent type of the elements that each pointer among the parameters leads to."""
    types: dict[int, Counter[str]] = {}
    for byte, type_ in _accesses(slicer):
        types.setdefault(byte, Counter())[type_] += 1
    return {byte: counts.most_common(1)[0][0] for byte, counts in types.items()}


def _accesses(slicer: Slicer) -> Iterator[tuple[int, str]]:
    for op in slicer.ops:
        if isinstance(op.form, Access) and op.place is not None and op.place.space in {"", "global", "const"}:
            for byte in slicer.pointers(op):
                yield byte, _value_type(op.form.type, op.instruction.modifiers[-1])


def _value_type(type_: str, word: str) -> str:
    """Return the type of the values, which the emulator keeps as bits: floats as such where the instruction says so."""
    return f"f{np.dtype(type_).itemsize}" if word in {"f16", "f32", "f64"} else type_
