"""Decode an instruction: find its form."""

from collections.abc import Mapping

from shflbench.emulator.opcodes import (
    addresses,
    async_copies,
    bits,
    bulk_copies,
    carry,
    compare,
    control,
    convert,
    fences,
    fields,
    floating,
    fused,
    half,
    integer,
    matrix,
    mbarriers,
    memory_access,
    move,
    pairs,
    scalar_video,
    services,
    shuffle,
    textures,
    video,
    warp,
    wmma,
)
from shflbench.emulator.opcodes.arithmetic_syntax import lacks_form
from shflbench.emulator.opcodes.forms import Decoder, Form, UnknownFormError
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction
from shflbench.errors import UnsupportedError

ANY: Mapping[str, Decoder] = {
    **addresses.FORMS,
    **bits.FORMS,
    **bulk_copies.FORMS,
    **compare.FORMS,
    **control.FORMS,
    **fences.FORMS,
    **convert.FORMS,
    **integer.FORMS,
    **carry.FORMS,  # includes the plain forms of the opcodes that it shares with integer
    **fields.FORMS,
    **matrix.FORMS,
    **mbarriers.FORMS,
    **memory_access.FORMS,
    **async_copies.FORMS,
    **move.FORMS,
    **services.FORMS,
    **shuffle.FORMS,
    **textures.FORMS,
    **scalar_video.FORMS,
    **video.FORMS,
    **warp.FORMS,
    **wmma.FORMS,
}
FLOAT: Mapping[str, Decoder] = {**floating.FORMS, **fused.FORMS}
HALF: Mapping[str, Decoder] = half.FORMS
PACKED: Mapping[str, Decoder] = integer.PACKED


def decode(instruction: PtxInstruction) -> Form:
    """Return the form of `instruction`; UnsupportedError if it is unknown."""
    if lacks_form(instruction):
        form = ".".join((instruction.opcode, *instruction.modifiers))
        raise UnsupportedError(
            f"PTX ISA 9.0 has no instruction `{form}`: `{instruction.shown}` ({instruction.where})",
            "Correct the modifiers or the type of the instruction.",
        )
    table = _table(instruction)
    decoder = table.get(instruction.opcode)
    if decoder is not None:
        try:
            return decoder(instruction)
        except (UnknownFormError, IndexError, KeyError, ValueError):
            pass  # modifiers or operands that the form does not have
    raise UnsupportedError(
        f"the emulator does not support the instruction `{instruction.shown}` ({instruction.where})",
        "Run this kernel on a GPU, or report the instruction.",
    )


def _table(instruction: PtxInstruction) -> Mapping[str, Decoder]:
    """Return the table for the instruction's type: arithmetic differs between integers, floats and halves."""
    types = instruction.modifiers[:-1] if instruction.modifiers[-1:] == ("relu",) else instruction.modifiers
    last = types[-1] if types else ""
    if last in {"f16", "f16x2", "bf16", "bf16x2"} and instruction.opcode in HALF:
        return HALF
    if last == "f32x2":
        return pairs.FORMS
    if last in integer.PAIRS:
        return PACKED
    if NUMPY.get(last, "").startswith("f") and instruction.opcode in FLOAT:
        return FLOAT
    return ANY
