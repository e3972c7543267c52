"""Run a suite: compile, verify, time and store, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure.warmup import warm_up
from shflbench.session.events import Event, GroupDone, Note, WarmedUp
from shflbench.session.group import Group, Progress
from shflbench.session.kernels import compile_all
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from shflbench.backends.base import Backend
    from shflbench.session.plan import Plan
    from shflbench.store import RunFolder


def run(plan: Plan, folder: RunFolder, done: frozenset[str] = frozenset()) -> Iterator[Event]:
    """Run every group of `plan` that is not `done`, storing the rows of each in `folder` as soon as it ends.

    Yields what happens as it happens. A kernel's failure costs its own rows; errors of the disk or
    of the suite end the run.
    """
    groups = {name: cases for name, cases in plan.groups.items() if name not in done}
    wanted = [case for cases in groups.values() for case in cases if not plan.lacking(case)]
    kernels, cache_problem = yield from compile_all(plan, wanted)
    notes = [cache_problem] if cache_problem else []
    if plan.backend is not None and plan.backend.timed and groups:
        notes += yield from _warm(plan.backend)
    yield from map(Note, notes)
    progress = Progress(2.0 * sum(map(len, groups.values())))
    for cases in groups.values():
        group = Group(plan, cases, kernels, progress)
        samples = yield from group.run()
        folder.append(group.finished, samples)
        yield GroupDone(group.finished)
    folder.finish(utc_now(), notes)


def _warm(backend: Backend) -> Generator[Event, None, list[str]]:
    steady, clock = warm_up(backend)
    yield WarmedUp(steady, clock)
    return [] if steady else [f"the SM clock was still moving after the warm-up, at {clock:.0f} MHz"]
