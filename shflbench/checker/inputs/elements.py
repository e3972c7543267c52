"""Element types of arguments: their names on the command line, and the bytes of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Element:
    """One element type: its name, and the NumPy type of the values that its bytes are made from."""

    name: str
    numpy: str
    size: int  # bytes

    @property
    def kind(self) -> str:
        """`f` for floating-point numbers, `i` and `u` for integers, `b` for truth values."""
        return np.dtype(self.numpy).kind

    def encode(self, values: NDArray[Any] | list[float] | list[int]) -> NDArray[np.uint8]:
        """Return the bytes of `values`; OverflowError or ValueError where one does not fit."""
        if self.name == "bf16":
            # The upper half of a float, rounded to nearest even (IEEE 754, 4.3.1).
            bits = np.asarray(values, np.float32).view(np.uint32)
            rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
            return np.ascontiguousarray(rounded.astype(np.uint16)).view(np.uint8)
        array = np.array(values, self.numpy)
        return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


ELEMENTS: Mapping[str, Element] = {
    element.name: element
    for element in (
        Element("f16", "f2", 2),
        Element("bf16", "f4", 2),
        Element("f32", "f4", 4),
        Element("f64", "f8", 8),
        Element("i8", "i1", 1),
        Element("u8", "u1", 1),
        Element("i16", "i2", 2),
        Element("u16", "u2", 2),
        Element("i32", "i4", 4),
        Element("u32", "u4", 4),
        Element("i64", "i8", 8),
        Element("u64", "u8", 8),
        Element("bool", "?", 1),
    )
}
_BY_NUMPY = {
    np.dtype(element.numpy).str.lstrip("<|="): element for element in ELEMENTS.values() if element.name != "bf16"
}


def element_of(numpy: str | None) -> Element | None:
    """Return the element type of a NumPy type's name, None if there is none."""
    if numpy is None:
        return None
    if numpy in {"bfloat16", "bf16"}:
        return ELEMENTS["bf16"]
    try:
        return _BY_NUMPY.get(np.dtype(numpy).str.lstrip("<|="))
    except TypeError:
        return None
