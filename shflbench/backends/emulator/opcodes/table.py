"""Find what an instruction does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.backends.emulator.forms import UnknownFormError
from shflbench.backends.emulator.opcodes import (
    atomic,
    bits,
    carry,
    compare,
    control,
    convert,
    divide,
    fields,
    floating,
    fused,
    half,
    integer,
    memory,
    move,
    packed,
    special,
    warp,
)
from shflbench.backends.emulator.ptx import NUMPY
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Decoder, Form
    from shflbench.backends.emulator.ptx import Instruction

ANY: Mapping[str, Decoder] = {
    **atomic.FORMS,
    **bits.FORMS,
    **compare.FORMS,
    **control.FORMS,
    **convert.FORMS,
    **integer.FORMS,
    **carry.FORMS,  # also knows the plain forms of the opcodes that it shares with integer
    **divide.FORMS,
    **fields.FORMS,
    **memory.FORMS,
    **move.FORMS,
    **warp.FORMS,
}
FLOAT: Mapping[str, Decoder] = {**floating.FORMS, **fused.FORMS, **special.FORMS}
HALF: Mapping[str, Decoder] = half.FORMS
PACKED: Mapping[str, Decoder] = packed.FORMS


def decode(instruction: Instruction) -> Form:
    """Return what `instruction` does; EmulatorError names one that is unknown."""
    table = _table(instruction)
    decoder = table.get(instruction.opcode)
    if decoder is not None:
        try:
            return decoder(instruction)
        except (
            UnknownFormError,
            IndexError,
            KeyError,
            ValueError,
        ):  # modifiers or operands that the form does not have
            pass
    raise EmulatorError(
        f"the emulator does not know the instruction `{instruction.text}` ({instruction.where})",
        "Run this kernel on a GPU, or report the instruction.",
    )


def _table(instruction: Instruction) -> Mapping[str, Decoder]:
    """Return the table for the instruction's type: arithmetic differs between integers, floats and halves."""
    last = instruction.modifiers[-1] if instruction.modifiers else ""
    if last in {"f16", "f16x2", "bf16", "bf16x2"} and instruction.opcode in HALF:
        return HALF
    if last in packed.TYPES:
        return PACKED
    if NUMPY.get(last, "").startswith("f") and instruction.opcode in FLOAT:
        return FLOAT
    return ANY
