"""Cache compiled kernels on disk, by a hash of everything that determines them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.model import Kernel

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from shflbench.cuda.compile.source import Source

KERNEL, CUBIN = "kernel", "cubin"  # endings of the files


def key(source: Source, arch: str, toolchain_identity: str, expected: str) -> str:
    """Return the name of a kernel in the cache: a hash of source, headers, options, compiler and this package."""
    parts = (rules(), toolchain_identity, arch, source.name, source.expression, expected, source.text, *source.options)
    headers = tuple(part for item in source.headers.items() for part in item)
    return hashlib.sha256(json.dumps([*parts, *headers]).encode()).hexdigest()


@cache
def rules() -> str:
    """Return a hash of this package, whose code determines what is read from the machine code."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


class KernelCache:
    """A folder of compressed kernels and cubins; several processes may use it at the same time."""

    def __init__(self, folder: Path | None) -> None:
        """Use `folder`; with None, nothing is cached."""
        self._folder = folder
        self._cubins: dict[str, bytes] = {}  # already read or written, by digest
        self.problem = ""  # why nothing can be cached, as a sentence

    def get(self, name: str) -> Kernel | None:
        """Return the cached kernel `name`; None if there is none, or if its file is damaged."""
        if self._folder is None:
            return None
        try:
            kernel = _json().validate_json(zlib.decompress(entry_path(self._folder, name, KERNEL).read_bytes()))
            return replace(kernel, cubin=self._cubin(self._folder, kernel.cubin.decode()))
        except (OSError, ValueError, zlib.error):
            return None

    def put(self, name: str, kernel: Kernel) -> None:
        """Write `kernel` and, unless it exists, its cubin."""
        if self._folder is None:
            return
        digest = hashlib.sha256(kernel.cubin).hexdigest()
        try:
            if digest not in self._cubins:
                write_entry(entry_path(self._folder, digest, CUBIN), kernel.cubin)
                self._cubins[digest] = kernel.cubin
            write_entry(
                entry_path(self._folder, name, KERNEL), _json().dump_json(replace(kernel, cubin=digest.encode()))
            )
        except OSError as error:
            self.problem = f"compiled kernels cannot be cached in {self._folder}: {error.strerror or error}"

    def _cubin(self, folder: Path, digest: str) -> bytes:
        """Return the cubin with this digest, as the same object each time; ValueError if it is damaged."""
        if digest not in self._cubins:
            content = zlib.decompress(entry_path(folder, digest, CUBIN).read_bytes())
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(digest)
            self._cubins[digest] = content
        return self._cubins[digest]


@cache
def _json() -> TypeAdapter[Kernel]:
    from pydantic import TypeAdapter

    return TypeAdapter(Kernel)


def entry_path(folder: Path, name: str, kind: str) -> Path:
    """Return the file of an entry in the cache."""
    return folder / name[:2] / f"{name}.{kind}"


def write_entry(path: Path, content: bytes) -> None:
    """Write a temporary file and rename it, so that no reader sees an incomplete file; OSError if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(zlib.compress(content))
        Path(aside).replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            Path(aside).unlink()
        raise


def remove_oldest(folder: Path, kind: str, most: int) -> None:
    """Keep the `most` newest entries of a kind; OSError if another process removes one at the same time."""
    entries = list(folder.glob(f"*.{kind}"))
    if len(entries) > most:
        for path in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[:-most]:
            path.unlink(missing_ok=True)
