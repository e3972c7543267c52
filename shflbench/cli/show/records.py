"""Runs as JSON: the rows of `results.csv` with their types, and what is needed to judge them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store import Row, Run


def text(runs: Iterable[tuple[Run, Sequence[Row]]]) -> str:
    """Return a list with an object per run; unknown values are null."""
    return json.dumps([_record(run, rows) for run, rows in runs], indent=2, ensure_ascii=False, allow_nan=False)


def _record(run: Run, rows: Sequence[Row]) -> dict[str, object]:
    info = run.info
    return {
        "folder": str(run.folder),
        "suite": info.suite.name,
        "device": info.device.name if info.device else None,
        "driver": info.versions.driver,
        "nvrtc": info.versions.nvrtc,
        "started": info.started,
        "finished": info.finished,
        "noise": asdict(info.noise) if info.noise else None,
        "cases": [{**asdict(row), "options": dict(row.options)} for row in rows],
    }
