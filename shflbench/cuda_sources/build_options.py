"""Compile a file as its build does: with the options of `compile_commands.json`, macros and words of Makefiles."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.ceiling import is_below_ceiling
from shflbench.core.files import relative
from shflbench.core.words import join_words
from shflbench.cuda_sources.build_files import (
    build_command,
    macros_of_build_files,
    program_words,
)
from shflbench.cuda_sources.kernel_file import NEWER_STANDARD, SourceNote
from shflbench.errors import CompileError

if TYPE_CHECKING:
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions

_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
# A namespace that the build puts around Thrust or CUB, whose headers read these macros.
_WRAPPED = re.compile(rb"\b(?P<outer>\w+)::(?P<library>thrust|cub)::")
_WRAPS = re.compile(r"(?:THRUST_CUB|THRUST|CUB)_WRAPPED_NAMESPACE|(?:THRUST|CUB)_NS_PREFIX")
_VARIANTS = frozenset({"DEBUG", "NDEBUG"})  # which Makefiles define under a condition


def with_build_command(path: Path, options: CompileOptions) -> tuple[CompileOptions, list[SourceNote]]:
    """Return the options with those of `compile_commands.json` for the file, and a note on them; given ones count."""
    command = build_command(path)
    if command is None:
        return options, []
    given = {_name(macro) for macro in options.define}
    macros = tuple(macro for macro in command.define if _name(macro) not in given)
    folders = tuple(item for item in command.include if item not in options.include and is_below_ceiling(item))
    words = [f"-I {shown_path(folder)}" for folder in folders] + [f"-D {macro}" for macro in macros]
    words += [f"-std={NEWER_STANDARD}"] if command.is_newer else []
    if not words:
        return options, []
    text = f"compiled with {join_words(words)} from {shown_path(command.origin)}"
    return (
        replace(
            options,
            include=(*options.include, *folders),
            define=(*options.define, *macros),
            standard=NEWER_STANDARD if command.is_newer else options.standard,
        ),
        [SourceNote("build", text)],
    )


def with_build_macros(
    unit: SourceUnit, options: CompileOptions, error: CompileError
) -> tuple[CompileOptions, list[SourceNote]] | None:
    """Return the options with macros of a Makefile or CMakeLists.txt and a note, if a name is undefined without them.

    These are, where the undefined name is one of the macros, those that the text uses, and else those that it tests
    with #if. None if `error` is another one, or no file of the build has such a macro.
    """
    # nvcc's error can hide that of NVRTC, which compiled the device code after it.
    logs = [item.log for item in (error, error.__cause__) if isinstance(item, CompileError)]
    name = _UNDEFINED.search("\n".join(logs))
    if name is None:
        return None
    used, tested = _words_of_text(unit)
    given = {_name(macro) for macro in options.define}
    for origin, macros in macros_of_build_files(unit.main.path):
        names = {_name(macro) for macro in macros}
        wanted = used if name[1] in names else tested
        added = [macro for macro in macros if _name(macro) in wanted - given - _VARIANTS]
        if added:
            words = join_words([f"-D {macro}" for macro in added])
            text = f"compiled with {words} from {shown_path(origin)}, because {name[1]} is undefined without"
            return replace(options, define=(*options.define, *added)), [SourceNote("build", text)]
    return None


def with_wrapping_macros(unit: SourceUnit, options: CompileOptions) -> tuple[CompileOptions, list[SourceNote]]:
    """Return the options with the macros by which the build puts Thrust or CUB into a namespace that the text names."""
    match = next(filter(None, (_WRAPPED.search(file.text) for file in unit.files)), None)
    given = {_name(macro) for macro in options.define}
    if match is None:
        return options, []
    for origin, macros in macros_of_build_files(unit.main.path):
        added = [macro for macro in macros if _WRAPS.fullmatch(_name(macro)) and _name(macro) not in given]
        if added:
            words = join_words([f"-D {macro}" for macro in added])
            named = f"{match['outer'].decode()}::{match['library'].decode()}"
            text = f"compiled with {words} from {shown_path(origin)}, because {unit.main.path.name} uses {named}"
            return replace(options, define=(*options.define, *added)), [SourceNote("build", text)]
    return options, []


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


def usual_words(path: Path) -> tuple[tuple[str, ...], list[SourceNote]]:
    """Return the words that a Makefile runs the program of a file with, and a note on them; none if there are none."""
    known = program_words(path)
    if known is None:
        return (), []
    makefile, words = known
    line = " ".join(words)
    text = f"the host code gets the command line `{line}`, or smaller numbers in it, as {shown_path(makefile)} says"
    return words, [SourceNote("build", text)]


def _name(macro: str) -> str:
    return macro.partition("=")[0].partition("(")[0]


def shown_path(path: Path) -> str:
    """Return a path as notes show it: relative to the working folder, if it lies in it."""
    return str(relative(path.resolve(), Path.cwd()))
