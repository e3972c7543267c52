"""Compile a file as its build does: with the options of `compile_commands.json` and the header folders of Makefiles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.sources.build_files import build_command, folders_of_makefiles, program_words
from shflbench.checker.sources.includes import read_unit
from shflbench.checker.sources.kernel_file import NEWER_STANDARD, SourceNote
from shflbench.files import relative
from shflbench.words import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.sources.host_code import UserFile
    from shflbench.checker.sources.includes import SourceUnit
    from shflbench.checker.sources.kernel_file import CompileOptions

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


def with_makefiles(
    main: UserFile, options: CompileOptions, toolkit: Sequence[Path]
) -> tuple[SourceUnit, CompileOptions, list[SourceNote]]:
    """Read the headers of a file, those that are missing from the folders that Makefiles name.

    Return them with the options that have these folders, and a note on each Makefile. `toolkit` are the folders of
    CUDA's headers. CompileError as of `read_unit`.
    """
    taken: dict[Path, list[Path]] = {}  # Makefile → folders
    unit = read_unit(main, options.include, toolkit)
    for _ in range(MAXIMUM_ROUNDS):
        folders = dict(folders_of_makefiles(main.path, list(unit.missing)))
        added = [folder for folder in folders if folder not in options.include]
        if not added:
            break
        for folder in added:
            taken.setdefault(folders[folder], []).append(folder)
        options = replace(options, include=(*options.include, *added))
        unit = read_unit(main, options.include, toolkit)
    notes = [
        SourceNote(
            "build", f"headers come from {joined([_shown(item) for item in folders])}, as {_shown(makefile)} says"
        )
        for makefile, folders in taken.items()
    ]
    return unit, options, notes


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
