"""Faults that say only that values which nobody gave do not fit: with others, the same code runs without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument_options import HOST_ARGS
from shflbench.checker.inputs.default_launches import is_edge, is_whole_of
from shflbench.checker.judgment.body import is_of_memory
from shflbench.checker.judgment.causes import LAUNCH, OF_VALUES, SHARED, TEXTURES, only_special, race_inputs
from shflbench.checker.judgment.repeated_keys import repeated_keys
from shflbench.checker.runs.alternative_runs import Causes
from shflbench.checker.runs.sites import Site, executors_of, ran_ops, threads_at_work
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.guards import guards
from shflbench.emulator.dataflow.index_values import parameters_of
from shflbench.emulator.dataflow.nests import loop_heads
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.races.hazards import RACES, HazardKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer

OF_THREADS = ("%tid.", "%ctaid.")  # registers that the number of a thread is computed from
FAR = 4  # times the size that a guard suggests: if accesses need as much, the guard is not one of that buffer


class UnsupportedInputs:
    """Knows which launch executed which code."""

    def __init__(self, launches: Sequence[LaunchEvidence], slicer: Slicer) -> None:
        """Keep the launches of a kernel."""
        self._launches, self._slicer = launches, slicer
        self._executors_of: dict[int, dict[int, int]] = {}

    def reasons(self, observation: Observation, causes: Collection[str]) -> tuple[str, ...]:
        """Return the chosen values, or the launch, that do not fit, if a fault with these `causes` says only that."""
        names = {name for name in causes if name not in {LAUNCH, HOST_ARGS}}
        is_race = observation.kind in RACES | {HazardKind.SAME_VALUE}
        # Of a launch with fewer blocks, `causes` says that all of it is chosen.
        if is_race and (not causes or is_scaled_down(observation)):
            names |= set(race_inputs(observation, self._slicer, observation.launches[0].arguments))
        if SHARED in causes or not self._may_be(observation, names):
            return ()
        if self._expects_repeats(observation, names) or self._is_of_guarded_size(observation, names):
            return ()
        site = site_of(observation, self._slicer)
        happened = {id(item) for item in observation.launches}
        in_block = only_in_fewer_blocks(observation)
        fits = any(
            id(item) not in happened
            and item.results[0].error is None
            and _is_comparable(item, observation)
            and (site.is_refuted(item, self._executors(item)) or (_has_real_sizes(observation, item) and not in_block))
            for item in self._launches
        )
        return (tuple(causes) or tuple(sorted(names)) or (LAUNCH,)) if fits else ()

    def _may_be(self, observation: Observation, names: Collection[str]) -> bool:
        """Whether values of these arguments may be the reason of a fault."""
        if observation.kind is HazardKind.ENDLESS:
            return True  # the caller asks only where the loop may end
        if observation.kind in OF_VALUES:
            return bool(names) or only_special(observation) or is_scaled_down(observation)
        if observation.kind not in RACES | {HazardKind.SAME_VALUE}:
            return False
        if only_special(observation) or only_in_fewer_blocks(observation):
            return True
        if observation.kind in {HazardKind.WAW, HazardKind.SAME_VALUE}:
            return bool(names)
        # Rows of `c[y * width + x] += …` overlap if the width is too small. Between different places it is a barrier
        # that is missing, and of a count, `count[in[i]]++`, the contents all have to differ.
        contents = {buffer.name for buffer in observation.launches[0].arguments.buffers} | {TEXTURES}
        return bool(names) and not contents & set(names) and self._is_update(observation)

    def _expects_repeats(self, observation: Observation, names: set[str]) -> bool:
        """Whether a race is one of threads with equal keys that the code itself expects."""
        if observation.kind is not HazardKind.WAW:
            return False
        spans = observation.launches[0].arguments.spans(self._slicer.kept(repeated_keys))
        return not names.isdisjoint({span.name for span in spans})

    def _is_of_guarded_size(self, observation: Observation, names: Collection[str]) -> bool:
        """Whether threads read what those beyond a size left unwritten: a guard says that there may be such threads.

        With sizes for which all threads have work, nothing is unwritten.
        """
        varied = all(item.arguments.is_varied for item in observation.launches)
        if observation.kind is not HazardKind.UNINITIALIZED or not varied:
            return False
        arguments = observation.launches[0].arguments
        guarded = {
            span.name
            for guard in self._slicer.kept(guards)
            if any(symbol.startswith(OF_THREADS) for term in guard.index for symbol in term)
            for term in guard.limit
            for span in arguments.spans(parameters_of(term) or ())
        }
        return not guarded.isdisjoint(names)

    def _is_update(self, observation: Observation) -> bool:
        """Whether a race is one of updates in place: loads and stores of one address, or of the same ones in a line."""
        hazard = observation.hazard
        sides = (hazard.instruction, hazard.other or hazard.instruction)
        one, other = ({op.place for op in self._slicer.ops_of(side)} for side in sides)
        if one == other:
            return True
        line = hazard.instruction.location
        if hazard.other is None or line is None or hazard.other.location != line:
            return False
        ops = [op for op in self._slicer.ops if op.instruction.location == line]
        loads, stores = (
            {op.place for op in ops if isinstance(op.form, Access) and op.form.kind == kind} for kind in ("ld", "st")
        )
        return loads == stores

    def _executors(self, item: LaunchEvidence) -> dict[int, int]:
        executors = self._executors_of.get(id(item))
        if executors is None:
            executors = self._executors_of[id(item)] = executors_of(self._slicer.program, item)
        return executors


def only_in_fewer_blocks(observation: Observation) -> bool:
    """Whether threads of one block race only where it has the work of other blocks, too.

    Blocks at the real sizes show such a race if their loops iterate as often there.
    """
    return is_scaled_down(observation) and observation.kind in RACES and observation.hazard.space == "shared"


def _has_real_sizes(observation: Observation, item: LaunchEvidence) -> bool:
    return is_scaled_down(observation) and bool(item.launch.shape.sample)


def is_scaled_down(observation: Observation) -> bool:
    """Whether a hazard happened only in launches with fewer blocks, and shorter sizes, than those of the host code."""
    return all(item.launch.origin.is_scaled_down and not item.launch.shape.sample for item in observation.launches)


def find_undecided(
    judged: Iterable[Observation], evidence: KernelEvidence, slicer: Slicer
) -> tuple[list[LaunchEvidence], list[Site]]:
    """Return the launches whose values may be the reason that a kernel needs arguments, and the code to execute."""
    items = [item for item in judged if item.causes or item.undecided or _may_overlap(item, slicer)]
    if not items:  # no thread executed the body
        return list(evidence.launches[:1]), body_sites(slicer)
    return [launch for item in items for launch in item.launches], [site_of(item, slicer) for item in items]


def kind_of_causes(judged: Iterable[Observation]) -> Causes:
    """Return what decides on the faults for which a kernel needs arguments."""
    items = [item for item in judged if item.causes]
    buffers = {buffer.name for item in items for buffer in item.launches[0].arguments.buffers}
    names = {name for item in items for name in item.causes if name != LAUNCH}
    if names & (buffers | {TEXTURES, SHARED, HOST_ARGS}):
        return Causes.CONTENTS
    return Causes.NUMBERS if names else Causes.UNKNOWN


def _may_overlap(item: Observation, slicer: Slicer) -> bool:
    """Whether threads write equal values to one address that chosen values decide on."""
    if item.kind is not HazardKind.SAME_VALUE or item.unsupported_input:
        return False
    return any(race_inputs(item, slicer, item.launches[0].arguments))


def overlaps(judged: Iterable[Observation], slicer: Slicer) -> bool:
    """Whether a doubt is one that chosen values decide on."""
    return any(_may_overlap(item, slicer) for item in judged)


def body_sites(slicer: Slicer) -> list[Site]:
    """Return the accesses to memory that threads have in common, each for itself."""
    return [Site(frozenset({id(op)})) for op in slicer.ops if is_of_memory(op)]


def site_of(observation: Observation, slicer: Slicer) -> Site:
    """Return the ops that take part in a hazard.

    Of a loop that did not end, those it begins with, and of an assertion those that test it.
    """
    instructions = [observation.hazard.instruction, observation.hazard.other or observation.hazard.instruction]
    ops = [op for instruction in instructions for op in slicer.ops_of(instruction)]
    if observation.kind is HazardKind.ENDLESS:  # of the copies of an inlined loop, those that ran
        ran = ran_ops(slicer.program, observation.launches[0])
        ops = [head for op in ops if id(op) in ran for head in loop_heads(op, slicer)] or ops
    if observation.kind in {HazardKind.ASSERT_FAILED, HazardKind.TRAPPED}:
        ops = [branch for op in ops for branch in slicer.conditions(op)] or ops
    places = frozenset(map(id, ops))
    if observation.kind not in RACES | {HazardKind.SAME_VALUE}:
        return Site(places)
    return Site(places, is_race=True, at_work=threads_at_work(slicer.program, observation.launches, places))


def _is_comparable(item: LaunchEvidence, observation: Observation) -> bool:
    """Whether a launch would show the hazard, too, if it were one of the kernel."""
    if not _is_of_same_kind(item, observation):
        return False
    buffer = observation.launches[0].arguments.buffer(observation.hazard.buffer)
    if observation.kind is not HazardKind.OUT_OF_BOUNDS or buffer is None:
        return True
    same = next((other for other in item.arguments.buffers if other.name == buffer.name), None)
    if buffer.size is Origin.GIVEN or same is None:
        return False
    if any(is_edge(launch.launch) for launch in observation.launches):  # accesses without a guard need larger buffers
        return same.tests_bounds
    is_refuted = buffer.size is Origin.CHOSEN and same.bytes >= FAR * buffer.bytes
    return same.tests_bounds or not buffer.tests_bounds or is_refuted


def _is_of_same_kind(item: LaunchEvidence, observation: Observation) -> bool:
    """Whether a launch has the shape of those with the hazard, or one that a kernel supports rather than theirs."""
    launches = [launch.launch for launch in observation.launches]
    if is_scaled_down(observation) and item.launch.shape.sample:  # blocks at the real sizes
        return any(launch.host is item.launch.host for launch in launches)
    if all(is_whole_of(item.launch, launch) for launch in launches):
        return True
    shapes = {launch.shape for launch in launches}
    if observation.kind is HazardKind.ENDLESS and item.launch.shape.block in {shape.block for shape in shapes}:
        return True
    return item.launch.shape in shapes or (only_special(observation) and not item.launch.is_special)
