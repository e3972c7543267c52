"""Committed PTX of kernels that compile for seconds, or that must not change with the compiler.

`python -m tests.emulator.compiled` writes it.
"""

import hashlib
import zipfile
from functools import cache
from pathlib import Path

from shflbench.cuda.compile.source import Source

ARCHIVE = Path(__file__).parent / "ptx.zip"


@cache
def ptx(name: str) -> str:
    """Return the PTX of `sm_90/reduce/cub/f32/width=32`, or of `sm_90/broken`."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(f"{name}.ptx").decode()


def digest(source: Source) -> str:
    """Return a digest of a source, which shows whether committed PTX is older."""
    parts = (source.name, source.text, source.expression, *sorted(source.headers.items()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def digests() -> dict[str, str]:
    """Return the digest of the source of each PTX."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return dict(line.rsplit(" ", 1) for line in archive.read("digests.txt").decode().splitlines())
