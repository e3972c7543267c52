"""The text and the JSON of `shflbench inspect --diff`."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.limits import ExecutionUnit
from shflbench.cli.inspect.output import WHOLE, header_of, recorded_columns, title_of
from shflbench.cli.layout import Line, Table
from shflbench.core.grouping import group_by
from shflbench.core.model import AccessKind
from shflbench.cuda.compile.timed_code import timed_code, whole_code
from shflbench.kernel_facts.alignment import align
from shflbench.kernel_facts.code_differences import explain, explain_whole, one_warp
from shflbench.kernel_facts.listing import places_of, text_of
from shflbench.kernel_facts.problem_sentences import access_sentence
from shflbench.kernel_facts.records import record_of
from shflbench.schemas.inspect import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.core.model import ScheduledInstruction
    from shflbench.kernel_facts.alignment import AlignedPair
    from shflbench.kernel_facts.diff_sides import KernelPair
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.listing import Lines
    from shflbench.kernel_facts.places import Places
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.schemas.inspect import DiffDocument, InspectedPair

LEGEND = """\
<  only the left code has this instruction    >  only the right code
~  stall count or waits differ                !  modifiers or predicate differ
The number before a scoreboard (SB) is the stall count; w: waits for, r: result releases, o: operands release."""


def as_text(
    pairs: Iterable[KernelPair], resident: ResidentBlocks, places: Places, lines: Lines
) -> Iterator[Table | str]:
    """Yield for each pair of kernels a table per launch, and the loops next to each other; the legend last."""
    for launches in group_by(pairs, lambda pair: (pair.first.subject.name, pair.second.subject.name)).values():
        *others, last = launches
        aligned, sentences = _compared(last, places)
        for pair in others:
            yield _table(pair, resident, ())
        yield _table(last, resident, sentences)
        if aligned:
            yield "\n".join(_side_by_side(last, aligned, places, lines))
    yield LEGEND


def _compared(pair: KernelPair, places: Places) -> tuple[list[AlignedPair], list[str]]:
    """Return the aligned loops, or the whole kernels if not both have one, and what differs in sentences."""
    kernels = (pair.first.kernel, pair.second.kernel)
    loops = [timed_code(kernel) if kernel else None for kernel in kernels]
    is_whole = None in loops
    codes = [whole_code(kernel) if kernel else None for kernel in kernels] if is_whole else loops
    first, second = codes
    if first is None or second is None:
        ends = zip(pair.labels, (pair.first, pair.second), codes, strict=True)
        return [], [
            f"{label}: {one.error.partition(chr(10))[0] or one.remark}" for label, one, code in ends if code is None
        ]
    aligned = align(first, second)
    if is_whole:
        return aligned, [*_accesses(pair, places), WHOLE, *explain_whole(first, second, pair.labels)]
    sentences = [*explain(first, second, aligned, pair.labels), one_warp(pair.first, pair.second, pair.labels)]
    return aligned, [sentence for sentence in sentences if sentence]


def _accesses(pair: KernelPair, places: Places) -> Iterator[str]:
    """Yield what is wrong with accesses of one kernel and not with those of the other, whatever their lines are."""
    sides = (pair.first, pair.second)
    costs = [Counter(map(_cost, one.accesses or ())) for one in sides]
    for label, one, extra in zip(pair.labels, sides, (costs[0] - costs[1], costs[1] - costs[0]), strict=True):
        for finding in one.accesses or ():
            if extra[_cost(finding)]:
                yield f"{label}: {access_sentence(finding, places.named(one.subject, finding.location))}"


def _cost(finding: AccessFinding) -> tuple[object, ...]:
    return finding.kind, finding.access.kind, finding.access.bits, finding.per_request, finding.least


def _table(pair: KernelPair, resident: ResidentBlocks, sentences: Iterable[str]) -> Table:
    rows = [(name, *values) for name, *values in _rows(pair.first, pair.second) if any(values)]
    body = tuple(Line(cells) for cells in rows)
    return Table(title_of(pair.first, pair.second, resident), ("", *pair.labels), body, notes=tuple(sentences))


def _rows(first: InspectedKernel, second: InspectedKernel) -> Iterator[tuple[str, ...]]:
    sides = (first, second)
    units = [one.units for one in sides]
    for name, values in recorded_columns(sides).items():
        yield name, *map(str.strip, values)
    yield "limit (cycles/iteration)", *("" if one.cycles is None else f"{one.cycles:.1f}" for one in sides)
    yield "limited by", *(one.limit_by for one in sides)
    yield "instructions", *(f"{one.instructions:.3g}" if one.units else "" for one in sides)
    yield "in loops", *(str(one.in_loops or "") for one in sides)
    for unit in ExecutionUnit:
        yield header_of(unit), *(f"{known[unit]:.3g}" if unit in known else "" for known in units)
    yield "global loads per thread", *(one.accesses_per_thread(AccessKind.LOAD) for one in sides)
    yield "global stores per thread", *(one.accesses_per_thread(AccessKind.STORE) for one in sides)
    yield "registers", *(str(one.facts.registers) if one.facts else "" for one in sides)
    yield "shared (bytes/block)", *(str(one.shared_bytes or "") for one in sides)
    yield "local (bytes/thread)", *(str(one.facts.local_bytes or "") if one.facts else "" for one in sides)
    yield "occupancy", *(f"{one.occupancy.fraction:.0%}" if one.occupancy else "" for one in sides)


def _side_by_side(pair: KernelPair, aligned: Iterable[AlignedPair], places: Places, lines: Lines) -> Iterator[str]:
    first_places, second_places = (places_of(one, places, lines) for one in (pair.first, pair.second))
    rows = [
        (*_cells(one.first, first_places), one.mark, *reversed(_cells(one.second, second_places))) for one in aligned
    ]
    header = ("source", pair.labels[0], "", pair.labels[1], "source")
    widths = [max(len(row[column]) for row in (*rows, header)) for column in range(len(header))]
    for row in (header, *rows):
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(item: ScheduledInstruction | None, named: dict[int, str]) -> tuple[str, str]:
    """Return the source line of an instruction, and the instruction with its control code."""
    if item is None:
        return "", ""
    return named.get(
        item.instruction.address, ""
    ), f"{item.instruction.address:#06x} {text_of(item):<42} {_control(item)}"


def _control(item: ScheduledInstruction) -> str:
    control = item.control
    words = [f"{control.stall:2}"]
    if control.waits:
        words.append(f"w{','.join(map(str, control.waits))}")
    if control.write_barrier is not None:
        words.append(f"r{control.write_barrier}")
    if control.read_barrier is not None:
        words.append(f"o{control.read_barrier}")
    return " ".join(words)


def as_json(pairs: Iterable[KernelPair], resident: ResidentBlocks, places: Places, lines: Lines) -> str:
    """Return the pairs as JSON."""
    residency = resident.residency
    document: DiffDocument = {
        "schema": SCHEMA,
        "warps_per_sm": residency.warps,
        "warps_per_block": residency.warps_per_block,
        "pairs": [_pair_fields(pair, places, lines) for pair in pairs],
    }
    return json.dumps(document, indent=2)


def _pair_fields(pair: KernelPair, places: Places, lines: Lines) -> InspectedPair:
    aligned, sentences = _compared(pair, places)
    return {
        "left": pair.labels[0],
        "right": pair.labels[1],
        "differences": sentences,
        "kernels": [record_of(one, places, lines) for one in (pair.first, pair.second)],
        "aligned": [
            {
                "left": one.first.instruction.address if one.first else None,
                "right": one.second.instruction.address if one.second else None,
                "stalls_differ": one.stalls_differ,
                "waits_differ": one.waits_differ,
                "opcodes_differ": one.opcodes_differ,
            }
            for one in aligned
        ],
    }
