"""Run programs, each within a time limit, a few at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
NOT_ENDED = 124  # the exit code of a command that was stopped, as timeout(1) gives it


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command printed, its exit code, and the seconds that it took."""

    code: int
    out: str
    errors: str
    seconds: float

    def json(self) -> dict[str, Any]:
        """Return the JSON object that was printed, an empty one if nothing was; ValueError for other text."""
        record: dict[str, Any] = json.loads(self.out) if self.out else {}
        return record


def call(
    command: Sequence[str],
    seconds: float | None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: str | None = None,
) -> Reply:
    """Run a command in a folder for at most `seconds`, with `text` as its input; OSError if it cannot be started."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return Reply(NOT_ENDED, "", f"not finished in {late.timeout:g} s", late.timeout)
    return Reply(done.returncode, done.stdout, done.stderr, round(time.monotonic() - start, 1))


def shflbench(*words: str, folder: Path | None = None, seconds: float | None = None) -> Reply:
    """Run the command line of this checkout."""
    return call((sys.executable, "-m", "shflbench", *words), seconds, folder)


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
