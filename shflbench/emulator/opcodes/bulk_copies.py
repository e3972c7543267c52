"""Bulk copies (`cp.async.bulk`) and asynchronous stores (`st.async`): what starts, groups and awaits them."""

from collections.abc import Mapping

from shflbench.emulator.opcodes.forms import Decoder, Form, Service, UnknownFormError, unsigned_type
from shflbench.emulator.opcodes.memory_access import update_of
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

_REDUCTIONS = {"add", "min", "max", "inc", "dec", "and", "or", "xor"}  # (PTX ISA 9.0, `red.async`)


def _store(instruction: PtxInstruction) -> Form:
    """Decode a store, or a reduction, of one value or several; its address and that of the barrier come first."""
    *names, name = instruction.modifiers
    type_, count = unsigned_type(NUMPY[name]), len(instruction.operands) - 2
    if count < 1 or (names and (count > 1 or names[0] not in _REDUCTIONS)):
        raise UnknownFormError
    if names:
        _, type_ = update_of(names[0], name)
    return Service("store_async", (), ("u8", "u8", *(type_,) * count))


FORMS: Mapping[str, Decoder] = {
    # target, source, bytes, barrier, and the ranks of the blocks that get a copy
    "$bulk_copy": lambda _: Service("bulk_copy", (), ("u8", "u8", "u4", "u8", "u4")),
    "$bulk_commit": lambda _: Service("bulk_commit"),
    "$bulk_wait": lambda _: Service("bulk_wait", (), ("u4",)),
    "$store_async": _store,
}
