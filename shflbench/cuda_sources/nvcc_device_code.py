"""Compile the device code of a file with nvcc where headers of its host code are missing.

nvcc reads the C++ library and Thrust, which NVRTC does not; what stands for the missing headers lies behind all folders
that it searches, and host code is replaced by spaces. The texts are written to a temporary folder, at the paths that
the files have.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from shflbench.cuda.compile.nvrtc import Message
from shflbench.cuda_sources import nvcc as nvcc_compiler
from shflbench.cuda_sources.host_code import UserFile, blank, enclosing_host_body, host_bodies
from shflbench.cuda_sources.includes import is_file, with_names
from shflbench.cuda_sources.jit import LastingErrors, instantiations_of_host, remove_rejected
from shflbench.cuda_sources.messages import InstanceError, SourceError
from shflbench.cuda_sources.missing_headers import can_leave_out
from shflbench.cuda_sources.plain_folder import plain_folder
from shflbench.cuda_sources.unevaluated import unevaluated_names, with_declarations
from shflbench.emulator.ptx.line_table import files_of, rename_files
from shflbench.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.cuda_sources.lexer import TextSpan
    from shflbench.cuda_sources.source import CudaSource

MAXIMUM_ROUNDS = 10  # of compiling and removing what was rejected: with the C++ library, each takes seconds
_ASKS_FOR_HEADERS = re.compile(rb"\b__has_include\b")
# Without the ranges of profilers in host code of CUB, whose header older copies of it in a repository conflict with.
_WITHOUT_RANGES = "CCCL_DISABLE_NVTX"
_OTHER_TEXT = "nvcc may read another text without the missing headers"
_ADVICE = "Pass missing folders with -I."


class StandInCompiler:
    """Compiles the device code of a file, and keeps what host code nvcc rejected for the next compilation."""

    def __init__(self, source: CudaSource, nvcc: Path) -> None:
        """Find the host code of the file."""
        unit = source.unit
        self._source, self._nvcc = source, nvcc
        self.left_out: Sequence[str] = ()  # missing headers that the last compilation would have read
        host = {file.name: host_bodies(file, source.macros) for file in unit.files}
        spans = {file.name: host[file.name][0] + instantiations_of_host(source, file) for file in unit.files}
        self._bodies = {name: of_file for name, (_, of_file) in host.items()}
        without = ((file, [*spans[file.name], *self._bodies[file.name]]) for file in unit.files)
        self._named = unevaluated_names(without)
        self._spans = {file.name: with_declarations(file, spans[file.name], self._named)[0] for file in unit.files}

    def compile(self, options: CompileOptions, instances: Sequence[str], *, debug: bool = False) -> str:
        """Return the PTX of the device code; CompileError if nvcc rejects it, or might read another text."""
        unit, nvcc = self._source.unit, self._nvcc
        _require_same_files(unit)
        with tempfile.TemporaryDirectory(prefix="shflbench-", dir=plain_folder()) as name:
            folder = _Folder(Path(name).resolve())
            folder.write_stand_ins(unit)
            folder.write_texts(unit, self._spans, self._bodies)
            copies = (folder.moved(item) for item in options.include)
            moved = replace(
                options,
                include=(*(item for item in copies if item.is_dir()), *options.include),
                define=(*options.define, _WITHOUT_RANGES),
                sources=tuple(folder.moved(item) for item in options.sources),
            )
            lasting = LastingErrors()
            for _ in range(MAXIMUM_ROUNDS):
                try:
                    main = folder.moved(unit.main.path)
                    ptx = nvcc_compiler.compile_ptx(nvcc, main, moved, instances, debug=debug, last=folder.stand_ins)
                except SourceError as error:
                    if isinstance(error, InstanceError) or not self._remove(error, folder, lasting):
                        raise
                    folder.write_texts(unit, self._spans, self._bodies)
                else:
                    self.left_out = folder.read_of(missing_headers(unit, nvcc))
                    if not can_leave_out(unit, options.define, self.left_out, instances):
                        raise CompileError(_OTHER_TEXT, _ADVICE, unit.main.path)
                    return rename_files(ptx, {file: folder.original(file) for file in files_of(ptx).values()})
        raise CompileError("nvcc rejects host code", _ADVICE, unit.main.path)

    def _remove(self, error: SourceError, folder: _Folder, lasting: LastingErrors) -> bool:
        """Add the host code that an error names to what is removed; False if there is no new one, or one in vain."""
        source = self._source
        names = {str(folder.moved(file.path)): file.name for file in source.unit.files}
        errors = [Message(names.get(file, file), line, text) for file, line, text in error.every]
        others = _without_bodies(source, self._bodies, errors)
        removed = remove_rejected(source.unit, source.macros, self._spans, others, self._named)
        return not lasting.after(errors) and (removed or len(others) < len(errors))


def _without_bodies(source: CudaSource, bodies: dict[str, list[TextSpan]], errors: Sequence[Message]) -> list[Message]:
    """Add the bodies of host functions that the errors name; return the errors that are in none, or no more in one."""
    files = {file.name: file for file in source.unit.files}
    new: set[tuple[str, TextSpan]] = set()
    others = []
    for error in errors:
        file = files.get(error.file)
        body = enclosing_host_body(file, error.line, source.macros) if file is not None else None
        if file is None or body is None or (body in bodies[file.name] and (file.name, body) not in new):
            others.append(error)
        elif (file.name, body) not in new:
            bodies[file.name].append(body)
            new.add((file.name, body))
    return others


def missing_headers(unit: SourceUnit, nvcc: Path) -> list[str]:
    """Return the headers of a file that are missing for nvcc, too, which has folders of its own."""
    folders = nvcc_compiler.header_folders(nvcc)
    return [name for name in unit.missing if not any(is_file(folder / name) for folder in folders)]


def _require_same_files(unit: SourceUnit) -> None:
    """Raise CompileError where the copies of files may change what device code means."""
    links = any(file.path.resolve() != Path(os.path.abspath(file.path)) for file in unit.files)  # noqa: PTH100  (links stay)
    if links or any(_ASKS_FOR_HEADERS.search(file.text) for file in unit.files):
        raise CompileError(_OTHER_TEXT, _ADVICE, unit.main.path)


class _Folder:
    """A folder with copies of files, at the paths that these have."""

    def __init__(self, path: Path) -> None:
        self._files = path / "files"
        self.stand_ins = path / "stand-ins"

    def moved(self, path: Path) -> Path:
        """Return where the copy of a file lies."""
        return self._files / path.resolve().relative_to("/")

    def original(self, name: str) -> str:
        """Return the file of which one is a copy, or the file itself."""
        return name.removeprefix(str(self._files))

    def read_of(self, names: Sequence[str]) -> list[str]:
        """Return those of the missing headers in whose place nvcc read a text; all if it does not say what it read."""
        try:
            read = set((self.stand_ins.parent / nvcc_compiler.READ).read_text(errors="replace").split())
        except OSError:
            return list(names)
        return [name for name in names if str(self.stand_ins / name) in read]

    def write_texts(
        self, unit: SourceUnit, spans: Mapping[str, list[TextSpan]], bodies: Mapping[str, list[TextSpan]]
    ) -> None:
        """Write the files of the user without the spans and without bodies of host functions.

        They include others by the paths of their copies: a name in `#include` may be one that the unit gave a header.
        """
        paths = {name: str(self.moved(header.path)) for name, header in unit.headers.items()}
        for file in unit.files:
            text = blank(file.text, spans[file.name], file.lexed.directives, bodies[file.name])
            copy = with_names(UserFile.of(file.path, file.name, text), paths)
            _write(self.moved(file.path), copy.text)

    def write_stand_ins(self, unit: SourceUnit) -> None:
        """Write what stands for headers; a name that leads out of the folder, or that no file can have, has none."""
        for name in (*unit.stubs, *unit.missing):
            path = PurePosixPath(name)
            if not path.is_absolute() and ".." not in path.parts:
                with suppress(OSError, ValueError):
                    _write(self.stand_ins / path, unit.stubs.get(name, b""))


def _write(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
