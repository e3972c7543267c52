"""Replace bulk copies and asynchronous stores by steps that get their addresses in registers of 64 bits."""

from collections.abc import Mapping, Sequence

from shflbench.emulator.link.synthetic import Expansion, step
from shflbench.emulator.ptx.syntax import (
    NUMPY,
    Address,
    Immediate,
    Operand,
    PtxInstruction,
    Register,
    Symbol,
    Vector,
)

Types = Mapping[str, str]  # of the registers of a function
_COMPLETE = ["mbarrier", "complete_tx", "bytes"]
_HINTS = {"L2", "cache_hint"}
_NARROW = 4  # bytes of an address within shared memory
_NONE = Immediate(0)


def bulk_operation(instruction: PtxInstruction, types: Types) -> Expansion | None:
    """Return the steps of an operation that is asynchronous and moves bytes; None for another instruction.

    Copies of tensors, and reductions of bulk copies, stay as they are, and are refused by name.
    """
    words = list(instruction.modifiers)
    if instruction.opcode == "cp" and words[:2] == ["async", "bulk"]:
        return _bulk(instruction, words[2:], types)
    if instruction.opcode in {"st", "red"} and words[:1] == ["async"]:
        return _store(instruction, words[1:], types)
    return None


def _bulk(instruction: PtxInstruction, words: list[str], types: Types) -> Expansion | None:
    match words:
        case ["commit_group"]:
            return Expansion((step("$bulk_commit"),))
        case ["wait_group"]:
            return Expansion((step("$bulk_wait", *instruction.operands),))
        case ["wait_group", "read"]:
            return Expansion((step("$bulk_wait.read", *instruction.operands),))
        case ["prefetch", *_]:
            return Expansion(())
        case _:
            return _copy(instruction, words, types)


def _copy(instruction: PtxInstruction, words: list[str], types: Types) -> Expansion | None:
    target, source = _space(words), _space(words)
    operands = list(instruction.operands)
    if "cache_hint" in words:
        operands = operands[:-1]
    words = [word for word in words if word not in _HINTS]
    is_multicast = words[-2:] == ["multicast", "cluster"]
    if is_multicast:
        words = words[:-2]
    if words == _COMPLETE and target == "shared" and len(operands) == 4 + is_multicast:
        how, barrier = "barrier", operands[3]
    elif words == ["bulk_group"] and (target, source) == ("global", "shared") and len(operands) == 3:  # noqa: PLR2004
        how, barrier = "group", _NONE
    else:
        return None
    mask = operands[4] if is_multicast else _NONE
    names = ("%target", "%source", "%barrier")
    steps = [
        *_address(Register(names[0]), operands[0], types),
        *_address(Register(names[1]), operands[1], types),
        *_address(Register(names[2]), barrier, types),
        step("cvt.u32.u16" if _is_half(mask, types) else "mov.u32", Register("%mask"), mask),
    ]
    registers = [Register(name) for name in names]
    copy = step(
        f"$bulk_copy.{target}.{source}.{how}", registers[0], registers[1], operands[2], registers[2], Register("%mask")
    )
    return Expansion((*steps, copy), {**dict.fromkeys(names, "b64"), "%mask": "b32"})


def _store(instruction: PtxInstruction, words: list[str], types: Types) -> Expansion | None:
    """Return a store, or a reduction, in the shared memory of the cluster, which a barrier there counts."""
    words = [word for word in words if word not in {"weak", "relaxed", "cluster", "shared", "v2", "v4"}]
    if words[:3] != _COMPLETE or len(instruction.operands) != 3:  # noqa: PLR2004  (address, value and barrier)
        return None
    *update, type_ = words[3:]
    if type_ not in NUMPY or len(update) != (instruction.opcode == "red"):
        return None
    target, value, barrier = instruction.operands
    values: Sequence[Operand] = value.items if isinstance(value, Vector) else (value,)
    steps = []
    for register, operand in ((Register("%target"), target), (Register("%barrier"), barrier)):
        steps += _address(register, operand, types)
        if "shared" not in instruction.modifiers:  # a generic address
            steps.append(step("cvta.to.shared.u64", register, register))
    name = ".".join(("$store_async", *update, type_))
    store = step(name, Register("%target"), Register("%barrier"), *values)
    return Expansion((*steps, store), {"%target": "b64", "%barrier": "b64"})


def _space(words: list[str]) -> str:
    """Take the state space that words begin with."""
    space = words.pop(0) if words and words[0] in {"shared", "global"} else ""
    if space == "shared" and words[:1] in (["cta"], ["cluster"]):
        del words[0]
    return space


def _address(register: Register, operand: Operand, types: Types) -> list[PtxInstruction]:
    """Return the steps that put an address into a register."""
    base: Operand = operand.base if isinstance(operand, Address) else operand
    offset = operand.offset if isinstance(operand, Address) else 0
    if isinstance(base, Symbol):
        return [step("mov.u64", register, Symbol(base.name, base.offset + offset))]
    if isinstance(base, Register) and _bytes(base, types) == _NARROW:
        steps = [step("cvt.u64.u32", register, base)]
    else:
        steps = [step("mov.u64", register, base)]
    return [*steps, step("add.u64", register, register, Immediate(offset))] if offset else steps


def _bytes(register: Register, types: Types) -> int:
    numpy = NUMPY.get(types.get(register.name, "b64"), "u8")
    return int(numpy[1:]) if numpy != "?" else 1


def _is_half(operand: Operand, types: Types) -> bool:
    return isinstance(operand, Register) and _bytes(operand, types) < _NARROW
