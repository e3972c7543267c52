"""Join the series of a GPU and of the one that replaces it, by a commit that both measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.levels import SeriesTimes
from shflbench.analysis.history.series import gpu_of
from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from numpy.typing import NDArray

    from shflbench.analysis.history.series import RunSeries
    from shflbench.store.history.record import HistoryKernel

    Integers = NDArray[np.intp]

OVERLAP = 3  # runs of the new GPU before the last one of the old GPU: those that bridge


@dataclass(frozen=True, slots=True)
class Bridge:
    """One GPU in the place of another: a split of the series, unless both measured one commit."""

    old: str  # as `RunSeries.gpu`
    new: str
    run: int  # first one of the new GPU in the joined series
    commit: str = ""  # that joins them; empty where the series is split
    ratios: tuple[float, ...] = ()  # time on the new GPU divided by that on the old one, of the cases that are joined


@dataclass(frozen=True, slots=True)
class JoinedSeries:
    """A series that may go on across GPUs: times are those of its first GPU, by the ratios of its bridges."""

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

    It goes on with the chain that ended last among those with a bridge, and with chains of the same GPUs, to which the
    cases belong that could not be joined before.
    """
    ended = sorted((chain for chain in chains if _replaces(new, chain.series)), key=_last_start, reverse=True)
    bridged = [chain for chain in ended if _known_ratios(chain.series, new)[1]]
    if not ended:
        return [*chains, JoinedSeries(new)]
    rest = new
    gpus = _gpus(bridged[0]) if bridged else frozenset()
    for chain in bridged:
        commit, ratios = _known_ratios(chain.series, rest)
        if ratios and _gpus(chain) & gpus:
            place = chains.index(chain)
            kept = _without(chain.series, ratios)
            apart = [replace(chain, series=kept)] if kept.cases else []
            chains = [*chains[:place], _join(chain, rest, commit, ratios), *apart, *chains[place + 1 :]]
            rest = _without(rest, ratios)
    commit, _ = _ratios((bridged or ended)[0].series, new)
    split = Bridge(gpu_of((bridged or ended)[0].series.runs[-1]), new.gpu, 0, commit)
    return [*chains, JoinedSeries(rest, (split,))] if rest.cases else chains


def _replaces(new: RunSeries, old: RunSeries) -> bool:
    """Whether a GPU goes on where another ends."""
    last = old.runs[-1].started
    return last < new.runs[min(OVERLAP, len(new.runs) - 1)].started and last < new.runs[-1].started


def _last_start(chain: JoinedSeries) -> str:
    return chain.series.runs[-1].started


def _gpus(chain: JoinedSeries) -> frozenset[str]:
    return frozenset(map(gpu_of, chain.series.runs))


def _join(chain: JoinedSeries, new: RunSeries, commit: str, ratios: Mapping[str, float]) -> JoinedSeries:
    """Return a series with that of the GPU that follows it, of the cases with a ratio."""
    old = chain.series
    order = _by_start(old, new)
    places = np.argsort(order)
    first = int(places[len(old.runs) :].min())
    bridge = Bridge(gpu_of(old.runs[-1]), new.gpu, first, commit, tuple(ratios.values()))
    earlier = (replace(bridge, run=int(places[bridge.run])) for bridge in chain.bridges)
    return JoinedSeries(_both(old, new, ratios, order), (*earlier, bridge))


def _known_ratios(old: RunSeries, new: RunSeries) -> tuple[str, dict[str, float]]:
    """Return the commit that joins two series, and the ratios of the cases that it joins."""
    commit, ratios = _ratios(old, new)
    return commit, {case: ratio for case, ratio in ratios.items() if np.isfinite(ratio)}


def _ratios(old: RunSeries, new: RunSeries) -> tuple[str, dict[str, float]]:
    """Return the first commit that both measured, and the ratio of each case whose machine code is the same there."""
    first = {run.commit: place for place, run in enumerate(old.runs) if run.commit and not run.is_dirty}
    places = {case: place for place, case in enumerate(old.cases)}
    for place, run in enumerate(new.runs):
        if run.commit in first and not run.is_dirty:
            pairs = ((case, places[case], number) for number, case in enumerate(new.cases) if case in places)
            return run.commit, {
                case: float(new.times.times[after, place] / old.times.times[before, first[run.commit]])
                for case, before, after in pairs
                if _have_same_code(old.kernel(before, first[run.commit]), new.kernel(after, place))
            }
    return "", {}


def _have_same_code(one: HistoryKernel | None, other: HistoryKernel | None) -> bool:
    return one is not None and other is not None and one.code == other.code != ""


def _by_start(old: RunSeries, new: RunSeries) -> Integers:
    """Return the places of the runs of both in the order of their start."""
    return np.argsort([run.started for run in (*old.runs, *new.runs)], kind="stable")


def _both(old: RunSeries, new: RunSeries, ratios: Mapping[str, float], order: Integers) -> RunSeries:
    """Return one series of the cases with a ratio, by which times on the new GPU are divided."""
    before, after = _only(old, tuple(ratios)), _only(new, tuple(ratios))
    factors = np.array([*ratios.values()])[:, None]
    runs, places = (*before.runs, *after.runs), (*before.places, *after.places)
    return replace(
        before,
        runs=tuple(runs[place] for place in order),
        times=SeriesTimes(
            times=np.hstack([before.times.times, after.times.times / factors])[:, order],
            errors=np.hstack([before.times.errors, after.times.errors])[:, order],
            days=np.hstack([before.times.days, after.times.days])[order],
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
    times = replace(series.times, times=series.times.times[rows], errors=series.times.errors[rows])
    return replace(series, cases=cases, times=times)
