"""Find loops in SASS: control flow, natural loops, and the step of a loop's counter."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.model import Loop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.model import Instruction

_NEVER_FALLS_THROUGH = {"EXIT", "RET", "BRX", "JMX", "KILL", "BRA", "JMP"}
_ADDS = {"IADD3", "IADD", "VIADD", "UIADD3", "UVIADD", "IMAD"}
_COMPARES = {"ISETP", "UISETP"}
_REGISTER = re.compile(r"^-?(U?R\d+)\b")
_IMMEDIATE = re.compile(r"^-?0x[0-9a-f]+$")


@dataclass(frozen=True, slots=True)
class NaturalLoop:
    """A loop by its back edge: the blocks from which its end is reached without passing its head.

    Source: Aho, Lam, Sethi, Ullman, Compilers, section 9.6.6.
    """

    body: tuple[int, ...]  # indices of instructions, ascending
    back_edge: int  # index of the branch back


def counted_loops(sass: Sequence[Instruction]) -> list[Loop]:
    """Return the loops of the machine code whose counter moves by a constant, with their instructions counted."""
    found = []
    for loop in natural_loops(sass):
        body = [sass[index] for index in loop.body]
        if step := counter_step(body, sass[loop.back_edge]):
            counts = Counter(instruction.base for instruction in body)
            found.append(Loop(body[0].address, body[-1].address, step, dict(counts)))
    return found


def natural_loops(sass: Sequence[Instruction]) -> list[NaturalLoop]:
    """Return every natural loop; the branch to itself that pads a kernel's end is none."""
    follows = _successors(sass)
    precedes: list[list[int]] = [[] for _ in sass]
    for index, targets in enumerate(follows):
        for target in targets:
            precedes[target].append(index)
    found = []
    for source, targets in enumerate(follows):
        found += [
            NaturalLoop(tuple(sorted(_body(precedes, source, head))), source)
            for head in targets
            if head < source and _dominates(precedes, head, source)
        ]
    return found


def _successors(sass: Sequence[Instruction]) -> list[list[int]]:
    index_of = {instruction.address: index for index, instruction in enumerate(sass)}
    successors: list[list[int]] = []
    for index, instruction in enumerate(sass):
        targets = []
        always = not instruction.predicate and not _conditional(instruction)
        if not (instruction.base in _NEVER_FALLS_THROUGH and always) and index + 1 < len(sass):
            targets.append(index + 1)
        target = _target(instruction)
        if target is not None and target in index_of:
            targets.append(index_of[target])
        successors.append(targets)
    return successors


def _conditional(instruction: Instruction) -> bool:
    """Whether a branch names its predicate among the operands (`BRA.U UP0, 0x1a0`) instead of before the opcode."""
    return len(instruction.operands) > 1


def _target(instruction: Instruction) -> int | None:
    # BRA.DIV leads to the out-of-line path of diverged warps, which comes back: not part of the loop as timed.
    if instruction.base not in {"BRA", "JMP"} or ".DIV" in instruction.opcode or not instruction.operands:
        return None
    last = instruction.operands[-1]
    return int(last, 16) if _IMMEDIATE.match(last) else None


def _body(precedes: Sequence[Sequence[int]], source: int, head: int) -> set[int]:
    body, waiting = {head, source}, [source]
    while waiting:
        for before in precedes[waiting.pop()]:
            if before not in body:
                body.add(before)
                waiting.append(before)
    return body


def _dominates(precedes: Sequence[Sequence[int]], head: int, source: int) -> bool:
    """Whether every way from the entry to `source` leads through `head`."""
    return head == 0 or 0 not in _body(precedes, source, head)


def counter_step(body: Sequence[Instruction], back_edge: Instruction) -> int:
    """Return by how much the loop's counter moves in one pass, 0 if no counter decides about the back edge.

    The counter is the register that is compared for the back edge's predicate and that the body adds
    an immediate to.
    """
    predicate = _branch_predicate(back_edge)
    for compare in body:
        if compare.base in _COMPARES and predicate in compare.operands[:2]:
            for operand in compare.operands[2:]:
                if match := _REGISTER.match(operand):
                    step = _step_of(match[1], body)
                    if step:
                        return step
    return 0


def _branch_predicate(branch: Instruction) -> str:
    if branch.predicate:
        return branch.predicate.lstrip("@!")
    return branch.operands[0].lstrip("!") if _conditional(branch) else ""


def _step_of(register: str, body: Sequence[Instruction]) -> int:
    """Return |the immediate| added to `register`, followed through a copy of the counter (`MOV`)."""
    seen = set()
    while register not in seen:
        seen.add(register)
        for instruction in body:
            if not instruction.operands or instruction.operands[0] != register:
                continue
            sources = [match[1] for operand in instruction.operands[1:] if (match := _REGISTER.match(operand))]
            if instruction.base in {"MOV", "UMOV", "IMAD"} and ".MOV" in f".{instruction.opcode}" and sources:
                register = sources[-1] if sources[0] == "RZ" else sources[0]
                break
            immediates = [operand for operand in instruction.operands[1:] if _IMMEDIATE.match(operand)]
            if instruction.base in _ADDS and len(immediates) == 1 and sources:
                if sources[0] in seen:
                    return _signed_magnitude(immediates[0])
                register = sources[0]
                break
    return 0


def _signed_magnitude(immediate: str) -> int:
    value = int(immediate, 16)
    return min(abs(value), 2**32 - value) if value > 0 else abs(value)
