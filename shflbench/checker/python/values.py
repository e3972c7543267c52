"""Arguments as a Python program has them: arrays of NumPy, PyTorch, CuPy and Numba, numbers, and None."""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shflbench.errors import UsageError

Value: TypeAlias = NDArray[Any] | np.generic | int | float | complex | None

OVERLAP = "overlaps another array in memory"
HOST_KINDS = frozenset({1, 3})  # kDLCPU and kDLCUDAHost of dlpack.h: memory that the host can read
_LARGEST = 8  # bytes of a number in an emulated buffer


class HostValues:
    """The arguments of one launch in host memory; arrays that are passed twice stay one."""

    def __init__(self) -> None:
        """Start without any."""
        self._copies: dict[tuple[int, int], Value] = {}  # of arrays of other packages: address and bytes

    def of(self, value: object, name: str) -> Value:
        """Return an argument as `to_value` does; UsageError for a part of an array that was copied before."""
        place = _place(value)
        if place is None:
            return to_value(value, name)
        start, size = place
        if any(
            place != (first, length) and first < start + size and start < first + length
            for first, length in self._copies
        ):
            raise UsageError(f"argument {name} {OVERLAP}", "Pass a copy of it, or the whole array.")
        if place not in self._copies:
            self._copies[place] = to_value(value, name)
        return self._copies[place]


def _place(value: Any) -> tuple[int, int] | None:  # noqa: ANN401  (arrays of packages that are no dependencies)
    """Return address and bytes of an array that is not NumPy's, None for everything else."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr(), value.numel() * value.element_size()
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is None:
        return None
    return interface["data"][0], prod(interface["shape"]) * np.dtype(interface["typestr"]).itemsize


def to_value(value: object, name: str) -> Value:
    """Return an argument as a NumPy array in host memory, a number or None; UsageError for anything else."""
    if value is None or isinstance(value, int | float | complex | np.generic):
        return value
    array = _on_host(value, name)
    if array.dtype.hasobject:
        raise UsageError(f"argument {name} is an array of Python objects", "Pass an array of numbers.")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise UsageError(f"argument {name} is not contiguous in memory", "Pass a copy: numpy.ascontiguousarray(array).")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _on_host(value: object, name: str) -> NDArray[Any]:
    """Return the contents of an array of NumPy, PyTorch, CuPy, Numba or another package."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "detach"):  # a tensor of PyTorch, perhaps on a GPU
        return _of_tensor(value)
    for copy in ("get", "copy_to_host"):  # arrays on a GPU: of CuPy, and of Numba
        if hasattr(value, "__cuda_array_interface__") and hasattr(value, copy):
            return np.asarray(getattr(value, copy)())
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return _of_dlpack(value, name)
    raise UsageError(
        f"argument {name} is of type {type(value).__name__}",
        "Pass an array (NumPy, PyTorch, CuPy, Numba, or of the DLPack protocol), a number or None.",
    )


def _of_dlpack(value: Any, name: str) -> NDArray[Any]:  # noqa: ANN401  (of any package)
    """Return an array of the DLPack protocol; UsageError if the host cannot read it."""
    kind, _ = value.__dlpack_device__()
    if kind not in HOST_KINDS:
        raise UsageError(f"argument {name} is on a device", "Pass it as an array of CuPy: cupy.from_dlpack(array).")
    return np.from_dlpack(value)


def _of_tensor(tensor: Any) -> NDArray[Any]:  # noqa: ANN401  (PyTorch is no dependency)
    on_host = tensor.detach().cpu()
    try:
        return np.asarray(on_host.numpy())
    except TypeError:  # NumPy has no such type, for example bfloat16
        bits = getattr(import_module("torch"), f"int{8 * on_host.element_size()}")
        return np.asarray(on_host.view(bits).numpy())


def memory(array: NDArray[Any]) -> NDArray[Any]:
    """Return the elements in the order of memory, as numbers of one to eight bytes."""
    flat = array.ravel(order="K")
    if flat.dtype.kind in "biuf" and flat.dtype.itemsize <= _LARGEST:
        return flat
    size = flat.dtype.itemsize
    if flat.dtype.kind == "c":
        return flat.view(f"f{size // 2}")
    word = next(word for word in (8, 4, 2, 1) if size % word == 0)
    return flat.view(f"u{min(word, size)}")


def like(contents: NDArray[np.uint8], array: NDArray[Any]) -> NDArray[Any]:
    """Return bytes as an array of the type, shape and order in memory of `array`."""
    shaped: NDArray[Any] = np.empty_like(array)
    shaped.ravel(order="K").view(np.uint8)[:] = contents[: array.nbytes]
    return shaped
