"""Timed loops as a disassembler would return them."""

from shflbench.core.model import Control, Instruction, ScheduledInstruction, TimedCode


def item(
    text: str,
    *,
    stall: int = 1,
    writes: int | None = None,
    reads: int | None = None,
    waits: tuple[int, ...] = (),
    always: bool = True,
) -> ScheduledInstruction:
    """Return an instruction, `@P0 LDS R1, [R2]`; `writes`, `reads` and `waits` are scoreboard barriers."""
    predicate, rest = text.split(maxsplit=1) if text.startswith("@") else ("", text)
    opcode, _, operands = rest.partition(" ")
    return ScheduledInstruction(
        Instruction(0, predicate, opcode, tuple(operands.split(", ")) if operands else ()),
        Control(stall, writes, reads, waits),
        always,
    )


def code(*items: ScheduledInstruction | str, unroll: int = 1) -> TimedCode:
    """Return a loop; an instruction that is given as text alone takes one clock and waits for nothing."""
    return TimedCode(tuple(item(one) if isinstance(one, str) else one for one in items), unroll)
