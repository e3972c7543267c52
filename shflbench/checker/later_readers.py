"""Find the kernels that read later, in the host code, what a launch of another kernel leaves in a buffer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.handed_on import handed_on
from shflbench.checker.runs.buffer_uses import BufferUse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker.candidate import CandidateBuffer, CandidateLaunch, KernelCandidate
    from shflbench.checker.sources.kernel_file import KernelFile

    Place = tuple[str, int]  # the symbol of a kernel, and the place among its parameters and the fields of structures


def with_later_readers(file: KernelFile, candidates: Sequence[KernelCandidate]) -> tuple[KernelCandidate, ...]:
    """Return the candidates whose buffers have the names of the kernels that read them later.

    Those that belong to the same sequence do not count.
    """
    unread = set(_unread(candidates))
    readers: dict[Place, dict[str, str]] = {}
    for item in handed_on(file):
        if (item.target.symbol, item.target_place) not in unread:
            source = item.source.symbol, item.source_place
            readers.setdefault(source, {})[item.target.symbol] = item.target.name
    return tuple(
        replace(item, launches=tuple(_with_readers(item, launch, readers) for launch in item.launches))
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


def _with_readers(
    candidate: KernelCandidate, launch: CandidateLaunch, readers: Mapping[Place, Mapping[str, str]]
) -> CandidateLaunch:
    names: dict[str, set[str]] = {}
    for symbol, step in zip(candidate.symbols, launch.steps, strict=True):
        for place, pointer in step.pointers.items():
            known = readers.get((symbol, place), {})
            later = {name for reader, name in known.items() if reader not in candidate.symbols}
            names.setdefault(pointer.buffer, set()).update(later)

    def with_names(buffer: CandidateBuffer) -> CandidateBuffer:
        return replace(buffer, readers=frozenset(names.get(buffer.name, ())))

    return replace(launch, buffers=tuple(map(with_names, launch.buffers)))
