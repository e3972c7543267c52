"""Read which folders of headers and which macros a CMakeLists.txt names; nothing of it is executed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda_sources.build_file import BuildFile
from shflbench.cuda_sources.includes import is_file, is_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME = "CMakeLists.txt"
MAXIMUM_BYTES = 2**20  # of one CMakeLists.txt
MAXIMUM_SUBFOLDERS = 100  # that one CMakeLists.txt adds
MAXIMUM_DEPTH = 10  # of variables in the values of variables
MAXIMUM_TEXT = 1 << 16  # characters of expanded arguments: a variable may name itself twice
_COMMAND = re.compile(r"^[ \t]*(\w+)[ \t]*\(([^()]*)\)", re.MULTILINE)
_VARIABLE = re.compile(r"\$\{([\w.-]+)\}")
_WORD = re.compile(r'"([^"]*)"|([^\s;"]+)')
_BUILD_INTERFACE = re.compile(r"\$<BUILD_INTERFACE:([^<>]*)>")
# Words of a compiler's command line, also in quotes and in generator expressions: `$<$<COMPILE_LANGUAGE:CUDA>:-DFAST>`.
_OPTION = re.compile(r"(?<![\w-])-(?P<kind>[DI])\s*(?P<value>[^\s;\"'>]+)")
_OF_OPTIONS = frozenset(
    {"add_compile_options", "target_compile_options", "set_target_properties", "set_source_files_properties"}
)
_OPTIONS = re.compile(r"FLAG|OPTION|DEF", re.IGNORECASE)  # in the names of variables that have such words
_KEYWORDS = frozenset({"AFTER", "BEFORE", "SYSTEM", "PUBLIC", "PRIVATE", "INTERFACE"})


def read_cmake(folder: Path, root: Path) -> BuildFile:
    """Return the folders and macros of the CMakeLists.txt in a folder, then those of the subfolders that it adds.

    `root` is the folder of the whole project, `${CMAKE_SOURCE_DIR}`. A command counts for all targets and under all
    conditions. Variables have the values that were set last, also above in the project; words with other variables or
    with generator expressions are skipped.
    """
    variables = {name: str(root) for name in ("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR")}
    between = [item for item in (folder, *folder.parents) if item == root or root in item.parents]
    for item in reversed(between[1:]):
        variables = _CmakeReader(item, variables).variables
    reader = _CmakeReader(folder, variables)
    readers = [reader, *(_CmakeReader(item, reader.variables) for item in reader.subfolders)]
    include = dict.fromkeys(item for reader in readers for item in reader.include)
    return BuildFile(tuple(include), tuple(dict.fromkeys(item for reader in readers for item in reader.define)))


class _CmakeReader:
    """The commands of one CMakeLists.txt, read in their order; there are none if it cannot be read."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self._folder = folder
        places = {name: str(folder) for name in ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR")}
        self.variables = {**variables, **places}
        self.include: list[Path] = []
        self.define: list[str] = []
        self.subfolders: list[Path] = []
        for name, arguments in _commands(folder / NAME):
            self._execute(name.lower(), arguments)

    def _execute(self, name: str, arguments: str) -> None:
        words = list(self._words(arguments))
        variable = "".join(words[1:2] if name in {"list", "string"} else words[:1])
        if name in _OF_OPTIONS or (name in {"set", "list", "string"} and _OPTIONS.search(variable)):
            self._add_options(arguments)
        if name == "set" and words:
            self.variables[words[0]] = " ".join(words[1:])[:MAXIMUM_TEXT]
        elif name == "project":
            self.variables["PROJECT_SOURCE_DIR"] = str(self._folder)
        elif name == "include_directories":
            self._add_folders(words)
        elif name == "target_include_directories":
            self._add_folders(words[1:])
        elif name in {"add_definitions", "add_compile_definitions"}:
            self._add_macros(words)
        elif name == "target_compile_definitions":
            self._add_macros(words[1:])
        elif name == "add_subdirectory" and words and len(self.subfolders) < MAXIMUM_SUBFOLDERS:
            self.subfolders.append(self._folder / words[0])

    def _add_folders(self, words: list[str]) -> None:
        folders = (self._folder / word for word in words if word not in _KEYWORDS)
        self.include += [folder for folder in folders if is_folder(folder)]

    def _add_options(self, arguments: str) -> None:
        """Add the folders and macros that options of the compiler name."""
        options = [(match["kind"], match["value"]) for match in _OPTION.finditer(self._with_values(arguments))]
        self._add_folders([value for kind, value in options if kind == "I" and "$" not in value])
        self._add_macros([value for kind, value in options if kind == "D" and "$" not in value])

    def _add_macros(self, words: list[str]) -> None:
        macros = (word.removeprefix("-D") for word in words if word not in _KEYWORDS)
        self.define += [macro for macro in macros if re.match(r"[A-Za-z_]\w*(?:=|$)", macro, re.ASCII)]

    def _words(self, arguments: str) -> Iterator[str]:
        """Yield the arguments of a command without those that have no known value."""
        for match in _WORD.finditer(_BUILD_INTERFACE.sub(r"\1", self._with_values(arguments))):
            if (word := match[1] or match[2]) and "$" not in word:
                yield word

    def _with_values(self, arguments: str) -> str:
        """Return arguments with the values of the variables that are known."""

        def value(match: re.Match[str]) -> str:
            return self.variables.get(match[1], match[0])

        for _ in range(MAXIMUM_DEPTH):
            if "${" not in arguments or len(arguments) > MAXIMUM_TEXT:
                break
            arguments = _VARIABLE.sub(value, arguments)
        return arguments[:MAXIMUM_TEXT]


def _commands(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each command without parentheses in its arguments."""
    if not is_file(path):
        return
    try:
        text = read_regular(path, MAXIMUM_BYTES).decode(errors="replace")
    except OSError:
        return
    for match in _COMMAND.finditer(re.sub(r"#.*", "", text)):
        yield match[1], match[2]
