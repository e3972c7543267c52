"""The parts of `cp.async`: the store of what was loaded, which is not complete before a wait, and groups of copies."""

from collections.abc import Mapping
from dataclasses import replace

from shflbench.backends.emulator.frontend.ptx import PtxInstruction
from shflbench.backends.emulator.opcodes import memory
from shflbench.backends.emulator.opcodes.forms import Access, Decoder, Form, Service


def _store(instruction: PtxInstruction) -> Form:
    form = memory.FORMS["st"](replace(instruction, opcode="st"))
    return replace(form, asynchronous=True) if isinstance(form, Access) else form


FORMS: Mapping[str, Decoder] = {
    "$st_async": _store,
    "$copy_commit": lambda _: Service("copy_commit"),
    "$copy_wait": lambda _: Service("copy_wait", (), ("u4",)),
    "$copy_wait_all": lambda _: Service("copy_wait_all"),
}
