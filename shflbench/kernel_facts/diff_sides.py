"""The two sides of `--diff`: variants, architectures, or runs, whose kernels are recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import UsageError
from shflbench.kernel_facts.run_subjects import RUN_FILE
from shflbench.store import read_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.inspector import Inspector
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.store import Run

_ARCH = re.compile(r"sm_[0-9]+[a-z]?")
KINDS = "two variants, or each an architecture or the folder of a run"


@dataclass(frozen=True, slots=True)
class KernelPair:
    """The same kernel on both sides of a diff."""

    labels: tuple[str, str]
    first: InspectedKernel
    second: InspectedKernel


@dataclass(frozen=True, slots=True)
class DiffSide:
    """What one word after `--diff` means."""

    word: str
    arch: str = ""  # where it names one
    run: Run | None = None  # likewise

    @property
    def is_variant(self) -> bool:
        """Whether it names a variant."""
        return not self.arch and self.run is None

    @classmethod
    def of(cls, word: str) -> DiffSide:
        """Return what a word means; ResultsError where it is a run folder that cannot be read."""
        if _ARCH.fullmatch(word):
            return cls(word, arch=word)
        if (Path(word) / RUN_FILE).is_file():
            return cls(word, run=read_run(Path(word)))
        return cls(word)


def sides_of(words: tuple[str, str], variants: Sequence[str]) -> tuple[DiffSide, DiffSide]:
    """Return both sides; UsageError unless they are two of `variants` or neither is a variant."""
    first, second = DiffSide.of(words[0]), DiffSide.of(words[1])
    for side in (first, second):
        if side.is_variant and side.word not in variants:
            message = f"--diff: `{side.word}` is no variant of the targets, no architecture and no folder of a run"
            raise UsageError(message, f"variants: {', '.join(variants)}")
    if first.is_variant != second.is_variant:
        raise UsageError(f"--diff cannot compare `{first.word}` with `{second.word}`", f"name {KINDS}")
    refuse_same(words)
    return first, second


def refuse_same(words: tuple[str, str]) -> None:
    """Raise UsageError if both sides are the same."""
    if words[0] == words[1]:
        raise UsageError(f"--diff compares `{words[0]}` with itself", f"name {KINDS}")


class Diff:
    """Finds the pairs of kernels that two sides have in common."""

    def __init__(self, inspector: Inspector, sides: tuple[DiffSide, DiffSide]) -> None:
        """Compile and read with `inspector`."""
        self._inspector, self._sides = inspector, sides

    def pairs(self, subjects: Sequence[KernelSubject], archs: Sequence[str]) -> Iterator[KernelPair]:
        """Yield the pairs; `archs` matter where the sides are variants. UsageError if there are none."""
        pairs = list(self._of_variants(subjects, archs) if self._sides[0].is_variant else self._of_others(subjects))
        if not pairs:
            words = " and ".join(f"`{side.word}`" for side in self._sides)
            raise UsageError(f"--diff: {words} have no kernel of the targets in common", "choose other targets")
        yield from pairs

    def _of_variants(self, subjects: Sequence[KernelSubject], archs: Sequence[str]) -> Iterator[KernelPair]:
        first, second = (side.word for side in self._sides)
        chosen = [subject for subject in subjects if subject.case.variant in {first, second}]
        made = list(self._inspector.inspect(chosen, archs, with_kernels=True))
        partners = {_without_variant(one): one for one in made if one.subject.case.variant == second}
        for one in made:
            if one.subject.case.variant == first and (partner := partners.get(_without_variant(one))):
                yield KernelPair((first, second), one, partner)

    def _of_others(self, subjects: Sequence[KernelSubject]) -> Iterator[KernelPair]:
        first, second = (self._kernels_of(side, subjects) for side in self._sides)
        labels = labels_of(self._sides, self._inspector.compiler)
        for subject in subjects:
            if subject in first and subject in second:
                yield KernelPair(labels, first[subject], second[subject])

    def _kernels_of(self, side: DiffSide, subjects: Sequence[KernelSubject]) -> Mapping[KernelSubject, InspectedKernel]:
        if side.run is not None:
            return self._inspector.inspect_run(side.run, subjects)
        made = self._inspector.inspect(subjects, [side.arch], with_kernels=True)
        return {one.subject: one for one in made if one.kernel or one.error}


def _without_variant(one: InspectedKernel) -> tuple[object, ...]:
    """Return what two variants have in common; blocks may differ, where each kernel has its own launch."""
    case = one.subject.case
    return one.arch, one.subject.pattern.folder, case.dtype, case.options, case.launch.expression


def labels_of(sides: tuple[DiffSide, DiffSide], compiler: str) -> tuple[str, str]:
    """Return short names of architectures and runs, and their compilers if one is a run."""
    parts = [Path(side.word).parts if side.run else (side.word,) for side in sides]
    length = next((n for n in range(1, max(map(len, parts)) + 1) if parts[0][-n:] != parts[1][-n:]), 1)
    names = ["/".join(part[-length:]) for part in parts]
    if any(side.run for side in sides):
        compilers = [f"NVRTC {side.run.info.versions.nvrtc}" if side.run else compiler for side in sides]
        names = [f"{name} ({version})" for name, version in zip(names, compilers, strict=True)]
    return names[0], names[1]
