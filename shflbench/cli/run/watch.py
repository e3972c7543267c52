"""Show the progress of a run, and its results and warnings at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.environment import baselines_folder
from shflbench.core.words import count_noun, one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.cli.console import Console, Progress
    from shflbench.session import NextPass, Plan, RunEnd, RunEvent
    from shflbench.session.further import Undecided
    from shflbench.store import ResumedRun, RunFolder


def watch(
    plan: Plan, folder: RunFolder, stopped: ResumedRun | None, console: Console, undecided: Undecided | None = None
) -> RunEnd:
    """Run the plan, show its progress and results, and return them; `undecided` is that of `session.run`."""
    from shflbench.cli.show.tables import group_table
    from shflbench.session import GroupDone, LimitContext, disturbance_sentences, end_run, run

    limits = LimitContext(plan.suite.pattern_folders, baselines_folder(), cache_folder=plan.cache_folder)
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
        end = end_run(folder, limits)
    troubles = {
        case_id: troubles_of_case for event in done.values() for case_id, troubles_of_case in event.troubles.items()
    }
    _show_end(end, disturbance_sentences(troubles, plan.suite.rules.precision), console)
    return end


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


def _show_end(end: RunEnd, disturbances: Iterable[str], console: Console) -> None:
    """Show the results and the warnings."""
    if end.samples_problem:
        console.warn(end.samples_problem)
    if end.sentences:
        console.say()
    for sentence in end.sentences:
        console.say(sentence)
    for warning in filter(None, (*disturbances, end.limits_problem)):
        console.warn(warning)
    if end.noise:
        end.noise.show(console)
    if end.bad_text:
        console.warn(end.bad_text)
