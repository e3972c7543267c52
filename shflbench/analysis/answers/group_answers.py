"""The answer of each group of a run that has at least two candidates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.answers.answer import Answer, RankedVariant, Role
from shflbench.analysis.answers.safety import safety_notes
from shflbench.analysis.answers.simplicity import simplicity
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.limits.distance import is_unreached
from shflbench.analysis.ranking import TIE, Certainty, rankings_of
from shflbench.analysis.settings import factors, words
from shflbench.core.model import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from shflbench.analysis.ranking import Ranking
    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit


def newest_answers(
    runs: Iterable[Run],
    limits: Mapping[Path, Mapping[str, CaseLimit]],
    pattern: str = "",
    times: Mapping[Path, RunTimes] | None = None,
) -> list[Answer]:
    """Return the answer of each setting, or of those of a pattern; of several runs with it, that of the newest one.

    It names the answers of the others as `earlier`. `limits` are by run folder and case; `times` by run folder, if they
    are known already. ResultsError where the samples of a run are damaged.
    """
    of_setting: dict[object, list[Answer]] = {}
    for run in sorted(runs, key=lambda run: run.info.started, reverse=True):
        rows = tuple(row for row in run.rows if not pattern or row.pattern == pattern)
        of_run = times[run.folder] if times else RunTimes(run)
        for answer in answers_of(replace(run, rows=rows), limits[run.folder], of_run):
            setting = answer.pattern, answer.dtype, answer.launch, answer.iterations, answer.options
            of_setting.setdefault(setting, []).append(answer)
    return [replace(newest, earlier=tuple(one.brief for one in rest)) for newest, *rest in of_setting.values()]


def answers_of(run: Run, limits: Mapping[str, CaseLimit], times: RunTimes | None = None) -> list[Answer]:
    """Return the answer of each group of a run with at least two candidates, in file order; `limits` are by case.

    With `times` of the run, intervals hold jointly; see `ranking_of`.
    """
    return [_answer(run, ranking, limits) for ranking in rankings_of(run.rows, times)]


def _answer(run: Run, ranking: Ranking, limits: Mapping[str, CaseLimit]) -> Answer:
    """Return which variant to use."""
    best = min(_equals(ranking), key=simplicity)
    baseline = next((row for row in ranking.rows if row.variant == best.baseline), None)
    runner_up = ranking.others[0] if ranking.others else None
    rival = ranking.next_mechanism if ranking.next_mechanism in ranking.others else None
    limit = limits.get(best.case_id)
    device = run.info.device
    return Answer(
        run=str(run.folder),
        suite=run.info.suite.name,
        gpu=device.name if device else "",
        arch=run.info.arch,
        pattern=best.pattern,
        dtype=best.dtype,
        launch=best.launch,
        grid=best.grid,
        block=best.block,
        iterations=best.iterations,
        options=best.options,
        setting=words(factors(best)),
        variant=best.variant,
        mechanism=best.mechanism,
        certainty=ranking.certainty,
        tied=tuple(row.variant for row in ranking.leaders if row is not best),
        libraries=tuple(row.variant for row in ranking.libraries),
        undecided_libraries=tuple(row.variant for row in ranking.undecided_libraries),
        baseline=baseline.variant if baseline else None,
        over_baseline=ranking.slowdown(baseline, best) if baseline and baseline is not best else None,
        runner_up=runner_up.variant if runner_up else None,
        over_runner_up=ranking.slowdown(runner_up, best) if runner_up else None,
        rival=rival.variant if rival else None,
        over_rival=ranking.slowdown(rival, best) if rival else None,
        limit_fraction=limit.limit_fraction if limit else None,
        limit_by=limit.limit_by if limit else None,
        notes=safety_notes(best, _faster_unsafe(ranking, best)),
        is_unreached=limit is not None and is_unreached(best, limit),
        ranking=tuple(_ranked(ranking, row, best, limits.get(row.case_id)) for row in ranking.rows),
    )


def _equals(ranking: Ranking) -> list[Row]:
    """Return the leaders of which the simplest is recommended.

    Where it is undecided, those that are not shown to be slower, and whose times are within what matters.
    """
    if ranking.certainty is Certainty.TIE:
        return list(ranking.leaders)
    slowdowns = [(row, ranking.slowdown(row, ranking.fastest)) for row in ranking.leaders]
    return [row for row, slowdown in slowdowns if slowdown.low <= 1 and slowdown.value <= 1 + TIE]


def _faster_unsafe(ranking: Ranking, best: Row) -> list[tuple[Row, float]]:
    """Return the unsafe rows that are shown to be faster, each with its speed relative to the best."""
    slowdowns = [(row, ranking.slowdown(row, best)) for row in ranking.rows if not row.safe]
    return [(row, 1 / slowdown.value) for row, slowdown in slowdowns if slowdown.high < 1]


def _ranked(ranking: Ranking, row: Row, best: Row, limit: CaseLimit | None) -> RankedVariant:
    role = Role.UNSAFE if not row.safe else Role.LIBRARY if row.mechanism == Mechanism.LIBRARY else Role.CANDIDATE
    return RankedVariant(
        variant=row.variant,
        mechanism=row.mechanism,
        role=role,
        case_id=row.case_id,
        time_us=ranking.times_us[row.case_id],
        slowdown=ranking.slowdown(row, best),
        limit_fraction=limit.limit_fraction if limit else None,
        limit_by=limit.limit_by if limit else None,
    )
