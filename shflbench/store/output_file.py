"""Files that the user named for what a command prints."""

from __future__ import annotations

import os
from pathlib import Path

from shflbench.errors import ResultsError, UsageError
from shflbench.store import run_files
from shflbench.store.counts_file import COUNTS_FILE
from shflbench.store.fleet_file import FLEET_FILE
from shflbench.store.limits_file import LIMITS_FILE
from shflbench.store.run_files import KERNELS_FILE, ROWS_FILE, RUN_FILE, SAMPLES_FILE

BEGINNING = 2000  # bytes, in which a report names the command that made it


def refuse_other_pages(path: Path, generator: str) -> None:
    """Raise UsageError if `path` is a folder, or a file with content that is no page of this generator."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", f"name a file in it: --output {path / 'report.html'}")
    if not path.is_file():
        return
    with path.open("rb") as file:
        beginning = file.read(BEGINNING)
    if beginning and f'content="{generator}"'.encode() not in beginning:
        raise UsageError(f"{path} exists and is not a report", "name another file with --output, or remove this one")


def write(path: Path, content: str | bytes, option: str) -> None:
    """Write a file that the user named with `option`.

    UsageError for a file that belongs to a run; ResultsError where it cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _refuse_run_file(path, option)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or (path.exists() and not path.is_file()):  # /dev/null must stay what it is
            path.write_bytes(data)
        else:
            run_files.replace(path, data)
    except OSError as error:
        advice = f"make its folder writable, or name another file with {option}"
        raise ResultsError(f"{path} cannot be written: {reason(error)}", advice) from error


def append_summary(path: Path, content: str) -> None:
    """Add to the summary of a job on GitHub, which other steps write to as well; ResultsError where that fails."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise ResultsError(
            f"GITHUB_STEP_SUMMARY names {path}, which cannot be written: {reason(error)}",
            "unset it, or use another --format",
        ) from error


def _refuse_run_file(path: Path, option: str) -> None:
    """Raise UsageError for a file that `run` wrote, also through a link: the output would destroy the results."""
    real = Path(os.path.realpath(path))  # Path.resolve raises for a link to itself
    in_run = real.name in {RUN_FILE, ROWS_FILE, SAMPLES_FILE, KERNELS_FILE, LIMITS_FILE, COUNTS_FILE}
    if (in_run and (real.parent / RUN_FILE).exists()) or (
        real.name == FLEET_FILE and any(real.parent.glob(f"*/{RUN_FILE}"))
    ):
        message = f"{path} is not written: it belongs to the run in {real.parent}"
        raise UsageError(message, f"name another file with {option}")


def reason(error: OSError) -> str:
    """Return the reason of an error as it stands within a sentence."""
    return (error.strerror or str(error)).lower()
