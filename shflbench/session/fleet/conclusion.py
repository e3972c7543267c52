"""End a run for each member of a fleet as on one GPU: count its cases, store limits, judge claims."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.claims.run_verdicts import RunVerdicts, verdicts_of
from shflbench.errors import CompilerError, ResultsError
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.session.run_end import LimitContext, count_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shflbench.kernel_facts.stored_code import KnownCodes
    from shflbench.session.run_end import RunEnd
    from shflbench.store.fleet_file import FleetMember
    from shflbench.store.kernel_archive import KernelArchive


@dataclass(frozen=True, slots=True)
class MemberRuns:
    """The runs that are judged together: that of one device, or in a run of shards those of one model."""

    label: str  # of the device, or the model
    folders: tuple[Path, ...]  # that contain a run
    pattern_folders: Mapping[str, Path]
    baselines: Path


@dataclass(frozen=True, slots=True)
class MemberCounts:
    """What the run of a member contains."""

    cases: int = 0
    bad: int = 0  # that failed or computed a wrong result
    machine: str = ""  # whether it was quiet
    first: str = ""  # the first of the bad cases, and why it is bad

    @classmethod
    def of(cls, end: RunEnd) -> MemberCounts:
        """Return the counts at the end of a run."""
        noise = end.run.info.noise
        first = f"{end.bad[0].case_id}: {end.bad[0].reason or 'wrong result'}" if end.bad else ""
        return cls(len(end.run.rows), len(end.bad), noise.verdict if noise else "", first)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is known about runs after they were measured; limits and verdicts only of finished runs."""

    label: str
    counts: Mapping[str, MemberCounts]  # by the name of the run's folder
    problems: Mapping[str, str]  # of reading a run or of its limits: a sentence, by the name of its folder
    judged: RunVerdicts


def label_of(member: FleetMember) -> str:
    """Return the words for a device on the terminal: host and number."""
    return f"{member.host}:{member.index}"


def read_codes(archives: Iterable[KernelArchive]) -> KnownCodes:
    """Return the machine code of all kernels of these archives, which takes most of the time of the limits.

    Without a disassembler it is empty, which `conclude` finds again, and says.
    """
    known: KnownCodes = {}
    for archive in archives:
        with suppress(CompilerError):
            stored_codes(archive, {case_id for kernel in archive.index.kernels for case_id in kernel.cases}, known)
    return known


def conclude(known_codes: KnownCodes, runs: MemberRuns) -> Conclusion:
    """Store the limits of finished runs, and judge the claims of their suite together.

    Kernels in `known_codes` are not disassembled again, and others, of runs that were resumed, are added to them.
    """
    counts: dict[str, MemberCounts] = {}
    problems: dict[str, str] = {}
    finished = []
    limits = LimitContext(runs.pattern_folders, runs.baselines, known_codes)
    for folder in runs.folders:
        try:
            end = count_run(folder, limits)
        except ResultsError as error:
            problems[folder.name] = error.message
            continue
        counts[folder.name] = MemberCounts.of(end)
        if end.run.is_finished:
            finished.append(end.run)
        if end.limits_problem:
            problems[folder.name] = end.limits_problem
    judged = verdicts_of(finished[0].info, [run.folder for run in finished]) if finished else RunVerdicts()
    return Conclusion(runs.label, counts, problems, judged)
