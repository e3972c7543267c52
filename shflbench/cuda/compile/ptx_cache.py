"""Cache the PTX of users' files on disk, by a hash of everything that determines it; errors of a file, too."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda.compile.cache import entry_path, remove_oldest, rules, write_entry
from shflbench.cuda.compile.nvrtc import Message, PtxResult
from shflbench.cuda.compile.ptx_process import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.cuda.compile.toolchain import Toolchain

PTX = "ptx-result"  # ending of the files
MAXIMUM_ENTRIES = 16  # in each of the 256 folders; an entry has a few KiB
# What NVRTC reads from the disk beside what it is given: headers whose names only the preprocessor knows.
_UNKNOWN_HEADERS = re.compile(rb'#\s*include\s*[^\s"<]|\b__has_include\b')


class PtxCompiler:
    """NVRTC in a process of its own, which is asked only for what the cache does not have."""

    def __init__(self, toolchain: Toolchain, folder: Path | None) -> None:
        """Use the cache in `folder`; with None, nothing is cached."""
        self.toolchain = toolchain
        self.folder = folder
        self.has_failed = False  # once: another time it may not, so that what follows from it must not be kept

    def compile(self, unit: PtxUnit, timeout_s: float | None = None) -> PtxResult:
        """Compile a unit within `timeout_s`, or the time that the process allows.

        UnfinishedError if the compiler crashes or exceeds its limits, CompilerError if it fails.
        """
        path = self._path(unit)
        result = _read(path) if path is not None else None
        if result is None:
            self.has_failed, had_failed = True, self.has_failed
            result = SHARED.compile(unit, self.toolchain, timeout_s)
            self.has_failed = had_failed
            if path is not None:
                with contextlib.suppress(OSError):  # a cache that cannot be written costs time only
                    write_entry(path, json.dumps(asdict(result)).encode())
                    remove_oldest(path.parent, PTX, MAXIMUM_ENTRIES)
        return result

    @staticmethod
    def reads_disk(texts: Iterable[bytes]) -> bool:
        """Whether NVRTC reads more from the disk for these texts than it is given, and the headers of CUDA."""
        return any(_UNKNOWN_HEADERS.search(text) for text in texts)

    def _path(self, unit: PtxUnit) -> Path | None:
        """Return the file of a unit in the cache; None if it cannot be cached."""
        texts = (unit.text, *unit.headers.values())
        if self.folder is None or self.reads_disk(texts):
            return None
        # NVRTC names headers in the line table below the working folder.
        names = (rules(), self.toolchain.identity, str(Path.cwd()), unit.name)
        parts = [*names, *unit.options, "", *unit.expressions, "", *unit.headers]
        digest = hashlib.sha256(json.dumps(parts).encode())
        for text in texts:
            digest.update(hashlib.sha256(text).digest())
        return entry_path(self.folder, digest.hexdigest(), PTX)


def _read(path: Path) -> PtxResult | None:
    """Return an entry; None if there is none, or if its file is damaged."""
    try:
        stored = json.loads(zlib.decompress(path.read_bytes()))
        errors = tuple(Message(**item) for item in stored["errors"])
        return PtxResult(stored["ptx"], tuple(stored["symbols"]), errors, stored["log"])
    except (OSError, ValueError, TypeError, KeyError, zlib.error):
        return None
