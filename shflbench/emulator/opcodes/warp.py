"""Instructions of the lanes of a warp that combine their values: votes, matches, reductions.

Arrays have the shape [warps, 32]; `call.active` flags the lanes that execute the instruction, None for all.
"""

from collections.abc import Mapping

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import (
    FULL_MASK,
    Collective,
    Decoder,
    Form,
    UnknownFormError,
    Values,
    WarpCall,
    lookup,
    width,
)
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

BITS = np.uint32(1) << np.arange(WARP, dtype=np.uint32)


def pack_flags(flags: Values) -> Values:
    """Return one word per warp, with a bit per lane, of flags [warps, 32]; shape [warps, 1]."""
    words: Values = np.where(flags, BITS, np.uint32(0)).sum(axis=1, keepdims=True, dtype=np.uint32)
    return words


def groups(call: WarpCall, mask: Values) -> Values:
    """Return for each lane, as a word, the lanes that act with it: those that its mask names and that are active."""
    if call.active is None and isinstance(mask, np.integer) and mask == FULL_MASK:
        return np.full((call.warps, 1), FULL_MASK, np.uint32)
    present = np.full((call.warps, 1), FULL_MASK, np.uint32) if call.active is None else pack_flags(call.active)
    named: Values = np.broadcast_to(mask, (call.warps, WARP)) & present
    return named


def _vote(instruction: PtxInstruction) -> Form:
    match instruction.modifiers:
        case ("sync", ("all" | "any" | "uni") as how, "pred"):

            def vote(call: WarpCall, flag: Values, mask: Values, out: Values) -> None:
                members = groups(call, mask)
                yes = pack_flags(call.full(flag)) & members
                every, none = yes == members, yes == 0
                np.copyto(out, {"all": every, "any": ~none, "uni": every | none}[how])

            return Collective(("?",), ("?", "u4"), vote, mask=1)
        case ("sync", "ballot", "b32") | ("ballot", "sync", "b32"):  # CUB writes the second

            def ballot(call: WarpCall, flag: Values, mask: Values, out: Values) -> None:
                np.copyto(out, pack_flags(call.full(flag)) & groups(call, mask))

            return Collective(("u4",), ("?", "u4"), ballot, mask=1)
        case _:
            raise UnknownFormError


def _member_flags(call: WarpCall, mask: Values) -> Values:
    """Return [warps, 32, 32] flags: whether the second lane acts together with the first."""
    members = np.broadcast_to(groups(call, mask), (call.warps, WARP))
    flags: Values = (members[:, :, None] & BITS) != 0
    return flags


def _match(instruction: PtxInstruction) -> Form:
    how, sync, type_name = instruction.modifiers
    type_ = NUMPY[type_name]
    if how not in {"any", "all"} or sync != "sync" or type_name not in {"b32", "b64"}:
        raise UnknownFormError

    def match(call: WarpCall, value: Values, mask: Values, out: Values, *predicate: Values) -> None:
        values = call.full(value)
        call.report_values(values)
        equal = (values[:, :, None] == values[:, None, :]) & _member_flags(call, mask)
        words = np.where(equal, BITS, np.uint32(0)).sum(axis=2, dtype=np.uint32)
        if how == "any":
            np.copyto(out, words)
            return
        members = np.broadcast_to(groups(call, mask), words.shape)
        np.copyto(out, np.where(words == members, members, np.uint32(0)))
        for flag in predicate:
            np.copyto(flag, words == members)

    results = ("u4", "?")[: width(instruction.operands[0])]
    return Collective(results, (type_, "u4"), match, mask=1)


REDUCTIONS: Mapping[str, tuple[np.ufunc, str]] = {
    "add": (np.add, "us"),
    "min": (np.minimum, "usf"),
    "max": (np.maximum, "usf"),
    "and": (np.bitwise_and, "b"),
    "or": (np.bitwise_or, "b"),
    "xor": (np.bitwise_xor, "b"),
}


def _redux(instruction: PtxInstruction) -> Form:
    sync, how, *more, type_name = instruction.modifiers
    function, letters = lookup(REDUCTIONS, how)
    if sync != "sync" or type_name[0] not in letters or not type_name.endswith("32") or set(more) - {"abs", "NaN"}:
        raise UnknownFormError
    if type_name[0] == "f":
        function = {"min": np.fmin, "max": np.fmax}[how] if "NaN" not in more else function
    type_ = NUMPY[type_name]

    def redux(call: WarpCall, value: Values, mask: Values, out: Values) -> None:
        values = np.abs(call.full(value)) if "abs" in more else call.full(value)
        if call.active is None and isinstance(mask, np.integer) and mask == FULL_MASK:
            np.copyto(out, function.reduce(values, axis=1, keepdims=True))
            return
        flags = _member_flags(call, mask)
        neutral = _neutral(how, type_)
        spread = np.where(flags, values[:, None, :], neutral)
        np.copyto(out, function.reduce(spread, axis=2))

    return Collective((type_,), (type_, "u4"), redux, mask=1)


def _neutral(how: str, type_: str) -> Values:
    if how in {"min", "max"}:
        if type_[0] == "f":
            return np.array(np.nan, type_)
        limits = np.iinfo(type_)
        return np.array(limits.max if how == "min" else limits.min, type_)
    return np.array(-1 if how == "and" else 0).astype(type_)


def _activemask(_: PtxInstruction) -> Form:
    def activemask(call: WarpCall, out: Values) -> None:
        np.copyto(out, groups(call, np.array(FULL_MASK, np.uint32)))

    return Collective(("u4",), (), activemask, mask=None)


def _elect(instruction: PtxInstruction) -> Form:
    if instruction.modifiers != ("sync",):
        raise UnknownFormError

    def elect(call: WarpCall, mask: Values, out: Values, flag: Values) -> None:
        members = np.broadcast_to(groups(call, mask), (call.warps, WARP))
        lowest = members & (~members + np.uint32(1))
        np.copyto(out, np.bitwise_count(lowest - np.uint32(1)))
        np.copyto(flag, lowest == BITS)

    return Collective(("u4", "?"), ("u4",), elect, mask=0)


FORMS: Mapping[str, Decoder] = {
    "vote": _vote,
    "match": _match,
    "redux": _redux,
    "activemask": _activemask,
    "elect": _elect,
}
