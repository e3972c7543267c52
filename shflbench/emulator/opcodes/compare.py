"""Comparisons and selections. Plain float comparisons are false with a NaN; those that end in `u` are true."""

from collections.abc import Callable, Mapping

import numpy as np

from shflbench.emulator.opcodes.forms import (
    Decoder,
    Pure,
    UnknownFormError,
    Values,
    last_type,
    lookup,
    unsigned_type,
    width,
)
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

Compare = Callable[[Values, Values], Values]


def _not(relation: np.ufunc) -> Compare:
    return lambda a, b: ~relation(a, b)


def _nan(a: Values, b: Values) -> Values:
    return np.isnan(a) | np.isnan(b)


INTEGER: Mapping[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
FLOAT: Mapping[str, Compare] = {
    "eq": np.equal,
    "ne": lambda a, b: np.less(a, b) | np.greater(a, b),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "equ": lambda a, b: ~(np.less(a, b) | np.greater(a, b)),
    "neu": np.not_equal,
    "ltu": _not(np.greater_equal),
    "leu": _not(np.greater),
    "gtu": _not(np.less_equal),
    "geu": _not(np.less),
    "num": lambda a, b: ~_nan(a, b),
    "nan": _nan,
}
COMBINE: Mapping[str, np.ufunc] = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _comparison(instruction: PtxInstruction, type_name: str) -> tuple[str, Compare, np.ufunc | None]:
    """Return the operands' type, the relation, and how a third operand is combined with it."""
    type_ = NUMPY[type_name]
    words = [word for word in instruction.modifiers if word not in {"ftz", "s32", "u32", "f32", type_name}]
    relation: Compare = lookup(FLOAT if type_[0] == "f" else INTEGER, words[0])
    combine = lookup(COMBINE, words[1]) if len(words) > 1 else None
    if words[2:] or (type_name[0] == "b" and words[0] not in {"eq", "ne"}):
        raise UnknownFormError
    if "ftz" in instruction.modifiers:
        relation = _flushed(relation)
    return type_, relation, combine


def _flushed(relation: Compare) -> Compare:
    smallest = np.float32(2.0**-126)
    return lambda a, b: relation(*(np.where(np.abs(x) < smallest, np.float32(0), x) for x in (a, b)))


def _setp(instruction: PtxInstruction) -> Pure:
    type_, relation, combine = _comparison(instruction, last_type(instruction))
    results = ("?",) * width(instruction.operands[0])
    if combine is None:
        if len(results) == 1 and isinstance(relation, np.ufunc):
            return Pure(results, (type_, type_), relation)

        def setp(a: Values, b: Values, *out: Values) -> None:
            holds = relation(a, b)
            for target, value in zip(out, (holds, ~holds), strict=False):
                np.copyto(target, value)

        return Pure(results, (type_, type_), setp)

    def setp_combined(a: Values, b: Values, third: Values, *out: Values) -> None:
        holds = relation(a, b)
        for target, value in zip(out, (holds, ~holds), strict=False):
            np.copyto(target, combine(value, third))

    return Pure(results, (type_, type_, "?"), setp_combined)


def _set(instruction: PtxInstruction) -> Pure:
    result = instruction.modifiers[-2]
    if result not in {"u32", "s32", "f32"}:
        raise UnknownFormError
    type_, relation, combine = _comparison(instruction, last_type(instruction))
    one = np.float32(1) if result == "f32" else ~np.zeros((), NUMPY[result])

    def set_(a: Values, b: Values, *rest: Values) -> None:
        *third, out = rest
        holds = relation(a, b)
        if combine is not None:
            holds = combine(holds, third[0])
        np.copyto(out, np.where(holds, one, np.zeros((), out.dtype)))

    return Pure((NUMPY[result],), (type_, type_, *(("?",) if combine is not None else ())), set_)


def _selp(instruction: PtxInstruction) -> Pure:
    type_ = unsigned_type(NUMPY[last_type(instruction)])

    def selp(a: Values, b: Values, chosen: Values, out: Values) -> None:
        np.copyto(out, np.where(chosen, a, b))

    return Pure((type_,), (type_, type_, "?"), selp)


def _slct(instruction: PtxInstruction) -> Pure:
    first, sign = NUMPY[instruction.modifiers[-2]], NUMPY[last_type(instruction, "sf")]

    def slct(a: Values, b: Values, sign: Values, out: Values) -> None:
        np.copyto(out, np.where(np.asarray(sign) >= 0, a, b))

    return Pure((unsigned_type(first),), (unsigned_type(first), unsigned_type(first), sign), slct)


def _testp(instruction: PtxInstruction) -> Pure:
    kind, type_ = instruction.modifiers[0], NUMPY[last_type(instruction, "f")]
    smallest = np.finfo(type_).smallest_normal
    test: Callable[[Values], Values] = lookup(
        {
            "finite": np.isfinite,
            "infinite": np.isinf,
            "number": lambda a: ~np.isnan(a),
            "notanumber": np.isnan,
            "normal": lambda a: np.isfinite(a) & (np.abs(a) >= smallest),
            "subnormal": lambda a: (a != 0) & (np.abs(a) < smallest),
        },
        kind,
    )
    return Pure(("?",), (type_,), lambda a, out: np.copyto(out, test(a)))


FORMS: Mapping[str, Decoder] = {"setp": _setp, "set": _set, "selp": _selp, "slct": _slct, "testp": _testp}
