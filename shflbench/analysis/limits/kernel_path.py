"""The path of a warp through machine code with branches and inner loops, and how often it executes each part.

The machine code does not show how often a loop iterates or a branch is taken. What the emulator counted of accesses to
memory does: a loop iterates as often as its accesses have to be executed to come to the counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.analysis.limits.units import MATRICES
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Instruction, KernelRequests, ScheduledInstruction

WARP = 32
OPCODES = {  # of accesses that the emulator counts
    "LDG": (AccessSpace.GLOBAL, AccessKind.LOAD),
    "LDGSTS": (AccessSpace.GLOBAL, AccessKind.LOAD),
    "STG": (AccessSpace.GLOBAL, AccessKind.STORE),
    "LDS": (AccessSpace.SHARED, AccessKind.LOAD),
    "STS": (AccessSpace.SHARED, AccessKind.STORE),
    "LDL": (AccessSpace.LOCAL, AccessKind.LOAD),
    "STL": (AccessSpace.LOCAL, AccessKind.STORE),
    "LDSM": (AccessSpace.SHARED, AccessKind.LOAD),
    "STSM": (AccessSpace.SHARED, AccessKind.STORE),
}
BRANCHES = {"BRA", "JMP"}
POLLS = {"YIELD", "NANOSLEEP"}
_WIDTHS = {".128": 128, ".64": 64, ".U8": 8, ".S8": 8, ".U16": 16, ".S16": 16}
Access = tuple[AccessSpace, AccessKind]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One instruction, and the share of the warps that execute it when they come by."""

    item: ScheduledInstruction
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class PathLoop:
    """An inner loop, and how often a warp passes through it each time that it comes by."""

    body: tuple[PathStep | PathLoop, ...]
    iterations: float
    is_counted: bool = True  # whether counts of accesses say so


WarpPath = tuple[PathStep | PathLoop, ...]


@dataclass(slots=True)
class _Node:
    """A stretch of code before its counts are known: instructions and loops, by address."""

    parts: list[ScheduledInstruction | _Node] = field(default_factory=list)

    def steps(self) -> Iterator[ScheduledInstruction]:
        """Yield the instructions outside of inner loops."""
        for part in self.parts:
            if not isinstance(part, _Node):
                yield part

    def loops(self) -> Iterator[_Node]:
        """Yield all loops, at any depth."""
        for part in self.parts:
            if isinstance(part, _Node):
                yield part
                yield from part.loops()


def target_of(instruction: Instruction) -> int | None:
    """Return the address to which a branch leads; None of another instruction."""
    if instruction.base not in BRANCHES or not instruction.operands:
        return None
    try:
        return int(instruction.operands[-1], 16)
    except ValueError:
        return None


def inline(items: Sequence[ScheduledInstruction], *, is_loop: bool) -> list[ScheduledInstruction]:
    """Return the instructions without those behind the end of the code that only lead back to it.

    Compilers place there what is executed rarely: another look at a barrier, and warps that diverged. The end of a
    timed loop is its last branch to its start.
    """
    start = items[0].instruction.address
    regions: list[list[ScheduledInstruction]] = [[]]
    for item in items:
        regions[-1].append(item)
        one = item.instruction
        ends = target_of(one) == start if is_loop else one.base == "EXIT" and not one.predicate
        jumps = one.base in {"BRA", "RET"} and not one.predicate and len(regions) > 1
        if ends or jumps:
            regions.append([])
    kept: list[ScheduledInstruction] = []
    for number, region in enumerate(filter(None, regions)):
        last = region[-1].instruction
        target = target_of(last)
        returns = last.base == "RET" or (target is not None and target < region[0].instruction.address)
        if number == 0 or not (is_loop or returns):
            kept += region
    return kept


def path_of(
    items: Sequence[ScheduledInstruction], requests: KernelRequests | None, *, passes: int, is_loop: bool
) -> WarpPath:
    """Return the path of a warp; `passes` are the iterations of the timed loop per pass, 1 of a whole kernel."""
    kept = inline(items, is_loop=is_loop)
    end = kept[-1].instruction.address if is_loop else None
    root = _tree(kept, end)
    counted = _counted(requests, passes)
    known = _Frequencies(
        counted, _shares(root, counted), _iterations(root, counted.most), _constant_iterations(root, kept)
    )
    return _resolved(root, known)


def is_polling(path: WarpPath) -> bool:
    """Whether a loop inside waits for what another warp writes, as long as that takes."""
    return any(_has_poll(part) for part in path if isinstance(part, PathLoop))


