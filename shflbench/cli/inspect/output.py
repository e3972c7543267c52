"""The tables and JSON of `shflbench inspect`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.analysis.limits import ISSUE, LATENCY, ExecutionUnit
from shflbench.cli.layout import Line, Table, align_right
from shflbench.cli.show.tables import time_cells
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.kernel_facts.problem_sentences import access_advice, advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.kernel_facts.inspected_kernel import CycleEstimate, InspectedKernel
    from shflbench.kernel_facts.inspection import InspectResult
    from shflbench.kernel_facts.places import Places
    from shflbench.kernel_facts.residency import ResidentBlocks

ALL_DIGITS = 1000  # `.3g` writes this number and larger ones with an exponent
WHOLE = "instructions are those of the whole code, each counted once"
TEXT_COLUMNS = {"variant", "limited by", "ceiling by", "occupancy limited by"}
MEANINGS = {  # of causes and units whose name does not say it
    ISSUE: "the schedulers, whatever unit executes the instructions",
    LATENCY: "no unit: the time of one warp, which waits for its own results",
    ExecutionUnit.EXCHANGE: "shuffles, and loads and stores of shared memory; wide ones take several passes",
    ExecutionUnit.FP32: "also integer multiplication, IMAD",
    ExecutionUnit.HALF2: "also moves of constants, HFMA2.MMA",
    ExecutionUnit.INTEGER: "also comparisons and selections of floating-point values",
    ExecutionUnit.SPECIAL: "special functions, MUFU",
    ExecutionUnit.UNIFORM: "the uniform datapath: one value per warp",
    ExecutionUnit.CLUSTER_BARRIER: "arrivals and waits of blocks in a cluster; its rate is not published",
    ExecutionUnit.MBARRIER: "operations on barriers in shared memory, SYNCS; their rate is not published",
    ExecutionUnit.CLUSTER_STORE: "st.async and red.async to another block; their rate is not published",
    ExecutionUnit.BULK_COPY: "cp.async.bulk; its rate is not published",
    ExecutionUnit.MATRIX: "mma and movmatrix; their rates are only published as a peak of large products",
    ExecutionUnit.OTHER: "control flow, copies and the like, which only need an issue slot",
}


def tables(inspected: Iterable[InspectedKernel], resident: ResidentBlocks, places: Places) -> Iterator[Table]:
    """Yield a table for each group of variants and architecture, the shortest time or the lowest limit first."""
    for (pattern, dtype, options, arch, launch), group in group_by(inspected, _group).items():
        words = (pattern, dtype, *options, arch, launch or _resident(resident), _loops(group))
        yield _table(
            "  ".join(filter(None, words)),
            sorted(group, key=lambda one: (_or_last(one.time_us), _or_last(one.cycles))),
            places,
        )


def accesses(inspected: Iterable[InspectedKernel], places: Places) -> str:
    """Return what is wrong with the memory accesses of recorded launches; empty if they were not counted."""
    counted = [one for one in inspected if one.counted]
    if not counted:
        return ""
    sentences: dict[str, dict[str, None]] = {}  # sentence → variants
    for one in counted:
        for sentence in access_advice(one, places):
            sentences.setdefault(sentence, {})[one.subject.case.variant] = None
    blocks = ", ".join(dict.fromkeys(one.counted for one in counted))
    head = f"Memory accesses, counted in the emulator in {blocks}:"
    lines = [f"{', '.join(variants)}: {sentence}" for sentence, variants in sentences.items()]
    return "\n  ".join((head, *(lines or ["no bank conflicts, and every request touches the fewest sectors"])))


def _or_last(value: float | None) -> float:
    return float("inf") if value is None else value


def title_of(one: InspectedKernel, other: InspectedKernel, resident: ResidentBlocks) -> str:
    """Return what the kernels on both sides of a diff have in common."""
    pattern, dtype, options, arch, launch = _group(one)
    variants = [one.subject.case.variant, other.subject.case.variant]
    patterns = [pattern, other.subject.case.pattern]
    if one.subject.pattern.folder == other.subject.pattern.folder:  # the labels are the variants where these differ
        variants = variants if variants[0] == variants[1] else []
    at = launch if launch == _group(other)[-1] else ""
    where = arch if arch == other.arch else "", at if one.recorded else _resident(resident)
    names = (" / ".join(dict.fromkeys(words)) for words in (patterns, variants))
    return "  ".join(filter(None, (*names, dtype, *options, *where, _loops((one, other)))))


def _loops(group: Iterable[InspectedKernel]) -> str:
    return "loops counted once" if any(one.in_loops for one in group) else ""


def _resident(resident: ResidentBlocks) -> str:
    warps = resident.residency.warps_per_block
    blocks = count_noun(resident.blocks, "block")
    return f"{blocks} of {count_noun(warps, 'warp')} per SM"


def _group(one: InspectedKernel) -> tuple[str, str, tuple[str, ...], str, str]:
    case, recorded = one.subject.case, one.recorded
    launch = "  ".join((f"launch {recorded.row.launch}", *recorded.launch_options)) if recorded else ""
    return case.pattern, case.dtype, tuple(f"{name}={value}" for name, value in case.options), one.arch, launch


def _table(title: str, group: Sequence[InspectedKernel], places: Places) -> Table:
    units = [unit for unit in ExecutionUnit if any(unit in one.units for one in group)]
    columns: dict[str, list[str]] = {
        "variant": [one.subject.case.variant for one in group],
        **recorded_columns(group),
        "limit (cycles/iteration)": ["" if one.cycles is None else f"{one.cycles:.1f}" for one in group],
        "limited by": [one.limit_by for one in group],
        "ceiling (cycles/iteration)": [_estimate(one.ceiling) for one in group],
        "ceiling by": [one.ceiling.by if one.ceiling else "" for one in group],
        "predicted (cycles/iteration)": [_estimate(one.predicted) for one in group],
        "instructions": [_number(one.instructions) for one in group],
        "in loops": [_number(one.in_loops) for one in group],
        **{header_of(unit): [_number(one.units.get(unit, 0.0)) for one in group] for unit in units},
        "registers": [str(one.facts.registers) if one.facts else "" for one in group],
        "shared (bytes/block)": [_bytes(one.shared_bytes) for one in group],
        "local (bytes/thread)": [_bytes(one.facts.local_bytes) if one.facts else "" for one in group],
        "spills (bytes/thread)": [_bytes(one.facts.spill_bytes) if one.facts else "" for one in group],
        "occupancy": [f"{one.occupancy.fraction:.0%}" if one.occupancy else "" for one in group],
        "occupancy limited by": [_limited_by(one) for one in group],
    }
    texts = {name: cells if name in TEXT_COLUMNS else align_right(cells) for name, cells in columns.items()}
    kept = {name: cells for name, cells in texts.items() if any(map(str.strip, cells))}
    lines = zip(*kept.values(), strict=True)
    body = tuple(Line(cells, "bad" if one.error else "") for cells, one in zip(lines, group, strict=True))
    return Table(title, tuple(kept), body, notes=tuple(_notes(group, places)))


def header_of(unit: ExecutionUnit) -> str:
    """Return the header of a unit's instructions: one of its opcodes where the name of the unit suggests others."""
    return "fp32 or IMAD" if unit is ExecutionUnit.FP32 else unit


