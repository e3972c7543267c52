"""A history with one of everything: a step, a drift, a gap, a failure, an outlier, and changes of the machine."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shflbench.analysis.history.findings import SuiteHistory, history_of
from shflbench.store.history.marks import Mark
from shflbench.store.history.record import HistoryKernel, HistoryRun
from tests.fakes.histories import history_run, machine

DAYS, STEP, DRIFT, LIKELY = 120, 100, 30, 118
GAP = range(50, 60)
STEPPED, DRIFTING, QUIET, LATE = "reduce/shfl", "softmax/smem", "scan/smem", "scan/shfl"


def runs(rename: str = "{}", days: int = DAYS) -> Iterator[HistoryRun]:
    """Yield daily runs; `rename` makes the ids of their cases."""
    rng = np.random.default_rng(71)
    for day in range(days):
        noise = (1 + 0.001 * rng.standard_normal(4)).tolist()
        times: dict[str, float | None] = {
            STEPPED: 10.0 * noise[0] * (1.03 if day >= STEP else 1),
            DRIFTING: 20.0 * noise[1] * (1 + 0.02 * max(0, day - DRIFT) / 30),
            QUIET: None if day == days - 1 else 30.0 * noise[2] * (1.5 if day == 7 else 1),
            LATE: 40.0 * noise[3] * (1.05 if day >= LIKELY else 1),
        }
        if day in GAP:
            continue
        run = history_run(day, times, machine(driver="590.1" if day >= STEP else "580.1"))
        kernels = {STEPPED: HistoryKernel(code=f"code {day >= STEP}", source=f"source {day >= STEP}")}
        yield replace(
            run,
            commit=f"{day:03d}{0:037d}",
            cases=tuple(
                replace(case, case=rename.format(case.case), kernel=kernels.get(case.case, case.kernel))
                for case in run.cases
            ),
        )


def made(*marks: Mark, rename: str = "{}") -> SuiteHistory:
    """Return the history of all of them."""
    (history,) = history_of(runs(rename), marks)
    return history
