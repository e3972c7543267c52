"""Choose which kernels of a file are compared with one another, and the launches of each."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker import BufferUse, KernelVerdict, group_findings
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.errors import UsageError
from shflbench.patterns.discover import builtin
from shflbench.user_kernels.fields import fields_in
from shflbench.user_kernels.instance_pairs import instance_pairs
from shflbench.user_kernels.same_purpose import NAME_KERNEL, OTHER_PARAMETERS, groups_of, unlike
from shflbench.user_kernels.sequence_buffers import difference, first_bytes, names_in, only_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.checker import CandidateBuffer, CandidateFile, CandidateLaunch, CandidateNumber, KernelCandidate
    from shflbench.cuda.compile.nvrtc import PtxUnit

Size: TypeAlias = "tuple[str, str] | None"  # the name and the value of an option; None if there is one size

OLD, NEW = "old", "new"  # variants of a kernel that two files have
SHORT_NAME = 100  # characters; a pattern takes at most `MAX_NAME`
FEWEST = 2  # kernels of a comparison that nobody asked for


@dataclass(frozen=True, slots=True, eq=False)
class ComparedKernel:
    """One kernel of a comparison: its launch in each group, its code, and its name as a variant."""

    candidate: KernelCandidate
    launches: tuple[CandidateLaunch, ...]
    names: Mapping[str, str]  # of its buffers and numbers → those of the first kernel
    unit: PtxUnit  # the device code that it is part of
    variant: str = ""
    folder: str = ""  # of that code, where the kernels come from several files


@dataclass(frozen=True, slots=True, eq=False)
class KernelComparison:
    """Kernels that do the same; the first one is the baseline, and its results are the reference."""

    name: str  # of the pattern
    kernels: tuple[ComparedKernel, ...]

    @property
    def first(self) -> CandidateLaunch:
        """The launch whose arguments all kernels get."""
        return self.kernels[0].launches[0]

    @property
    def sizes(self) -> Mapping[Size, CandidateLaunch]:
        """The first launch of each size, whose arguments all kernels get then."""
        return by_size(self.kernels[0].launches)

    @property
    def instances(self) -> str:
        """Which kernel each variant is, where two versions of a file have other instances of a template."""
        if len({kernel.candidate.name for kernel in self.kernels}) == 1 or not self.kernels[0].folder:
            return ""
        return ", ".join(f"{kernel.variant} is {kernel.candidate.name}" for kernel in self.kernels)

    @property
    def arguments(self) -> Iterator[str]:
        """The arguments of each size with their origins, and buffers of unspecified contents, as sentences."""
        yield from map(self._arguments_of, self.sizes.values())

    def _arguments_of(self, launch: CandidateLaunch) -> str:
        by_origin = group_by(launch.values, lambda value: value.origin.text)
        parts = [f"{', '.join(map(str, values))} ({origin})" for origin, values in by_origin.items()]
        read = [item for item in launch.buffers if item.is_synthesized and self.use(item) is not BufferUse.WRITTEN]
        if read:
            parts.append(f"contents of {', '.join(f'`{item.name}`' for item in read)} (chosen)")
        return "; ".join(parts)

    @property
    def synthesized_indexes(self) -> tuple[str, ...]:
        """The buffers with chosen contents that are addresses, or numbers of iterations: times depend on them."""
        indexes = self.indexes
        integers = [item for item in self.first.buffers if item.element.startswith(("i", "u"))]
        return tuple(item.name for item in integers if item.is_synthesized and item.name in indexes)

    @property
    def indexes(self) -> set[str]:
        """The buffers whose contents are addresses, or numbers of iterations."""
        return self.named(kernel.candidate.indexes for kernel in self.kernels)

    def named(self, sets: Iterable[frozenset[str]]) -> set[str]:
        """Return the names in a set of each kernel as the first kernel has them."""
        return {
            kernel.names[name]
            for kernel, names in zip(self.kernels, sets, strict=True)
            for name in names & kernel.names.keys()
        }

    def use(self, buffer: CandidateBuffer) -> BufferUse:
        """Return what the kernels do with a buffer: it is restored or read if one of them needs that."""
        uses = self.uses(buffer)
        if len(uses) > 1:
            return BufferUse.CHANGED
        return uses.pop() if uses else BufferUse.READ

    def uses(self, buffer: CandidateBuffer) -> set[BufferUse]:
        """Return what each kernel does with a buffer that it uses."""
        return {item.use for item in self.views(buffer)} - {BufferUse.UNUSED}

    def views(self, buffer: CandidateBuffer) -> list[CandidateBuffer]:
        """Return a buffer as each kernel that has it uses it."""
        return [
            item
            for kernel in self.kernels
            for item in kernel.launches[0].buffers
            if kernel.names.get(item.name) == buffer.name
        ]

    @property
    def has_sequences(self) -> bool:
        """Whether a candidate has several kernels."""
        return any(kernel.launches[0].later for kernel in self.kernels)

    @property
    def scratch(self) -> tuple[CandidateBuffer, ...]:
        """The buffers that some of the kernels do not have, and that are no results therefore."""
        arguments = (item for item in self.first.buffers if not item.variable)
        return tuple(item for item in arguments if len(self.views(item)) < len(self.kernels))

    def is_compared(self, buffer: CandidateBuffer) -> bool:
        """Whether the contents of a buffer are a result: with sequences, what all write and not all read again."""
        if not self.has_sequences:
            is_intermediate = any(item.is_intermediate for item in self.views(buffer))
            return not is_intermediate and all(item is not buffer for item in self.scratch)
        views = [item for item in self.views(buffer) if item.use.writes]
        return len(views) == len(self.kernels) and not all(item.is_intermediate for item in views)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A kernel that is not timed, and why, as a sentence without its name, and what to give, as a clause."""

    kernel: str
    reason: str
    is_broken: bool = False
    advice: str = ""
    names_options: bool = False  # whether the reason does

    @property
    def sentence(self) -> str:
        """The reason and the advice."""
        return "; ".join(filter(None, (self.reason, self.advice)))