def recorded_columns(group: Sequence[InspectedKernel]) -> dict[str, list[str]]:
    """Return the launch, the time and the limit that a run recorded of each kernel, empty without a run.

    The launch is in the title where the kernels have the same.
    """
    shapes = [one.recorded.shape if one.recorded else "" for one in group]
    rows = [one.recorded.row for one in group if one.recorded]
    times = iter(time_cells(rows))
    return {
        "launch": shapes if len(set(shapes)) > 1 else [],
        "time (µs/launch)": [next(times) if one.recorded else "" for one in group],
        "limit (µs/launch)": ["" if one.limit_us is None else f"{one.limit_mark}{one.limit_us:.2f}" for one in group],
    }


def _estimate(estimate: CycleEstimate | None) -> str:
    return f"{estimate.cycles:.1f}" if estimate and estimate.cycles is not None else ""


def _limited_by(one: InspectedKernel) -> str:
    """Return what keeps an SM from holding more warps; nothing if it holds as many as it can."""
    return ", ".join(one.occupancy.limited_by) if one.occupancy and one.occupancy.fraction < 1 else ""


def _notes(group: Sequence[InspectedKernel], places: Places) -> Iterator[str]:
    """Yield what the numbers do not say: remarks, errors, what a limit leaves out, and what to change."""
    sentences: dict[str, list[str]] = {}  # sentence → variants
    for one in group:
        above = set(access_advice(one, places)) if one.counted else set()
        for sentence in (*_remarks(one), *(text for text in advice(one, places) if text not in above)):
            sentences.setdefault(sentence, []).append(one.subject.case.variant)
    yield from (f"{', '.join(variants)}: {sentence}" for sentence, variants in sentences.items())


