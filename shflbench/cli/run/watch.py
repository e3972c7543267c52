"""Show the progress of a run, and its results and warnings at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.environment import baselines_folder
from shflbench.core.model import Disturbance
from shflbench.core.words import count_noun, one_or_many
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cli.console import Console, Progress
    from shflbench.core.model import Trouble
    from shflbench.session import NextPass, Plan, RunEvent
    from shflbench.session.further import Undecided
    from shflbench.store import ResumedRun, RunFolder


def watch(
    plan: Plan, folder: RunFolder, stopped: ResumedRun | None, console: Console, undecided: Undecided | None = None
) -> int:
    """Run the plan, show its progress and results, and return the exit code; `undecided` is that of `session.run`."""
    from shflbench.cli.show.tables import group_table
    from shflbench.session import GroupDone, run

    done: dict[str, GroupDone] = {}  # by first case: a group that is measured longer is done more than once
    with console.progress() as progress:
        for event in run(plan, folder, stopped, undecided):
            _show(event, console, progress)
            if isinstance(event, GroupDone):
                first = event.rows[0].case_id
                if first not in done:
                    console.say()
                    console.table(group_table(event.rows))
                done[first] = event
    troubles = {
        case_id: troubles_of_case for event in done.values() for case_id, troubles_of_case in event.troubles.items()
    }
    return _conclude(plan, folder, troubles, console)


def _show(event: RunEvent, console: Console, progress: Progress) -> None:
    from shflbench.session import Compiling, Counting, NextPass, Note, WarmedUp, Working

    match event:
        case Compiling(finished, total):
            progress.show(f"compiling, {finished} of {total} kernels", finished, total)
        case Counting(finished, total):
            progress.show(f"counting what launches do, {finished} of {total} cases", finished, total)
        case WarmedUp(_, clock) if clock:
            console.say(f"SM clock when warm: {clock:.0f} MHz.")
        case Working(text, finished, total, case_id):
            progress.show(text, finished, total, case_id)
        case NextPass():
            for sentence in _next_pass(event):
                console.say(sentence)
        case Note(sentence):
            console.warn(sentence)


def _next_pass(choice: NextPass) -> Iterator[str]:
    """Yield which cases are measured in one more process; if none is, why cases stay inconclusive."""
    if count := len(choice.cases):
        yield f"{_inconclusive(count, 'is', 'are')}; measuring {one_or_many(count, 'it', 'them')} in one more process"
        return
    if choice.unaffordable:
        stay = _inconclusive(choice.unaffordable, "stays", "stay")
        yield f"{stay}: settling takes longer than the rest of --budget"
    if choice.unsettled:
        stay = _inconclusive(choice.unsettled, "stays", "stay")
        yield f"{stay}: more processes will not settle {one_or_many(choice.unsettled, 'it', 'them')}"


def _inconclusive(number: int, singular: str, plural: str) -> str:
    return f"{count_noun(number, 'case')} {one_or_many(number, singular, plural)} inconclusive"


def _conclude(plan: Plan, folder: RunFolder, troubles: Mapping[str, Sequence[Trouble]], console: Console) -> int:
    """Show the results and the warnings, and return the exit code; `troubles` are by case."""
    from shflbench.analysis import run_sentences
    from shflbench.analysis.joint_ratios import joint_ratios, with_joint_speedups
    from shflbench.analysis.kernel_sentences import all_decided, is_of_kernels
    from shflbench.cli.run_times import joint_times
    from shflbench.core.model import Status
    from shflbench.kernel_facts.stored_limits import store_limits
    from shflbench.measure.noise import UNSTEADY
    from shflbench.store import read_run

    measured = read_run(folder.path)
    rows = measured.rows
    times = joint_times(measured, console)
    if times and is_of_kernels(measured):
        folder.append(with_joint_speedups(rows, joint_ratios(rows, times)))
    if lines := run_sentences(measured, rows, times):
        console.say()
    for sentence in lines:
        console.say(sentence)
    for warning in warnings(troubles, plan.suite.rules.precision):
        console.warn(warning)
    store_limits(measured, plan.suite.pattern_folders, baselines_folder(), console, plan.cache_folder)
    if noise := folder.info.noise:
        if noise.quiet:
            console.say(f"The machine was quiet: {noise.sentence}.")
        elif noise.verdict == UNSTEADY and is_of_kernels(measured) and all_decided(rows, times):
            console.say(f"{noise.verdict}: {noise.sentence}. The intervals above include what differs between rounds.")
        else:
            console.warn(f"{noise.verdict}: {noise.sentence}; {noise.advice}")
    bad = [row for row in rows if row.status in {Status.INCORRECT, Status.FAILED}]
    if bad:
        console.warn(f"{len(bad)} of {len(rows)} cases failed or computed a wrong result")
    return KernelError.exit_code if bad else 0


# The warning where several cases have a disturbance: their number, and the largest size.
MANY = {
    Disturbance.DRIFT: "the times of {cases} cases drifted by up to {size}",
    Disturbance.SLOW_EPISODES: "some rounds of {cases} cases were up to {size} slower than the others",
    Disturbance.TWO_LEVELS: "the times of {cases} cases have two levels, up to {size} apart",
    Disturbance.THROTTLED: "up to {size} of the samples of {cases} cases were dropped (throttled, or host-bound)",
    Disturbance.NONLINEAR: "the times of {cases} cases are not linear in the number of iterations: up to {size} off",
    Disturbance.PROCESSES: "the times of {cases} cases differ between processes by up to {size}",
}


def warnings(troubles: Mapping[str, Sequence[Trouble]], precision: float) -> Iterator[str]:
    """Yield a sentence with advice for each kind of trouble that any case has.

    `troubles` are by case. Troubles smaller than the `precision` of the suite are only in the results.
    """
    from shflbench.core.words import percent_of_one

    notable = [(case_id, one) for case_id, of_case in troubles.items() for one in of_case if one.size >= precision]
    for kind in Disturbance:
        affected = {case_id: one for case_id, one in notable if one.kind is kind}
        if not affected:
            continue
        worst = max(affected, key=lambda case_id: affected[case_id].size)
        advice = affected[worst].advice
        if len(affected) == 1:
            yield f"{worst}: {affected[worst].sentence}; {advice}"
        else:
            many = MANY[kind].format(cases=len(affected), size=percent_of_one(affected[worst].size))
            yield f"{many}, worst in {worst}; {advice}"
