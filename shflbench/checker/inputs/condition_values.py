"""Contents of a buffer, one value in all elements, with which a condition on loaded values is true or false.

In `if (__all_sync(~0u, in[i] < 64)) …` nothing happens with contents in which elements differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.compared_constants import structural_contents
from shflbench.checker.inputs.elements import element_of
from shflbench.emulator.dataflow.sampled_predicates import SampledPredicates
from shflbench.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

MOST_CONDITIONS = 64  # to follow
SMALL = 1 << 10  # numbers up to this are tried, and powers of two
CONSTANTS = 256  # of the program, that are tried likewise


@dataclass(frozen=True, slots=True)
class UniformContents:
    """One value in all elements of some buffers."""

    values: Mapping[str, float]  # by the names of the buffers

    @property
    def text(self) -> str:
        """The contents in words."""
        return ", ".join(f"all elements of {name} {value:g}" for name, value in self.values.items())


def condition_values(linked: LinkedKernel, ops: Sequence[Op], parameters: bytes) -> Iterator[UniformContents]:
    """Yield contents that change whether `ops` run, given the bytes of the parameters; each once.

    Buffers whose contents are addresses, or decide how often a loop runs, keep theirs: others may not be legal.
    """
    slicer = linked.slicer
    kept, elements, seen = slicer.kept(structural_contents), _elements(linked), set()
    for condition in _conditions(slicer, ops):
        depends = slicer.of(slicer.writers(condition.number), address_only=True).contents
        starts = sorted(depends & elements.keys() - kept)
        groups = [*([start] for start in starts), *([starts] if len(starts) > 1 else [])]
        for group in groups:
            for contents in _deciding(linked, group, elements, condition, parameters):
                key = tuple(sorted(contents.values.items()))
                if key not in seen:
                    seen.add(key)
                    yield contents


def _conditions(slicer: Slicer, ops: Sequence[Op]) -> list[Slot]:
    """Return the predicates that decide whether ops run: those of the branches before them, and their guards."""
    branches = {id(branch): branch for op in ops for branch in slicer.conditions(op)}
    guards = [op.guard for op in (*branches.values(), *ops) if op.guard is not None]
    return list({guard.number: guard for guard in guards}.values())[:MOST_CONDITIONS]


def _elements(linked: LinkedKernel) -> dict[int, Element]:
    """Return the types of the elements that pointers point to, by the first byte of the pointer; numbers only."""
    types = {part.offset: element_of(part.item.element) for part in linked.kernel.parts if part.item.pointer}
    return {start: element for start, element in types.items() if element is not None and element.name != "bf16"}


def _deciding(
    linked: LinkedKernel, starts: Sequence[int], elements: Mapping[int, Element], condition: Slot, parameters: bytes
) -> Iterator[UniformContents]:
    """Yield the contents of smallest magnitude with which a condition is true, and with which it is false."""
    names, type_ = linked.kernel.pointers, elements[starts[0]].numpy
    if any(elements[start].numpy != type_ for start in starts):
        return
    candidates = _candidates(linked.slicer, type_)
    values = SampledPredicates(linked.slicer, starts, candidates, parameters).of(condition)
    if values.all() or not values.any():
        return
    for chosen in (candidates[values][0], candidates[~values][0]):
        yield UniformContents({names[start]: chosen.item() for start in starts})


def _candidates(slicer: Slicer, type_: str) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """Return the numbers of a type that are tried: small ones, powers of two, and the constants of the program."""
    kind = np.dtype(type_)
    if kind.kind == "b":
        return np.array([False, True])
    constants = {source for op in slicer.ops for source in op.sources if not isinstance(source, Slot)}
    words = np.array(sorted(constants)[:CONSTANTS], np.uint64)
    decoded = words.astype(f"u{kind.itemsize}").view(kind).astype("f8")
    powers = 2.0 ** np.arange(8 * kind.itemsize if kind.kind != "f" else 64)
    numbers = np.concatenate(
        [np.arange(SMALL), *(part + beside for part in (powers, decoded) for beside in (-1, 0, 1))]
    )
    numbers = (
        np.concatenate([numbers, -numbers, numbers / 256]) if kind.kind == "f" else np.concatenate([numbers, -numbers])
    )
    limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    with np.errstate(invalid="ignore"):
        legal = numbers[np.isfinite(numbers) & (numbers >= float(limits.min)) & (numbers < float(limits.max))]
    legal = np.unique(legal)
    return legal[np.argsort(np.abs(legal), kind="stable")].astype(kind)
