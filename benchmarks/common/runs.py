"""Run programs, each within a time limit, a few at a time."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

Item = TypeVar("Item")
Result = TypeVar("Result")
NOT_ENDED = 124  # the exit code of a command that was stopped, as timeout(1) gives it


def call(
    command: Sequence[str], seconds: float, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder for at most `seconds`, and return its exit code and what it printed."""
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, NOT_ENDED, "", f"not finished in {seconds:g} s")


def run_all(items: Iterable[Item], work: Callable[[Item], Result], workers: int = 1) -> Iterator[tuple[Item, Result]]:
    """Yield each item with what `work` makes of it, as soon as it is finished, `workers` of them at a time."""
    with ThreadPoolExecutor(workers) as threads:
        futures = {threads.submit(work, item): item for item in items}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
