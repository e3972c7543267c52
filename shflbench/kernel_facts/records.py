"""Inspected kernels as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.kernel_facts.listing import loop_object
from shflbench.kernel_facts.problem_sentences import advice

if TYPE_CHECKING:
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.listing import Lines
    from shflbench.kernel_facts.places import Places
    from shflbench.schemas.inspect import InspectedKernelObject


def record_of(one: InspectedKernel, places: Places, lines: Lines | None) -> InspectedKernelObject:
    """Return one kernel as an object of JSON; with its instructions if their source `lines` are given."""
    case, facts, loop, resident = one.subject.case, one.facts, one.loop, one.occupancy
    record: InspectedKernelObject = {
        "pattern": case.pattern,
        "variant": case.variant,
        "dtype": case.dtype,
        "options": dict(case.options),
        "arch": one.arch,
        "registers": facts.registers if facts else None,
        "shared_bytes": one.shared_bytes if facts else None,
        "local_bytes": facts.local_bytes if facts else None,
        "spill_bytes": facts.spill_bytes if facts else None,
        "threads_per_block": one.block if facts else None,
        "resident_blocks_per_sm": resident.blocks if resident else None,
        "resident_warps_per_sm": resident.warps if resident else None,
        "occupancy": resident.fraction if resident else None,
        "occupancy_limited_by": resident.limited_by if resident else None,
        "instructions_per_iteration": loop.instructions if loop else None,
        "instructions_in_every_iteration": loop.certain_instructions if loop else None,
        "units_per_iteration": loop.units if loop else None,
        "units_in_code": (facts.code or None) if facts else None,
        "instructions_in_loops": facts.in_loops if facts and facts.code else None,
        "grid": one.recorded.row.grid if one.recorded else None,
        "launch": one.recorded.row.launch if one.recorded else None,
        "time_us": one.time_us,
        "limit_us": one.limit_us,
        "limit_cycles_per_iteration": loop.limit_cycles if loop else None,
        "limit_by": one.limit_by or None,
        "limit_parts": loop.limit_parts if loop else None,
        "limit_omits": loop.limit_omits if loop and loop.limit_cycles is not None else None,
        "limit_assumes": loop.limit_assumes if loop and loop.limit_cycles is not None else None,
        "ceiling_cycles_per_iteration": one.ceiling.cycles if one.ceiling else None,
        "ceiling_by": (one.ceiling.by or None) if one.ceiling else None,
        "predicted_cycles_per_iteration": one.predicted.cycles if one.predicted else None,
        "accesses_counted_in": one.counted or None,
        "advice": list(advice(one, places)),
        "missing": list(one.missing),
        "remark": one.remark or None,
        "error": one.error or None,
    }
    if lines is not None:
        record["loop"] = loop_object(one, places, lines)
    return record
