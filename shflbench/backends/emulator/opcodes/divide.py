"""Integer division: truncates towards zero; by zero it gives all ones, as GPUs do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Pure, Values, last_type, only, unsigned
from shflbench.backends.emulator.ptx import NUMPY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Apply, Decoder
    from shflbench.backends.emulator.ptx import Instruction


def _divided(a: Values, b: Values) -> tuple[Values, Values, Values]:
    """Return quotient and remainder of the magnitudes, and where `b` is zero."""
    type_ = unsigned(np.asarray(a).dtype.str[1:])
    a_size, b_size = (np.asarray(np.absolute(x)).view(type_) for x in (a, b))
    by_zero = b_size == 0
    divisor = np.where(by_zero, np.ones((), type_), b_size)
    return a_size // divisor, a_size % divisor, by_zero


def _quotient(a: Values, b: Values, out: Values) -> None:
    size, _, by_zero = _divided(a, b)
    result = size.view(out.dtype)
    if out.dtype.kind == "i":
        result = np.where((a < 0) != (b < 0), -result, result)
    np.copyto(out, np.where(by_zero, ~np.zeros((), out.dtype), result))


def _remainder(a: Values, b: Values, out: Values) -> None:
    _, size, by_zero = _divided(a, b)
    result = size.view(out.dtype)
    if out.dtype.kind == "i":
        result = np.where(a < 0, -result, result)
    np.copyto(out, np.where(by_zero, a, result))  # a - b·q


def _decoder(function: Apply) -> Decoder:
    def decode(instruction: Instruction) -> Pure:
        only(instruction)
        type_ = NUMPY[last_type(instruction, "us")]
        return Pure((type_,), (type_, type_), function)

    return decode


FORMS: Mapping[str, Decoder] = {"div": _decoder(_quotient), "rem": _decoder(_remainder)}
