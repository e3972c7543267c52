"""Two singles in one register: `add`, `mul` and `fma` of type `f32x2` (PTX ISA 9.0, compute capability 10.0)."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from shflbench.emulator.opcodes import floating, fused
from shflbench.emulator.opcodes.forms import Decoder, Form, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import PtxInstruction


def _pairwise(instruction: PtxInstruction) -> Form:
    table = fused.FORMS if instruction.opcode == "fma" else floating.FORMS
    single = table[instruction.opcode](replace(instruction, modifiers=(*instruction.modifiers[:-1], "f32")))
    if not isinstance(single, Pure):  # impossible: arithmetic is pure
        raise UnknownFormError

    def apply(*arguments: Values) -> None:
        *operands, out = arguments
        parts = np.empty((2, *out.shape), np.float32)
        for place, shift in enumerate((np.uint64(0), np.uint64(32))):
            halves = [(np.asarray(x) >> shift).astype(np.uint32).view(np.float32) for x in operands]
            single.apply(*halves, parts[place])
        low, high = parts.view(np.uint32).astype(np.uint64)
        np.copyto(out, high << np.uint64(32) | low)

    return Pure(("u8",), ("u8",) * len(single.operands), apply)


FORMS: Mapping[str, Decoder] = dict.fromkeys(("add", "sub", "mul", "fma"), _pairwise)
