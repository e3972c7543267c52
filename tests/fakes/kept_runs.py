"""Runs that can be baselines: small, finished, with sentinels and a quiet GPU; and changes that spoil them.

    quiet_run(tmp_path / "run")                                # one process, the cases of neighbor in f32
    quiet_run(tmp_path / "other", seed=2, processes=3, about=info(name="quick"))

Another seed is another measurement.
"""

from dataclasses import replace
from pathlib import Path

from shflbench.core.model import SENTINEL, Noise
from shflbench.store import RunInfo, SentinelSet, read_info, run_files, samples
from shflbench.store.run_files import RUN_FILE, SAMPLES_FILE
from tests.fakes.runs import measured, write_run

QUIET = Noise("quiet", "the SM clock within 0.10%", "")
BUSY = Noise("busy GPU", "another process computed on the GPU", "stop it and run again")
VERSION = "1-95de7a58"


def quiet_run(folder: Path, *, seed: int = 1, processes: int = 1, about: RunInfo | None = None) -> Path:
    """Write such a run and return its folder."""
    rows, taken = measured(patterns=["neighbor"], dtypes=["f32"], samples=8, seed=seed)
    write_run(folder, [replace(row, processes=tuple(range(processes))) for row in rows], taken, about)
    run_files.append(folder / SAMPLES_FILE, samples.encode([replace(taken[0], case_id=f"{SENTINEL}/short")]))
    return edit(folder, noise=QUIET, sentinels=SentinelSet(VERSION))


def edit(folder: Path, **changes: object) -> Path:
    """Change fields of the `run.json` in `folder`."""
    info = replace(read_info(folder), **changes)  # type: ignore[arg-type]  # of whatever field
    (folder / RUN_FILE).write_text(info.to_json(), encoding="utf-8")
    return folder


def several(folder: Path, count: int) -> list[Path]:
    """Write some measurements of the same code below `folder`."""
    return [quiet_run(folder / f"run-{seed}", seed=seed) for seed in range(1, count + 1)]


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file at or below `folder`, by its path from there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
