"""bfloat16: the upper half of a single, kept as 16 untyped bits."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from shflbench.emulator.opcodes import exact
from shflbench.emulator.opcodes.forms import Apply, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import NUMPY

NAN = np.uint16(0x7FFF)


def to_single(bits: Values) -> Values:
    """Return the numbers that the 16 bits represent."""
    single: Values = (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)
    return single


def from_single(words: Sequence[str], a: Values, out: Values) -> None:
    """Write the bits of `a` rounded to nearest even, or towards zero with `rz`."""
    bits = np.asarray(a, np.float32).view(np.uint32)
    kept = bits >> np.uint32(16)
    if "rz" not in words:
        kept = (bits + np.uint32(0x7FFF) + (kept & np.uint32(1))) >> np.uint32(16)
    np.copyto(out, np.where(np.isnan(a), NAN, kept.astype(np.uint16)))


def conversion(words: list[str], target: str, source: str, convert: Callable[[list[str], str, str], Apply]) -> Pure:
    """Return `cvt` from or to bfloat16; `convert(words, from, to)` converts singles."""
    of, to = NUMPY[source], NUMPY[target]
    if source == "bf16":
        if not set(words) <= {"rni", "rzi", "rmi", "rpi", "rn", "sat"}:
            raise UnknownFormError
        if target == "bf16":
            return _whole(words, convert)
        from_ = convert(words, "f4", to)
        return Pure((to,), ("u2",), lambda a, out: from_(to_single(a), out))
    if source in {"f32", "f16"} and set(words) <= {"rn", "rz"}:
        return Pure(("u2",), (of,), lambda a, out: from_single(words, np.asarray(a).astype(np.float32), out))
    if words != ["rn"]:
        raise UnknownFormError

    def exactly(a: Values, out: Values) -> None:
        numbers = np.broadcast_to(a, out.shape).ravel().tolist()
        singles = [exact.round_to(Fraction(x), "bf16") if x and math.isfinite(x) else x for x in numbers]
        from_single((), np.array(singles, np.float32).reshape(out.shape), out)

    return Pure(("u2",), (of,), exactly)


def _whole(words: list[str], convert: Callable[[list[str], str, str], Apply]) -> Pure:
    """Return the rounding of a bfloat16 to a whole number, which needs no more digits."""
    rounded = convert(words, "f4", "f4")

    def whole(a: Values, out: Values) -> None:
        single = np.empty(out.shape, np.float32)
        rounded(to_single(a), single)
        from_single((), single, out)

    return Pure(("u2",), ("u2",), whole)
