"""Read what a Makefile gives the compiler with -I and -D, and how it runs the program; nothing of it is executed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda_sources.includes import is_file, is_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks for them
MAXIMUM_BYTES = 2**20  # of one Makefile
MAXIMUM_FILES = 20  # that one Makefile includes
MAXIMUM_TEXT = 1 << 16  # characters of an expanded line: a variable may name itself twice
MAXIMUM_DEPTH = 10  # of variables in the values of variables
_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+|override[ \t]+)*([\w.-]+)[ \t]*(\?=|\+=|:{0,3}=)[ \t]*(.*)")
_VARIABLE = re.compile(r"\$\(([\w.-]+)\)|\$\{([\w.-]+)\}")
_PROGRAM = re.compile(r"\t.*?(?<=[\s@-])\./([\w.-]+)((?:[ \t]+[\w./:=,+-]+)*)[ \t]*(?:[|><;&].*)?")
_FAST_MATH = re.compile(r"(?<=\s)--?use_fast_math\b(?!=false)")
_INCLUDE = re.compile(r"[ \t]*-?s?include[ \t]+(.+)")
_MACRO = re.compile(
    r"""(?:^|(?<=[\s,=]))-D[ \t]*("[A-Za-z_]\w*(?:=[^"]*)?"|'[A-Za-z_]\w*(?:=[^']*)?'|"""
    r"""[A-Za-z_]\w*(?:=(?:"[^"]*"|'[^']*'|[^\s"',;]*))?)(?=$|\s)""",
    re.ASCII,
)
_FOLDER = re.compile(r"""(?:^|(?<=[\s,=]))-(?:I|isystem)[ \t]*("[^"]+"|'[^']+'|[^\s"',;]+)""")


def header_folders(makefile: Path) -> list[Path]:
    """Return the existing folders that a Makefile, or one that it includes, names with -I, in their order.

    Variables have the values that were assigned last; words with calls of functions, such as `$(shell …)`, are skipped.
    """
    reader = _MakefileReader(makefile.parent)
    reader.read(makefile)
    folders = (makefile.parent / name for name in reader.folders())
    return [folder for folder in dict.fromkeys(folders) if is_folder(folder)]


def macros(makefile: Path) -> list[str]:
    """Return the macros, as NAME or NAME=VALUE, that a Makefile, or one that it includes, defines with -D.

    They count under all conditions; of several values of a name the first counts.
    """
    reader = _MakefileReader(makefile.parent)
    reader.read(makefile)
    return list({macro.partition("=")[0]: macro for macro in reversed(list(reader.macros()))}.values())[::-1]


def command_line(makefile: Path, stem: str) -> tuple[str, ...] | None:
    """Return the words that a Makefile runs a program with, without its name; None if it runs none.

    It is the first command that begins with `./` and names the file `stem`, or the only program of the Makefile.
    """
    reader = _MakefileReader(makefile.parent)
    reader.read(makefile)
    commands = list(reader.commands())
    matching = [words for name, words in commands if name.partition(".")[0] == stem]
    if matching or len({name for name, _ in commands}) == 1:
        return next(iter([*matching, *(words for _, words in commands)]))
    return None


def compiles_fast(makefile: Path) -> bool:
    """Return whether a recipe of a Makefile compiles with --use_fast_math."""
    reader = _MakefileReader(makefile.parent)
    reader.read(makefile)
    return any(_FAST_MATH.search(line) for line in reader.recipes())


class _MakefileReader:
    """The lines and variables of a Makefile and of those that it includes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: list[str] = []
        self._read: set[Path] = set()
        self._variables = {"CURDIR": str(folder), "PWD": str(folder)}

    def read(self, path: Path) -> None:
        """Read a Makefile, if it is a text of reasonable size, and those that it includes."""
        if path in self._read or len(self._read) >= MAXIMUM_FILES or not is_file(path):
            return
        self._read.add(path)
        try:
            text = read_regular(path, MAXIMUM_BYTES).decode(errors="replace")
        except OSError:
            return
        for line in re.sub(r"\\\r?\n", " ", text).splitlines():
            plain = re.split(r"(?<!\\)#", line, maxsplit=1)[0]
            if (assignment := _ASSIGNMENT.fullmatch(plain)) is not None:
                self._assign(assignment[1], assignment[2], assignment[3].strip())
            elif (included := _INCLUDE.fullmatch(plain)) is not None:
                for name in self._expanded(included[1]).split():
                    self.read(self._folder / name)
            self._lines.append(plain)

    def _assign(self, name: str, sign: str, value: str) -> None:
        before = self._variables.get(name)
        if sign == "+=" and before is not None:
            value = f"{before} {value}"
        elif sign == "?=" and before is not None:
            return
        elif sign != "=":  # at once, as with `:=`; the name itself may occur in the value
            value = self._expanded(value)
        self._variables[name] = value[:MAXIMUM_TEXT]

    def _expanded(self, text: str) -> str:
        """Return a text with the values of variables; unknown ones are empty, as in make."""

        def value(match: re.Match[str]) -> str:
            return self._variables.get(match[1] or match[2], "")

        for _ in range(MAXIMUM_DEPTH):
            if "$" not in text or len(text) > MAXIMUM_TEXT:
                break
            text = _VARIABLE.sub(value, text)
        return text[:MAXIMUM_TEXT]

    def folders(self) -> Iterator[str]:
        """Yield the folders after -I in all lines."""
        for line in self._lines:
            if "-I" in line or "-isystem" in line or "$" in line:
                for match in _FOLDER.finditer(self._expanded(line)):
                    if (name := match[1].strip("\"'")) and "$" not in name:
                        yield name

    def macros(self) -> Iterator[str]:
        """Yield the macros after -D in all lines, without the quotes that a shell removes."""
        for line in self._lines:
            if "-D" in line or "$" in line:
                for match in _MACRO.finditer(self._expanded(line)):
                    if "$" not in match[1]:
                        yield re.sub(r"([\"'])(.*)\1", r"\2", match[1])

    def commands(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the programs of the folder that recipes run, with their words."""
        for line in self.recipes():
            if (match := _PROGRAM.fullmatch(line)) is not None:
                yield match[1], tuple(match[2].split())

    def recipes(self) -> Iterator[str]:
        """Yield the lines of recipes, with the values of variables."""
        yield from (self._expanded(line) for line in self._lines if line.startswith("\t"))
