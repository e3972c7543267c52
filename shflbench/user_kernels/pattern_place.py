"""Where the patterns of a comparison are written."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "bench"  # below the cache


@contextmanager
def pattern_place(cache: Path) -> Iterator[tuple[Path, str]]:
    """Yield a folder below the `cache`, and an empty text; a temporary folder, and why, where it cannot be written."""
    below = cache / FOLDER
    try:
        below.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=below):
            pass
    except OSError as error:
        with TemporaryDirectory(prefix="shflbench-") as folder:
            yield Path(folder), f"the cache cannot be written ({below}: {error.strerror})"
    else:
        yield below, ""
