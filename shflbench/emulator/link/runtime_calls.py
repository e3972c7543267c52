"""Append calls of functions of the CUDA runtime, such as `vprintf`, as single instructions."""

from shflbench.emulator.link.code import FlatCode, Frame
from shflbench.emulator.link.synthetic import step
from shflbench.emulator.opcodes.services import CALLS
from shflbench.emulator.ptx.syntax import Address, Operand, PtxInstruction, Register, Symbol
from shflbench.errors import EmulatorError

HEAP_BYTES = 1 << 20  # for `malloc` in kernels; a GPU has 8 MiB by default


def call_runtime(  # noqa: PLR0913, PLR0917  (the parts of a call)
    code: FlatCode, frame: Frame, call: PtxInstruction, name: str, results: list[str], arguments: list[str]
) -> None:
    """Append the call of `name`; EmulatorError if it passes other values than the function takes."""
    service = CALLS[name]
    if len(arguments) != len(service.operands) or len(results) > len(service.results):
        raise EmulatorError(f"`{call.shown}` does not pass what {name} takes ({call.where})")
    if name == "malloc":
        code.heap_bytes = HEAP_BYTES
    operands: list[Operand] = []
    for number, (argument, type_) in enumerate(zip(arguments, service.operands, strict=True)):
        if code.is_register(frame, argument):
            operands.append(Register(argument))
            continue
        register, size = Register(f"%argument{number}"), _size(type_)
        code.declare(frame, register.name, size)
        code.emit(frame, step(f"ld.{size}", register, Address(Symbol(argument))), call)
        operands.append(register)
    targets = [Register(f"%result{number}") for number in range(len(service.results))]
    for target, type_ in zip(targets, service.results, strict=True):
        code.declare(frame, target.name, _size(type_))
    code.emit(frame, step(f"${name}", *targets, *operands), call)
    for result, target, type_ in zip(results, targets, service.results, strict=False):
        if code.is_register(frame, result):
            code.emit(frame, step(f"mov.{_size(type_)}", Register(result), target), call)
        else:
            code.emit(frame, step(f"st.{_size(type_)}", Address(Symbol(result)), target), call)


def _size(type_: str) -> str:
    """Return the untyped PTX type of a NumPy type."""
    return f"b{8 * int(type_[1])}"
