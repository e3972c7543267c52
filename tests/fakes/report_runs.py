"""Runs for reports that have several of one suite: another day, another driver, another GPU."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from shflbench.core.model import Case, Sample
from shflbench.store import Row, read_info
from tests.fakes.kept_runs import QUIET, edit
from tests.fakes.runs import H200, info, measured, write_run

DAYS = ("2026-10-01T08:00:00Z", "2026-11-01T08:00:00Z", "2026-12-01T08:00:00Z")


def run_of_day(folder: Path, day: int, *, driver: str = "580.159", device: str = "NVIDIA H200", slow: str = "") -> Path:
    """Write a run of the three cases of neighbor; `slow` is the variant that takes 20% more time."""
    rows, samples = measured(
        patterns=["neighbor"], dtypes=["f32"], seed=day + 1, slowdown=lambda case: 1.2 if _is(case, slow) else 1.0
    )
    gpu = replace(H200, name=device, driver=driver)
    about = replace(info(device=gpu), started=DAYS[day])
    path = write_run(folder, [_by_rounds(row, samples) for row in rows], samples, about)
    return edit(path, noise=QUIET, versions=replace(read_info(path).versions, driver=driver))


def _by_rounds(row: Row, samples: Sequence[Sample]) -> Row:
    """Return the row with the median of its rounds, as runs record it."""
    rounds: dict[int, list[float]] = {}
    for sample in samples:
        if sample.case_id == row.case_id and sample.iterations == row.iterations:
            rounds.setdefault(sample.round, []).append(sample.time_us)
    return replace(row, time_us=median(map(median, rounds.values())))


def _is(case: Case, variant: str) -> bool:
    return case.variant == variant


def two_of_one_suite(folder: Path) -> list[Path]:
    """Write two runs on one GPU: since the newer driver, shuffles are slower."""
    new = run_of_day(folder / "new", 1, driver="590.10", slow="shfl")
    return [new, run_of_day(folder / "old", 0)]
