"""Compile the device code of a file with nvcc where headers of its host code are missing.

nvcc reads the C++ library and Thrust, which NVRTC does not; what stands for the missing headers lies behind all folders
that it searches, and host code is replaced by spaces. The texts are written to a temporary folder, at the paths that
the files have.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.compile.nvrtc import Message
from shflbench.cuda_sources import nvcc as nvcc_compiler
from shflbench.cuda_sources.host_code import blank, host_spans
from shflbench.cuda_sources.jit import instantiations_of_host, remove_rejected
from shflbench.cuda_sources.messages import InstanceError, SourceError
from shflbench.cuda_sources.plain_folder import plain_folder
from shflbench.emulator.ptx.line_table import files_of, rename_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.cuda_sources.lexer import TextSpan
    from shflbench.cuda_sources.source import CudaSource

MAXIMUM_ROUNDS = 6  # of compiling and removing what was rejected: with the C++ library, each takes seconds


def compile_with_stand_ins(source: CudaSource, nvcc: Path, options: CompileOptions, instances: Sequence[str]) -> str:
    """Return the PTX of the device code of a file; CompileError if nvcc rejects it.

    Instances that nvcc rejects are left out.
    """
    unit, wanted = source.unit, list(instances)
    spans = {file.name: host_spans(file, source.macros) + instantiations_of_host(source, file) for file in unit.files}
    with tempfile.TemporaryDirectory(prefix="shflbench-", dir=plain_folder()) as name:
        folder = _Folder(Path(name).resolve())
        behind = folder.path / "stubs"
        for header, text in unit.stubs.items():
            _write(behind / header, text)
        for header in unit.missing:
            _write(behind / header, unit.stubs.get(header, b""))
        copies = tuple(folder.moved(item) for item in options.include)
        moved = replace(
            options,
            include=(*(item for item in copies if item.is_dir()), *options.include),
            sources=tuple(folder.moved(item) for item in options.sources),
        )
        for _ in range(MAXIMUM_ROUNDS):
            folder.write_texts(source, spans)
            try:
                ptx = nvcc_compiler.compile_ptx(nvcc, folder.moved(unit.main.path), moved, wanted, last=behind)
            except InstanceError as error:
                if error.instance not in wanted:
                    raise
                wanted.remove(error.instance)
            except SourceError as error:
                names = {str(folder.moved(file.path)): file.name for file in unit.files}
                errors = [
                    Message(names.get(file, file), line, text) for file, line, text in nvcc_compiler.messages(error.log)
                ]
                if not remove_rejected(unit, source.macros, spans, errors):
                    raise
            else:
                return rename_files(ptx, {file: folder.original(file) for file in files_of(ptx).values()})
    raise SourceError(unit.main.path, "nvcc rejects host code", "Pass missing folders with -I.")


class _Folder:
    """A folder with copies of files, at the paths that these have."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def moved(self, path: Path) -> Path:
        """Return where the copy of a file lies."""
        return self.path / "files" / path.resolve().relative_to("/")

    def original(self, name: str) -> str:
        """Return the file of which one is a copy, or the file itself."""
        return name.removeprefix(str(self.path / "files"))

    def write_texts(self, source: CudaSource, spans: Mapping[str, list[TextSpan]]) -> None:
        """Write the files of the user without the spans."""
        for file in source.unit.files:
            _write(self.moved(file.path), blank(file.text, spans[file.name], file.lexed.directives))


def _write(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
