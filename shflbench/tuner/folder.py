"""The folder of a tuning run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.store import run_files
from shflbench.store.append import claim_folder, gpu_slug
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.tuner.record import TuneRecord


def tune_folder(record: TuneRecord, output: Path | None, root: Path) -> Path:
    """Return `output`, or create the first free folder `tune-<pattern>/<gpu>-<YYYYMMDD>-<n>` under `root`.

    ResultsError where it cannot be created.
    """
    if output:
        return output
    parent = root / f"tune-{record.request.pattern}"
    name = gpu_slug(record.device or f"no-gpu-{record.arch}")
    with run_files.writing(parent):
        parent.mkdir(parents=True, exist_ok=True)
        return claim_folder(parent, f"{name}-{utc_now()[:10].replace('-', '')}")
