"""Accessors of PyTorch's tensors as parameters: sizes that fit one another, and the strides of contiguous memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.kernel_file import Field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel

ADDRESS_BYTES = 8
MOST_ELEMENTS = 1 << 18  # of a tensor of the most dimensions that a kernel gets
LEAST_SIZE = 4  # of a dimension, for tensors whose last ones are small constants: coordinates, colors
_ACCESSOR = re.compile(r"\bPackedTensorAccessor(?:32|64)?\s*<(.*)|\bGenericPackedTensorAccessor\s*<(.*)")
_RANK = re.compile(r"\s*(\d+)[uUlL]*\s*[,>]")


@dataclass(frozen=True, slots=True)
class Dimension:
    """The size or the stride of one dimension of a tensor."""

    is_stride: bool
    inner: tuple[str, ...]  # the sizes of the dimensions behind it, by their names


def accessor_fields(parameter: KernelParameter, loaded: str | None) -> tuple[Field, ...]:
    """Return the data, the sizes and the strides of a parameter that is an accessor; none of another one.

    `loaded` is the NumPy type of the elements that the code loads, for types whose name says nothing.
    """
    match = _ACCESSOR.search(parameter.type)
    text = (match[1] or match[2]) if match is not None else ""
    type_, rest = _first_argument(text)
    rank = _RANK.match(rest)
    count = int(rank[1]) if rank is not None else 0
    size = (parameter.size - ADDRESS_BYTES) // (2 * count) if count else 0
    if size not in {4, 8} or ADDRESS_BYTES + 2 * count * size != parameter.size:
        return ()
    data = Field("data", f"{type_} *", meaning(type_).element or loaded, pointer=True, offset=0, size=ADDRESS_BYTES)
    names = [*(f"size{place}" for place in range(count)), *(f"stride{place}" for place in range(count))]
    numbers = (
        Field(name, f"int{8 * size}_t", f"i{size}", pointer=False, offset=ADDRESS_BYTES + place * size, size=size)
        for place, name in enumerate(names)
    )
    return (data, *numbers)


def _first_argument(text: str) -> tuple[str, str]:
    """Return the first of the arguments of a template, and what follows its comma."""
    depth = 0
    for place, letter in enumerate(text):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            return text[:place].strip(), text[place + 1 :]
    return "", ""


def dimensions(kernel: SourceKernel) -> dict[str, Dimension]:
    """Return the sizes and strides among the fields of a kernel's accessors, by their names."""
    return dict(pair for parameter in kernel.parameters for pair in _of_parameter(parameter))


def _of_parameter(parameter: KernelParameter) -> Iterator[tuple[str, Dimension]]:
    if parameter.pointer or _ACCESSOR.search(parameter.type) is None:
        return
    sizes = [f"{parameter.name}.{item.name}" for item in parameter.fields if item.name.startswith("size")]
    for place, name in enumerate(sizes):
        yield name, Dimension(is_stride=False, inner=())
        yield f"{parameter.name}.stride{place}", Dimension(is_stride=True, inner=tuple(sizes[place + 1 :]))


def usual_size(known: Mapping[str, Dimension], shape: LaunchShape) -> int:
    """Return the size of all dimensions: as many as a launch has threads, or fewer for tensors of many dimensions."""
    rank = max((1 + len(item.inner) for item in known.values()), default=1)
    most = LEAST_SIZE
    while (2 * most) ** rank <= MOST_ELEMENTS:
        most *= 2
    return min(max(shape.extent(0), shape.extent(1), shape.extent(2), LEAST_SIZE), most)
