"""Find loops in SASS: control flow, natural loops, and the step of a loop counter."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import Loop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from shflbench.core.model import Instruction

_NEVER_FALLS_THROUGH = {"EXIT", "RET", "BRX", "JMX", "KILL", "BRA", "JMP"}
_EXITS = {"CALL", "EXIT", "BRA", "JMP"}
_SUMS = {"IADD3", "IADD", "VIADD", "UIADD3", "UVIADD", "MOV", "UMOV", "R2UR"}  # a copy is a sum of one term
_COMPARES = {"ISETP", "UISETP"}
_COPIES = {"PLOP3", "UPLOP3"}  # from a uniform predicate to one that a branch can take, and back
_PREDICATE = re.compile(r"^U?P\d")
_REGISTER = re.compile(r"^-?(U?R\d+)\b")
_IMMEDIATE = re.compile(r"^-?0x[0-9a-f]+$")


@dataclass(frozen=True, slots=True)
class NaturalLoop:
    """A natural loop: the blocks that reach its back edge without passing its head.

    Source: Aho, Lam, Sethi, Ullman, Compilers, section 9.6.6.
    """

    body: tuple[int, ...]  # indices of instructions, ascending
    back_edge: int  # index of the backward branch


def counted_loops(sass: Sequence[Instruction]) -> list[Loop]:
    """Return the loops whose counter changes by a constant, with the counts of their instructions."""
    loops = []
    for loop in natural_loops(sass):
        body = [sass[index] for index in loop.body]
        if step := counter_step(body, sass[loop.back_edge]):
            counts = Counter(instruction.base for instruction in body)
            loops.append(Loop(body[0].address, body[-1].address, step, dict(counts)))
    return loops


def natural_loops(sass: Sequence[Instruction]) -> list[NaturalLoop]:
    """Return every natural loop, except the branch to itself after the end of a kernel."""
    follows = successors(sass)
    reached = _reached(follows)
    precedes: list[list[int]] = [[] for _ in sass]
    for source in reached:
        for target in follows[source]:
            precedes[target].append(source)
    loops = []
    for source in reached:
        loops += [
            NaturalLoop(tuple(sorted(_body(precedes, source, head))), source)
            for head in follows[source]
            if head < source and _dominates(precedes, head, source)
        ]
    return loops


def successors(sass: Sequence[Instruction]) -> list[list[int]]:
    """Return, for each instruction, the indices of those that may follow it."""
    index_of = {instruction.address: index for index, instruction in enumerate(sass)}
    successors: list[list[int]] = []
    for index, instruction in enumerate(sass):
        if instruction.base not in _NEVER_FALLS_THROUGH:  # nearly all
            successors.append([index + 1] if index + 1 < len(sass) else [])
            continue
        targets = []
        always = not instruction.predicate and not _conditional(instruction) and not _diverges(instruction)
        if not always and index + 1 < len(sass):
            targets.append(index + 1)
        target = _target(instruction)
        if target is not None and target in index_of:
            targets.append(index_of[target])
        successors.append(targets)
    return successors


def _conditional(instruction: Instruction) -> bool:
    """Whether a branch has its predicate among the operands (`BRA.U UP0, 0x1a0`) and not before the opcode."""
    return len(instruction.operands) > 1


def _diverges(instruction: Instruction) -> bool:
    """Whether only diverged warps take a branch: `BRA.DIV UR4, 0x50`, on sm_75 `BRA.DIV 0x50`."""
    return ".DIV" in instruction.opcode


def _target(instruction: Instruction) -> int | None:
    # BRA.DIV leads to the out-of-line path of diverged warps, which returns: not part of the timed loop.
    if instruction.base not in {"BRA", "JMP"} or _diverges(instruction) or not instruction.operands:
        return None
    last = instruction.operands[-1]
    return int(last, 16) if _IMMEDIATE.match(last) else None


def _reached(follows: Sequence[Sequence[int]]) -> list[int]:
    """Return the instructions that are reachable from the entry, ascending, without the path of diverged warps."""
    reached, waiting = {0}, [0]
    while waiting:
        new = set(follows[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return sorted(reached)


def _body(precedes: Sequence[Sequence[int]], source: int, head: int) -> set[int]:
    body, waiting = {head, source}, [source]
    while waiting:
        for before in precedes[waiting.pop()]:
            if before not in body:
                body.add(before)
                waiting.append(before)
    return body


def _dominates(precedes: Sequence[Sequence[int]], head: int, source: int) -> bool:
    """Whether every path from the entry to `source` passes `head`."""
    return head == 0 or 0 not in _body(precedes, source, head)


def counter_step(body: Sequence[Instruction], back_edge: Instruction) -> int:
    """Return the change of the loop counter per pass; 0 if no counter determines whether the back edge is taken.

    The counter is the operand of the comparison that sets the branch's predicate, traced back through sums and copies.
    """
    decider = back_edge if _predicate(back_edge) else _last_exit(body)
    if decider is None:
        return 0
    predicate, end = _predicate(decider), decider.address
    for index, item in reversed(list(enumerate(body))):
        if item.address >= end:
            continue
        if item.base in _COPIES and item.operands[0] == predicate:
            predicate = next((name for name in map(_bare, item.operands[1:]) if _PREDICATE.match(name)), "")
        elif item.base in _COMPARES and predicate in item.operands[:2]:
            if saved := _saved_predicate(item, body[:index]):
                predicate, end = saved
            else:
                return next(filter(None, (_step(operand, index, body) for operand in item.operands[2:])), 0)
    return 0


def _saved_predicate(compare: Instruction, before: Sequence[Instruction]) -> tuple[str, int] | None:
    """Return the predicate that a comparison with zero restores from a register, and the address where it was saved.

    A thread has seven predicates. If a loop needs more, ptxas keeps one in a bit of a register:
    `P2R R15, PR, RZ, 0x20` saves P5, and `ISETP.NE.AND P1, PT, R15, RZ, PT` restores it as P1.
    """
    if compare.operands[3:4] != ("RZ",):
        return None
    register = _register(compare.operands[2])
    writer = next((item for item in reversed(before) if item.operands and item.operands[0] == register), None)
    if writer is None or writer.base != "P2R":
        return None
    mask = int(writer.operands[-1], 16)
    return (f"P{mask.bit_length() - 1}", writer.address) if mask.bit_count() == 1 else None


def _predicate(branch: Instruction) -> str:
    return _bare(branch.predicate or (branch.operands[0] if _conditional(branch) else ""))


def _bare(predicate: str) -> str:
    return predicate.lstrip("@!")


def _last_exit(body: Sequence[Instruction]) -> Instruction | None:
    """Return the last conditional exit of a loop that ends in an unconditional backward branch.

    If the back edge is too far for a conditional branch, ptxas exits the loop by a call that does not return.
    """
    inside = {item.address for item in body}
    exits = [item for item in body if item.base in _EXITS and _predicate(item) and _target(item) not in inside]
    return exits[-1] if exits else None


def _step(operand: str, place: int, body: Sequence[Instruction]) -> int:
    """Return the change per pass of the register that instruction `place` of the body reads."""
    changing = {instruction.operands[0] for instruction in body if instruction.operands}
    register, moved = _origin(operand, body[:place], changing)
    seen: dict[str, int] = {}
    while register and register not in seen:
        seen[register] = moved
        register, added = _origin(register, body, changing)
        moved += added
    return abs(moved - seen[register]) if register else 0


def _origin(operand: str, code: Sequence[Instruction], changing: AbstractSet[str]) -> tuple[str, int]:
    """Return the register with the value of `operand` before `code`, and what `code` added; "" if it is not a sum."""
    register = _register(operand)
    moved = 0
    for instruction in reversed(code):
        if register and instruction.operands and instruction.operands[0] == register:
            terms = _terms(instruction)
            sources = {name for term in terms if (name := _register(term)) in changing}
            register = sources.pop() if len(sources) == 1 else ""
            moved += sum(_signed(term) for term in terms if _IMMEDIATE.match(term))
    return register, moved


def _terms(instruction: Instruction) -> tuple[str, ...]:
    """Return the terms of a sum, or the source of a copy; nothing for other instructions."""
    _, *operands = instruction.operands
    if instruction.opcode.startswith("IMAD.IADD"):  # IMAD.IADD d, a, 0x1, b
        return (operands[0], operands[2])
    if instruction.base in _SUMS or instruction.opcode.startswith("IMAD.MOV"):
        return tuple(operands)
    return ()


def _register(operand: str) -> str:
    match = _REGISTER.match(operand)
    return match[1] if match else ""


def _signed(immediate: str) -> int:
    value = int(immediate, 16)
    return value - 2**32 if value >= 2**31 else value
