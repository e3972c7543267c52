"""Join the series of a GPU and of the one that replaces it, by commits that both measured.

Times before are multiplied by the ratio of the new GPU, so that all are times of the GPU that runs now. It is a factor
of all earlier times of a case: ratios between them, and with them earlier changes, stay as they are.

The ratio of a case is the median over these commits. Runs of the new GPU count up to the third one after the
replacement: later, the ratio is fixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.levels import SeriesTimes
from shflbench.analysis.history.series import gpu_of
from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from numpy.typing import NDArray

    from shflbench.analysis.history.series import RunSeries

    Integers = NDArray[np.intp]

OVERLAP = 3  # runs of the new GPU before the last one of the old GPU, and after it: those that bridge


@dataclass(frozen=True, slots=True)
class Bridge:
    """One GPU in the place of another: a split of the series, unless both measured one commit."""

    old: str  # as `RunSeries.gpu`
    new: str
    run: int  # first one of the new GPU in the joined series
    commit: str = ""  # the first that both measured; empty where there is none
    ratios: tuple[float, ...] = ()  # time on the new GPU divided by that on the old one, of the cases that are joined
    commits: int = 0  # that both measured with the same machine code of a case


@dataclass(frozen=True, slots=True)
class _Ratios:
    """Times on a new GPU divided by those on the old one."""

    commit: str  # the first that both measured; empty where there is none
    commits: int  # that give a ratio
    of_cases: Mapping[str, float]  # by id; those with the same machine code at a commit


@dataclass(frozen=True, slots=True)
class JoinedSeries:
    """A series that may go on across GPUs: times are those of its newest GPU, by the ratios of its bridges."""

    series: RunSeries
    bridges: tuple[Bridge, ...] = ()


def join(every: Iterable[RunSeries]) -> list[JoinedSeries]:
    """Return the series, where a GPU replaces another as one; a case without a bridge stays with its GPU."""
    joined: list[JoinedSeries] = []
    for of_suite in group_by(every, lambda series: series.suite).values():
        chains: list[JoinedSeries] = []
        for series in sorted(of_suite, key=lambda series: series.runs[0].started):
            chains = _continued(chains, series)
        joined += chains
    return joined


def _continued(chains: list[JoinedSeries], new: RunSeries) -> list[JoinedSeries]:
    """Return the chains with the series of one more GPU: as a part of them, as one more, or as both.

    It continues the chain that ended last among those with a bridge, and chains of the same GPUs, to which the
    cases belong that could not be joined before.
    """
    ended = sorted((chain for chain in chains if _replaces(new, chain.series)), key=_last_start, reverse=True)
    bridged = [chain for chain in ended if _ratios(chain.series, new).of_cases]
    if not ended:
        return [*chains, JoinedSeries(new)]
    rest = new
    gpus = _gpus(bridged[0]) if bridged else frozenset()
    for chain in bridged:
        ratios = _ratios(chain.series, rest)
        if ratios.of_cases and _gpus(chain) & gpus:
            place = chains.index(chain)
            kept = _without(chain.series, ratios.of_cases)
            apart = [replace(chain, series=kept)] if kept.cases else []
            chains = [*chains[:place], _join(chain, rest, ratios), *apart, *chains[place + 1 :]]
            rest = _without(rest, ratios.of_cases)
    old = (bridged or ended)[0].series
    split = Bridge(gpu_of(old.runs[-1]), new.gpu, 0, _ratios(old, new).commit)
    return [*chains, JoinedSeries(rest, (split,))] if rest.cases else chains


def _replaces(new: RunSeries, old: RunSeries) -> bool:
    """Whether a GPU goes on where another ends."""
    last = old.runs[-1].started
    return last < new.runs[min(OVERLAP, len(new.runs) - 1)].started and last < new.runs[-1].started


def _last_start(chain: JoinedSeries) -> str:
    return chain.series.runs[-1].started


def _gpus(chain: JoinedSeries) -> frozenset[str]:
    return frozenset(map(gpu_of, chain.series.runs))


def _join(chain: JoinedSeries, new: RunSeries, ratios: _Ratios) -> JoinedSeries:
    """Return a series with that of the GPU that follows it, of the cases with a ratio."""
    old = chain.series
    order = _by_start(old, new)
    places = np.argsort(order)
    first = int(places[len(old.runs) :].min())
    of_cases = ratios.of_cases
    bridge = Bridge(gpu_of(old.runs[-1]), new.gpu, first, ratios.commit, tuple(of_cases.values()), ratios.commits)
    earlier = (replace(bridge, run=int(places[bridge.run])) for bridge in chain.bridges)
    return JoinedSeries(_both(old, new, of_cases, order), (*earlier, bridge))


def _ratios(old: RunSeries, new: RunSeries) -> _Ratios:
    """Return the ratio of each case that has the same machine code on both GPUs: the median over common commits."""
    last = old.runs[-1].started
    before = _runs_by_commit(old, len(old.runs))
    after = _runs_by_commit(new, sum(run.started <= last for run in new.runs) + OVERLAP)
    common = [commit for commit in after if commit in before]
    places = {case: place for place, case in enumerate(old.cases)}
    known: dict[str, dict[str, float]] = {}  # case → commit → ratio
    for number, case in enumerate(new.cases):
        if case in places:
            for commit in common:
                of_old = _times_by_code(old, places[case], before[commit])
                of_new = _times_by_code(new, number, after[commit])
                if same := [median(of_new[code]) / median(of_old[code]) for code in of_new if code in of_old]:
                    known.setdefault(case, {})[commit] = median(same)
    return _Ratios(
        commit=common[0] if common else "",
        commits=len({commit for ratios in known.values() for commit in ratios}),
        of_cases={case: median(ratios.values()) for case, ratios in known.items()},
    )


def _runs_by_commit(series: RunSeries, count: int) -> dict[str, list[int]]:
    """Return the first runs by their commit; runs of changed files have none."""
    clean = [place for place, run in enumerate(series.runs[:count]) if run.commit and not run.is_dirty]
    return group_by(clean, lambda place: series.runs[place].commit)


def _times_by_code(series: RunSeries, case: int, runs: Iterable[int]) -> dict[str, list[float]]:
    """Return the times of a case in some runs by its machine code, where both are known."""
    times: dict[str, list[float]] = {}
    for run in runs:
        kernel, time_us = series.kernel(case, run), float(series.times.times[case, run])
        if kernel and kernel.code and isfinite(time_us):
            times.setdefault(kernel.code, []).append(time_us)
    return times


def _by_start(old: RunSeries, new: RunSeries) -> Integers:
    """Return the places of the runs of both in the order of their start."""
    return np.argsort([run.started for run in (*old.runs, *new.runs)], kind="stable")


def _both(old: RunSeries, new: RunSeries, ratios: Mapping[str, float], order: Integers) -> RunSeries:
    """Return one series of the cases with a ratio, by which times on the old GPU are multiplied."""
    before, after = _only(old, tuple(ratios)), _only(new, tuple(ratios))
    factors = np.array([*ratios.values()])[:, None]
    runs, places = (*before.runs, *after.runs), (*before.places, *after.places)
    return replace(
        after,
        runs=tuple(runs[place] for place in order),
        times=SeriesTimes(
            times=np.hstack([before.times.times * factors, after.times.times])[:, order],
            errors=np.hstack([before.times.errors, after.times.errors])[:, order],
            days=np.hstack([before.times.days, after.times.days])[order],
            factors=before.times.factors * factors[:, 0],
        ),
        offsets_us=np.hstack([before.offsets_us, after.offsets_us])[order],
        scales=np.hstack([before.scales, after.scales])[order],
        places=tuple(places[place] for place in order),
    )


def _without(series: RunSeries, cases: Container[str]) -> RunSeries:
    """Return a series without some of its cases."""
    return _only(series, tuple(case for case in series.cases if case not in cases))


def _only(series: RunSeries, cases: tuple[str, ...]) -> RunSeries:
    """Return a series of some of its cases."""
    rows = [series.cases.index(case) for case in cases]
    of = series.times
    factors = np.broadcast_to(of.factors, len(series.cases))[rows]
    times = replace(of, times=of.times[rows], errors=of.errors[rows], factors=factors)
    return replace(series, cases=cases, times=times)
