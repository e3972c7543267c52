"""Facts about the kernels of one call of `inspect`, in the cache of compiled kernels.

One file holds all kernels of one architecture, so that a repeated call neither reads nor analyses their machine code.
"""

from __future__ import annotations

import json
import tempfile
import zlib
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench import analysis, arch
from shflbench.cli.inspect.facts import KernelFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENDING = "inspect"
_SOURCES = (  # whose content decides the facts; the names of kernels depend on that of `shflbench.compile`
    (Path(__file__).parent, "*.py"),
    (Path(str(analysis.__file__)).parent / "limits", "*.py"),
    (Path(str(arch.__file__)).parent, "*.*"),
)


def file_of(folder: Path, parts: Iterable[str]) -> Path:
    """Return the file for kernels and settings that `parts` determine."""
    name = sha256(json.dumps([_rules(), *parts]).encode()).hexdigest()
    return folder / name[:2] / f"{name}.{ENDING}"


@cache
def _rules() -> str:
    paths = sorted(path for folder, names in _SOURCES for path in folder.glob(names) if path.is_file())
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def read(path: Path) -> list[KernelFacts] | None:
    """Return the facts in a file, in the order of the kernels; None if it is missing or damaged."""
    try:
        return [KernelFacts.of_json(values) for values in json.loads(zlib.decompress(path.read_bytes()))]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
        return None


def write(path: Path, facts: Sequence[KernelFacts]) -> None:
    """Write the facts to a file; without an error if that fails, because nothing but time is lost."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            aside = Path(folder) / path.name
            aside.write_bytes(zlib.compress(json.dumps([asdict(one) for one in facts]).encode()))
            aside.replace(path)  # so that no reader sees an incomplete file
    except OSError:
        return
