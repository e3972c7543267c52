"""The processes of other tools on a side: refuse one that is given twice, and find cases that some of them lack."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.core.equal_samples import find_equal
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.analysis.compare.estimates import Floats, Process
    from shflbench.analysis.compare.sides import Side

ONCE = "give each measurement once, and on one side; measure again for more processes"


class Recorded(NamedTuple):
    """In how many processes of a side a case was measured."""

    measured: int
    expected: int  # the processes of the programs that have this case

    def __str__(self) -> str:
        """Return it as part of a sentence."""
        return f"in {self.measured} of {self.expected} processes"


class _Recorded(NamedTuple):
    """One process of a tool on one of the sides."""

    name: str  # of its file
    source: tuple[int, int, str]  # side, run, file
    content: str  # SHA-256
    samples: Mapping[str, Floats]


def refuse_same_measurement(base: Side, new: Side) -> None:
    """Raise ResultsError if two processes of other tools, on either side, hold the same samples."""
    recorded = [*_recorded(0, base), *_recorded(1, new)]
    contents: dict[str, _Recorded] = {}
    for process in recorded:
        first = contents.setdefault(process.content, process)
        if first.source != process.source:
            raise _twice(first, process)
    if equal := find_equal([process.samples for process in recorded]):
        raise _twice(*(recorded[place] for place in equal))


def _twice(first: _Recorded, second: _Recorded) -> ResultsError:
    across = first.source[0] != second.source[0]
    if first.name == second.name:
        return ResultsError(f"{first.name} is {'on both sides' if across else 'given twice'}", ONCE)
    sides = ", one on each side" if across else ""
    return ResultsError(f"{first.name} and {second.name} have the same samples{sides}: one measurement", ONCE)


def _recorded(place: int, side: Side) -> Iterator[_Recorded]:
    samples: dict[Process, dict[str, Floats]] = {}
    for name, kernel in side.kernels.items():
        for process, rounds in chain.from_iterable(measured.items() for measured in kernel.counts.values()):
            samples.setdefault(process, {})[name] = np.concatenate(rounds)
    for number, run in enumerate(side.runs):
        if run.info.converted:
            for index, record in enumerate(run.info.converted.processes):
                source = place, number, record.file
                yield _Recorded(record.file, source, record.sha256, samples.get((number, index), {}))


def missing_in_part(side: Side) -> Mapping[str, Recorded]:
    """Return the cases that were not measured in every process in which they are expected.

    Each file of another tool is a process, and files may be of several programs with cases of their own: a case is
    expected in the processes that have a case in common with those that measured it, directly or through others. The
    further processes of shflbench's own runs measure chosen cases, so their number says nothing.
    """
    measured: dict[str, set[Process]] = {}
    for number, run in enumerate(side.runs):
        if run.info.converted:
            for row in run.rows:
                measured.setdefault(row.case_id, set()).update((number, process) for process in row.processes)
    programs = _programs(measured)
    return {
        case_id: Recorded(len(processes), len(program))
        for case_id, processes in measured.items()
        for program in programs
        if processes & program and len(processes) < len(program)
    }


def _programs(measured: Mapping[str, set[Process]]) -> list[set[Process]]:
    """Return the processes in groups that share cases."""
    programs: list[set[Process]] = []
    for processes in measured.values():
        joined = [program for program in programs if program & processes]
        programs = [program for program in programs if not program & processes]
        programs.append(processes.union(*joined))
    return programs
