"""Tensors of PyTorch, which is no dependency: as a function of the user takes and returns them, and as numbers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

BFLOAT16 = "bfloat16"  # which NumPy does not have: its bits are integers of 16 bits


def tensor_type(tensor: Any) -> str:  # noqa: ANN401  (of PyTorch)
    """Return the name of the type of a tensor's elements, such as `bfloat16`."""
    return str(tensor.dtype).rpartition(".")[2]


def with_tensors(arguments: list[Any], tensors: Mapping[int, str]) -> list[Any]:
    """Return arguments with those that were tensors as such, over the same memory."""
    if not tensors:
        return arguments
    torch = import_module("torch")
    torch.set_num_threads(1)  # threads of a forked process wait for those of its parent
    return [
        torch.from_numpy(value).view(getattr(torch, tensors[place])) if place in tensors else value
        for place, value in enumerate(arguments)
    ]


def in_type(value: Any, name: str | None) -> Any:  # noqa: ANN401  (a tensor, or anything else)
    """Return a tensor in the type of this name, and anything else as it is."""
    return value.to(getattr(import_module("torch"), name)) if name and hasattr(value, "detach") else value


def bits_of(values: NDArray[Any], name: str | None) -> NDArray[Any]:
    """Return the bits of numbers in a type that NumPy lacks, cut and not rounded, and any other array as it is."""
    return (values.view(np.uint32) >> 16).astype(np.uint16).view(np.int16) if name == BFLOAT16 else values


def numbers(array: NDArray[Any], name: str | None) -> NDArray[Any]:
    """Return the bits of a type that NumPy lacks as numbers, and any other array as it is."""
    if name != BFLOAT16:
        return array
    return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
