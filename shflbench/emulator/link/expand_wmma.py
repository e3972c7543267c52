"""Replace loads and stores of `wmma` fragments by accesses of each lane, which races and bounds know."""

from shflbench.emulator.link.synthetic import Expansion, step
from shflbench.emulator.opcodes.forms import FULL_MASK
from shflbench.emulator.opcodes.wmma import LAYOUTS, Fragment, fragment
from shflbench.emulator.ptx.syntax import Address, Immediate, Operand, PtxInstruction, Register, Symbol, Vector

WIDEST = 16  # bytes of one access
_WORDS = {4: "b32", 8: "v2.b32", 16: "v4.b32"}  # bytes → type of the access
_SPACES = {"global", "shared"}
_BASE, _NUMBER, _VECTOR, _WITHIN, _OFFSET, _MORE, _STEP = (
    Register(f"%wmma_{name}") for name in ("base", "number", "vector", "within", "offset", "more", "step")
)
_LOW, _HIGH = Register("%wmma_low"), Register("%wmma_high")
_REGISTERS = {
    **dict.fromkeys((item.name for item in (_BASE, _OFFSET, _MORE, _STEP)), "b64"),
    **dict.fromkeys((item.name for item in (_NUMBER, _VECTOR, _WITHIN)), "b32"),
    **dict.fromkeys((_LOW.name, _HIGH.name), "b16"),
}


def matrix_of_warp(instruction: PtxInstruction) -> Expansion | None:
    """Return the steps of `wmma.load`, `wmma.store` or `wmma.mma`; None for a form that is not known."""
    match instruction.modifiers:
        case ("mma", *rest):
            product = step(".".join(("$wmma", *rest)), *instruction.operands, Immediate(FULL_MASK))
            return Expansion((product,))
        case ("load" | "store" as kind, role, "sync", "aligned", layout, shape, *space, type_) if layout in LAYOUTS:
            space = [word for word in space if word != "cta"]
            if len(instruction.operands) not in {2, 3} or len(space) > 1 or not set(space) <= _SPACES:
                return None
            first, second, *stride = instruction.operands
            registers, address = (first, second) if kind == "load" else (second, first)
            if not isinstance(registers, Vector) or not isinstance(address, Address):
                return None
            is_column = layout == "col"
            item = fragment(role, shape, type_, len(registers.items), by_columns=is_column and role in {"a", "b"})
            base = _base(address, space)
            if item is None or base is None:
                return None
            pitch = stride[0] if stride else Immediate(item.rows if is_column else item.columns)
            access = f"{'ld' if kind == 'load' else 'st'}{''.join('.' + word for word in space)}"
            is_across = is_column and role not in {"a", "b"}
            moves = (_across if is_across else _along)(access, item, registers, pitch, address.offset)
            return Expansion((base, *moves), _REGISTERS)
    return None


def _base(address: Address, space: list[str]) -> PtxInstruction | None:
    """Return what widens a base; addresses of shared memory may lie in registers of 32 bits."""
    match address.base:
        case Register() if space == ["shared"]:
            return step("cvt.u64.u32", _BASE, address.base)
        case Register() | Symbol():
            return step("mov.u64", _BASE, address.base)
    return None


def _along(access: str, item: Fragment, registers: Vector, pitch: Operand, offset: int) -> list[PtxInstruction]:
    """Return the accesses of a lane to elements that are adjacent in memory, as wide as they may be."""
    unit = min(item.held, WIDEST // item.size, item.length)
    words = unit * item.size // 4
    steps = []
    for part in range(item.held // unit):
        held = registers.items[part * words : (part + 1) * words]
        value = Vector(held) if words > 1 else held[0]
        place = Address(_OFFSET, offset)
        steps += [
            step("mad.lo.u32", _NUMBER, Register("%laneid"), Immediate(item.held), Immediate(part * unit)),
            step("and.b32", _NUMBER, _NUMBER, Immediate(item.total - 1)),
            *_place(item, pitch),
            _access(access, _WORDS[unit * item.size], value, place),
        ]
    return steps


def _place(item: Fragment, pitch: Operand) -> list[PtxInstruction]:
    """Return the steps from the number of an element to its address."""
    return [
        step("shr.u32", _VECTOR, _NUMBER, Immediate(item.length.bit_length() - 1)),
        step("and.b32", _WITHIN, _NUMBER, Immediate(item.length - 1)),
        step("mul.wide.u32", _OFFSET, _VECTOR, pitch),
        step("mul.wide.u32", _MORE, _WITHIN, Immediate(1)),
        *_in_bytes(item),
    ]


def _in_bytes(item: Fragment) -> list[PtxInstruction]:
    """Return the steps that add both parts of an offset in elements to the base."""
    return [
        step("add.u64", _OFFSET, _OFFSET, _MORE),
        step("mul.lo.u64", _OFFSET, _OFFSET, Immediate(item.size)),
        step("add.u64", _OFFSET, _BASE, _OFFSET),
    ]


def _across(access: str, item: Fragment, registers: Vector, pitch: Operand, offset: int) -> list[PtxInstruction]:
    """Return the accesses of a lane to elements of a row of an accumulator whose columns are adjacent in memory."""
    steps = [
        step("mul.lo.u32", _NUMBER, Register("%laneid"), Immediate(item.held)),
        step("shr.u32", _VECTOR, _NUMBER, Immediate(item.columns.bit_length() - 1)),
        step("and.b32", _WITHIN, _NUMBER, Immediate(item.columns - 1)),
        step("mul.wide.u32", _OFFSET, _WITHIN, pitch),
        step("mul.wide.u32", _MORE, _VECTOR, Immediate(1)),
        *_in_bytes(item),
        step("mul.wide.u32", _STEP, pitch, Immediate(item.size)),
    ]
    next_column = step("add.u64", _OFFSET, _OFFSET, _STEP)
    place = Address(_OFFSET, offset)
    for register in registers.items:
        if item.size == 4:  # noqa: PLR2004  (bytes of a register)
            steps += [_access(access, "b32", register, place), next_column]
            continue
        halves = [_access(access, "b16", half, place) for half in (_LOW, _HIGH)]
        both = Vector((_LOW, _HIGH))
        if access.startswith("ld"):
            steps += [halves[0], next_column, halves[1], next_column, step("mov.b32", register, both)]
        else:
            steps += [step("mov.b32", both, register), halves[0], next_column, halves[1], next_column]
    return steps


def _access(access: str, type_: str, value: Operand, place: Address) -> PtxInstruction:
    operands = (value, place) if access.startswith("ld") else (place, value)
    return step(f"{access}.{type_}", *operands)
