"""Choose which kernels of a file are compared with one another, and the launches of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker import BufferUse, KernelVerdict
from shflbench.grouping import group_by
from shflbench.patterns.discover import builtin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker import CandidateBuffer, CandidateFile, CandidateLaunch, CandidateNumber, KernelCandidate

FEWEST = 2  # kernels of a comparison that nobody asked for


@dataclass(frozen=True, slots=True, eq=False)
class ComparedKernel:
    """One kernel of a comparison: its name as a variant, and its launch in each group."""

    variant: str
    candidate: KernelCandidate
    launches: tuple[CandidateLaunch, ...]
    names: Mapping[str, str]  # of its buffers and numbers → those of the first kernel


@dataclass(frozen=True, slots=True, eq=False)
class KernelComparison:
    """Kernels that do the same; the first one is the baseline, and its results are the reference."""

    name: str  # of the pattern
    kernels: tuple[ComparedKernel, ...]

    @property
    def first(self) -> CandidateLaunch:
        """The launch whose arguments all kernels get."""
        return self.kernels[0].launches[0]

    def use(self, buffer: CandidateBuffer) -> BufferUse:
        """Return what the kernels do with a buffer: it is restored or read if one of them needs that."""
        uses = {
            item.use
            for kernel in self.kernels
            for item in kernel.launches[0].buffers
            if kernel.names.get(item.name) == buffer.name and item.use is not BufferUse.UNUSED
        }
        if len(uses) > 1:
            return BufferUse.CHANGED
        return uses.pop() if uses else BufferUse.READ


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A kernel that is not timed, and why, as a sentence without its name."""

    kernel: str
    sentence: str
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class KernelChoice:
    """What of a file is compared, and what is not."""

    comparisons: tuple[KernelComparison, ...]
    left_out: tuple[LeftOut, ...]


def choose(file: CandidateFile, *, named: bool, reference: str = "") -> KernelChoice:
    """Return the comparisons of kernels with the same signature; all kernels belong to one if the user `named` them.

    The kernel called `reference` is the first of its comparison.
    """
    left_out: list[LeftOut] = []
    usable = [kernel for kernel in file.kernels if _is_usable(file, kernel, left_out)]
    usable.sort(key=lambda kernel: kernel.name != reference)
    groups = [usable] if named else list(group_by(usable, lambda kernel: kernel.signature).values())
    several = [group for group in groups if len(group) >= FEWEST] or groups[:1]
    for group in groups:
        if group not in several:
            alone = "no other kernel of the file has its parameters; name it with --kernel to time it"
            left_out += [LeftOut(kernel.name, alone) for kernel in group]
    comparisons = []
    for group in filter(None, several):
        name = _pattern_name(file, group[0] if len(several) > 1 else None)
        comparisons.append(_comparison(name, group, left_out))
    return KernelChoice(tuple(comparisons), tuple(left_out))


def _is_usable(file: CandidateFile, kernel: KernelCandidate, left_out: list[LeftOut]) -> bool:
    """Whether a kernel can be timed; if not, add why to `left_out`."""
    report = file.reports.get(kernel.symbol)
    if report is not None and report.verdict is KernelVerdict.BROKEN:
        left_out.append(LeftOut(kernel.name, f"broken, {report.sentence}", is_broken=True))
    elif report is not None and report.verdict is KernelVerdict.NEEDS_ARGUMENTS:
        given = [cause if cause.startswith("-") else f"--arg {cause}=…" for cause in report.causes]
        options = f"; give {' '.join(given)}" if given else ""
        left_out.append(LeftOut(kernel.name, f"it needs arguments, {report.sentence}{options}"))
    elif kernel.problem:
        left_out.append(LeftOut(kernel.name, kernel.problem))
    elif not kernel.launches:
        left_out.append(LeftOut(kernel.name, f"give {' '.join(kernel.missing)}"))
    else:
        return True
    return False


