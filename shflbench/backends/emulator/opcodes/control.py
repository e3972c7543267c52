"""Branches, ends, barriers and fences."""

from collections.abc import Mapping

from shflbench.backends.emulator.frontend.ptx import PtxInstruction
from shflbench.backends.emulator.opcodes.forms import Barrier, Branch, Decoder, Exit, Form, Nothing, UnknownFormError


def _barrier(instruction: PtxInstruction) -> Form:
    words = [word for word in instruction.modifiers if word not in {"cta", "aligned"}]
    match words:
        case ["warp", "sync"]:
            return Barrier(whole_block=False, operands=("u4",))
        case ["sync"]:
            return Barrier(whole_block=True, operands=("u4",) * len(instruction.operands))
        case ["red", "popc", "u32"]:
            # destination, barrier, [threads,] predicate
            numbers = ("u4",) * (len(instruction.operands) - 2)
            return Barrier(whole_block=True, results=("u4",), operands=(*numbers, "?"), reduce="popc")
        case ["red", ("and" | "or") as how, "pred"]:
            numbers = ("u4",) * (len(instruction.operands) - 2)
            return Barrier(whole_block=True, results=("?",), operands=(*numbers, "?"), reduce=how)
        case _:
            raise UnknownFormError


def _nothing(_: PtxInstruction) -> Form:
    return Nothing()


FORMS: Mapping[str, Decoder] = {
    "bra": lambda _: Branch(),
    "ret": lambda _: Exit(returns=True),
    "exit": lambda _: Exit(returns=False),
    "trap": lambda _: Exit(returns=False, trap=True),
    "bar": _barrier,
    "barrier": _barrier,
    "membar": _nothing,
    "fence": _nothing,
    "nanosleep": _nothing,
    "brkpt": _nothing,
    "pmevent": _nothing,
}
