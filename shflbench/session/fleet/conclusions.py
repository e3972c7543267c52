"""Conclude the runs of a fleet: each as soon as it ends, in a thread, or all at the end in several processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from shflbench.core.environment import baselines_folder
from shflbench.core.grouping import group_by
from shflbench.core.processes import map_in_processes
from shflbench.session.fleet.conclusion import MemberRuns, conclude, label_of, read_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from shflbench.kernel_facts.stored_code import KnownCodes
    from shflbench.session.fleet.conclusion import Conclusion
    from shflbench.store.fleet_file import FleetFolder, FleetMember
    from shflbench.store.kernel_archive import KernelArchive

# With known machine code, the limits and claims of a case of gtc2013 take 3 ms on an AMD EPYC. Four processes on four
# of its cores need 8 s to start, to receive the machine code and to conclude four runs of 430 cases.
MOST_IN_ONE_PROCESS = 4000  # cases
SLOW_MODULES = (
    "shflbench.kernel_facts.run_limits",
    "shflbench.analysis.claims.claim_verdicts",
    "pandas",
)  # of `conclude`, to import


class Conclusions:
    """The conclusions on the runs of a fleet, most of them made in one thread while other devices still measure."""

    def __init__(self, folder: FleetFolder, pattern_folders: Mapping[str, Path]) -> None:
        """Conclude runs in `folder` with the patterns in these folders."""
        self._folder, self._pattern_folders = folder, pattern_folders
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="conclusions")
        self._codes: KnownCodes = {}
        self._preparing: Future[None] | None = None
        self._early: dict[str, Future[Conclusion]] = {}  # by the folder of the member

    def prepare(self, archives: Sequence[KernelArchive]) -> None:
        """Start to read the machine code of all kernels, and to import what takes half a second."""
        self._preparing = self._thread.submit(self._prepare, archives)

    def start(self, member: FleetMember, cases: int) -> None:
        """Start to conclude the run of a member, which has ended, unless the `cases` of all members are many."""
        if cases <= MOST_IN_ONE_PROCESS:
            self._early[member.folder] = self._thread.submit(conclude, self._codes, self._runs([member]))

    def all(self, cases: Mapping[str, int]) -> Iterator[Conclusion]:
        """Yield the conclusion on each device, or each model in a run of shards; `cases` are those of each folder.

        Several processes share what is left unless it is little. Runs that other invocations finished are included.
        """
        if self._preparing:
            self._preparing.result()
        wait(self._early.values())  # they may add machine code
        folder = self._folder
        members = [one for one in folder.members.values() if (folder.path / one.folder / "run.json").exists()]
        together = group_by(members, lambda member: member.name if folder.is_sharded else member.folder)
        rest = {name: self._runs(some) for name, some in together.items() if name not in self._early}
        few = sum(cases[one.folder] for name in rest for one in together[name]) <= MOST_IN_ONE_PROCESS
        later = (self._thread.map if few else map_in_processes)(partial(conclude, self._codes), list(rest.values()))
        for name in together:
            yield next(later) if name in rest else self._early[name].result()

    def close(self) -> None:
        """Drop what has not begun, and wait for the rest."""
        self._thread.shutdown(cancel_futures=True)

    def _prepare(self, archives: Sequence[KernelArchive]) -> None:
        self._codes.update(read_codes(archives))
        for module in SLOW_MODULES:
            import_module(module)

    def _runs(self, members: Sequence[FleetMember]) -> MemberRuns:
        """Return the runs of one device, or those of all devices of one model."""
        label = members[0].name if self._folder.is_sharded else label_of(members[0])
        folders = tuple(self._folder.path / member.folder for member in members)
        return MemberRuns(label, folders, self._pattern_folders, baselines_folder())
