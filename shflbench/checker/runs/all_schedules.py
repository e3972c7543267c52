"""Decide whether what one execution of a launch shows holds for every order of its threads.

It does where threads communicate by barriers only, and nothing races: then what each thread reads, and so what it does
next, follows from its program and the accesses that barriers order before. Another order of threads has the same
accesses in the same happens-before relation. Not covered are values that depend on the order, and barriers at which
the order decides who meets: those of a number of threads. Of barriers in memory, which count arrivals and bytes, the
code has to show that threads learn nothing from a test but that a phase is complete (`dataflow/phase_waits.py`), and
the execution that no other order divides the operations into other phases (`races/phase_order.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.runs.differences import differences
from shflbench.checker.runs.order import read_registers
from shflbench.emulator.dataflow.phase_waits import only_waits_for_phases
from shflbench.emulator.opcodes.forms import Access, Barrier, Collective, Service
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.link.program import Op, Program

# Atomics of one such operation give the same result in each order; integers only.
_COMMUTING = {"add", "min", "max", "and", "or", "xor"}
_SERVICES = {  # that do the same in each order
    "vprintf", "__assertfail", "stack", "copy_commit", "copy_wait", "copy_wait_all",
    "bulk_copy", "bulk_commit", "bulk_wait", "copy_deliver",
}  # fmt: skip
_CHANGING = ("%smid", "%warpid", "%pm", "%clock", "%globaltimer")  # special registers that a GPU may give any value


def shows_all_schedules(item: LaunchEvidence, program: Program) -> bool:
    """Whether findings and results of a launch hold for each order of threads that communicate by barriers only.

    All of its blocks ran to their ends, nothing was found, and phases of barriers in memory are the same in each order.
    """
    is_whole = not (item.partial or item.differences or item.launch.shape.sample)
    return is_whole and results_hold_for_all(item.results, program)


def results_hold_for_all(results: Sequence[ScheduleResult], program: Program) -> bool:
    """Whether nothing was found under some schedules, all end alike, and phases of barriers in memory are fixed."""
    if not results or any(result.error is not None or result.faults or result.hazards for result in results):
        return False
    if any(differences(results, [""] * len(results[0].outputs))):
        return False
    return not program.tests_phases or any(result.phases_are_fixed for result in results)


def communicates_by_barriers(program: Program) -> bool:
    """Return whether nothing but barriers, and memory that they order, lets threads learn of one another."""
    if any(name.startswith(_CHANGING) for name in program.special):
        return False
    ops, read = list(program.ops()), read_registers(program)
    updates = [op for op in ops if isinstance(op.form, Access) and op.form.atomic and not op.form.is_barrier]
    depends = any(_depends_on_order(op) for op in ops)
    return not depends and _commute(updates, read) and only_waits_for_phases(program)


def _depends_on_order(op: Op) -> bool:
    form = op.form
    if isinstance(form, Access):
        return form.strong and not (form.atomic or form.is_barrier)
    if isinstance(form, Barrier):
        return form.counted or form.arrives_only
    if isinstance(form, Collective):
        return form.mask is None or has_role(op.instruction, OpcodeRole.ORDER)
    return isinstance(form, Service) and form.name not in _SERVICES and not _only_stores(op)


def _only_stores(op: Op) -> bool:
    """Whether an asynchronous operation stores values; `red.async` combines them with those in memory."""
    return has_role(op.instruction, OpcodeRole.LATE_STORE) and len(op.instruction.modifiers) == 1


def _commute(updates: Sequence[Op], read: set[int]) -> bool:
    """Whether atomics leave the same values in each order, and no thread reads what they return."""
    words = {op.instruction.modifiers[-1] for op in updates}
    operations = {tuple(_COMMUTING.intersection(op.instruction.modifiers)) for op in updates}
    returns = any(slot is not None and slot.number in read for op in updates for slot in op.results)
    is_of_integers = all(word[:1] in {"u", "s", "b"} for word in words)
    return not updates or (not returns and is_of_integers and len(operations) == 1 and operations != {()})
