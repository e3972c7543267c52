"""A job: one window of groups to measure, and its JSON form for worker processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path  # noqa: TC003  (read from JSON by the types of the annotations)
from typing import TYPE_CHECKING, Literal

from shflbench.core.model import Case, Kernel, MeasureRules  # noqa: TC001
from shflbench.measure import wire

if TYPE_CHECKING:
    from collections.abc import Collection

Code = Literal["cubin", "ptx"]  # of a kernel: a GPU runs cubins, the emulator PTX


@dataclass(frozen=True, slots=True)
class Task:
    """One case and the kernel that runs it."""

    case: Case
    kernel: Kernel


@dataclass(frozen=True, slots=True)
class Job:
    """One window: groups whose cases are verified, and then sampled in the same rounds."""

    groups: tuple[tuple[Task, ...], ...]
    folders: dict[str, Path]  # pattern → its folder
    rules: MeasureRules
    seed: int
    process: int = 0  # number of the worker process, unique in a run
    first_round: int = 0  # round numbers continue through all windows of a process
    failed_sentinels: tuple[str, ...] = ()  # sentinels that failed before and are not timed

    def __contains__(self, case_id: object) -> bool:
        """Whether the case with this id is part of the job."""
        return any(task.case.id == case_id for group in self.groups for task in group)

    def without(self, ended: Collection[str]) -> Job:
        """Return the job without the cases that have `ended`."""
        groups = (tuple(task for task in group if task.case.id not in ended) for group in self.groups)
        return replace(self, groups=tuple(group for group in groups if group))

    def to_json(self, code: Code) -> str:
        """Return the job as one line; kernels keep only the `code` that is run."""
        first = [task.kernel for group in self.groups for task in group]
        kernels = {id(kernel): kernel for one in first for kernel in (one, *one.later)}
        places = {key: place for place, key in enumerate(kernels)}
        run_by = {key: kernel.cubin if code == "cubin" else b"" for key, kernel in kernels.items()}
        cubins = list(dict.fromkeys(run_by.values()))  # kernels of one file share theirs
        bare = [
            (
                replace(kernel, ptx=kernel.ptx if code == "ptx" else "", cubin=b"", sass=None, loop=None, later=()),
                cubins.index(run_by[key]),
                [places[id(later)] for later in kernel.later],
            )
            for key, kernel in kernels.items()
        ]
        groups = [[(task.case, places[id(task.kernel)]) for task in group] for group in self.groups]
        return wire.dump(SentJob(replace(self, groups=()), groups, bare, cubins))

    @classmethod
    def from_json(cls, line: str) -> Job:
        """Read what `to_json` wrote."""
        sent = wire.load(SentJob, line)
        alone = [replace(kernel, cubin=sent.cubins[place]) for kernel, place, _ in sent.kernels]
        kernels = [
            replace(kernel, later=tuple(alone[place] for place in later))
            for kernel, (_, _, later) in zip(alone, sent.kernels, strict=True)
        ]
        groups = tuple(tuple(Task(case, kernels[place]) for case, place in group) for group in sent.groups)
        return replace(sent.job, groups=groups)


@dataclass(frozen=True, slots=True)
class SentJob:
    """The JSON form of a job: each kernel once, and each cubin once.

    A kernel has the places of its cubin and of the kernels that follow it.
    """

    job: Job
    groups: list[list[tuple[Case, int]]]
    kernels: list[tuple[Kernel, int, list[int]]]
    cubins: list[bytes]