def _comparison(name: str, group: Sequence[KernelCandidate], left_out: list[LeftOut]) -> KernelComparison:
    """Return the comparison of a group with its first kernel, without the kernels that get other arguments."""
    base = group[0]
    kernels = [ComparedKernel("", base, base.launches, {item: item for item in base.launches[0].arguments})]
    for kernel in group[1:]:
        names = _names(base.launches[0], kernel.launches[0])
        if names is None or not _same_arguments(base.launches[0], kernel.launches[0], names):
            left_out.append(
                LeftOut(kernel.name, f"its arguments differ from those of `{base.name}`; give them by --arg")
            )
        else:
            kernels.append(ComparedKernel("", kernel, kernel.launches, names))
    aligned = _aligned(kernels)
    variants = _variant_names([kernel.candidate.name for kernel in kernels])
    return KernelComparison(
        name,
        tuple(
            ComparedKernel(variant, kernel.candidate, launches, kernel.names)
            for variant, kernel, launches in zip(variants, kernels, aligned, strict=True)
        ),
    )


def _names(base: CandidateLaunch, other: CandidateLaunch) -> Mapping[str, str] | None:
    """Return which argument of `base` each one of `other` is: that of the same name or, else, of the same place."""
    if set(base.arguments) >= set(other.arguments):
        return {name: name for name in other.arguments}
    if len(base.arguments) != len(other.arguments):
        return None
    return dict(zip(other.arguments, base.arguments, strict=True))


def _same_arguments(base: CandidateLaunch, other: CandidateLaunch, names: Mapping[str, str]) -> bool:
    """Whether the buffers have the same types and sizes; numbers may differ."""
    buffers = {item.name: item for item in base.buffers}
    return all(
        (mine := buffers.get(names[item.name])) is not None and mine.element == item.element and mine.size == item.size
        for item in other.buffers
    )


def _aligned(kernels: Sequence[ComparedKernel]) -> list[tuple[CandidateLaunch, ...]]:
    """Return for each kernel one launch per group: with blocks of the sizes that all have, or else the first one.

    Only launches that pass the arguments of the first one, because all launches of a pattern share its buffers.
    """
    by_block: list[dict[int, CandidateLaunch]] = []
    for kernel in kernels:
        alike: dict[int, CandidateLaunch] = {}
        for launch in kernel.launches:
            if _passes_the_same(launch, kernel.launches[0]):
                alike.setdefault(_threads(launch), launch)
        by_block.append(alike)
    common = [threads for threads in by_block[0] if all(threads in launches for launches in by_block)]
    if common:
        return [tuple(launches[threads] for threads in common) for launches in by_block]
    return [(kernel.launches[0],) for kernel in kernels]


def _threads(launch: CandidateLaunch) -> int:
    x, y, z = launch.block
    return x * y * z


def _passes_the_same(launch: CandidateLaunch, other: CandidateLaunch) -> bool:
    """Whether two launches of a kernel pass the same numbers, and buffers of the same sizes."""
    return (
        _values(launch.numbers) == _values(other.numbers)
        and launch.shared_bytes == other.shared_bytes
        and [item.size for item in launch.buffers] == [item.size for item in other.buffers]
    )


def _values(numbers: Sequence[CandidateNumber]) -> list[tuple[str, bytes]]:
    return [(number.name, number.data) for number in numbers]


def _pattern_name(file: CandidateFile, first: KernelCandidate | None) -> str:
    """Return the name of the pattern: that of the file, with the first kernel's where the file has several."""
    parts = [file.path.stem, *([first.name] if first is not None else [])]
    name = "-".join(filter(None, (_plain(part).replace("_", "-") for part in parts)))
    name = name if name[:1].isalpha() else f"kernels-{name}".rstrip("-")
    return f"{name}-cu" if name in builtin() else name


def _variant_names(kernels: Sequence[str]) -> Iterator[str]:
    """Yield a name per kernel that is a word of case ids: `reduce-float-256` of `reduce<float, 256>`."""
    used: set[str] = set()
    for kernel in kernels:
        plain = _plain(kernel) or "kernel"
        name = next(name for name in (plain, *(f"{plain}-{n}" for n in range(2, 99))) if name not in used)
        used.add(name)
        yield name


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-_")
