"""Keep compiled kernels on disk, addressed by everything that went into them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.model import Instruction, Kernel, Loop, Resources

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.compile.source import Source

# What reading a damaged archive raises; NotImplementedError where its version or method is nonsense.
_DAMAGED = (
    OSError,
    EOFError,
    KeyError,
    TypeError,
    ValueError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)

KERNEL, CUBIN = "zip", "cubin.z"  # endings of files
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal kernels are equal files


def key(source: Source, arch: str, toolchain_identity: str, expected: str) -> str:
    """Return the name under which a kernel is kept: a hash of source, headers, options, compiler and these rules."""
    parts = (_rules(), toolchain_identity, arch, source.name, source.expression, expected, source.text)
    headers = tuple(part for item in source.headers.items() for part in item)
    return hashlib.sha256(json.dumps([*parts, *headers]).encode()).hexdigest()


@cache
def _rules() -> str:
    """Return a hash of this package, whose code decides what is read from the machine code."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


class KernelCache:
    """A folder of kernels, one zip archive each, and of cubins, which kernels share; several processes may use it."""

    def __init__(self, folder: Path | None) -> None:
        """Use `folder`; None keeps nothing."""
        self._folder = folder
        self._cubins: dict[str, bytes] = {}  # read or written already, by digest
        self.problem = ""  # why nothing can be kept, in words

    def get(self, name: str) -> Kernel | None:
        """Return the kernel kept as `name`, or None; a damaged file counts as none."""
        if self._folder is None:
            return None
        try:
            with zipfile.ZipFile(_path(self._folder, name, KERNEL)) as archive:
                return _unpack(archive, self._cubin)
        except _DAMAGED:
            return None

    def put(self, name: str, kernel: Kernel) -> None:
        """Keep `kernel` and, unless it is there, its cubin."""
        if self._folder is None:
            return
        digest = hashlib.sha256(kernel.cubin).hexdigest()
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            _pack(archive, kernel, digest)
        try:
            if digest not in self._cubins:
                _write(_path(self._folder, digest, CUBIN), zlib.compress(kernel.cubin))
                self._cubins[digest] = kernel.cubin
            _write(_path(self._folder, name, KERNEL), content.getvalue())
        except OSError as error:
            self.problem = f"compiled kernels cannot be kept in {self._folder}: {error.strerror or error}"

    def _cubin(self, digest: str) -> bytes:
        """Return the cubin with this digest, the same object each time; ValueError if it is damaged."""
        if digest not in self._cubins and self._folder is not None:
            content = zlib.decompress(_path(self._folder, digest, CUBIN).read_bytes())
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(digest)
            self._cubins[digest] = content
        return self._cubins[digest]


def _path(folder: Path, name: str, kind: str) -> Path:
    return folder / name[:2] / f"{name}.{kind}"


def _write(path: Path, content: bytes) -> None:
    """Write aside and rename, so that no reader sees half of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(aside).replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            Path(aside).unlink()
        raise


def _pack(archive: zipfile.ZipFile, kernel: Kernel, cubin: str) -> None:
    about = {
        "symbol": kernel.symbol,
        "arch": kernel.arch,
        "cubin": cubin,
        "resources": asdict(kernel.resources),
        "loop": asdict(kernel.loop) if kernel.loop else None,
        "violations": kernel.violations,
        "sass": kernel.sass is not None,
    }
    parts = {
        "kernel.json": json.dumps(about, indent=1),
        "kernel.ptx": kernel.ptx,
    }
    if kernel.sass is not None:
        parts["kernel.sass"] = "\n".join(
            "\t".join((hex(i.address), i.predicate, i.opcode, ",".join(i.operands))) for i in kernel.sass
        )
    for part, content in parts.items():
        archive.writestr(zipfile.ZipInfo(part, _EPOCH), content, zipfile.ZIP_DEFLATED)


def _unpack(archive: zipfile.ZipFile, cubin: Callable[[str], bytes]) -> Kernel:
    about: dict[str, Any] = json.loads(archive.read("kernel.json"))
    return Kernel(
        symbol=about["symbol"],
        arch=about["arch"],
        ptx=archive.read("kernel.ptx").decode(),
        cubin=cubin(about["cubin"]),
        resources=Resources(**about["resources"]),
        sass=tuple(_lines(archive.read("kernel.sass").decode())) if about["sass"] else None,
        loop=Loop(**about["loop"]) if about["loop"] else None,
        violations=tuple(about["violations"]),
    )


def _lines(text: str) -> list[Instruction]:
    instructions = []
    for line in text.splitlines():
        address, predicate, opcode, operands = line.split("\t")
        instructions.append(
            Instruction(int(address, 16), predicate, opcode, tuple(operands.split(",")) if operands else ())
        )
    return instructions
