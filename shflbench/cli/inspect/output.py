"""The tables, listings and JSON of `shflbench inspect`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shflbench.analysis.limits import ISSUE, LATENCY, ExecutionUnit, unit_of
from shflbench.cli.layout import Line, Table, align_right
from shflbench.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.limits import Residency
    from shflbench.cli.inspect.inspected import Inspected
    from shflbench.model import ScheduledInstruction

ALL_DIGITS = 1000  # `.3g` writes this number and larger ones with an exponent
MEANINGS = {  # of causes and units whose name does not say it
    ISSUE: "the schedulers, whatever unit executes the instructions",
    LATENCY: "no unit: the time of one warp, which waits for its own results",
    ExecutionUnit.EXCHANGE: "shuffles, and loads and stores of shared memory; wide ones take several passes",
    ExecutionUnit.FP32: "also integer multiplication, IMAD",
    ExecutionUnit.INTEGER: "also comparisons and selections of floating-point values",
    ExecutionUnit.SPECIAL: "special functions, MUFU",
    ExecutionUnit.UNIFORM: "the uniform datapath: one value per warp",
    ExecutionUnit.OTHER: "control flow, copies and the like, which only need an issue slot",
}


def tables(inspected: Iterable[Inspected], residency: Residency) -> Iterator[Table]:
    """Yield a table for each group of variants and architecture, the lowest limit first."""
    for (pattern, dtype, options, arch), group in group_by(inspected, _group).items():
        yield _table(
            "  ".join((pattern, dtype, *options, arch, _resident(residency))),
            sorted(group, key=lambda one: one.limit.cycles if one.limit else float("inf")),
        )


def _resident(residency: Residency) -> str:
    blocks = residency.warps // residency.warps_per_block
    warps = "1 warp" if residency.warps_per_block == 1 else f"{residency.warps_per_block} warps"
    return f"{'1 block' if blocks == 1 else f'{blocks} blocks'} of {warps} per SM"


def _group(one: Inspected) -> tuple[str, str, tuple[str, ...], str]:
    case = one.subject.case
    return case.pattern, case.dtype, tuple(f"{name}={value}" for name, value in case.options), one.arch


def _table(title: str, group: Sequence[Inspected]) -> Table:
    units = [unit for unit in ExecutionUnit if any(one.counts and unit in one.counts.units for one in group)]
    columns: dict[str, list[str]] = {
        "variant": [one.subject.case.variant for one in group],
        "limit (cycles/iteration)": [f"{one.limit.cycles:.1f}" if one.limit else "" for one in group],
        "limited by": [one.limit.by if one.limit else "" for one in group],
        "instructions": [_number(one.counts.instructions) if one.counts else "" for one in group],
        **{unit: [_number(one.counts.units.get(unit, 0.0)) if one.counts else "" for one in group] for unit in units},
        "registers": [str(one.resources.registers) if one.resources else "" for one in group],
        "shared (bytes/block)": [_bytes(one.resources.shared_bytes) if one.resources else "" for one in group],
        "local (bytes/thread)": [_bytes(one.resources.local_bytes) if one.resources else "" for one in group],
    }
    texts = {
        name: cells if name in {"variant", "limited by"} else align_right(cells) for name, cells in columns.items()
    }
    kept = {name: cells for name, cells in texts.items() if any(map(str.strip, cells))}
    lines = zip(*kept.values(), strict=True)
    body = tuple(Line(cells, "bad" if one.error else "") for cells, one in zip(lines, group, strict=True))
    return Table(title, tuple(kept), body, notes=tuple(_notes(group)))


def _notes(group: Sequence[Inspected]) -> Iterator[str]:
    """Yield what the numbers do not say: remarks, errors, and what a limit leaves out."""
    for remark, alike in group_by((one for one in group if one.remark or one.error), _remark).items():
        yield f"{_variants(alike)}: {remark}"
    for omitted, alike in group_by((one for one in group if one.limit and one.limit.omitted), _omitted).items():
        yield f"{_variants(alike)}: the limit leaves out {', '.join(omitted)}, for which no rate is known"
    for skipped, alike in group_by((one for one in group if one.limit and _skipped(one)), _skipped).items():
        yield f"{_variants(alike)}: the limit leaves out {skipped} instructions, which not every iteration executes"


def _remark(one: Inspected) -> str:
    return one.error.splitlines()[0] if one.error else one.remark


def _omitted(one: Inspected) -> tuple[str, ...]:
    return one.limit.omitted if one.limit else ()


def _skipped(one: Inspected) -> str:
    return _number(one.counts.instructions - one.counts.certain_instructions) if one.counts else ""


def _variants(alike: Sequence[Inspected]) -> str:
    return ", ".join(one.subject.case.variant for one in alike)


def legend(inspected: Sequence[Inspected]) -> Table | None:
    """Return what the words of the tables mean; None if no kernel has a timed loop."""
    present: set[str] = {unit for one in inspected if one.counts for unit in one.counts.units}
    present |= {one.limit.by for one in inspected if one.limit}
    meanings = (
        ("limit", "lower bound: no SM executes one iteration of all its resident warps in fewer cycles"),
        ("limited by", "the unit that needs the most cycles, or another cause"),
        ("instructions", "per warp and iteration: all, and then those of each unit"),
        *((name, text) for name, text in MEANINGS.items() if name in present),
    )
    return Table("", meanings[0], tuple(map(Line, meanings[1:]))) if present else None


def listings(inspected: Iterable[Inspected]) -> Iterator[str]:
    """Yield the timed loop of each kernel, one instruction per line."""
    for one in inspected:
        if one.code:
            head = f"{one.subject.name}  {one.arch}, {one.code.unroll} iterations per pass"
            yield "\n".join((head, *map(_instruction, one.code.instructions)))


def _instruction(item: ScheduledInstruction) -> str:
    instruction, control = item.instruction, item.control
    text = f"{instruction.predicate:>5} {instruction.opcode} {', '.join(instruction.operands)}"
    words = [f"stall {control.stall}"]
    if control.waits:
        words.append(f"waits for {', '.join(f'SB{number}' for number in control.waits)}")
    if control.write_barrier is not None:
        words.append(f"result releases SB{control.write_barrier}")
    if control.read_barrier is not None:
        words.append(f"operands release SB{control.read_barrier}")
    if not item.always:
        words.append("not in every pass")
    return f"  {instruction.address:#06x}  {text:<56}  {unit_of(instruction) or 'unknown':13}  {'; '.join(words)}"


def as_json(inspected: Iterable[Inspected], residency: Residency) -> str:
    """Return everything as JSON."""
    kernels = [_fields(one) for one in inspected]
    return json.dumps(
        {"warps_per_sm": residency.warps, "warps_per_block": residency.warps_per_block, "kernels": kernels}, indent=2
    )


def _fields(one: Inspected) -> dict[str, Any]:
    case = one.subject.case
    return {
        "pattern": case.pattern,
        "variant": case.variant,
        "dtype": case.dtype,
        "options": dict(case.options),
        "arch": one.arch,
        "registers": one.resources.registers if one.resources else None,
        "shared_bytes": one.resources.shared_bytes if one.resources else None,
        "local_bytes": one.resources.local_bytes if one.resources else None,
        "spill_bytes": one.resources.spill_bytes if one.resources else None,
        "instructions_per_iteration": one.counts.instructions if one.counts else None,
        "instructions_in_every_iteration": one.counts.certain_instructions if one.counts else None,
        "units_per_iteration": one.counts.units if one.counts else None,
        "limit_cycles_per_iteration": one.limit.cycles if one.limit else None,
        "limit_by": one.limit.by if one.limit else None,
        "limit_parts": one.limit.parts if one.limit else None,
        "limit_omits": one.limit.omitted if one.limit else None,
        "remark": one.remark or None,
        "error": one.error or None,
    }


def _number(value: float) -> str:
    return (f"{value:.3g}" if value < ALL_DIGITS else f"{value:.0f}") if value else ""


def _bytes(count: int) -> str:
    return str(count) if count else ""