@dataclass(frozen=True, slots=True)
class KernelChoice:
    """What of a file is compared, and what is not."""

    comparisons: tuple[KernelComparison, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def is_broken(self) -> bool:
        """Whether a kernel is left out because it is broken."""
        return any(item.is_broken for item in self.left_out)


def choose(file: CandidateFile, *, named: bool, reference: str = "") -> KernelChoice:
    """Return the comparisons of kernels that do the same; all kernels belong to one if the user `named` them.

    The kernel called `reference` is the first of its comparison.
    """
    left_out = list(_rejected(file))
    usable = [kernel for kernel in file.kernels if _is_usable(file, kernel, left_out)]
    usable.sort(key=lambda kernel: kernel.name != reference)
    groups = [usable] if named else groups_of(usable)
    several = [group for group in groups if len(group) >= FEWEST] or groups[:1]
    if not named and several:
        signatures = {kernel.signature for group in several for kernel in group}
        others = {kernel.name for kernel in file.kernels if kernel.signature not in signatures}
        left_out = [
            LeftOut(item.kernel, OTHER_PARAMETERS, advice=NAME_KERNEL)
            if item.kernel in others and not item.is_broken
            else item
            for item in left_out
        ]
    for group in groups:
        if group not in several:
            compared = [kernel for known in several for kernel in known]
            left_out += [_left_out_as_unlike(kernel, compared) for kernel in group]
    comparisons = []
    for group in filter(None, several):
        name = _pattern_name(file, group[0] if len(several) > 1 else None)
        comparisons.append(_comparison(name, [(kernel, file.unit) for kernel in group], left_out))
    return KernelChoice(tuple(comparisons), tuple(left_out))


def choose_between(old: CandidateFile, new: CandidateFile, called: Sequence[str]) -> KernelChoice:
    """Return a comparison for each kernel that both files have, the old one as the baseline.

    Instances of a kernel template are the same kernel if each file has as many that the other one lacks. A kernel that
    only one of the files has is left out. The user has `called` the files so.
    """
    left_out: list[LeftOut] = []
    comparisons = []
    usable: set[KernelCandidate] = set()
    for file, word in zip((old, new), called, strict=True):
        mine = list(_rejected(file))
        usable.update(kernel for kernel in file.kernels if _is_usable(file, kernel, mine))
        left_out += [replace(item, reason=_in_file(item.reason, file, word)) for item in mine]
    pairs = instance_pairs(old.kernels, new.kernels)
    paired = {kernel for pair in pairs for kernel in pair}
    for file, other, word in ((old, new, called[0]), (new, old, called[1])):
        known = other.names  # also of kernels that the compiler rejects
        alone = [kernel.name for kernel in file.kernels if kernel not in paired and kernel.name not in known]
        left_out += [_only(word, name) for name in alone]
    both = [pair for pair in pairs if usable.issuperset(pair)]
    for before, after in both:
        pair = [(before, old.unit), (after, new.unit)]
        pattern = _pattern_name(new, after if len(both) > 1 else None)
        comparisons.append(_comparison(pattern, pair, left_out, variants=(OLD, NEW)))
    whole = (item for item in comparisons if len(item.kernels) > 1)
    return KernelChoice(tuple(whole), tuple(left_out))


def _left_out_as_unlike(kernel: KernelCandidate, compared: Sequence[KernelCandidate]) -> LeftOut:
    """Return that a kernel is not compared with the others, with the option that helps where another one may be."""
    reason = unlike(kernel, compared)
    return LeftOut(kernel.name, reason, advice=NAME_KERNEL if reason == OTHER_PARAMETERS else "")


def _only(word: str, name: str) -> LeftOut:
    """Return that only the file that the user calls so has a kernel, with the option that helps."""
    return LeftOut(
        name, f"only in {word}", advice=f"compare one instance with --kernel '{name}'" if "<" in name else ""
    )


def _in_file(sentence: str, file: CandidateFile, word: str) -> str:
    """Return a sentence that names the file as the user does."""
    named = sentence.replace(str(file.path), word)
    return named if named.startswith(word) else f"in {word}: {named}"


def _rejected(file: CandidateFile) -> Iterator[LeftOut]:
    """Yield the kernels that the compiler rejects, such as those that leave their work to kernels that they launch."""
    for kernel in file.rejected:
        yield LeftOut(kernel.name, kernel.sentence, is_broken=True)


def _is_usable(file: CandidateFile, kernel: KernelCandidate, left_out: list[LeftOut]) -> bool:
    """Whether a kernel can be timed; if not, add why to `left_out`."""
    if kernel.sibling:
        advice = f"give {kernel.missing[0]}, its arguments are those of {kernel.sibling}"
        left_out.append(LeftOut(kernel.name, "not launched by the host code", advice=advice))
        return False
    for report in filter(None, map(file.reports.get, kernel.symbols)):
        who = f"its kernel `{report.name}` " if len(kernel.symbols) > 1 else ""
        if report.verdict is KernelVerdict.BROKEN:
            findings = (group.sentence(file.path.parent) for group in group_findings(report.findings) if group.level)
            is_broken = f"{who}is broken" if who else "broken"
            sentence = f"{is_broken}, {next(findings, report.sentence)}"
            left_out.append(LeftOut(kernel.name, sentence, is_broken=True))
            return False
        if report.verdict is KernelVerdict.NEEDS_ARGUMENTS and not report.is_open_for_other_words:
            given = [cause if cause.startswith("-") else f"--arg {cause}=…" for cause in report.causes]
            advice = f"give {' '.join(given)}" if given else ""
            left_out.append(LeftOut(kernel.name, f"{who}needs arguments, {report.sentence}", advice=advice))
            return False
    if kernel.problem:
        left_out.append(LeftOut(kernel.name, kernel.problem, advice=kernel.remedy, names_options=bool(kernel.missing)))
    elif not kernel.launches:
        left_out.append(LeftOut(kernel.name, kernel.unclear, advice=f"give {' '.join(kernel.missing)}"))
    else:
        return True
    return False


def _comparison(
    name: str,
    group: Sequence[tuple[KernelCandidate, PtxUnit]],
    left_out: list[LeftOut],
    variants: Sequence[str] = (),
) -> KernelComparison:
    """Return the comparison of a group with its first kernel, without the kernels that get other arguments.

    `variants` name kernels of several files, and the folders of their code.
    """
    base, unit = group[0]
    first = base.launches[0]
    kernels = [ComparedKernel(base, base.launches, {item: item for item in first.names}, unit)]
    labels = _labels([kernel for kernel, _ in group])
    for (kernel, code), label in zip(group[1:], labels[1:], strict=True):
        names = _names(first, kernel, label)
        if not _same_sizes(base, kernel, names) or not _same_places(base, kernel, names):
            reason = f"arguments differ from those of `{base.name}`"
            left_out.append(LeftOut(kernel.name, reason, advice="give them by --arg"))
        elif _have_own_parameters(first, kernel.launches[0]) and (
            reason := difference(first, kernel.launches[0], names, base.name)
        ):
            left_out.append(LeftOut(kernel.name, reason))
        else:
            kernels.append(ComparedKernel(kernel, kernel.launches, names, code))
    words = variants or list(_variant_names([kernel.candidate.name for kernel in kernels]))
    aligned = [
        replace(kernel, variant=variant, launches=launches, folder=variant if variants else "")
        for variant, kernel, launches in zip(words, kernels, _aligned(kernels), strict=False)
    ]
    comparison = KernelComparison(name, (_with_buffers_of(aligned), *aligned[1:]))
    if comparison.has_sequences and not any(map(comparison.is_compared, comparison.first.buffers)):
        raise UsageError(
            f"no buffer is a result of all of {', '.join(kernel.candidate.name for kernel in aligned)}",
            "Name two of them with --kernel.",
        )
    return comparison


def _labels(kernels: Sequence[KernelCandidate]) -> list[str]:
    """Return a word for each kernel: its name without namespaces and template arguments, if that is its alone."""
    short = [kernel.name.partition("<")[0].rpartition("::")[2] for kernel in kernels]
    words = [name if short.count(name) == 1 else kernel.name for name, kernel in zip(short, kernels, strict=True)]
    return [_plain(word).replace("-", "_") for word in words]


def _with_buffers_of(kernels: Sequence[ComparedKernel]) -> ComparedKernel:
    """Return the first kernel, whose launches declare the buffers, with those that only other ones have.

    A buffer that the first kernel overwrites has the contents with which another one begins.
    """
    launches = []
    for place, launch in enumerate(kernels[0].launches):
        further: dict[str, CandidateBuffer] = {}
        for kernel in kernels[1:]:
            for buffer in only_in(launch, kernel.launches[place], kernel.names):
                name = kernel.names[buffer.name]
                further.setdefault(name, replace(buffer, name=name))
        buffers = (_with_contents(buffer, kernels[1:], place) for buffer in launch.buffers)
        launches.append(replace(launch, buffers=(*buffers, *further.values())))
    return replace(kernels[0], launches=tuple(launches))


def _with_contents(buffer: CandidateBuffer, others: Sequence[ComparedKernel], place: int) -> CandidateBuffer:
    same = [
        item
        for kernel in others
        for item in kernel.launches[place].buffers
        if kernel.names.get(item.name) == buffer.name
    ]
    if buffer.variable:  # what a kernel stores without calculating with it has no type
        return replace(
            buffer, element=next((item.element for item in [buffer, *same] if item.element[0] == "f"), buffer.element)
        )
    reading = [item for item in same if item.use.reads]
    if buffer.use.reads or not reading:
        return buffer
    known = min(reading, key=lambda item: item.is_synthesized)
    return replace(buffer, contents=known.contents, is_synthesized=known.is_synthesized, is_ordered=known.is_ordered)


def _names(base: CandidateLaunch, kernel: KernelCandidate, label: str) -> Mapping[str, str]:
    """Return which argument of `base` each one of a kernel is: that of the same name or, else, of the same place.

    Buffers of kernels with other parameters are matched, and each may have some that the other one has not: these have
    the `label` in their names.
    """
    other = kernel.launches[0]
    variables = {item.name: item.name for item in other.buffers if item.variable}
    if by_field := fields_in(base, other):
        return {**by_field, **variables}
    if _have_own_parameters(base, other):
        return names_in(base, other, label)
    if set(base.arguments) >= set(other.arguments):
        return {name: name for name in other.arguments} | variables
    return dict(zip(other.arguments, base.arguments, strict=True)) | variables


def _have_own_parameters(base: CandidateLaunch, other: CandidateLaunch) -> bool:
    """Whether one of two launches may have buffers that the other one has not: a sequence, or other parameters."""
    return bool(base.later or other.later) or len(base.arguments) != len(other.arguments)


def _same_sizes(base: KernelCandidate, other: KernelCandidate, names: Mapping[str, str]) -> bool:
    """Whether the first launches of each size have the same buffers."""
    sizes, others = by_size(base.launches), by_size(other.launches)
    return sizes.keys() == others.keys() and all(
        _same_arguments(launch, others[size], names) for size, launch in sizes.items()
    )


def _same_places(base: KernelCandidate, other: KernelCandidate, names: Mapping[str, str]) -> bool:
    """Whether the kernels get the same pointers for the same use, where one of them points into a buffer.

    A kernel that writes another part of the buffer does nothing wrong, and nothing that can be compared.
    """
    others = by_size(other.launches)
    for size, launch in by_size(base.launches).items():
        if _have_own_parameters(launch, others[size]):
            known, moved = first_bytes(launch, {name: name for name in launch.names}), first_bytes(others[size], names)
            if any(known[name] != moved[name] for name in known.keys() & moved.keys()):
                return False
            continue
        mine = [(item.buffer, item.byte, item.use) for item in launch.pointers.values()]
        theirs = [(names[item.buffer], item.byte, item.use) for item in others[size].pointers.values()]
        if Counter(mine) != Counter(theirs) and any(byte for _, byte, _ in (*mine, *theirs)):
            return False
    return True


def by_size(launches: Sequence[CandidateLaunch]) -> dict[Size, CandidateLaunch]:
    """Return the first launch of each size."""
    return {size: alike[0] for size, alike in group_by(launches, lambda launch: launch.size).items()}


def _same_arguments(base: CandidateLaunch, other: CandidateLaunch, names: Mapping[str, str]) -> bool:
    """Whether the buffers have the same types and sizes; numbers may differ, and each may use other variables."""
    buffers = {item.name: item for item in base.buffers}
    has_own = _have_own_parameters(base, other)
    return all(
        has_own or bool(item.variable)
        if (mine := buffers.get(names[item.name])) is None
        else (mine.element == item.element or bool(item.variable)) and mine.size == item.size
        for item in other.buffers
    )


def _aligned(kernels: Sequence[ComparedKernel]) -> list[tuple[CandidateLaunch, ...]]:
    """Return for each kernel one launch per group: with blocks of the sizes that all have, or else the first one.

    Launches that the user gives go together by their order.

    Only launches that pass the arguments of the first one, because all launches of a pattern share its buffers.
    """
    sizes = by_size(kernels[0].launches)
    aligned = [_aligned_at(size, kernels) for size in sizes]
    return [tuple(launch for of_size in aligned for launch in of_size[place]) for place in range(len(kernels))]


def _aligned_at(size: Size, kernels: Sequence[ComparedKernel]) -> list[tuple[CandidateLaunch, ...]]:
    launches_of = [[launch for launch in kernel.launches if launch.size == size] for kernel in kernels]
    if all(launch.is_given for every in launches_of for launch in every):
        _require_as_many(kernels, launches_of)
        return [tuple(every) for every in launches_of]
    by_block: list[dict[int, CandidateLaunch]] = []
    for every in launches_of:
        alike: dict[int, CandidateLaunch] = {}
        for launch in every:
            if _passes_the_same(launch, every[0]):
                alike.setdefault(_threads(launch), launch)
        by_block.append(alike)
    common = [threads for threads in by_block[0] if all(threads in launches for launches in by_block)]
    if common:
        return [tuple(launches[threads] for threads in common) for launches in by_block]
    return [(every[0],) for every in launches_of]


def _require_as_many(kernels: Sequence[ComparedKernel], launches_of: Sequence[Sequence[CandidateLaunch]]) -> None:
    """Raise UsageError if the user gives one kernel more launches than another: the first ones are one group."""
    first = len(launches_of[0])
    for kernel, every in zip(kernels, launches_of, strict=True):
        if len(every) != first:
            names = kernels[0].candidate.name, kernel.candidate.name
            raise UsageError(
                f"--launch gives `{names[0]}` {count_noun(first, 'launch')} and `{names[1]}` {len(every)}",
                "Give each kernel as many launches as the others have.",
            )


def _threads(launch: CandidateLaunch) -> int:
    x, y, z = launch.block
    return x * y * z


def _passes_the_same(launch: CandidateLaunch, other: CandidateLaunch) -> bool:
    """Whether two launches of a kernel pass the same numbers and pointers, and buffers of the same sizes."""
    return (
        _values(launch.numbers) == _values(other.numbers)
        and launch.pointers == other.pointers
        and [item.size for item in launch.buffers] == [item.size for item in other.buffers]
    )


def _values(numbers: Sequence[CandidateNumber]) -> list[tuple[str, bytes]]:
    return [(number.name, number.data) for number in numbers]


def _pattern_name(file: CandidateFile, first: KernelCandidate | None) -> str:
    """Return the name of the pattern: that of the file, with the first kernel's where the file has several."""
    name = plain_name("-".join([file.path.stem, *([first.name] if first is not None else [])]))
    return f"{name}-cu" if name in builtin() else name


def plain_name(text: str) -> str:
    """Return a text as the name of a pattern or of a suite: words of letters and digits, joined by `-`."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    return _short("-".join(words if words and words[0][0].isalpha() else ["kernels", *words]))


def _variant_names(kernels: Sequence[str]) -> Iterator[str]:
    """Yield a name per kernel that is a word of case ids: `reduce-float-256` of `reduce<float, 256>`."""
    used: set[str] = set()
    for kernel in kernels:
        plain = _plain(kernel) or "kernel"
        name = next(name for name in (plain, *(f"{plain}-{n}" for n in range(2, 99))) if name not in used)
        used.add(name)
        yield name


def _plain(text: str) -> str:
    return _short(re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-_"))


def _short(name: str) -> str:
    """Return a name that a file can have: the end of a longer one becomes a hash of it."""
    if len(name) <= SHORT_NAME:
        return name
    return f"{name[:SHORT_NAME].rstrip('-_')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
