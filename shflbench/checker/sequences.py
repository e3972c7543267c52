"""Join the launches of a sequence: which buffers they share, and what each buffer is for the whole sequence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from shflbench.checker.candidate import CandidateStep, KernelCandidate
from shflbench.checker.runs.buffer_uses import BufferUse
from shflbench.checker.sequence_steps import allocations, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.checker.candidate import CandidateBuffer, CandidateLaunch
    from shflbench.checker.inputs.argument import NamedValue
    from shflbench.checker.later_launches import LaterArgument
    from shflbench.checker.sequence_steps import KernelSequence, SequenceStep


@dataclass(slots=True)
class _Shared:
    """One buffer with the launches that use it."""

    views: list[tuple[int, CandidateBuffer]] = field(default_factory=list)  # number of the launch, and its buffer

    @property
    def uses(self) -> list[BufferUse]:
        return [buffer.use for _, buffer in self.views if buffer.use is not BufferUse.UNUSED]

    @property
    def use(self) -> BufferUse:
        """What the sequence does with it: of a buffer that is written first, contents before do not matter."""
        if not self.uses or self.uses[0] is not BufferUse.READ:
            return self.uses[0] if self.uses else BufferUse.UNUSED
        return BufferUse.CHANGED if any(use.writes for use in self.uses) else BufferUse.READ

    @property
    def is_intermediate(self) -> bool:
        if self.views[0][1].variable:
            is_read = any(buffer.is_intermediate or not buffer.use.writes for _, buffer in self.views)
            return is_read and any(use.writes for use in self.uses)
        return self.use is BufferUse.WRITTEN and self.uses[-1] is BufferUse.READ

    @property
    def named(self) -> tuple[int, CandidateBuffer]:
        """The launch and the buffer that name it: a result is named by the last launch that writes it."""
        writing = [view for view in self.views if view[1].use.writes]
        return writing[-1] if writing and not self.is_intermediate else self.views[0]

    def is_of(self, buffer: CandidateBuffer) -> bool:
        """Whether the buffer of a later launch is the same: by its allocation or, where that is not known, its name."""
        for _, known in self.views:
            if known.allocation is not None and buffer.allocation is not None:
                if known.allocation == buffer.allocation:
                    return True
            elif _identity(known) == _identity(buffer):
                return True
        return False


def join_parts(sequence: KernelSequence, parts: Sequence[KernelCandidate]) -> KernelCandidate:
    """Return the candidate of a sequence whose kernels have one launch each, or what is missing for one of them."""
    base = KernelCandidate(
        sequence.name,
        tuple(part.name for part in parts),
        tuple(part.symbols[0] for part in parts),
        "\n".join(dict.fromkeys(part.ptx for part in parts)),
        (),
        (),
        tuple(dict.fromkeys(option for part in parts for option in part.missing)),
        line=parts[0].line,
        keeps_memory=any(part.keeps_memory for part in parts),
    )
    for part in parts:
        if part.problem:
            return replace(base, problem=f"`{part.name}`: {part.problem}", remedy=part.remedy)
    if base.missing:
        return base
    launches = [part.launches[0] for part in parts]
    shared = _shared(launches)
    if problem := _problem(sequence, launches, shared):
        return replace(base, problem=problem)
    labels = list(_labels(parts))
    names = _names(launches, shared, labels)

    def of_parts(names_of: Callable[[KernelCandidate], frozenset[str]]) -> frozenset[str]:
        pairs = list(zip(names, parts, strict=True))
        return frozenset(known[name] for known, part in pairs for name in names_of(part) & known.keys())

    later = [replace(item, name=known[item.name]) for known, item in _later(parts, names)]
    return replace(
        base,
        launches=(_launch(launches, shared, names),),
        later_arguments=tuple(dict.fromkeys(later)),
        kept=of_parts(attrgetter("kept")),
        indexes=of_parts(attrgetter("indexes")),
        counters=of_parts(attrgetter("counters")),
        structural=of_parts(attrgetter("structural")),
        deciding=of_parts(attrgetter("deciding")),
        targets=of_parts(attrgetter("targets")),
    )


def _later(
    parts: Sequence[KernelCandidate], names: Sequence[Mapping[str, str]]
) -> Iterator[tuple[Mapping[str, str], LaterArgument]]:
    """Yield what the host code changes after the sequence; launches of a kernel that follows itself belong to it."""
    count = Counter(part.symbols for part in parts)
    for known, part in zip(names, parts, strict=True):
        if count[part.symbols] == 1:
            yield from ((known, item) for item in part.later_arguments if item.name in known)


def _identity(buffer: CandidateBuffer) -> tuple[str, str, int]:
    """Return what buffers have in common that are one where no allocation is known."""
    return (buffer.variable, "", buffer.size) if buffer.variable else (buffer.name, buffer.element, buffer.size)


def _shared(launches: Sequence[CandidateLaunch]) -> list[_Shared]:
    shared: list[_Shared] = []
    for place, launch in enumerate(launches):
        before = list(shared)
        for buffer in launch.buffers:
            known = next((item for item in before if item.is_of(buffer)), None)
            if known is None:
                shared.append(known := _Shared())
            known.views.append((place, buffer))
    return shared


def _problem(sequence: KernelSequence, launches: Sequence[CandidateLaunch], shared: Sequence[_Shared]) -> str:
    """Return why the launches are no sequence, as a sentence; empty if they are."""
    steps = sequence.steps
    for place in range(1, len(launches)):
        mine, earlier = steps[place].kernel.name, " and ".join(f"`{step.kernel.name}`" for step in steps[:place])
        is_linked = False
        if name := _changed(steps, place):
            return f"the host code changes `{name}` between `{steps[0].kernel.name}` and `{mine}`, and bench does not"
        for item in shared:
            views = dict(item.views)
            is_written = any(buffer.use.writes for number, buffer in item.views if number < place)
            if place not in views or not is_written:
                continue
            # By name alone, a buffer that both write may be the outputs of two kernels that have nothing in common.
            is_linked = is_linked or views[place].use.reads or views[place].allocation is not None
        if not is_linked and any(step.host is None for step in steps):
            return (
                f"`{mine}` reads no buffer that {earlier} writes: no host code launches these kernels in this order, "
                "and no two of their parameters have one name, type and size"
            )
        if not is_linked and not sequence.is_of_function:
            return f"in the host code, `{mine}` gets no buffer that {earlier} writes"
    return ""


def _changed(steps: Sequence[SequenceStep], place: int) -> str:
    """Return a buffer that the host code changes after the first launch and before another one; empty if there is none.

    One that no launch before gets, with known contents, is as if it were changed before.
    """
    first, host = steps[0].host, steps[place].host
    if first is None or host is None:
        return ""
    used = set().union(*(allocations(step.host) for step in steps[:place] if step.host is not None))
    for argument in host.values:
        buffer = argument.buffer
        if buffer is None or buffer.changed < first.moment:
            continue
        if buffer.allocation in used or (buffer.filled is None and buffer.contents is None):
            return argument.text
    return ""


def _labels(parts: Sequence[KernelCandidate]) -> Iterator[str]:
    """Yield a word for each launch: the name of the kernel, with a number where it is launched again."""
    seen: Counter[str] = Counter()
    for part in parts:
        word = plain(part.name)
        seen[word] += 1
        yield word if seen[word] == 1 else f"{word}_{seen[word]}"


def _names(
    launches: Sequence[CandidateLaunch], shared: Sequence[_Shared], labels: Sequence[str]
) -> list[dict[str, str]]:
    """Return for each launch the names of its arguments in the sequence: results keep theirs before others."""
    names: list[dict[str, str]] = [{} for _ in launches]
    taken: set[str] = set()

    def name_of(place: int, name: str) -> str:
        chosen = name if name not in taken else f"{name}_of_{labels[place]}"
        taken.add(chosen)
        return chosen

    for item in sorted(shared, key=lambda item: (item.is_intermediate, item.use is BufferUse.READ)):
        place, buffer = item.named
        chosen = name_of(place, buffer.name)
        for view, known in item.views:
            names[view][known.name] = chosen
    for place, launch in enumerate(launches):
        for number in launch.numbers:
            names[place][number.name] = name_of(place, number.name)
    return names


def _launch(
    launches: Sequence[CandidateLaunch], shared: Sequence[_Shared], names: Sequence[Mapping[str, str]]
) -> CandidateLaunch:
    first, *later = map(_step, launches, names)
    numbers = (
        replace(number, name=named[number.name])
        for launch, named in zip(launches, names, strict=True)
        for number in launch.numbers
    )
    return replace(
        launches[0],
        buffers=tuple(_buffer(item, names) for item in shared),
        numbers=tuple(numbers),
        arguments=first.arguments,
        values=tuple(dict.fromkeys(_values(launches, names))),
        pointers=first.pointers,
        later=tuple(later),
    )


def _step(launch: CandidateLaunch, names: Mapping[str, str]) -> CandidateStep:
    arguments = tuple(names[name] for name in launch.arguments)
    pointers = {place: replace(item, buffer=names[item.buffer]) for place, item in launch.pointers.items()}
    shape = launch.grid, launch.block, launch.shared_bytes
    return CandidateStep(*shape, arguments, pointers, launch.cluster, launch.program, launch.structures)


def _buffer(shared: _Shared, names: Sequence[Mapping[str, str]]) -> CandidateBuffer:
    """Return a buffer of the sequence: as it is before the first launch that gets it."""
    (place, first), (_, named) = shared.views[0], shared.named
    return replace(
        first,
        name=names[place][first.name],
        element=named.element,
        use=shared.use,
        is_ordered=any(buffer.is_ordered for _, buffer in shared.views),
        is_intermediate=shared.is_intermediate,
    )


def _values(launches: Sequence[CandidateLaunch], names: Sequence[Mapping[str, str]]) -> Iterator[NamedValue]:
    """Yield the values of the launches, with the names of the arguments in the sequence."""
    for launch, known in zip(launches, names, strict=True):
        for value in launch.values:
            yield replace(value, name=known.get(value.name, value.name))
