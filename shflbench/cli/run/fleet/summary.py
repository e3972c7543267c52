"""The results of a fleet run on the terminal, and the exit code."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from shflbench.cli.layout import Line, Table
from shflbench.cli.run.fleet.claims import print_claims
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun, flat
from shflbench.errors import DeviceError, KernelError
from shflbench.session.fleet.conclusion import MemberCounts, label_of
from shflbench.session.fleet.device_log import DeviceLog

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.errors import ShflbenchError
    from shflbench.session.fleet.members import Members
    from shflbench.store.fleet_file import FleetMember

NAMED = 3  # members with a problem; the logs have all


def summarize(
    members: Members, errors: Sequence[ShflbenchError], missing: Sequence[ShflbenchError], console: Console
) -> int:
    """Conclude the runs of all members, print their results, and return the exit code.

    `errors` ended runs early; `missing` are those of GPUs that could not be opened.
    """
    folder, job = members.folder, members.job
    cases = {member.folder: len(job.cases(member)) for member in folder.members.values()}
    conclusions = []
    with console.progress() as progress:
        for conclusion in members.conclusions.all(cases):
            conclusions.append(conclusion)
            progress.show("limits and claims", len(conclusions), len(folder.members))
    counts = {name: one for conclusion in conclusions for name, one in conclusion.counts.items()}
    console.say()
    console.table(_table(folder.members, cases, counts))
    for sentence in failure_sentences({label_of(folder.members[name]): one for name, one in counts.items()}):
        console.warn(sentence)
    problems = {name: text for conclusion in conclusions for name, text in conclusion.problems.items()}
    for name, text in problems.items():
        DeviceLog(folder.path, name).write(f"warning: {text}")
    for name, text in islice(problems.items(), NAMED):
        console.warn(f"{label_of(folder.members[name])}: {text}")
    if len(problems) > NAMED:
        console.warn(f"the limits of {count_noun(len(problems) - NAMED, 'other GPU')} have such problems, too")
    for model, groups in members.unassigned.items():
        console.error(
            f"no {model} is left to measure {count_noun(len(groups), 'more group')} of cases",
            "Start a worker for one, and resume the run: --resume.",
        )
    of_claims = print_claims(conclusions, folder.path, console)
    if missing or not members.is_complete:
        return min((error.exit_code for error in (*missing, *errors)), default=DeviceError.exit_code)
    return KernelError.exit_code if any(one.bad for one in counts.values()) else of_claims


def failure_sentences(counts: Mapping[str, MemberCounts]) -> Iterator[str]:
    """Yield the first bad case of devices, by their labels: a sentence for all that have the same one."""
    by_first = group_by((item for item in counts.items() if item[1].bad), lambda item: item[1].first)
    for first, same in islice(by_first.items(), NAMED):
        labels = [label for label, _ in same]
        more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
        bad = {one.bad for _, one in same}
        bound = "up to " if len(bad) > 1 else ""
        others = f"; {bound}{count_noun(max(bad) - 1, 'other case')} failed, too" if max(bad) > 1 else ""
        yield f"{', '.join(labels[:NAMED])}{more}: {flat(first)}{others}"
    if len(by_first) > NAMED:
        rest = sum(len(same) for same in islice(by_first.values(), NAMED, None))
        yield f"cases failed on {count_noun(rest, 'other GPU')}, too: see the logs"


def _table(members: Mapping[str, FleetMember], cases: Mapping[str, int], counts: Mapping[str, MemberCounts]) -> Table:
    """Return a line per member: its cases, its failures, and how quiet its machine was."""
    lines = []
    for name, member in members.items():
        has = counts.get(name, MemberCounts())
        done = f"{has.cases} of {cases[name]}"
        cells = (label_of(member), member.name, done, f"{has.bad}", has.machine, member.error or name)
        lines.append(Line(cells, "bad" if member.error or has.bad else "good"))
    return Table("", ("device", "model", "cases", "failed", "machine", "run"), tuple(lines))
