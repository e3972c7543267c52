"""Generic addresses: the window of each state space, conversions from and to them, prefetches."""

from collections.abc import Mapping

import numpy as np

from shflbench.backends.emulator.frontend.ptx import NUMPY, PtxInstruction
from shflbench.backends.emulator.opcodes.forms import Decoder, Nothing, Pure, UnknownFormError, Values

GLOBAL_BASE = 0x7F00_0000_0000
MODULE_BASE = GLOBAL_BASE - (1 << 32)  # module variables lie below the buffers
# Shared and local memory have a window of 16 MiB.
WINDOWS: Mapping[str, int] = {
    "global": 0,
    "const": 0,
    "param": 0,
    "shared": 0x0100_0000_0000,
    "local": 0x0200_0000_0000,
}
WINDOW_BYTES = 1 << 24


def window_of(addresses: Values) -> Values:
    """Return the base of the window that each generic address lies in; 0 is global."""
    base = np.zeros(addresses.shape, "u8")
    for name in ("shared", "local"):
        start = np.uint64(WINDOWS[name])
        base[(addresses >= start) & (addresses < start + np.uint64(WINDOW_BYTES))] = start
    return base


def _cvta(instruction: PtxInstruction) -> Pure:
    *direction, space, name = instruction.modifiers
    if direction not in ([], ["to"]) or space not in WINDOWS:
        raise UnknownFormError
    type_ = NUMPY[name]
    base = np.array(WINDOWS[space], type_)
    shift = np.subtract if direction else np.add
    return Pure((type_,), (type_,), lambda a, out: shift(a, base, out))


def _isspacep(instruction: PtxInstruction) -> Pure:
    (space,) = instruction.modifiers
    if space not in {"global", "shared", "local"}:  # constants and parameters lie among the global addresses here
        raise UnknownFormError
    return Pure(
        ("?",), ("u8",), lambda a, out: np.copyto(out, window_of(np.broadcast_to(a, out.shape)) == WINDOWS[space])
    )


FORMS: Mapping[str, Decoder] = {
    "cvta": _cvta,
    "isspacep": _isspacep,
    "prefetch": lambda _: Nothing(),
    "prefetchu": lambda _: Nothing(),
}
