"""Find headers of a file that are neither beside it nor in a given folder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.words import join_words
from shflbench.cuda_sources.build_files import folders_of_build_files
from shflbench.cuda_sources.build_options import shown_path
from shflbench.cuda_sources.includes import is_file, read_limited, read_unit
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.nvcc import header_folders
from shflbench.cuda_sources.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.emulator.file_budget import FileBudget

SYSTEM = Path("/usr/include")  # a header of the system is no one of the repository, for example getopt.h
_OF_LINUX = re.compile(rb"#undef (HAVE_(?:CLOCK_\w+|GETTIMEOFDAY|STD\w+_H|STRINGS?_H|SYS_\w+_H|UNISTD_H))\b")
MAXIMUM_ROUNDS = 10  # of headers that include further ones from other folders


def with_found_headers(
    main: UserFile, options: CompileOptions, toolkit: Sequence[Path], nvcc: Path | None = None
) -> tuple[SourceUnit, CompileOptions, list[SourceNote]]:
    """Read the headers of a file, those that are missing from folders that its build names, or of its repository.

    Return them with the options that have these folders, and notes on them. `toolkit` are the folders of CUDA's
    headers that NVRTC reads; those of `nvcc` are not searched for. CompileError as of `read_unit`.
    """
    search = _HeaderSearch(main.path, nvcc, options.budget)
    unit = read_unit(main, options.include, toolkit)
    for _ in range(MAXIMUM_ROUNDS):
        added = search.folders(unit, options.include)
        if not added:
            break
        options = replace(options, include=(*options.include, *added))
        unit = read_unit(main, options.include, toolkit)
    templates = search.templates(unit)
    unit.stubs |= {name: text for name, (_, text) in templates.items()}
    notes = [*search.notes(), *(_template_note(name, path) for name, (path, _) in templates.items())]
    return unit, options, [SourceNote("build", text) for text in notes]


def _template_note(name: str, template: Path) -> str:
    return f"{name} is {shown_path(template)}, which configure completes: only what every Linux has is defined"


class _HeaderSearch:
    """Folders of the headers that a file misses, and where they are from."""

    def __init__(self, path: Path, nvcc: Path | None, budget: FileBudget) -> None:
        self._path = path
        self._nvcc = nvcc
        self._repository = Repository(path, budget)
        self._named: dict[Path, list[Path]] = {}  # file of the build → folders
        self._only: dict[tuple[Path, int], list[str]] = {}  # folder, number of other headers that differ → headers

    def folders(self, unit: SourceUnit, known: Sequence[Path]) -> list[Path]:
        """Return new folders that have missing headers: those of the build, else those of the repository."""
        named = dict(folders_of_build_files(self._path, self._missing(unit)))
        added = [folder for folder in named if folder not in known]
        for folder in added:
            self._named.setdefault(named[folder], []).append(folder)
        return added or self._of_repository(unit, known)

    def _of_repository(self, unit: SourceUnit, known: Sequence[Path]) -> list[Path]:
        added: dict[Path, None] = {}
        for name in self._absent(unit):
            nearest = self._repository.folder_of(name)
            if nearest is not None and nearest[0] not in known:
                self._only.setdefault(nearest, []).append(name)
                added[nearest[0]] = None
        return list(added)

    def templates(self, unit: SourceUnit) -> dict[str, tuple[Path, bytes]]:
        """Return path and text of `config.h.in`, as autoheader writes it, for a missing `config.h`, likewise others."""
        result = {}
        for name in self._absent(unit):
            folder, different = self._repository.folder_of(f"{name}.in") or (None, 0)
            if folder is None or different:
                continue
            text = read_limited(folder / f"{name}.in")
            if b"#undef " in text and b"@" not in text:
                result[name] = folder / f"{name}.in", _OF_LINUX.sub(rb"#define \1 1", text)
        return result

    def _missing(self, unit: SourceUnit) -> list[str]:
        """Return the missing headers that are none of nvcc's."""
        folders = header_folders(self._nvcc) if unit.missing and self._nvcc is not None else ()
        return [name for name in unit.missing if not any(is_file(folder / name) for folder in folders)]

    def _absent(self, unit: SourceUnit) -> list[str]:
        """Return those of them that the system does not have either."""
        return [name for name in self._missing(unit) if not is_file(SYSTEM / name)]

    def notes(self) -> list[str]:
        """Return a sentence for each file of the build, and one for each folder of the repository."""
        named = [
            f"headers come from {join_words([shown_path(item) for item in folders])}, as {shown_path(origin)} says"
            for origin, folders in self._named.items()
        ]
        only = [
            f"{join_words(names)} come{'s' if len(names) == 1 else ''} from {shown_path(folder)}: {_reason(different)}"
            for (folder, different), names in self._only.items()
        ]
        return [*named, *only]


def _reason(different: int) -> str:
    """Return why a header of the repository was chosen from those of its name."""
    if not different:
        return "the repository has no different header of that name"
    others = f"{different} that differ" if different > 1 else "one that differs"
    return f"it is the nearest of that name in the repository, which has {others}; choose with -I"