def _has_poll(loop: PathLoop) -> bool:
    names = {part.item.instruction.base for part in loop.body if isinstance(part, PathStep)}
    return bool(names & POLLS) or any(_has_poll(part) for part in loop.body if isinstance(part, PathLoop))


def steps(path: WarpPath) -> Iterator[ScheduledInstruction]:
    """Yield each instruction once."""
    for part in path:
        if isinstance(part, PathLoop):
            yield from steps(part.body)
        else:
            yield part.item


def _tree(items: Sequence[ScheduledInstruction], end: int | None) -> _Node:
    """Return the loops by their backward branches; that at `end` is the timed loop's own."""
    starts: dict[int, int] = {}  # address of a loop's start → that of its last branch back
    for item in items:
        one = item.instruction
        target = target_of(one)
        if target is not None and target <= one.address and one.address != end:
            starts[target] = max(starts.get(target, 0), one.address)
    root = _Node()
    stack: list[tuple[_Node, int]] = [(root, items[-1].instruction.address + 1)]
    for item in items:
        address = item.instruction.address
        if address in starts and starts[address] <= stack[-1][1]:
            node = _Node()
            stack[-1][0].parts.append(node)
            stack.append((node, starts[address]))
        stack[-1][0].parts.append(item)
        while len(stack) > 1 and address >= stack[-1][1]:
            stack.pop()
    return root


def width(instruction: Instruction) -> int:
    """Return the bits per lane of an access."""
    if instruction.base in MATRICES:
        return 128
    return next((bits for name, bits in _WIDTHS.items() if name in instruction.opcode), 32)


@dataclass(frozen=True, slots=True)
class _CountedBits:
    """The bits per lane that a warp moves in one pass: of the warp that moves the most, and on average."""

    most: Mapping[Access, float]
    average: Mapping[Access, float]

    def share(self, access: Access) -> float:
        """Return the share of the warps that do what the busiest one does."""
        most = self.most.get(access, 0.0)
        return min(1.0, self.average.get(access, 0.0) / most) if most else 1.0


def _counted(requests: KernelRequests | None, passes: int) -> _CountedBits:
    most: dict[Access, float] = {}
    average: dict[Access, float] = {}
    warps = requests.warps if requests else 1
    for one in requests.accesses if requests else ():
        name = one.space, one.kind
        most[name] = most.get(name, 0.0) + one.most_requests * one.bits * passes
        average[name] = average.get(name, 0.0) + one.requests * one.bits / warps * passes
    return _CountedBits(most, average)


def _bits(items: Iterator[ScheduledInstruction]) -> tuple[Counter[Access], Counter[Access]]:
    """Return the bits that certain instructions move, and those that may be skipped."""
    certain: Counter[Access] = Counter()
    maybe: Counter[Access] = Counter()
    for item in items:
        if access := OPCODES.get(item.instruction.base):
            is_certain = item.always and not item.instruction.predicate
            (certain if is_certain else maybe)[access] += width(item.instruction)
    return certain, maybe


def _iterations(root: _Node, counted: Mapping[Access, float]) -> dict[int, float]:
    """Return the iterations of each loop, by its identity, from what the counts leave for loops."""
    certain, _ = _bits(root.steps())
    every: Counter[Access] = Counter()
    for loop in root.loops():
        for part in _bits(loop.steps()):
            every += part
    iterations: dict[int, float] = {}
    for loop in root.loops():
        known = sum(_bits(loop.steps()), Counter())
        ratios = [max(0.0, counted.get(name, 0.0) - certain[name]) / every[name] for name in known]
        iterations[id(loop)] = max(ratios, default=1.0)
    return _per_visit(root, iterations, 1.0)


def _per_visit(node: _Node, iterations: Mapping[int, float], visits: float) -> dict[int, float]:
    """Return the iterations per visit from iterations in all; a loop around loops visits them once per iteration."""
    result: dict[int, float] = {}
    for part in node.parts:
        if isinstance(part, _Node):
            total = iterations[id(part)]
            if not sum(_bits(part.steps()), Counter()):  # without accesses: as often as what is inside, or once
                total = visits
            result[id(part)] = total / visits if visits else 0.0
            result |= _per_visit(part, iterations, max(total, 1.0))
    return result


