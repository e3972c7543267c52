"""Compile a file as its build does: with the options of `compile_commands.json` and the folders of its headers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.sources.build_files import (
    build_command,
    folders_of_build_files,
    macros_of_build_files,
    program_words,
)
from shflbench.checker.sources.includes import is_file, read_limited, read_unit
from shflbench.checker.sources.kernel_file import NEWER_STANDARD, SourceNote
from shflbench.checker.sources.repository import Repository
from shflbench.files import relative
from shflbench.words import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.sources.host_code import UserFile
    from shflbench.checker.sources.includes import SourceUnit
    from shflbench.checker.sources.kernel_file import CompileOptions
    from shflbench.errors import CompileError

SYSTEM = Path("/usr/include")  # a header of the system is no one of the repository, for example getopt.h
_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OF_LINUX = re.compile(rb"#undef (HAVE_(?:CLOCK_\w+|GETTIMEOFDAY|STD\w+_H|STRINGS?_H|SYS_\w+_H|UNISTD_H))\b")
_VARIANTS = frozenset({"DEBUG", "NDEBUG"})  # which Makefiles define under a condition
MAXIMUM_ROUNDS = 10  # of headers that include further ones from other folders


def with_build_command(path: Path, options: CompileOptions) -> tuple[CompileOptions, list[SourceNote]]:
    """Return the options with those of `compile_commands.json` for the file, and a note on them; given ones count."""
    command = build_command(path)
    if command is None:
        return options, []
    given = {_name(macro) for macro in options.define}
    macros = tuple(macro for macro in command.define if _name(macro) not in given)
    folders = tuple(folder for folder in command.include if folder not in options.include)
    words = [f"-I {_shown(folder)}" for folder in folders] + [f"-D {macro}" for macro in macros]
    words += [f"-std={NEWER_STANDARD}"] if command.is_newer else []
    if not words:
        return options, []
    text = f"compiled with {joined(words)} from {_shown(command.origin)}"
    return (
        replace(
            options,
            include=(*options.include, *folders),
            define=(*options.define, *macros),
            standard=NEWER_STANDARD if command.is_newer else options.standard,
        ),
        [SourceNote("build", text)],
    )


def with_found_headers(
    main: UserFile, options: CompileOptions, toolkit: Sequence[Path]
) -> tuple[SourceUnit, CompileOptions, list[SourceNote]]:
    """Read the headers of a file, those that are missing from folders that its build names, or of its repository.

    Return them with the options that have these folders, and notes on them. `toolkit` are the folders of CUDA's
    headers. CompileError as of `read_unit`.
    """
    search = _HeaderSearch(main.path)
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
    return f"{name} is {_shown(template)}, which configure completes: only what every Linux has is defined"


def with_build_macros(
    unit: SourceUnit, options: CompileOptions, error: CompileError
) -> tuple[CompileOptions, list[SourceNote]] | None:
    """Return the options with macros of a Makefile or CMakeLists.txt and a note, if a name is undefined without them.

    These are, where the undefined name is one of the macros, those that the text uses, and else those that it tests
    with #if. None if `error` is another one, or no file of the build has such a macro.
    """
    # nvcc's error can hide that of NVRTC, which compiled the device code after it.
    name = _UNDEFINED.search(f"{error.message} {error.__cause__ or ''}")
    if name is None:
        return None
    used, tested = _words_of_text(unit)
    given = {_name(macro) for macro in options.define}
    for origin, macros in macros_of_build_files(unit.main.path):
        names = {_name(macro) for macro in macros}
        wanted = used if name[1] in names else tested
        added = [macro for macro in macros if _name(macro) in wanted - given - _VARIANTS]
        if added:
            words = joined([f"-D {macro}" for macro in added])
            text = f"compiled with {words} from {_shown(origin)}, because {name[1]} is undefined without"
            return replace(options, define=(*options.define, *added)), [SourceNote("build", text)]
    return None


def _words_of_text(unit: SourceUnit) -> tuple[set[str], set[str]]:
    """Return the words of the text without conditions of the preprocessor, and those in such conditions."""
    used: set[str] = set()
    tested: set[str] = set()
    for file in unit.files:
        text = file.text.decode(errors="replace")
        for condition in _CONDITION.findall(text):
            tested |= set(_WORD.findall(condition))
        used |= set(_WORD.findall(_CONDITION.sub("", text)))
    return used, tested


class _HeaderSearch:
    """Folders of the headers that a file misses, and where they are from."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._repository = Repository(path)
        self._named: dict[Path, list[Path]] = {}  # file of the build → folders
        self._only: dict[Path, list[str]] = {}  # folder → headers that no other folder of the repository has

    def folders(self, unit: SourceUnit, known: Sequence[Path]) -> list[Path]:
        """Return new folders that have missing headers: those of the build, else those of the repository."""
        named = dict(folders_of_build_files(self._path, list(unit.missing)))
        added = [folder for folder in named if folder not in known]
        for folder in added:
            self._named.setdefault(named[folder], []).append(folder)
        return added or self._of_repository(unit, known)

    def _of_repository(self, unit: SourceUnit, known: Sequence[Path]) -> list[Path]:
        added: dict[Path, None] = {}
        for name in unit.missing:
            folder = None if is_file(SYSTEM / name) else self._repository.folder_of(name)
            if folder is not None and folder not in known:
                self._only.setdefault(folder, []).append(name)
                added[folder] = None
        return list(added)

    def templates(self, unit: SourceUnit) -> dict[str, tuple[Path, bytes]]:
        """Return path and text of `config.h.in`, as autoheader writes it, for a missing `config.h`, likewise others."""
        result = {}
        for name in unit.missing:
            folder = self._repository.folder_of(f"{name}.in")
            text = read_limited(folder / f"{name}.in") if folder is not None else b""
            if folder is not None and b"#undef " in text and b"@" not in text:
                result[name] = folder / f"{name}.in", _OF_LINUX.sub(rb"#define \1 1", text)
        return result

    def notes(self) -> list[str]:
        """Return a sentence for each file of the build, and one for each folder of the repository."""
        named = [
            f"headers come from {joined([_shown(item) for item in folders])}, as {_shown(origin)} says"
            for origin, folders in self._named.items()
        ]
        only = [
            f"{joined(names)} come{'s' if len(names) == 1 else ''} from {_shown(folder)}: "
            "the repository has no different header of that name"
            for folder, names in self._only.items()
        ]
        return [*named, *only]


def usual_words(path: Path) -> tuple[tuple[str, ...], list[SourceNote]]:
    """Return the words that a Makefile runs the program of a file with, and a note on them; none if there are none."""
    known = program_words(path)
    if known is None:
        return (), []
    makefile, words = known
    text = (
        f"the host code gets the command line `{' '.join(words)}`, or smaller numbers in it, as {_shown(makefile)} says"
    )
    return words, [SourceNote("build", text)]


def _name(macro: str) -> str:
    return macro.partition("=")[0].partition("(")[0]


def _shown(path: Path) -> str:
    return str(relative(path.resolve(), Path.cwd()))
