"""Calls of the device runtime, by which device code launches kernels: no launch is performed.

The runtime may have no memory for the arguments of a launch, and returns 0 then; the code goes on behind the launch.
What a kernel launches runs after it, so that the kernel itself does not see it.
"""

from shflbench.emulator.link.code import FlatCode, Frame
from shflbench.emulator.link.synthetic import step
from shflbench.emulator.ptx.syntax import Address, Immediate, PtxInstruction, Register, Symbol

PREFIX = "__cudaCDP2"  # of the functions that compilers call for those of cuda_device_runtime_api.h
_OF_POINTERS = frozenset({"GetParameterBuffer", "GetParameterBufferV2"})  # others return an error code
_MAKING_HANDLES = frozenset({"StreamCreateWithFlags", "EventCreateWithFlags"})
_HANDLE = "%handle"


def call_device_runtime(  # noqa: PLR0913, PLR0917  (the parts of a call)
    code: FlatCode, frame: Frame, call: PtxInstruction, name: str, results: list[str], arguments: list[str]
) -> None:
    """Append what stands for the call of `name`: it returns 0, and makes handles that are 0."""
    function = name.removeprefix(PREFIX)
    if function in _MAKING_HANDLES and arguments:
        address = Register(arguments[0])
        if not code.is_register(frame, arguments[0]):
            address = Register(_HANDLE)
            code.declare(frame, _HANDLE, "b64")
            code.emit(frame, step("ld.b64", address, Address(Symbol(arguments[0]))), call)
        code.emit(frame, step("st.b64", Address(address), Immediate(0)), call)
    size = "b64" if function in _OF_POINTERS else "b32"
    for result in results:
        if code.is_register(frame, result):
            code.emit(frame, step(f"mov.{size}", Register(result), Immediate(0)), call)
        else:
            code.emit(frame, step(f"st.{size}", Address(Symbol(result)), Immediate(0)), call)
