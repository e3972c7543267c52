"""Refuse a repository that grows without bound: `git ls-files -z | python -m tools.tracked_size`, part of `make lint`.

docs/contributing/record-a-reference-run.md says which recorded data are kept, and in what form.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_BYTES = 80_000_000
LARGE_BYTES = 100_000  # of a file that must not be there twice
MEGABYTE = 1e6


def problems(paths: Iterable[Path]) -> Iterator[str]:
    """Yield what is wrong with the sizes of these files; files that do not exist are left out."""
    sizes = {path: path.stat().st_size for path in paths if path.is_file()}
    if (total := sum(sizes.values())) > MOST_BYTES:
        yield (
            f"tracked files take {total / MEGABYTE:.1f} MB, more than {MOST_BYTES / MEGABYTE:.0f} MB: remove recorded "
            "data that no test, page or benchmark reads (docs/contributing/record-a-reference-run.md)"
        )
    first: dict[str, Path] = {}
    for path, size in sizes.items():
        if size >= LARGE_BYTES:
            other = first.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
            if other != path:
                yield f"{path} has the content of {other}: keep one of them"


def main() -> int:
    """Check the files whose names standard input lists, each ended by a null byte; return the exit code."""
    found = list(problems(Path(name) for name in sys.stdin.read().split("\0") if name))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
