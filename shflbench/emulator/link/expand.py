"""Replace instructions that move data through memory and registers by simpler ones, which races and masks know.

Registers that count time become the instruction `$clock`, which gives another number each time.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from shflbench.emulator.link.expand_bulk import bulk_operation
from shflbench.emulator.link.expand_memory import asynchronous_copy, barrier_in_memory
from shflbench.emulator.link.expand_wmma import matrix_of_warp
from shflbench.emulator.link.synthetic import Expansion, step
from shflbench.emulator.opcodes.addresses import OWNER
from shflbench.emulator.opcodes.forms import FULL_MASK
from shflbench.emulator.ptx.syntax import (
    Address,
    Immediate,
    PtxInstruction,
    Register,
    Vector,
    size_of,
)

TIMERS = {
    "%clock": "u32",
    "%clock_hi": "u32",
    "%clock64": "u64",
    "%globaltimer": "u64",
    "%globaltimer_lo": "u32",
    "%globaltimer_hi": "u32",
}
_NO_TYPES: Mapping[str, str] = {}
_VECTORS = {"v2", "v4", "v8"}
_MOVING = {"cp", "st", "red"}
_HOLDS = Register("%holds")  # whether a lane passes the address of a row
ROWS = 8  # of one matrix of ldmatrix and stmatrix; each lies at the address that one lane passes
_ALL = Immediate(FULL_MASK)


def expansion(instruction: PtxInstruction, types: Mapping[str, str] = _NO_TYPES) -> Expansion | None:
    """Return what replaces `instruction`, given the types of registers; None if it stays as it is."""
    if instruction.opcode in _MOVING and instruction.modifiers[:1] == ("async",):
        parts = bulk_operation(instruction, types)
        if parts is not None:
            return parts
    if instruction.opcode in _CACHED and "cache_hint" in instruction.modifiers:
        return _without_policy(instruction)
    expand = _EXPANSIONS.get(instruction.opcode)
    parts = expand(instruction) if expand is not None else None
    return parts or _timers(instruction)


_CACHED = {"ld", "st", "atom", "red"}


def _without_policy(instruction: PtxInstruction) -> Expansion:
    """Return the access without the cache policy that it ends with: there is no cache."""
    words = tuple(word for word in instruction.modifiers if word != "cache_hint")
    return Expansion((replace(instruction, modifiers=words, operands=instruction.operands[:-1]),))


def _timers(instruction: PtxInstruction) -> Expansion | None:
    read = [item.name for item in instruction.operands if isinstance(item, Register) and item.name in TIMERS]
    if not read:
        return None
    registers = {f"%read{number}": TIMERS[name] for number, name in enumerate(read)}
    names = dict(zip(read, registers, strict=False))
    operands = tuple(
        Register(names[item.name]) if isinstance(item, Register) and item.name in names else item
        for item in instruction.operands
    )
    counts = [step(f"$clock.{type_}", Register(name)) for name, type_ in registers.items()]
    return Expansion((*counts, replace(instruction, operands=operands)), registers)


def _rows(count: int) -> tuple[list[PtxInstruction], dict[str, str], Vector]:
    """Return how the lanes that pass addresses of rows are chosen, and the registers of a row."""
    words = {f"%row{number}": "b32" for number in range(4)}
    chosen = step("setp.lt.u32", _HOLDS, Register("%laneid"), Immediate(ROWS * count))
    return [chosen], {**words, _HOLDS.name: "pred"}, Vector(tuple(Register(name) for name in words))


def _matrices(instruction: PtxInstruction) -> tuple[int, str, str] | None:
    """Return number of matrices, `.trans` or nothing, and the memory, None for shapes other than 8x8."""
    words = [word for word in instruction.modifiers if word not in {"sync", "aligned", "cta"}]
    if "m8n8" not in words or words[-1] != "b16":
        return None
    count = next((int(word[1:]) for word in words if word in {"x1", "x2", "x4"}), 0)
    trans = ".trans" if "trans" in words else ""
    space = ".shared" if "shared" in words else ""
    known = {"m8n8", "x1", "x2", "x4", "trans", "shared", "b16"}
    return (count, trans, space) if count and set(words) <= known else None


def accesses_row(instruction: PtxInstruction) -> bool:
    """Return whether an instruction accesses the rows of matrices for `ldmatrix` or `stmatrix`."""
    return instruction.guard == _HOLDS


def _ldmatrix(instruction: PtxInstruction) -> Expansion | None:
    matrices = _matrices(instruction)
    if matrices is None or len(instruction.operands) != 2:  # noqa: PLR2004  (results and address)
        return None
    count, trans, space = matrices
    result, address = instruction.operands
    steps, registers, row = _rows(count)
    steps.append(step(f"ld{space}.v4.b32", row, address, guard=_HOLDS))
    steps.append(step(f"$ldmatrix.x{count}{trans}", result, row, _ALL))
    return Expansion(tuple(steps), registers)


def _stmatrix(instruction: PtxInstruction) -> Expansion | None:
    matrices = _matrices(instruction)
    if matrices is None or len(instruction.operands) != 2:  # noqa: PLR2004  (address and values)
        return None
    count, trans, space = matrices
    address, values = instruction.operands
    steps, registers, row = _rows(count)
    steps.append(step(f"$stmatrix.x{count}{trans}", row, values, _ALL))
    steps.append(step(f"st{space}.v4.b32", address, row, guard=_HOLDS))
    return Expansion(tuple(steps), registers)


def _parameters(instruction: PtxInstruction) -> Expansion | None:
    """Return a load of several parameters, or fields of one, as one load of each, whose bytes slices tell apart."""
    words = instruction.modifiers
    values, address = (*instruction.operands, None, None)[:2]
    if "param" not in words or not isinstance(values, Vector) or not isinstance(address, Address):
        return None
    modifiers = tuple(word for word in words if word not in _VECTORS)
    size = size_of(words[-1])
    return Expansion(
        tuple(
            replace(
                instruction,
                modifiers=modifiers,
                operands=(item, replace(address, offset=address.offset + place * size)),
            )
            for place, item in enumerate(values.items)
        )
    )


def _owned(instruction: PtxInstruction) -> Expansion | None:
    """Return the conversion of an address in local memory with the thread that it belongs to, added or subtracted."""
    *direction, type_ = instruction.modifiers or ("",)
    if "local" not in direction or not instruction.operands:  # also of damaged PTX, which is refused later
        return None
    result = instruction.operands[0]
    opcode = "sub" if "to" in direction else "add"
    owned = replace(instruction, opcode=opcode, modifiers=(type_,), operands=(result, result, Register(OWNER)))
    return Expansion((instruction, owned))


def _all_lanes(instruction: PtxInstruction) -> Expansion:
    """Return the instruction with the mask of all lanes, which it does not name itself."""
    changed = replace(instruction, opcode=f"${instruction.opcode}", operands=(*instruction.operands, _ALL))
    return Expansion((changed,))


def _texture_read(instruction: PtxInstruction) -> Expansion | None:
    """Return the read of a texture object with the operands that decide on its value; None for a reference by name."""
    result, *places = instruction.operands[:2]
    address = places[0] if places else None
    if not isinstance(address, Address) or not isinstance(address.base, Register) or len(address.coordinates) != 1:
        return None
    changed = replace(instruction, opcode="$tex", operands=(result, address.base, address.coordinates[0]))
    return Expansion((changed,))


def _of_own_rank(instruction: PtxInstruction) -> Expansion | None:
    """Return an instruction whose result depends on the rank of the thread's own block, with this rank."""
    if "shared" not in instruction.modifiers and instruction.opcode == "isspacep":
        return None
    operands = (*instruction.operands, Register("%cluster_ctarank"))
    return Expansion((replace(instruction, opcode=f"${instruction.opcode}", operands=operands),))


_EXPANSIONS: Mapping[str, Callable[[PtxInstruction], Expansion | None]] = {
    "cvta": _owned,
    "getctarank": _of_own_rank,
    "isspacep": _of_own_rank,
    "ld": _parameters,
    "ldmatrix": _ldmatrix,
    "stmatrix": _stmatrix,
    "movmatrix": _all_lanes,
    "cp": asynchronous_copy,
    "mma": _all_lanes,
    "mbarrier": barrier_in_memory,
    "tex": _texture_read,
    "tld4": _texture_read,
    "wmma": matrix_of_warp,
}
