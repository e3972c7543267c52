"""Pairs of 16-bit integers in one register."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Pure, UnknownFormError, Values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Decoder
    from shflbench.backends.emulator.ptx import Instruction

TYPES: Mapping[str, str] = {"u16x2": "u2", "s16x2": "i2"}


def _pairwise(function: np.ufunc) -> Decoder:
    def decode(instruction: Instruction) -> Pure:
        *words, name = instruction.modifiers
        type_ = TYPES[name]
        if words not in ([], ["relu"]) or (words and type_ != "i2"):
            raise UnknownFormError

        def apply(a: Values, b: Values, out: Values) -> None:
            word = np.zeros(out.shape, np.uint32)
            for shift in (np.uint32(0), np.uint32(16)):
                part = function(*((x >> shift).astype(np.uint16).view(type_) for x in (a, b)))
                if words:
                    part = np.maximum(part, np.int16(0))
                word |= part.view(np.uint16).astype(np.uint32) << shift
            np.copyto(out, word)

        return Pure(("u4",), ("u4", "u4"), apply)

    return decode


FORMS: Mapping[str, Decoder] = {
    "add": _pairwise(np.add),
    "sub": _pairwise(np.subtract),
    "min": _pairwise(np.minimum),
    "max": _pairwise(np.maximum),
}
