"""Arithmetic with the carry flag, which builds 64-bit and longer integers from 32-bit words.

The flag is a hidden predicate: lowering appends it to the operands (`in`) and to the results (`out`).
"""

from collections.abc import Mapping

import numpy as np

from shflbench.emulator.opcodes import integer
from shflbench.emulator.opcodes.forms import Apply, Decoder, Form, Pure, UnknownFormError, Values, last_type
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

CONSUMERS = frozenset({"addc", "subc", "madc"})


def sets_carry(instruction: PtxInstruction) -> bool:
    """Return whether the instruction writes the flag."""
    return "cc" in instruction.modifiers


def _sum(a: Values, b: Values, carry: Values | None, *out: Values) -> None:
    total = np.add(a, b)
    over = total < a
    if carry is not None:
        total = total + carry
        over = over | ((total == 0) & carry)
    _write(total, over, out)


def _difference(a: Values, b: Values, borrow: Values | None, *out: Values) -> None:
    total = np.subtract(a, b)
    under = np.asarray(a) < b
    if borrow is not None:
        under = under | ((total == 0) & borrow)
        total = total - borrow
    _write(total, under, out)


def _write(value: Values, flag: Values, out: tuple[Values, ...]) -> None:
    np.copyto(out[0], value)
    if len(out) > 1:
        np.copyto(out[1], flag)


def _decoder(function: Apply, *, consumes: bool) -> Decoder:
    def decode(instruction: PtxInstruction) -> Form:
        type_ = NUMPY[last_type(instruction, "us")].replace("i", "u")
        if set(instruction.modifiers[:-1]) - {"cc"}:
            raise UnknownFormError
        results = (type_, "?") if sets_carry(instruction) else (type_,)
        if consumes:
            return Pure(results, (type_, type_, "?"), function)
        return Pure(results, (type_, type_), lambda a, b, *out: function(a, b, None, *out))

    return decode


def _mad_decoder(*, consumes: bool) -> Decoder:
    def decode(instruction: PtxInstruction) -> Form:
        kind = instruction.modifiers[0]
        type_ = NUMPY[last_type(instruction, "us")]
        if kind not in {"lo", "hi"} or set(instruction.modifiers[1:-1]) - {"cc"}:
            raise UnknownFormError
        multiply: Apply = np.multiply if kind == "lo" else integer.high(type_)
        bits = type_.replace("i", "u")

        def mad(a: Values, b: Values, c: Values, *rest: Values) -> None:
            carry, out = (rest[0], rest[1:]) if consumes else (None, rest)
            product = np.empty(out[0].shape, type_)
            multiply(a, b, product)
            _sum(product.view(bits), c, carry, *out)

        results = (bits, "?") if sets_carry(instruction) else (bits,)
        return Pure(results, (type_, type_, bits, *(("?",) if consumes else ())), mad)

    return decode


def _with_or_without(carrying: Decoder, plain: Decoder) -> Decoder:
    return lambda instruction: (carrying if sets_carry(instruction) else plain)(instruction)


FORMS: Mapping[str, Decoder] = {
    "addc": _decoder(_sum, consumes=True),
    "subc": _decoder(_difference, consumes=True),
    "madc": _mad_decoder(consumes=True),
    "add": _with_or_without(_decoder(_sum, consumes=False), integer.FORMS["add"]),
    "sub": _with_or_without(_decoder(_difference, consumes=False), integer.FORMS["sub"]),
    "mad": _with_or_without(_mad_decoder(consumes=False), integer.FORMS["mad"]),
}
