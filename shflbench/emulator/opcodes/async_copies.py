"""The parts of `cp.async`: a load and a store, which are not complete before a wait, and groups of copies."""

from collections.abc import Mapping
from dataclasses import replace

from shflbench.emulator.opcodes import memory_access
from shflbench.emulator.opcodes.forms import Access, Decoder, Form, Service
from shflbench.emulator.ptx.syntax import PtxInstruction


def _access(instruction: PtxInstruction) -> Form:
    opcode = instruction.opcode.removeprefix("$").removesuffix("_async")
    form = memory_access.FORMS[opcode](replace(instruction, opcode=opcode))
    return replace(form, asynchronous=True) if isinstance(form, Access) else form


FORMS: Mapping[str, Decoder] = {
    "$ld_async": _access,
    "$st_async": _access,
    "$copy_commit": lambda _: Service("copy_commit"),
    "$copy_wait": lambda _: Service("copy_wait", (), ("u4",)),
    "$copy_wait_all": lambda _: Service("copy_wait_all"),
    "$copy_deliver": lambda _: Service("copy_deliver"),
}
