"""The registers that an instruction reads, by bank: what the register file of a sub-partition takes clocks for.

A sub-partition has two banks, of the registers with even and with odd numbers. Each reads one register of all lanes
per clock (Huerta et al., Analyzing Modern NVIDIA GPU Cores, arXiv 2503.20481). `DFMA` of three different
values therefore takes 3 clocks on an H200 (`memory-ladder` dfma), although the unit takes one per 2 clocks. An operand
with `.reuse` stays in a small cache for the next instruction of the same warp, if no other warp issues in between.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.model import Instruction

Reads = tuple[float, float]  # registers of the even bank, and of the odd bank
Operand = tuple[int, int]  # register, position among the operands

CLOCKS_OF_FP64 = 2  # that an instruction occupies its unit
FP64_READS = 1.5  # clocks of a bank that it takes to read as many registers: others read meanwhile (fitted)
_REGISTER = re.compile(r"(?<![A-Z])R(\d+)(\.64)?")
_SOURCES_ONLY = frozenset({"STS", "STG", "STL", "ST", "RED", "REDG", "R2P"})
_TWO_RESULTS = frozenset({"ISETP", "FSETP", "DSETP", "HSETP2", "SHFL"})
_PAIRS = frozenset({"DFMA", "DADD", "DMUL", "DSETP"})  # operands of 64 bits
_NO_REGISTERS = frozenset({"BRA", "BAR", "NOP", "WARPSYNC"})


def register_reads(instruction: Instruction, before: Instruction | None = None) -> Reads:
    """Return the registers that an instruction reads per bank; those that `before` left for reuse do not count."""
    kept = _reusable(before) if before else frozenset()
    numbers = {number for number, position in _operands(instruction) if (number, position) not in kept}
    odd = sum(number % 2 for number in numbers)
    if instruction.base in _PAIRS and odd <= CLOCKS_OF_FP64:
        return min(FP64_READS, len(numbers) - odd), min(FP64_READS, odd)
    return len(numbers) - odd, odd


def _reusable(instruction: Instruction) -> frozenset[Operand]:
    texts = _sources(instruction)
    return frozenset((number, position) for number, position in _operands(instruction) if ".reuse" in texts[position])


def _operands(instruction: Instruction) -> tuple[Operand, ...]:
    return _operands_of(instruction.base, instruction.opcode, _sources(instruction))


@lru_cache(maxsize=4096)
def _operands_of(base: str, opcode: str, sources: Sequence[str]) -> tuple[Operand, ...]:
    """Return each register that is read, with the position of its operand; wide operands are several registers."""
    reads: list[Operand] = []
    for position, text in enumerate(sources):
        for match in _REGISTER.finditer(text):
            first = int(match.group(1))
            reads += [(first + offset, position) for offset in range(_width(base, opcode, text, match.group(2)))]
    return tuple(reads)


def _width(base: str, opcode: str, text: str, suffix: str | None) -> int:
    if base in _SOURCES_ONLY and "[" not in text:
        return 4 if ".128" in opcode else 2 if ".64" in opcode else 1
    return 2 if base in _PAIRS or suffix else 1


def _sources(instruction: Instruction) -> tuple[str, ...]:
    if instruction.base in _NO_REGISTERS:
        return ()
    if instruction.base in _SOURCES_ONLY:
        return instruction.operands
    return instruction.operands[2 if instruction.base in _TWO_RESULTS else 1 :]