def _remarks(one: InspectedKernel) -> Iterator[str]:
    if one.error:
        yield one.error.splitlines()[0]
    elif remark := "; ".join(filter(None, (one.remark, WHOLE if one.units and not one.loop else ""))):
        yield remark
    yield from one.missing
    if one.occupancy and 0 < one.occupancy.blocks < one.requested_blocks:
        yield f"only {one.occupancy.blocks} of {one.requested_blocks} blocks fit on an SM at a time; the others wait"
    if one.limit_mark:
        yield f"≈ marks a limit that is an estimate, from {one.counted}"
    if one.loop is None or one.cycles is None:
        return
    if one.loop.limit_omits:
        yield f"the limit leaves out {', '.join(one.loop.limit_omits)}, for which no figure is known"
    if skipped := _number(one.loop.instructions - one.loop.certain_instructions):
        yield f"the limit leaves out {skipped} instructions, which not every iteration executes"


def legend(inspected: Sequence[InspectedKernel]) -> Table | None:
    """Return what the words of the tables mean; None if no kernel has a timed loop or a limit."""
    present: set[str] = {unit for one in inspected if one.loop for unit in one.loop.units}
    present |= {one.limit_by for one in inspected if one.limit_by}
    has_loops = any(one.loop for one in inspected)
    limit = (
        "lower bound: no SM executes one iteration of all its resident warps in fewer cycles"
        if has_loops
        else "lower bound of the time at the documented rates of the hardware"
    )
    meanings = (
        ("limit", limit),
        ("limited by", "the unit that needs the most cycles, or another cause"),
        *(
            [("ceiling", "likewise, at the rates that `calibrate` measured on a GPU; a kernel can beat it")]
            if any(one.ceiling for one in inspected)
            else []
        ),
        *(
            [("predicted", "simulated for one SM with constants of an H200; neither a bound nor a measurement")]
            if any(one.predicted for one in inspected)
            else []
        ),
        *([("instructions", "per warp and iteration: all, and then those of each unit")] if has_loops else []),
        *((name, text) for name, text in MEANINGS.items() if name in present),
        (
            "occupancy",
            "warps that fit on an SM at once, as a share of the most that it can hold, and what allows no more",
        ),
    )
    return Table("", meanings[0], tuple(map(Line, meanings[1:]))) if present else None


def as_json(result: InspectResult) -> str:
    """Return everything as JSON."""
    return json.dumps(result.to_dict(), indent=2)


def _number(value: float) -> str:
    return (f"{value:.3g}" if value < ALL_DIGITS else f"{value:.0f}") if value else ""


def _bytes(count: int) -> str:
    return str(count) if count else ""
