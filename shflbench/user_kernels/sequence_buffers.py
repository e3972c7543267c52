"""Match the buffers of a sequence of kernels with those of another candidate.

Buffers of the host code are matched by their allocation, else by name, else as the only ones of their type and size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker import CandidateBuffer, CandidateLaunch


def names_in(base: CandidateLaunch, other: CandidateLaunch, label: str) -> Mapping[str, str]:
    """Return the name in `base` of each argument of `other`, or one with the `label` for what only `other` has."""
    pairs: dict[str, str] = {}
    results, inputs = (_results(other), _results(base)), (_inputs(other), _inputs(base))
    _add_named(pairs, *inputs)
    _add_named(pairs, *results)
    _add_alike(pairs, *results)
    _add_alike(pairs, *inputs)
    _add_named(pairs, _intermediates(other), (*_results(base), *_intermediates(base)))
    _add_named(pairs, _results(other), _intermediates(base))
    further = {buffer.name: f"{buffer.name}_of_{label}" for buffer in other.buffers if buffer.name not in pairs}
    return pairs | further | {number.name: number.name for number in other.numbers}


def difference(base: CandidateLaunch, other: CandidateLaunch, names: Mapping[str, str], called: str) -> str:
    """Return why the results of `other` cannot be compared with those of `base`, as a sentence; empty if they can."""
    for buffer in only_in(base, other, names):
        if buffer.is_synthesized and buffer.use.reads:
            return f"it reads `{buffer.name}`, of which nobody specifies the contents, and `{called}` does not"
    results = {buffer.name: buffer for buffer in base.buffers if buffer.use.writes}
    common = [(item, results[names[item.name]]) for item in other.buffers if names[item.name] in results]
    if any(mine.use.writes and not (mine.is_intermediate and known.is_intermediate) for mine, known in common):
        return ""
    return f"it has no result in common with `{called}`"


def only_in(base: CandidateLaunch, other: CandidateLaunch, names: Mapping[str, str]) -> Iterator[CandidateBuffer]:
    """Yield the buffers of `other` that `base` does not have."""
    known = {buffer.name for buffer in base.buffers}
    yield from (buffer for buffer in other.buffers if names[buffer.name] not in known)


def first_bytes(launch: CandidateLaunch, names: Mapping[str, str]) -> dict[str, int]:
    """Return where the first pointer into each buffer points, in bytes behind its start."""
    first: dict[str, int] = {}
    for step in launch.steps:
        for pointer in step.pointers.values():
            name = names[pointer.buffer]
            first[name] = min(pointer.byte, first.get(name, pointer.byte))
    return first


def _results(launch: CandidateLaunch) -> tuple[CandidateBuffer, ...]:
    return tuple(item for item in launch.buffers if item.use.writes and not item.is_intermediate)


def _inputs(launch: CandidateLaunch) -> tuple[CandidateBuffer, ...]:
    return tuple(item for item in launch.buffers if item.use.reads)


def _intermediates(launch: CandidateLaunch) -> tuple[CandidateBuffer, ...]:
    return tuple(item for item in launch.buffers if item.is_intermediate)


def _add_named(pairs: dict[str, str], mine: Sequence[CandidateBuffer], theirs: Sequence[CandidateBuffer]) -> None:
    """Add the buffers of `mine` that have the allocation of one of `theirs` or, else, its name."""
    for is_same in (_has_same_allocation, _has_same_name):
        for buffer in mine:
            known = next((item for item in _free(pairs, theirs) if is_same(buffer, item)), None)
            if buffer.name not in pairs and known is not None:
                pairs[buffer.name] = known.name


def _add_alike(pairs: dict[str, str], mine: Sequence[CandidateBuffer], theirs: Sequence[CandidateBuffer]) -> None:
    """Add the buffers of `mine` that are the only ones of their type, size and use, as one of `theirs` is."""
    for buffer in [item for item in mine if item.name not in pairs]:
        alike = [item for item in _free(pairs, theirs) if _is_alike(buffer, item) and item.use is buffer.use]
        rivals = [item for item in mine if item.name not in pairs and _is_alike(buffer, item)]
        if len(alike) == len(rivals) == 1:
            pairs[buffer.name] = alike[0].name


def _free(pairs: Mapping[str, str], buffers: Sequence[CandidateBuffer]) -> Iterator[CandidateBuffer]:
    used = set(pairs.values())
    yield from (item for item in buffers if item.name not in used)


def _is_alike(one: CandidateBuffer, other: CandidateBuffer) -> bool:
    if one.variable or other.variable:
        return (one.variable, one.size) == (other.variable, other.size)
    return (one.element, one.size) == (other.element, other.size)


def _has_same_name(one: CandidateBuffer, other: CandidateBuffer) -> bool:
    return one.name == other.name and _is_alike(one, other)


def _has_same_allocation(one: CandidateBuffer, other: CandidateBuffer) -> bool:
    return one.allocation is not None and one.allocation == other.allocation and _is_alike(one, other)
