"""Name the functions of CUDA that do all steps of an exchange at once: sums over a warp, and scans."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.recorder import LaneRelation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.checker.exchanges.combinations import Combination
    from shflbench.checker.exchanges.flows import Flow
    from shflbench.cuda_sources.source_lines import SourceLine

STEPS = frozenset({1, 2, 4, 8, 16})  # distances by which all lanes of a warp are reached
# Opcode → the end of the name of the instruction for integers, and the class of cooperative groups.
FUNCTIONS = {
    "add": ("add", "plus"),
    "min": ("min", "less"),
    "max": ("max", "greater"),
    "and": ("and", "bit_and"),
    "or": ("or", "bit_or"),
    "xor": ("xor", "bit_xor"),
}
TYPES = {
    "s32": "int",
    "u32": "unsigned",
    "b32": "unsigned",
    "s64": "long long",
    "u64": "unsigned long long",
    "b64": "unsigned long long",
    "f32": "float",
    "f64": "double",
}
OF_INTEGERS = frozenset({"s32", "u32", "b32"})  # that `__reduce_*_sync` takes


@dataclass(frozen=True, slots=True)
class CollectiveAdvice:
    """What does all steps of the exchanges that a line loads."""

    load: SourceLine
    instead: tuple[str, ...]


@dataclass(slots=True)
class LineSteps:
    """The exchanges that one line loads, of which each may be a step of a sum."""

    relations: set[LaneRelation] = field(default_factory=set)
    distances: set[int] = field(default_factory=set)
    combinations: set[Combination | None] = field(default_factory=set)
    stores: set[SourceLine] = field(default_factory=set)  # of the values
    stored_in: set[SourceLine] = field(default_factory=set)  # lines that store the combined values

    @property
    def is_repeated(self) -> bool:
        """Whether a step combines what an earlier one combined."""
        return bool(self.stores & self.stored_in)


def collectives(flows: Iterable[Flow]) -> Iterator[CollectiveAdvice]:
    """Yield what does all steps of the exchanges of a line at once."""
    lines: dict[SourceLine, LineSteps] = defaultdict(LineSteps)
    for flow in flows:
        steps = lines[flow.load]
        steps.relations |= flow.relations.keys() - {LaneRelation.THREAD}
        steps.distances |= set(flow.distances)
        steps.combinations |= flow.combinations
        steps.stores.add(flow.store)
        steps.stored_in |= flow.stored_in
    for load, steps in lines.items():
        combination = next(iter(steps.combinations)) if len(steps.combinations) == 1 else None
        if steps.is_repeated and combination and (instead := tuple(_instead(steps, combination))):
            yield CollectiveAdvice(load, instead)


def _instead(steps: LineSteps, combination: Combination) -> Iterator[str]:
    name, functor = FUNCTIONS[combination.opcode]
    type_ = TYPES.get(combination.type, "T")
    if steps.distances == STEPS and steps.relations in ({LaneRelation.XOR}, {LaneRelation.SHIFT}):
        if combination.type in OF_INTEGERS:
            yield f"__reduce_{name}_sync(mask, value) from sm_80 on"
        yield f"cg::reduce(tile, value, cg::{functor}<{type_}>())"
    if {-item for item in steps.distances} == STEPS and steps.relations == {LaneRelation.SHIFT}:
        yield f"cg::inclusive_scan(tile, value, cg::{functor}<{type_}>())"
