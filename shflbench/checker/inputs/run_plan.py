"""The launches to check a kernel at, and all that decides on their arguments.

Among the launches is one with as many threads as a size that the user gives (`--arg n=1000` without `--launch`);
buffers that have to begin with zeros to make sense are counters, locks and flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shflbench.checker.inputs.alternatives import ContentLayout
from shflbench.checker.inputs.argument_spec import ArgumentSpec
from shflbench.checker.inputs.array_accesses import array_accesses, range_ends, records
from shflbench.checker.inputs.asserted_grids import with_asserted_grids
from shflbench.checker.inputs.blocks import suggested_blocks
from shflbench.checker.inputs.bounds import size_bounds, starts_of_ranges
from shflbench.checker.inputs.cluster_plan import with_clusters
from shflbench.checker.inputs.compared_constants import address_contents, structural_contents, thresholds
from shflbench.checker.inputs.default_launches import PlannedLaunch, plan
from shflbench.checker.inputs.last_blocks import named_tickets, with_last_blocks
from shflbench.checker.inputs.names import match_names
from shflbench.checker.inputs.numbers import ArgumentNumbers
from shflbench.checker.inputs.range_pairs import range_pairs
from shflbench.checker.inputs.sampled import with_samples
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.inputs.size_bound import evaluate
from shflbench.checker.inputs.wider_grids import with_wider_grids
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.arrivals import arrival_counts
from shflbench.emulator.dataflow.bit_uses import masks, shifts, units
from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.dataflow.scope import used_indexes
from shflbench.emulator.dataflow.strides import elements_per_thread, numbers_of_blocks, strides
from shflbench.emulator.dataflow.tickets import tickets
from shflbench.emulator.dataflow.warps import takes_whole_warps
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.array_accesses import ArrayAccess
    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Program

MOST_THREADS = 1 << 14  # more take seconds; that the size is not reached is reported


class RunPlan(NamedTuple):
    """What to run a kernel with."""

    spec: ArgumentSpec
    launches: list[PlannedLaunch]


def plan_runs(
    linked: LinkedKernel,
    arguments: Sequence[GivenArgument],
    launches: Sequence[LaunchShape],
    shared_bytes: int | None,
    cluster: Dims | None = None,
) -> RunPlan:
    """Return the plan for a kernel with what the user gave; UsageError if an argument does not fit it."""
    kernel, program, slicer = linked.kernel, linked.program, linked.slicer
    names = kernel.pointers
    indexes = structural_contents(slicer)
    accesses = list(array_accesses(slicer, slicer.kept(IndexValues)))
    offsets = range_ends(accesses, slicer)
    pairs = range_pairs(accesses, slicer)
    spec = ArgumentSpec(
        given=match_names(arguments, kernel),
        shared_bytes=shared_bytes,
        uses_dynamic_shared=linked.uses_dynamic_shared,
        zeroed=zeroed_buffers(kernel, program, slicer),
        bounds=size_bounds(kernel, slicer),
        strides=strides(slicer),
        per_thread=elements_per_thread(slicer),
        blocks=numbers_of_blocks(slicer),
        starts=starts_of_ranges(slicer),
        tickets=named_tickets(tickets(slicer), kernel, program),
        arrivals=arrival_counts(slicer),
        masks=masks(slicer),
        shifts=shifts(slicer),
        units=units(slicer),
        offsets=frozenset(names[start] for start in offsets & names.keys()),
        ends={names[end]: names[start] for end, start in pairs.items() if {end, start} <= names.keys()},
        indexes=frozenset(names[start] for start in indexes & names.keys()),
        layouts=_layouts(kernel, slicer, accesses),
        thresholds=thresholds(kernel, slicer),
    )
    used = used_indexes(slicer)
    suggestions = suggested_blocks(slicer, used, kernel.named_block, kernel.launch_bounds)
    whole_warps = takes_whole_warps(slicer)
    usual = plan(launches, kernel.host_launches, used, kernel.launch_bounds, suggestions, whole_warps=whole_warps)
    covering = with_covering(with_asserted_grids(usual, slicer), kernel, spec)
    of_any_size = not spec.indexes and not spec.offsets
    sampled = with_samples(covering, slicer.ops, used, of_any_size=of_any_size, first=bool(spec.strides))
    launch_plan = with_wider_grids(with_last_blocks(sampled, kernel, spec), slicer)
    return RunPlan(spec, with_clusters(launch_plan, cluster, kernel.launch_bounds, slicer.ops))


def _layouts(kernel: SourceKernel, slicer: Slicer, accesses: Sequence[ArrayAccess]) -> dict[str, ContentLayout]:
    """Return what the elements of buffers are whose contents are addresses, or numbers of iterations."""
    in_addresses, sizes = address_contents(slicer), records(accesses)
    return {
        kernel.pointers[start]: ContentLayout(sizes.get(start, 1), start not in in_addresses)
        for start in sorted(structural_contents(slicer) & kernel.pointers.keys())
    }


def with_covering(plan: Sequence[PlannedLaunch], kernel: SourceKernel, spec: ArgumentSpec) -> list[PlannedLaunch]:
    """Return a plan with a launch whose last threads are beyond the largest given size, if no other launch has them.

    Only for launches of one dimension: in several, each size limits one of them, and which one is not known.
    """
    usual = [item for item in plan if item.origin.is_synthesized and not item.is_special]
    if not usual or len(usual) < sum(not item.is_special for item in plan):
        return list(plan)
    last = max(usual, key=lambda item: item.shape.threads_per_block)
    threads = last.shape.threads_per_block
    needed = max(_needed_threads(kernel, last, spec), default=0)
    enough = any(item.shape.threads >= needed for item in usual)
    several = last.shape.grid[1:] != (1, 1) or last.shape.block[1:] != (1, 1) or last.shape.grid[0] == 1
    if enough or several or needed > MOST_THREADS:
        return list(plan)
    shape = LaunchShape((-(-needed // threads), 1, 1), last.shape.block)
    basis = Origin.SUGGESTED if last.origin.has_suggested_block else Origin.CHOSEN
    return [*plan, PlannedLaunch(shape, basis, last.host, "threads for the given size")]


def _needed_threads(kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec) -> Iterator[int]:
    """Yield a thread more than each given size, for which the guard does not hold; without a guard, the size itself."""
    numbers = dict(ArgumentNumbers(kernel, launch, spec).integers())
    given = {byte: int(number.value) for byte, number in numbers.items() if number.origin is Origin.GIVEN}
    for bounds in spec.bounds.values():
        for bound in bounds:
            limit = evaluate(bound.limit, given)
            if limit is not None and not bound.in_loop and not bound.of_grid:
                yield limit if bound.unread else limit + 1


def zeroed_buffers(kernel: SourceKernel, program: Program, slicer: Slicer) -> frozenset[str]:
    """Return the names of the pointers through which the kernel performs atomics, or polls."""
    starts: set[int] = set()
    for op in program.ops():
        form = op.form
        if isinstance(form, Access) and (
            form.kind in {"atom", "red"} or (form.kind == "ld" and _polls(op.instruction.modifiers))
        ):
            starts |= slicer.pointers(op)
    return frozenset(name for start, name in kernel.pointers.items() if start in starts)


def _polls(words: tuple[str, ...]) -> bool:
    return bool({"volatile", "relaxed", "acquire", "mmio"} & set(words))
