"""The kernels of two runs that `--diff` compares, also where a file or a kernel has another name in the second run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.errors import UsageError
from shflbench.kernel_facts.diff_sides import DiffSide, KernelPair, labels_of, refuse_same
from shflbench.kernel_facts.run_subjects import subjects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.kernel_facts.inspector import Inspector
    from shflbench.kernel_facts.pattern_checks.targets import Filters, KernelSubject
    from shflbench.store import Run

    Key = Callable[[KernelSubject], object]
    Subjects = list[KernelSubject]


def runs_of(words: tuple[str, str], target: Run) -> tuple[DiffSide, DiffSide] | None:
    """Return both sides if they are runs and one of them is the target; else None."""
    first, second = DiffSide.of(words[0]), DiffSide.of(words[1])
    folders = [side.run.folder.resolve() for side in (first, second) if side.run]
    if len(folders) < len(words) or target.folder.resolve() not in folders:
        return None
    refuse_same(words)
    return first, second


def pairs_of_runs(sides: tuple[DiffSide, DiffSide], filters: Filters, inspector: Inspector) -> list[KernelPair]:
    """Return the pairs; UsageError where no kernel of one run corresponds to one of the other."""
    runs = [side.run for side in sides if side.run]
    every = [subjects_of(run) for run in runs]
    chosen = filters.apply([subject for subjects in every for subject in subjects])
    first, second = ([subject for subject in subjects if subject in chosen] for subjects in every)
    pairs = _corresponding(first, second)
    if not pairs:
        has = "; ".join(
            f"{side.word} has {', '.join(dict.fromkeys(map(_shown, subjects)))}"
            for side, subjects in zip(sides, every, strict=True)
        )
        raise UsageError(
            f"--diff: the runs have no kernel in common: {has}",
            "Choose one of each: --variant NAME --variant NAME, likewise --pattern.",
        )
    made = [inspector.inspect_run(run, subjects) for run, subjects in zip(runs, zip(*pairs, strict=True), strict=True)]
    labels = labels_of(sides, inspector.compiler)
    return [
        KernelPair(labels, made[0][one], made[1][other]) for one, other in pairs if one in made[0] and other in made[1]
    ]


def _shown(subject: KernelSubject) -> str:
    return f"{subject.case.pattern}/{subject.case.variant}"


def _corresponding(first: Subjects, second: Subjects) -> list[tuple[KernelSubject, KernelSubject]]:
    """Return the kernels of the same name, or else of the same variant, or else the only one of each run.

    Kernels of one launch each are compared although it is another one.
    """
    attempts: list[Key] = [lambda subject: subject.name, _variant]
    if all(len({subject.name for subject in subjects}) == 1 for subjects in (first, second)):
        attempts.append(lambda _: None)
    for key in attempts:
        pairs = _of_key(first, second, _with_launch(key))
        known = {key(one) for one, _ in pairs}
        rest = [[subject for subject in subjects if key(subject) not in known] for subjects in (first, second)]
        pairs += _of_key(rest[0], rest[1], key)
        if pairs:
            return pairs
    return []


def _with_launch(key: Key) -> Key:
    return lambda subject: (key(subject), subject.case.launch.expression)


def _variant(subject: KernelSubject) -> object:
    return subject.case.variant, subject.case.dtype, subject.case.options


def _of_key(first: Sequence[KernelSubject], second: Subjects, key: Key) -> list[tuple[KernelSubject, KernelSubject]]:
    """Return the pairs of one kernel of each side that alone have a key."""
    one, other = group_by(first, key), group_by(second, key)
    return [(one[name][0], other[name][0]) for name in one if len(one[name]) == len(other.get(name, ())) == 1]
