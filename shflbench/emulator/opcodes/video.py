"""SIMD video instructions: two halves or four bytes of a register at once (PTX ISA 9.0, 9.7.17)."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from shflbench.emulator.opcodes.forms import Decoder, Form, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import PtxInstruction

_OPERATIONS: Mapping[str, Callable[[Values, Values], Values]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vavrg": lambda a, b: (a + b + 1) >> 1,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}
_OPERANDS = 3  # d = a op b, with c behind them


def _parts(word: Values, count: int, letter: str) -> Values:
    """Return the parts [..., count] of words as 64-bit integers."""
    parts: Values = np.ascontiguousarray(word)[..., None].view(f"{letter}{4 // count}").astype(np.int64)
    return parts


def _decode(operation: str, count: int, instruction: PtxInstruction) -> Form:
    target, first, second, *words = instruction.modifiers
    adds, saturates = "add" in words, "sat" in words
    known = {"u32": "u", "s32": "i"}
    if (
        set(words) - {"add", "sat"}
        or {target, first, second} - known.keys()
        or len(instruction.operands) != _OPERANDS + 1
    ):
        raise UnknownFormError
    part_type = f"{known[target]}{4 // count}"
    limits = np.iinfo(part_type)

    def apply(a: Values, b: Values, c: Values, out: Values) -> None:
        shape = out.shape
        words = [np.broadcast_to(x, shape) for x in (a, b)]
        result = _OPERATIONS[operation](_parts(words[0], count, known[first]), _parts(words[1], count, known[second]))
        if saturates:
            result = np.clip(result, limits.min, limits.max)
        if adds:
            np.copyto(out, result.sum(axis=-1).astype(np.uint32) + c)
        else:
            np.copyto(out, np.ascontiguousarray(result.astype(part_type)).view(np.uint32)[..., 0])

    return Pure(("u4",), ("u4", "u4", "u4"), apply)


FORMS: Mapping[str, Decoder] = {
    f"{name}{count}": partial(_decode, name, count) for name in _OPERATIONS for count in (2, 4)
}
