"""What a run on one GPU does at its end, for each member of a fleet: count its cases, store limits, judge claims."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cli.environment import baselines_folder
from shflbench.cli.run_claims import RunVerdicts, verdicts_of
from shflbench.cli.run_limits import AGAIN, write_limits_of
from shflbench.errors import ResultsError
from shflbench.grouping import group_by
from shflbench.model import Status
from shflbench.processes import BackgroundProcesses
from shflbench.store import read_run
from shflbench.store.files import KERNELS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from shflbench.session.stored_code import KnownCodes
    from shflbench.store.fleet_file import FleetFolder, FleetMember
    from shflbench.store.kernel_archive import KernelArchive

BAD = frozenset({Status.INCORRECT, Status.FAILED})
# The limits and claims of a case of gtc2013 take 8 ms on an AMD EPYC, and a process that computes them starts in 1 s.
MOST_IN_ONE_PROCESS = 250  # cases
MOST_PROCESSES = 16  # 260 MB each, for as long as the devices measure


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


class Conclusions:
    """The conclusions on the runs of a fleet.

    Processes that start while the devices measure read the machine code of the kernels, which takes most of the time,
    and conclude the run of a device as soon as it has ended; what is left is concluded at the end.
    """

    def __init__(self, folder: FleetFolder, pattern_folders: Mapping[str, Path]) -> None:
        """Conclude the members of `folder`; start no process yet."""
        self._folder, self._pattern_folders = folder, pattern_folders
        self._processes: BackgroundProcesses | None = None
        self._begun: dict[str, Future[Conclusion]] = {}  # by the folder of a member

    def prepare(self, archives: Sequence[KernelArchive], cases: int) -> None:
        """Start processes that know the kernels of `archives`, unless the members have few `cases`."""
        if cases <= MOST_IN_ONE_PROCESS:
            return
        self._processes = BackgroundProcesses(min(MOST_PROCESSES, len(self._folder.members)))
        packed = [archive.encode() for archive in archives]
        for _ in range(self._processes.count):
            self._processes.submit(_prepare, packed)  # without a result: `conclude` raises what this would

    def begin(self, member: str) -> None:
        """Conclude the finished run of a member, given by its folder; in a run of shards, not before the end."""
        if self._processes and not self._folder.is_sharded:
            self._begun[member] = self._processes.submit(conclude, self._job([self._folder.members[member]]))

    def measuring_ended(self) -> None:
        """Let the processes use all cores."""
        if self._processes:
            self._processes.hurry()

    def close(self) -> None:
        """Kill the processes."""
        if self._processes:
            self._processes.close()

    def results(self, cases: int) -> Iterator[Conclusion]:
        """Yield the conclusion on each device, or each model in a run of shards; `cases` are those of all members.

        Several processes share the work unless it is small. Runs that other invocations finished are included.
        """
        folder = self._folder
        started = [member for member in folder.members.values() if (folder.path / member.folder / "run.json").exists()]
        groups = group_by(started, lambda member: member.name if folder.is_sharded else member.folder)
        jobs = {name: self._job(members) for name, members in groups.items()}
        if self._processes is None and cases <= MOST_IN_ONE_PROCESS:
            yield from map(conclude, jobs.values())
            return
        self._processes = self._processes or BackgroundProcesses(min(MOST_PROCESSES, len(jobs)))
        self._processes.hurry()
        for name, job in jobs.items():
            if name not in self._begun:
                self._begun[name] = self._processes.submit(conclude, job)
        for name, job in jobs.items():
            try:
                yield self._begun[name].result()
            except BrokenProcessPool:
                yield self._concluded_again(job)

    def _concluded_again(self, job: MemberRuns) -> Conclusion:
        """Return the conclusion on a job whose process crashed, for example because it got no memory."""
        assert self._processes  # noqa: S101  (one of them crashed)
        try:
            return self._processes.submit(conclude, job).result()
        except BrokenProcessPool:
            paths = " ".join(map(str, job.folders))
            problem = f"the process that computes limits and judges claims crashed; {AGAIN} {paths}"
            return Conclusion(job.label, {}, {job.folders[0].name: problem}, RunVerdicts())

    def _job(self, members: Sequence[FleetMember]) -> MemberRuns:
        return MemberRuns(
            members[0].name if self._folder.is_sharded else label_of(members[0]),
            tuple(self._folder.path / member.folder for member in members),
            self._pattern_folders,
            baselines_folder(),
        )


@cache
def _known_codes() -> KnownCodes:
    """Return the machine code that this process has read: most runs of a fleet have the same kernels."""
    return {}


def _prepare(packed: Sequence[bytes]) -> None:
    """Import what `conclude` needs, and read the machine code of the kernels in these archives."""
    import pandas  # noqa: F401, ICN001  (which reads samples)

    from shflbench.analysis.claims import judge, stored  # noqa: F401
    from shflbench.session import limits  # noqa: F401
    from shflbench.session.stored_code import stored_codes
    from shflbench.store.kernel_archive import KernelArchive

    for content in packed:
        archive = KernelArchive.decode(content, Path(KERNELS_FILE))
        cases = {case_id for kernel in archive.index.kernels for case_id in kernel.cases}
        stored_codes(archive, cases, _known_codes())


def conclude(runs: MemberRuns) -> Conclusion:
    """Store the limits of finished runs, and judge the claims of their suite together."""
    counts: dict[str, MemberCounts] = {}
    problems: dict[str, str] = {}
    finished = []
    for folder in runs.folders:
        try:
            run = read_run(folder)
        except ResultsError as error:
            problems[folder.name] = error.message
            continue
        machine = run.info.noise.verdict if run.info.noise else ""
        bad = [row for row in run.rows if row.status in BAD]
        first = f"{bad[0].case_id}: {bad[0].reason or 'wrong result'}" if bad else ""
        counts[folder.name] = MemberCounts(len(run.rows), len(bad), machine, first)
        if run.is_finished:
            finished.append(run)
            if problem := write_limits_of(run, runs.pattern_folders, runs.baselines, _known_codes()):
                problems[folder.name] = problem
    judged = verdicts_of(finished[0].info, [run.folder for run in finished]) if finished else RunVerdicts()
    return Conclusion(runs.label, counts, problems, judged)
