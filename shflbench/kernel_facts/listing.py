"""The instructions of a timed loop, each with its unit, its source line and its control code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from shflbench.analysis.limits import unit_of
from shflbench.cuda.compile.timed_code import timed_code, whole_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from shflbench.core.model import Control, ScheduledInstruction
    from shflbench.cuda.compile.line_tables import LineTable
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.places import Places
    from shflbench.schemas.inspect import InstructionObject, LoopObject

    Lines: TypeAlias = Mapping[bytes, Mapping[str, LineTable]]  # cubin → symbol → its line table


def listings(inspected: Iterable[InspectedKernel], places: Places, lines: Lines) -> Iterator[str]:
    """Yield the timed loop of each kernel, or all of its code, one instruction per line."""
    for one in {(one.subject.name, one.arch): one for one in inspected}.values():
        code = (timed_code(one.kernel) or whole_code(one.kernel)) if one.kernel else None
        if code is None:
            continue
        named = places_of(one, places, lines)
        width = max(len(named.get(item.instruction.address, "")) for item in code.instructions)
        rows = (_row(item, named.get(item.instruction.address, "").ljust(width)) for item in code.instructions)
        part = f"{code.unroll} iterations per pass" if one.loop else "the whole code"
        yield "\n".join((f"{one.subject.name}  {one.arch}, {part}", *rows))


def places_of(one: InspectedKernel, places: Places, lines: Lines) -> dict[int, str]:
    """Return the source line of each instruction by its address."""
    table = lines.get(one.kernel.cubin, {}).get(one.kernel.symbol, {}) if one.kernel else {}
    names = {steps: places.short(one.subject, steps) for steps in set(table.values())}
    return {address: names[steps] for address, steps in table.items()}


def text_of(item: ScheduledInstruction) -> str:
    """Return predicate, opcode and operands of an instruction."""
    instruction = item.instruction
    return f"{instruction.predicate:>5} {instruction.opcode} {', '.join(instruction.operands)}".rstrip()


def _row(item: ScheduledInstruction, place: str) -> str:
    instruction = item.instruction
    words = [f"stall {item.control.stall}", *_scoreboards(item.control)]
    if not item.always:
        words.append("not in every pass")
    unit = unit_of(instruction) or "unknown"
    return f"  {instruction.address:#06x}  {text_of(item):<56}  {unit:13}  {place}  {'; '.join(words)}"


def _scoreboards(control: Control) -> Iterator[str]:
    if control.waits:
        yield f"waits for {', '.join(f'SB{number}' for number in control.waits)}"
    if control.write_barrier is not None:
        yield f"result releases SB{control.write_barrier}"
    if control.read_barrier is not None:
        yield f"operands release SB{control.read_barrier}"


def loop_object(one: InspectedKernel, places: Places, lines: Lines) -> LoopObject | None:
    """Return the timed loop as an object of JSON; None if the kernel has none."""
    code = timed_code(one.kernel) if one.kernel else None
    if code is None:
        return None
    named = places_of(one, places, lines)
    return {
        "iterations_per_pass": code.unroll,
        "instructions": [_fields(item, named.get(item.instruction.address)) for item in code.instructions],
    }


def _fields(item: ScheduledInstruction, place: str | None) -> InstructionObject:
    instruction, control = item.instruction, item.control
    return {
        "address": instruction.address,
        "predicate": instruction.predicate or None,
        "opcode": instruction.opcode,
        "operands": instruction.operands,
        "unit": unit_of(instruction),
        "source": place,
        "stall": control.stall,
        "waits": control.waits,
        "result_releases": control.write_barrier,
        "operands_release": control.read_barrier,
        "in_every_pass": item.always,
    }