def _constant_iterations(root: _Node, items: Sequence[ScheduledInstruction]) -> dict[int, float]:
    """Return the iterations of loops whose counter starts, steps and ends at numbers that the code has."""
    code = [item.instruction for item in items]
    known = {id(loop): _constant([item.instruction for item in loop.steps()], code) for loop in root.loops()}
    return {loop: iterations for loop, iterations in known.items() if iterations}


def _constant(body: Sequence[Instruction], code: Sequence[Instruction]) -> float | None:
    predicate = body[-1].predicate.lstrip("@!")
    compare = next((one for one in reversed(body) if one.base == "ISETP" and one.operands[0] == predicate), None)
    if compare is None or ".NE" not in compare.opcode:
        return None
    register, end = compare.operands[2], _number(compare.operands[3])
    steps_ = [one for one in body if one.operands[:1] == (register,)]
    starts = [one for one in code if one.address < body[0].address and one.operands[:1] == (register,)]
    if end is None or len(steps_) != 1 or steps_[0].base not in {"VIADD", "IADD3"} or not starts:
        return None
    step, start = _number(steps_[0].operands[2]), _start(starts[-1])
    if not step or start is None or steps_[0].operands[1] != register:
        return None
    return max(1.0, (end - start) / step)


def _number(operand: str) -> int | None:
    """Return the number that an operand is; None of a register."""
    if operand == "RZ":
        return 0
    try:
        return int(operand, 16)
    except ValueError:
        return None


def _start(one: Instruction) -> int | None:
    """Return the number that an instruction puts into a register; None if it is another instruction."""
    if one.base in {"MOV", "HFMA2", "CS2R"} or one.opcode.startswith("IMAD.MOV"):
        values = one.operands[1:]
        if one.base == "HFMA2":
            return 0 if values[-2:] == ("0", "0") else None
        return _number(values[-1]) if one.base != "CS2R" else (0 if values[-1] in {"SRZ", "RZ"} else None)
    return None


def _shares(root: _Node, counted: _CountedBits) -> dict[Access, float]:
    """Return the share of the warps that execute accesses that may be skipped, outside of loops, at most 1."""
    certain, maybe = _bits(root.steps())
    if any(True for _ in root.loops()):
        return {}
    return {
        name: min(1.0, max(0.0, counted.average.get(name, 0.0) - certain[name]) / bits)
        for name, bits in maybe.items()
        if bits
    }


@dataclass(frozen=True, slots=True)
class _Frequencies:
    """How often the parts of a path are executed."""

    counted: _CountedBits
    shares: Mapping[Access, float]  # of the warps that execute accesses which may be skipped
    iterations: Mapping[int, float]  # by the identity of a loop, from the counts
    constant: Mapping[int, float]  # likewise, from the code

    def loop(self, node: _Node, body: WarpPath) -> PathLoop:
        """Return a loop with its iterations."""
        is_counted = any(OPCODES.get(item.instruction.base) in self.counted.most for item in node.steps())
        if not is_counted and id(node) in self.constant:
            return PathLoop(body, self.constant[id(node)])
        return PathLoop(body, self.iterations[id(node)], is_counted or any(True for _ in node.loops()))


def _resolved(node: _Node, known: _Frequencies, *, in_loop: bool = False) -> WarpPath:
    """Return the path through a stretch of code."""
    parts: list[PathStep | PathLoop] = []
    skippable: list[ScheduledInstruction] = []
    usual = _usual_share(node, known.counted) if in_loop else 1.0

    def close() -> None:
        names = (OPCODES.get(item.instruction.base) for item in skippable)
        share = max((known.shares[name] for name in names if name and name in known.shares), default=usual)
        parts.extend(PathStep(item, share) for item in skippable)
        skippable.clear()

    for part in node.parts:
        if isinstance(part, _Node):
            close()
            parts.append(known.loop(part, _resolved(part, known, in_loop=True)))
        elif in_loop:
            name = OPCODES.get(part.instruction.base)
            parts.append(PathStep(part, known.counted.share(name) if name else usual))
        elif part.always and not part.instruction.predicate:
            close()
            parts.append(PathStep(part))
        else:
            skippable.append(part)
    close()
    return tuple(parts)


def _usual_share(loop: _Node, counted: _CountedBits) -> float:
    """Return the share of the warps that iterate as often as the busiest one; all of them where a barrier is inside."""
    if any(item.instruction.base == "BAR" for item in loop.steps()):
        return 1.0
    names = (OPCODES.get(item.instruction.base) for item in loop.steps())
    return max((counted.share(name) for name in names if name), default=1.0)
