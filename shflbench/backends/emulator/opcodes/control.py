"""Branches, ends, barriers and fences."""

from collections.abc import Mapping

from shflbench.backends.emulator.frontend.ptx import PtxInstruction
from shflbench.backends.emulator.opcodes.forms import Barrier, Branch, Decoder, Exit, Form, Nothing, UnknownFormError
from shflbench.errors import EmulatorError

BARRIER_ADVICE = "Use `__syncthreads()`, or check this kernel on a GPU with compute-sanitizer."


def _barrier(instruction: PtxInstruction) -> Form:
    words = [word for word in instruction.modifiers if word not in {"cta", "aligned"}]
    match words, len(instruction.operands):
        case ["warp", "sync"], 1:
            return Barrier(whole_block=False, operands=("u4",))
        case ["sync"], 1:
            return Barrier(whole_block=True, operands=("u4",))
        case ["red", "popc", "u32"], 3:
            return Barrier(whole_block=True, results=("u4",), operands=("u4", "?"), reduce="popc")
        case ["red", ("and" | "or") as how, "pred"], 3:
            return Barrier(whole_block=True, results=("?",), operands=("u4", "?"), reduce=how)
        case (["sync"], 2) | (["red", *_], 4):
            raise EmulatorError("the emulator cannot run a barrier with a number of threads", BARRIER_ADVICE)
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
