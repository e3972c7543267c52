"""One process at a time writes the folder of a run: two that resume it would remove each other's rows."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.run_files import writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Keep other processes from entering this for the same folder, also on its host alone where disks are shared.

    ResultsError where one has. The lock ends with the process, however it ends, and leaves no file. A folder that does
    not exist, and a file system without locks, are left to what follows.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def sole_creator(folder: Path) -> Iterator[None]:
    """Create a folder unless it exists, and keep other processes from starting a run in it meanwhile.

    ResultsError where one does, or where the folder cannot be created.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with sole_writer(folder):
        yield


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ResultsError(
            f"{folder} is being written by another shflbench process",
            "wait until that run has ended, or end it, and try again",
        ) from error
    except OSError:  # such as ENOLCK
        return
