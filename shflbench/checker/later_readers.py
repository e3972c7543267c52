"""Find the kernels that leave in a buffer, in the host code, what a launch of another kernel reads there later."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.handed_on import handed_on
from shflbench.checker.runs.buffer_uses import BufferUse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker.candidate import CandidateBuffer, CandidateLaunch, KernelCandidate
    from shflbench.cuda_sources.kernel_file import KernelFile

    Place = tuple[str, int]  # the symbol of a kernel, and the place among its parameters and the fields of structures


def with_later_readers(file: KernelFile, candidates: Sequence[KernelCandidate]) -> tuple[KernelCandidate, ...]:
    """Return the candidates whose buffers have the names of the kernels that read them later, or wrote them before.

    Those that belong to the same sequence do not count.
    """
    unread = set(_unread(candidates))
    readers: dict[Place, dict[str, str]] = {}
    writers: dict[Place, dict[str, str]] = {}
    for item in handed_on(file):
        source, target = (item.source.symbol, item.source_place), (item.target.symbol, item.target_place)
        if target not in unread:
            readers.setdefault(source, {})[item.target.symbol] = item.target.name
            writers.setdefault(target, {})[item.source.symbol] = item.source.name
    return tuple(
        replace(item, launches=tuple(_with_others(item, launch, readers, writers) for launch in item.launches))
        for item in candidates
    )


def _unread(candidates: Sequence[KernelCandidate]) -> Iterator[Place]:
    """Yield the parameters through which no kernel reads what was in the buffer before."""
    for candidate in candidates:
        for launch in candidate.launches[:1]:
            for symbol, step in zip(candidate.symbols, launch.steps, strict=True):
                for place, pointer in step.pointers.items():
                    if pointer.use in {BufferUse.WRITTEN, BufferUse.UNUSED}:
                        yield symbol, place


def _with_others(
    candidate: KernelCandidate,
    launch: CandidateLaunch,
    readers: Mapping[Place, Mapping[str, str]],
    writers: Mapping[Place, Mapping[str, str]],
) -> CandidateLaunch:
    later, earlier = _names(candidate, launch, readers), _names(candidate, launch, writers)

    def with_names(buffer: CandidateBuffer) -> CandidateBuffer:
        return replace(buffer, readers=later[buffer.name], writers=earlier[buffer.name])

    return replace(launch, buffers=tuple(map(with_names, launch.buffers)))


def _names(
    candidate: KernelCandidate, launch: CandidateLaunch, others: Mapping[Place, Mapping[str, str]]
) -> Mapping[str, frozenset[str]]:
    """Return the names of the other kernels that a candidate shares its buffers with, by buffer."""
    names: dict[str, frozenset[str]] = defaultdict(frozenset)
    for symbol, step in zip(candidate.symbols, launch.steps, strict=True):
        for place, pointer in step.pointers.items():
            known = others.get((symbol, place), {})
            names[pointer.buffer] |= {name for other, name in known.items() if other not in candidate.symbols}
    return names
