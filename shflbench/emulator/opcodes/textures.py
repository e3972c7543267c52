"""Reads of textures: what a texture holds is chosen, as no kernel writes it during a launch.

The value is a function of the texture object and of the coordinates, a small whole number. That is enough for races and
bounds, which depend on it only as on contents that nobody gave.
"""

from collections.abc import Mapping

import numpy as np

from shflbench.emulator.opcodes.forms import Decoder, Pure, UnknownFormError, Values, width
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

_TEXELS = 4  # components that an instruction returns; those that a texture lacks are not used
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads neighboring coordinates
_FIRST, _BITS = 40, 5  # of the product: where the number of the first component lies, and how wide each is
_VALUE_TYPES, _COORDINATE_TYPES = frozenset({"f32", "u32", "s32"}), frozenset({"f32", "u32", "s32"})


def _read(instruction: PtxInstruction) -> Pure:
    """Return the form of `$tex`, whose operands are the results, the texture object, and the coordinates."""
    value_type, coordinate_type = instruction.modifiers[-2:]
    results, _, coordinates = instruction.operands
    if value_type not in _VALUE_TYPES or coordinate_type not in _COORDINATE_TYPES or width(results) != _TEXELS:
        raise UnknownFormError
    count, type_ = width(coordinates), NUMPY[value_type]

    def apply(*arguments: Values) -> None:
        mixed = np.asarray(arguments[0], np.uint64)
        with np.errstate(over="ignore"):
            for coordinate in arguments[1 : 1 + count]:
                mixed = (mixed ^ np.asarray(coordinate).view(np.uint32)) * _FACTOR
        for number, out in enumerate(arguments[1 + count :]):
            part = (mixed >> np.uint64(_FIRST + _BITS * number)) % np.uint64(1 << _BITS)
            np.copyto(out, part.astype(type_))

    return Pure((type_,) * _TEXELS, ("u8", *(NUMPY[coordinate_type],) * count), apply)


FORMS: Mapping[str, Decoder] = {"$tex": _read}
