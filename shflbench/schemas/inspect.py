"""The JSON of `shflbench inspect`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "The machine code of kernels: what their loops execute, and the least time that the hardware allows."


class InstructionObject(TypedDict):
    """An instruction of a timed loop, with its control code."""

    address: Annotated[int, "address in the code of the kernel, bytes"]
    predicate: Annotated[str | None, "predicate under which it executes; null if it always does"]
    opcode: Annotated[str, "opcode with its modifiers"]
    operands: Annotated[Sequence[str], "operands"]
    unit: Annotated[str | None, "unit of the SM that executes it"]
    source: Annotated[str | None, "source line, `FILE:LINE`; null where it is not known"]
    stall: Annotated[int, "stall count, cycles"]
    waits: Annotated[Sequence[int], "scoreboards that it waits for"]
    result_releases: Annotated[int | None, "scoreboard that it releases when its result is written"]
    operands_release: Annotated[int | None, "scoreboard that it releases when its operands are read"]
    in_every_pass: Annotated[bool, "whether every pass through the loop executes it"]


class LoopObject(TypedDict):
    """A timed loop."""

    iterations_per_pass: Annotated[int, "iterations per pass: how far the loop is unrolled"]
    instructions: Annotated[Sequence[InstructionObject], "its instructions"]


class InspectedKernelObject(TypedDict):
    """A kernel; null where something is not known, or where there is no timed loop."""

    pattern: Annotated[str, "name of the pattern"]
    variant: Annotated[str, "name of the variant"]
    dtype: Annotated[str, "element type"]
    options: Annotated[Mapping[str, str], "options of the pattern, by name"]
    arch: Annotated[str, "architecture that it was compiled for"]
    registers: Annotated[int | None, "registers per thread"]
    shared_bytes: Annotated[int | None, "shared memory per block, static and dynamic, bytes"]
    local_bytes: Annotated[int | None, "local memory per thread, bytes"]
    spill_bytes: Annotated[int | None, "spill stores and loads per thread, bytes"]
    threads_per_block: Annotated[int | None, "threads per block, for shared memory and occupancy"]
    resident_blocks_per_sm: Annotated[int | None, "blocks that fit on an SM at a time"]
    resident_warps_per_sm: Annotated[int | None, "warps that fit on an SM at a time"]
    occupancy: Annotated[float | None, "these warps as a fraction of those that an SM can hold, 0 to 1"]
    occupancy_limited_by: Annotated[Sequence[str] | None, "resources that allow no further block"]
    instructions_per_iteration: Annotated[float | None, "instructions per warp and iteration"]
    instructions_in_every_iteration: Annotated[float | None, "those of them that every iteration executes"]
    units_per_iteration: Annotated[Mapping[str, float] | None, "instructions per warp and iteration, by unit of the SM"]
    units_in_code: Annotated[
        Mapping[str, float] | None, "without a timed loop: instructions of the whole code, by unit"
    ]
    instructions_in_loops: Annotated[int | None, "without a timed loop: instructions that a loop repeats"]
    grid: Annotated[int | None, "of a run: blocks"]
    launch: Annotated[str | None, "of a run: the launch"]
    time_us: Annotated[float | None, "of a run: measured median time of one launch, µs"]
    limit_us: Annotated[float | None, "of a run: limit, the least time of one launch, µs"]
    limit_cycles_per_iteration: Annotated[
        float | None, "limit: least cycles in which an SM executes one iteration of all its resident warps"
    ]
    limit_by: Annotated[str | None, "what sets the limit: a unit of the SM, or another cause"]
    limit_parts: Annotated[Mapping[str, float] | None, "cycles that each unit or cause needs at least"]
    limit_omits: Annotated[Sequence[str] | None, "what the limit leaves out, because no figure of it is known"]
    limit_assumes: Annotated[Sequence[str] | None, "best cases, where the code does not show what happens"]
    ceiling_cycles_per_iteration: Annotated[float | None, "likewise at calibrated rates; a kernel can be faster"]
    ceiling_by: Annotated[str | None, "what sets the ceiling"]
    predicted_cycles_per_iteration: Annotated[float | None, "predicted cycles: neither a bound nor a measurement"]
    accesses_counted_in: Annotated[str | None, "blocks in which the emulator counted accesses to memory"]
    advice: Annotated[Sequence[str], "what to change, a sentence each"]
    missing: Annotated[Sequence[str], "what is not known, and why, a sentence each"]
    remark: Annotated[str | None, "why there is no limit"]
    error: Annotated[str | None, "why it does not compile"]
    loop: NotRequired[Annotated[LoopObject | None, "its timed loop; only with `--sass` or `--diff`"]]


class InspectDocument(TypedDict):
    """Inspected kernels."""

    schema: Annotated[Literal[1], NUMBER]
    warps_per_sm: Annotated[int, "resident warps per SM that limits are for"]
    warps_per_block: Annotated[int, "warps per block that limits are for"]
    kernels: Annotated[Sequence[InspectedKernelObject], "the kernels"]


class AlignedInstructions(TypedDict):
    """Instructions of both sides that stand beside each other; null where a side has none."""

    left: Annotated[int | None, "address on the left side, bytes"]
    right: Annotated[int | None, "address on the right side, bytes"]
    stalls_differ: Annotated[bool, "whether the stall counts differ"]
    waits_differ: Annotated[bool, "whether they wait for different scoreboards"]
    opcodes_differ: Annotated[bool, "whether the opcodes differ"]


class InspectedPair(TypedDict):
    """Two kernels, compared."""

    left: Annotated[str, "name of the left side"]
    right: Annotated[str, "name of the right side"]
    differences: Annotated[Sequence[str], "what differs, a sentence each"]
    kernels: Annotated[Sequence[InspectedKernelObject], "the left and the right kernel"]
    aligned: Annotated[Sequence[AlignedInstructions], "their instructions beside each other"]


class DiffDocument(TypedDict):
    """Kernels of two sides, compared (`--diff`)."""

    schema: Annotated[Literal[1], NUMBER]
    warps_per_sm: Annotated[int, "resident warps per SM that limits are for"]
    warps_per_block: Annotated[int, "warps per block that limits are for"]
    pairs: Annotated[Sequence[InspectedPair], "the kernels that both sides have"]


DOCUMENTS = (InspectDocument, DiffDocument)
