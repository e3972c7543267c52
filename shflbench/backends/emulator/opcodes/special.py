"""Approximate functions. A GPU's own approximations differ from these in the last digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Pure, Values, last_type, only
from shflbench.backends.emulator.opcodes.floating import finished
from shflbench.backends.emulator.ptx import NUMPY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.backends.emulator.forms import Decoder
    from shflbench.backends.emulator.ptx import Instruction


def _approximate(function: Callable[[Values], Values]) -> Decoder:
    def decode(instruction: Instruction) -> Pure:
        only(instruction, "approx", "ftz")
        type_ = NUMPY[last_type(instruction, "f")]

        def apply(a: Values, out: Values) -> None:
            np.copyto(out, function(np.asarray(a, np.float64)), casting="unsafe")

        return Pure((type_,), (type_,), finished(apply, instruction))

    return decode


FORMS: Mapping[str, Decoder] = {
    "rsqrt": _approximate(lambda a: 1 / np.sqrt(a)),
    "ex2": _approximate(np.exp2),
    "lg2": _approximate(np.log2),
    "sin": _approximate(np.sin),
    "cos": _approximate(np.cos),
    "tanh": _approximate(np.tanh),
}
