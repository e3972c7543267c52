"""Write the pattern folder of a comparison: the device code of the file, its headers, the declaration, the inputs."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile, ZipInfo

import numpy as np

from shflbench.checker import BufferUse
from shflbench.core.files import read_regular
from shflbench.cuda.compile.host_headers import stub
from shflbench.errors import UsageError
from shflbench.patterns.stored_inputs import CONTENTS, contents_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.user_kernels.comparison import KernelComparison

_INCLUDE = re.compile(rb'^([ \t]*#[ \t]*include[ \t]*[<"])([^>"\n]+)([>"])', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Texts:
    """The files of a pattern folder, by name."""

    files: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        """A hash of names and contents."""
        parts = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            parts.update(hashlib.sha256(name.encode() + b"\0" + content).digest())
        return parts.hexdigest()[:32]


def pattern_files(comparison: KernelComparison, declaration: Mapping[str, bytes]) -> Texts:
    """Return the files of the folder: the declaration, the sources, and the contents of buffers that kernels read."""
    files = dict(declaration)
    for kernel in comparison.kernels:
        files |= _sources(kernel.unit, f"{kernel.folder}/" if kernel.folder else "")
    contents = {
        contents_key(buffer.name, size[1] if size else ""): buffer.contents
        for size, launch in comparison.sizes.items()
        for buffer in launch.buffers
        if comparison.use(buffer) is not BufferUse.WRITTEN
    }
    if contents:
        files[CONTENTS] = _archive(contents)
    return Texts(files)


def _archive(contents: Mapping[str, NDArray[np.uint8]]) -> bytes:
    """Return arrays as an archive of NumPy; not by `np.savez`, which has arguments `file` and `allow_pickle`."""
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, array in contents.items():
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return stream.getvalue()


def write_folder(texts: Texts, name: str, below: Path) -> Path:
    """Write the files to a folder called `name` below another one, unless it has them, and return it."""
    folder = below / texts.digest / name
    if _has(folder, texts):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        _write(texts, aside)
        if folder.is_dir():  # its files were changed
            shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        if not _has(folder, texts):  # else another process was faster
            raise OSError(error.errno, error.strerror, str(folder)) from error
    return folder


def _has(folder: Path, texts: Texts) -> bool:
    """Whether a folder has exactly these files."""
    try:
        known = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
        return known == texts.files.keys() and all(
            read_regular(folder / file, len(content)) == content for file, content in texts.files.items()
        )
    except OSError:
        return False


def write_new(texts: Texts, folder: Path, suite: Path, suite_text: str) -> None:
    """Write the files to a folder, and a suite; UsageError if one of them exists, and nothing is written."""
    for path in (folder, suite):
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"{path} exists; nothing was written", "Choose another name, or another folder by --output."
            )
    folder.mkdir(parents=True)
    _write(texts, folder)
    suite.write_text(suite_text, encoding="utf-8")


def _write(texts: Texts, folder: Path) -> None:
    for file, content in texts.files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)


def _sources(unit: PtxUnit, below: str) -> dict[str, bytes]:
    """Return the device code and each header that it includes, under names without a place on this machine.

    Line tables name the files in the folder `below`, so that files of one name from several sources differ.
    """
    line = _line(f"{below}{Path(unit.name).name}")
    files = {f"{below}kernels.cu": _renamed(unit.text.replace(_line(unit.name), line))}
    for name, content in _headers(unit):
        line = _line(f"{below}{Path(name).name}") + b"\n" if below else b""
        files[f"{below}{name}"] = line + content
    return {name: _as_utf8(content) for name, content in files.items()}


def _as_utf8(text: bytes) -> bytes:
    """Return a text of any encoding as UTF-8: other bytes, of comments and literals, as octal escapes."""
    decoded = text.decode(errors="surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda match: f"\\{ord(match[0]) - 0xDC00:03o}", decoded).encode()


def _line(name: str) -> bytes:
    return f'#line 1 "{name}"'.encode()


def _headers(unit: PtxUnit) -> Iterator[tuple[str, bytes]]:
    waiting, known = [unit.text], set()
    while waiting:
        for match in _INCLUDE.finditer(waiting.pop()):
            name = match[2].decode(errors="replace")
            if name in known or name not in unit.headers:
                continue
            known.add(name)
            waiting.append(unit.headers[name])
            if unit.headers[name] != stub(name):
                yield _plain_name(name), _renamed(unit.headers[name])


def _renamed(text: bytes) -> bytes:
    return _INCLUDE.sub(
        lambda match: match[1] + _plain_name(match[2].decode(errors="replace")).encode() + match[3], text
    )


def _plain_name(name: str) -> str:
    """Return the name of a header below the folder: `common.h` of `../common.h`."""
    return re.sub(r"^(?:\.{0,2}/)+", "", os.path.normpath(name))
