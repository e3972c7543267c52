"""The folder of a tuning run."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from shflbench.advice.tuner.record import RECORD_FILE
from shflbench.errors import ResultsError
from shflbench.store import require_unused, run_files
from shflbench.store.append import claim_folder, gpu_slug
from shflbench.store.surroundings import utc_now

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.advice.tuner.record import TuneRecord

ELSEWHERE = "give another folder"


def require_writable(output: Path | None, root: Path) -> None:
    """Raise ResultsError unless a run can start in `output`, or in a new folder under `root`; creates nothing."""
    place = output or root
    if output:
        require_new(output)
    with run_files.writing(place):
        above = next(folder for folder in (place, *place.absolute().parents) if os.path.lexists(folder))
        if not above.is_dir():
            raise ResultsError(f"{above} is not a folder", ELSEWHERE)
    if not os.access(above, os.W_OK | os.X_OK):
        raise ResultsError(f"{above} cannot be written", f"make it writable, or {ELSEWHERE}")


def require_new(folder: Path) -> None:
    """Raise ResultsError where a folder has files, such as those of another run."""
    with run_files.writing(folder):
        has_record = (folder / RECORD_FILE).exists()
    if has_record:
        raise ResultsError(
            f"{folder} already contains a tuning run",
            f"resume it with: {shlex.join(['shflbench', 'tune', '--resume', str(folder)])}, or {ELSEWHERE}",
        )
    require_unused(folder, ELSEWHERE)


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
