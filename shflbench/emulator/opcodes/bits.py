"""Logic and shifts. Shift counts clamp; they never wrap, unlike NumPy's."""

from collections.abc import Mapping

import numpy as np

from shflbench.emulator.opcodes import fields
from shflbench.emulator.opcodes.forms import (
    Apply,
    Decoder,
    Pure,
    UnknownFormError,
    Values,
    last_type,
    lookup,
    only,
)
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction


def _logic(function: Apply, operands: int) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction)
        type_ = NUMPY[last_type(instruction, "bp")]
        return Pure((type_,), (type_,) * operands, function)

    return decode


def _cnot(a: Values, out: Values) -> None:
    np.copyto(out, a == 0, casting="unsafe")


def _not(a: Values, out: Values) -> None:
    np.invert(a, out)


def _left(a: Values, count: Values, out: Values) -> None:
    bits = 8 * out.itemsize
    shifted = np.left_shift(a, np.minimum(count, bits - 1).astype(out.dtype))
    np.copyto(out, np.where(count < bits, shifted, 0))


def _right(a: Values, count: Values, out: Values) -> None:
    bits = 8 * out.itemsize
    shifted = np.right_shift(a, np.minimum(count, bits - 1).astype(out.dtype))
    np.copyto(out, shifted if out.dtype.kind == "i" else np.where(count < bits, shifted, 0))


def _shift(function: Apply, plain: np.ufunc) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction)
        type_ = NUMPY[last_type(instruction)]
        if type_[0] not in "ui":
            raise UnknownFormError
        bits = 8 * int(type_[1])

        def shift(a: Values, count: Values, out: Values) -> None:
            if isinstance(count, np.integer) and count < bits:
                plain(a, count.astype(type_), out)
            else:
                function(a, count, out)

        return Pure((type_,), (type_, "u4"), shift)

    return decode


def _funnel(instruction: PtxInstruction) -> Pure:
    direction, mode, type_ = instruction.modifiers
    if direction not in {"l", "r"} or mode not in {"clamp", "wrap"} or type_ != "b32":
        raise UnknownFormError

    def funnel(low: Values, high: Values, count: Values, out: Values) -> None:
        both = np.asarray(high).astype("u8") << np.uint64(32) | low
        shift = (np.minimum(count, 32) if mode == "clamp" else count & np.uint32(31)).astype("u8")
        if direction == "l":
            shift = np.uint64(32) - shift
        np.copyto(out, both >> shift, casting="unsafe")

    return Pure(("u4",), ("u4", "u4", "u4"), funnel)


def _lop3(instruction: PtxInstruction) -> Pure:
    if instruction.modifiers != ("b32",):
        raise UnknownFormError

    def lop3(a: Values, b: Values, c: Values, truth: Values, out: Values) -> None:
        result = np.zeros_like(out)
        for row in range(8):
            if int(np.max(truth)) >> row & 1:
                terms = (x if row & bit else ~x for x, bit in ((a, 4), (b, 2), (c, 1)))
                result |= np.bitwise_and.reduce([np.broadcast_to(term, out.shape) for term in terms])
        np.copyto(out, result)

    return Pure(("u4",), ("u4", "u4", "u4", "u4"), lop3)


def _prmt(instruction: PtxInstruction) -> Pure:
    if instruction.modifiers[:1] != ("b32",) or len(instruction.modifiers) > 2:  # noqa: PLR2004  (type and mode)
        raise UnknownFormError
    places = lookup(PERMUTATIONS, instruction.modifiers[1]) if len(instruction.modifiers) > 1 else None

    def prmt(a: Values, b: Values, selector: Values, out: Values) -> None:
        both = np.asarray(b).astype("u8") << np.uint64(32) | a
        if places is not None:  # one of four selectors
            selector = np.array(places, "u4")[np.asarray(selector & np.uint32(3))]
        result = np.zeros(out.shape, "u4")
        for place in range(4):
            nibble = np.asarray(selector >> np.uint32(4 * place))
            byte = both >> (np.uint64(8) * (nibble & np.uint32(7)).astype("u8")) & np.uint64(0xFF)
            sign = np.where(byte & np.uint64(0x80), 0xFF, 0)
            result |= np.where(nibble & np.uint32(8), sign, byte).astype("u4") << np.uint32(8 * place)
        np.copyto(out, result)

    return Pure(("u4",), ("u4", "u4", "u4"), prmt)


# The selectors of each mode, by the two lowest bits of the third operand (PTX ISA 9.0, prmt).
PERMUTATIONS: Mapping[str, tuple[int, int, int, int]] = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


def _popc(a: Values, out: Values) -> None:
    np.copyto(out, np.bitwise_count(a))


def _clz(a: Values, out: Values) -> None:
    np.copyto(out, 8 * np.asarray(a).itemsize - 1 - fields.highest_bit(a), casting="unsafe")


def _brev(a: Values, out: Values) -> None:
    word = np.asarray(a)
    bits = 8 * word.itemsize
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < bits:
            period = sum(((1 << shift) - 1) << start for start in range(0, bits, 2 * shift))
            mask, count = np.array(period, word.dtype), np.array(shift, word.dtype)
            word = (word >> count & mask) | (word & mask) << count
    np.copyto(out, word)


def _unary(function: Apply, result: str = "") -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction)
        type_ = NUMPY[last_type(instruction, "b")]
        return Pure((result or type_,), (type_,), function)

    return decode


FORMS: Mapping[str, Decoder] = {
    "and": _logic(np.bitwise_and, 2),
    "or": _logic(np.bitwise_or, 2),
    "xor": _logic(np.bitwise_xor, 2),
    "not": _logic(_not, 1),
    "cnot": _logic(_cnot, 1),
    "shl": _shift(_left, np.left_shift),
    "shr": _shift(_right, np.right_shift),
    "shf": _funnel,
    "lop3": _lop3,
    "prmt": _prmt,
    "popc": _unary(_popc, "u4"),
    "clz": _unary(_clz, "u4"),
    "brev": _unary(_brev),
}
