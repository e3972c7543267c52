"""Branches, ends and barriers."""

from collections.abc import Mapping

from shflbench.emulator.opcodes.forms import (
    GRID_CONTROLS,
    Barrier,
    Branch,
    ClusterBarrier,
    Decoder,
    Exit,
    Form,
    Nothing,
    Service,
    UnknownFormError,
)
from shflbench.emulator.ptx.syntax import PtxInstruction


def _barrier(instruction: PtxInstruction) -> Form:
    """Decode `bar.warp.sync` and the barriers of a block (PTX ISA 9.0, 9.7.13.1 and 9.7.13.2)."""
    words = tuple(word for word in instruction.modifiers if word not in {"cta", "aligned"})
    if instruction.opcode == "barrier" and words[:1] == ("cluster",):
        return _cluster_barrier(words[1:], aligned="aligned" in instruction.modifiers)
    if instruction.opcode == "bar" and words == ("warp", "sync"):
        return Barrier(whole_block=False, operands=("u4",))
    aligned = instruction.opcode == "bar" or "aligned" in instruction.modifiers
    reduces = words[:1] == ("red",)
    counted = len(instruction.operands) == (4 if reduces else 2)
    if counted:
        operands: tuple[str, ...] = ("u4", "u4")
    elif len(instruction.operands) == (3 if reduces else 1) and words != ("arrive",):
        operands = ("u4",)
    else:
        raise UnknownFormError
    match words:
        case ("sync" | "arrive" as how,):
            arrives = how == "arrive"
            return Barrier(whole_block=True, operands=operands, arrives_only=arrives, counted=counted, aligned=aligned)
        case ("red", "popc" as how, "u32"):
            result = "u4"
        case ("red", ("and" | "or") as how, "pred"):
            result = "?"
        case _:
            raise UnknownFormError
    return Barrier(
        whole_block=True, results=(result,), operands=(*operands, "?"), reduce=how, counted=counted, aligned=aligned
    )


def _cluster_barrier(words: tuple[str, ...], *, aligned: bool) -> Form:
    """Decode an arrival, which releases unless it says otherwise, or a wait, which acquires (PTX ISA 9.0, 9.7.13.3)."""
    match words:
        case ("arrive",) | ("arrive", "release"):
            return ClusterBarrier(waits=False, order="release", aligned=aligned)
        case ("arrive", "relaxed"):
            return ClusterBarrier(waits=False, order="relaxed", aligned=aligned)
        case ("wait",) | ("wait", "acquire"):
            return ClusterBarrier(waits=True, order="acquire", aligned=aligned)
        case _:
            raise UnknownFormError


def _nothing(_: PtxInstruction) -> Form:
    return Nothing()


def _grid_control(instruction: PtxInstruction) -> Form:
    """Decode `griddepcontrol`, which does nothing in a single launch (PTX ISA 9.0, 9.7.13.13)."""
    match instruction.modifiers:
        case ("launch_dependents" | "wait" as how,):
            return Service(GRID_CONTROLS[how])
        case _:
            raise UnknownFormError


FORMS: Mapping[str, Decoder] = {
    "bra": lambda _: Branch(),
    "ret": lambda _: Exit(returns=True),
    "exit": lambda _: Exit(returns=False),
    "trap": lambda _: Exit(returns=False, trap=True),
    "bar": _barrier,
    "barrier": _barrier,
    "nanosleep": _nothing,
    "brkpt": _nothing,
    "pmevent": _nothing,
    "griddepcontrol": _grid_control,
    "setmaxnreg": _nothing,
}
