"""Runs of a history, made from times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from shflbench.store.history.record import HistoryCase, HistoryKernel, HistoryMachine, HistoryRun

if TYPE_CHECKING:
    from collections.abc import Mapping

SENTINELS_US = {"short-1": 12.0, "short-2": 17.0, "short-3": 21.0, "short-4": 30.0, "long-1": 400.0, "long-2": 410.0}
GPU = "GPU-00000000-0000-0000-0000-000000000001"


def started_on(day: float) -> str:
    """Return the start of a run so many days after the first."""
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")


def machine(offset_us: float = 0.0, scale: float = 1.0, **values: object) -> HistoryMachine:
    """Return a machine whose sentinels took so much longer."""
    sentinels = tuple((f"sentinel/{name}", scale * time_us + offset_us) for name, time_us in SENTINELS_US.items())
    known = {"gpu": GPU, "gpu_name": "NVIDIA H200", "arch": "sm_90", "driver": "580.1", "compiler": "13.5"}
    return HistoryMachine(**{**known, "sentinels": sentinels, "sentinel_version": "1", **values})  # type: ignore[arg-type]


def history_run(
    day: float, times_us: Mapping[str, float | None], around: HistoryMachine | None = None, suite: str = "quick"
) -> HistoryRun:
    """Return a run; a case without time failed."""
    return HistoryRun(
        suite=suite,
        suite_sha256="5" * 64,
        started=started_on(day),
        machine=around or machine(),
        cases=tuple(
            HistoryCase(
                case=case,
                status="failed" if time_us is None else "timed",
                time_us=time_us,
                error=None if time_us is None else 0.001,
                processes=3,
                kernel=HistoryKernel(code=f"code of {case}", source=f"source of {case}", launch="26x1024"),
            )
            for case, time_us in times_us.items()
        ),
    )
