"""Find the kernels of a file that compute a result together, of which none can be compared alone."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from shflbench.checker.handed_on import handed_on
from shflbench.checker.inputs.elements import element_of
from shflbench.checker.sequence_steps import OF_FUNCTION, NamedCandidate, sequence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shflbench.checker.handed_on import HandedOn
    from shflbench.checker.sequence_steps import SequenceStep
    from shflbench.cuda_sources.kernel_file import HostLaunch, KernelFile, SourceKernel

    Likeness = Callable[[SourceKernel, SourceKernel], bool]


def joint_candidates(file: KernelFile, are_like: Likeness) -> list[NamedCandidate]:
    """Return the sequences of launches that compute a result together, and the kernels that belong to none.

    They are those of functions of the host code, of lambda expressions and of function objects in which each launch
    gets what an earlier one writes; and kernels whose partial results another kernel reads. None if there are no such
    sequences. Kernels that `are_like` one another are compared, unless one has partial results.
    """
    joined: set[str] = set()
    named: list[NamedCandidate] = []
    for candidate in (*_functions(file), *_pairs(file, are_like)):
        kernels = [step.kernel for step in sequence_of(file, candidate).steps]
        symbols = {kernel.symbol for kernel in kernels}
        if joined.isdisjoint(symbols) and _is_unit(file, kernels, are_like):
            named.append(candidate)
            joined |= symbols
    return [*(NamedCandidate(item.name) for item in file.kernels if item.symbol not in joined), *named] if named else []


def _functions(file: KernelFile) -> Iterator[NamedCandidate]:
    """Yield the functions whose launches follow from one another, those with few launches first."""
    for call in sorted(file.host_calls, key=lambda call: len(call.launches)):
        candidate = NamedCandidate(f"{call.function}{OF_FUNCTION}")
        steps = sequence_of(file, candidate).steps
        is_sequence = 1 < len(steps) == len({step.kernel.symbol for step in steps})
        if call.function != "main" and is_sequence and _are_linked(steps):
            yield candidate


def _are_linked(steps: Sequence[SequenceStep]) -> bool:
    """Whether each launch after the first gets a buffer that one of them wrote last."""
    moments = [step.host.moment for step in steps if step.host is not None]
    hosts = [step.host for step in steps[1:] if step.host is not None]
    return all(any(source in moments for source in _sources(host)) for host in hosts)


def _sources(host: HostLaunch) -> Iterator[int]:
    for argument in host.arguments:
        if argument.buffer is not None and argument.buffer.output is not None:
            yield argument.buffer.output.by.launch.moment


def _pairs(file: KernelFile, are_like: Likeness) -> Iterator[NamedCandidate]:
    """Yield each kernel with partial results, joined with the only other kernel that gets them."""
    for kernel in file.kernels:
        if any(_is_partial(file, kernel, other) for other in _like(file, kernel, are_like)):
            targets = {item.target.name for item in handed_on(file) if item.source is kernel}
            if len(targets) == 1:
                yield NamedCandidate(f"{kernel.name}+{targets.pop()}")


def _is_unit(file: KernelFile, kernels: Sequence[SourceKernel], are_like: Likeness) -> bool:
    """Whether no kernel like one of a sequence does the same: the first has partial results, which later ones get."""
    first, *later = kernels
    symbols = {kernel.symbol for kernel in kernels}
    handed = [item for item in handed_on(file) if item.source.symbol in symbols]
    targets = {item.target.symbol for item in handed if not _has_the_same_place(item, are_like)}
    likes = [item for kernel in later for item in _like(file, kernel, are_like) if item.symbol not in symbols]
    return all(item.symbol not in targets for item in likes) and all(
        _is_partial(file, first, other) or _have_like_readers(file, first, other, are_like)
        for other in _like(file, first, are_like)
        if other.symbol not in symbols
    )


def _has_the_same_place(item: HandedOn, are_like: Likeness) -> bool:
    """Whether a kernel gets a buffer for what its like has written there, so that it writes it, too."""
    return item.source_place == item.target_place and are_like(item.source, item.target)


def _have_like_readers(file: KernelFile, kernel: SourceKernel, other: SourceKernel, are_like: Likeness) -> bool:
    """Whether two kernels have results for a kernel each, which do the same: the results may be any that suit these."""
    readers = [[item.target for item in handed_on(file) if item.source.symbol == one.symbol] for one in (kernel, other)]
    return any(one.symbol != two.symbol and are_like(one, two) for one, two in product(*readers)) and {
        one.symbol for one in readers[0]
    }.isdisjoint(two.symbol for two in readers[1])


def _like(file: KernelFile, kernel: SourceKernel, are_like: Likeness) -> list[SourceKernel]:
    """Return the other kernels that are like one."""
    return [item for item in file.kernels if item.symbol != kernel.symbol and are_like(item, kernel)]


def _is_partial(file: KernelFile, kernel: SourceKernel, other: SourceKernel) -> bool:
    """Whether a third kernel gets a result of one kernel and none of the other one, which has another size there.

    A pointer to a structure may have a result of another size in it.
    """
    handed = list(handed_on(file))
    targets = {item.target.symbol for item in handed if item.source is other}
    for item in handed:
        is_third = item.target.symbol not in {*targets, other.symbol}
        if item.source is kernel and is_third:
            place = item.source_place
            if _is_structure(kernel, place) or _size(kernel, place) != _size(other, place):
                return True
    return False


def _is_structure(kernel: SourceKernel, place: int) -> bool:
    parts = list(kernel.parts)
    return place < len(parts) and element_of(parts[place].item.element) is None


def _size(kernel: SourceKernel, place: int) -> int | None:
    """Return the bytes of the buffer that the first launch of a kernel gets."""
    buffers = [launch.values[place].buffer for launch in kernel.host_launches[:1] if place < len(launch.values)]
    return buffers[0].size if buffers and buffers[0] is not None else None
