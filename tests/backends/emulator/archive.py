"""Committed PTX, for what takes the compiler seconds and for what must not change with it.

`python -m tests.backends.emulator.compiled` writes it.
"""

import hashlib
import zipfile
from functools import cache
from pathlib import Path

from shflbench.compile.source import Source

ARCHIVE = Path(__file__).parent / "ptx.zip"


@cache
def ptx(name: str) -> str:
    """Return the PTX of `sm_90/reduce/cub/f32/width=32`, or of `sm_90/broken`."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(f"{name}.ptx").decode()


def digest(source: Source) -> str:
    """Return what tells whether the PTX is older than its source."""
    parts = (source.name, source.text, source.expression, *sorted(source.headers.items()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def digests() -> dict[str, str]:
    """Return the digest of the source that each PTX was made of."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return dict(line.rsplit(" ", 1) for line in archive.read("digests.txt").decode().splitlines())
