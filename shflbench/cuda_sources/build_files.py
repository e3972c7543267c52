"""Find what the build of a file adds to the command: folders of headers, macros and the standard of C++.

Makefiles, CMakeLists.txt and setup.py are read for headers that are missing else; `compile_commands.json`, as CMake
writes it, has the command of each file. Nothing is executed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.core.ceiling import is_below_ceiling
from shflbench.core.files import read_regular
from shflbench.cuda_sources.build_file import BuildFile, is_macro
from shflbench.cuda_sources.cmake import NAME as CMAKE
from shflbench.cuda_sources.cmake import read_cmake
from shflbench.cuda_sources.includes import is_file
from shflbench.cuda_sources.makefiles import NAMES as MAKEFILES
from shflbench.cuda_sources.makefiles import command_line, compiles_fast, header_folders, macros
from shflbench.cuda_sources.repository import MAXIMUM_PARENTS as MAXIMUM_IN_REPOSITORY
from shflbench.cuda_sources.setup_py import NAME as SETUP
from shflbench.cuda_sources.setup_py import read_setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COMMANDS = "compile_commands.json"
MAXIMUM_PARENTS = 3  # of the file's folder, where no repository ends the search before
MAXIMUM_BYTES = 64 * 2**20  # of a compile_commands.json
_NEWER = re.compile(r"(?:c|gnu)\+\+2\w")  # a standard after C++17


@dataclass(frozen=True, slots=True)
class BuildCommand:
    """What the command of one file in `compile_commands.json` says."""

    origin: Path
    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    is_newer: bool = False  # the standard of C++ is a later one than C++17


def build_folders(path: Path) -> Iterator[Path]:
    """Yield the folder of a file and its parents, up to the root of the repository, or three levels without .git.

    A folder that every user may write to ends the search before: what lies in /tmp says nothing about the file.
    """
    folder = Path(os.path.realpath(path)).parent
    parents = list(folder.parents)[:MAXIMUM_IN_REPOSITORY]
    roots = (place for place, item in enumerate(parents, 1) if (item / ".git").exists())
    for item in (folder, *parents[: next(roots, MAXIMUM_PARENTS)]):
        try:
            if item.stat().st_mode & stat.S_IWOTH or not is_below_ceiling(item):
                return
        except OSError:
            return
        yield item
        if (item / ".git").exists():
            return


def folders_of_build_files(path: Path, names: Sequence[str]) -> Iterator[tuple[Path, Path]]:
    """Yield the folders that have one of the headers `names`, each with the file of the build that names it.

    The nearest file of a build comes first. A folder is yielded for the first folder in the order of such a
    file that has the header, as a compiler finds it.
    """
    missing = list(names)
    for origin, candidates in _header_folders(path):
        chosen = [next((item for item in candidates if is_file(item / name)), None) for name in missing]
        for item in candidates:
            if item in chosen and is_below_ceiling(item):
                yield item, origin
        missing = [name for name, item in zip(missing, chosen, strict=True) if item is None]
        if not missing:
            return


def macros_of_build_files(path: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    """Yield each file of a build, the nearest first, with the macros that it defines."""
    for origin, read in _build_files(path):
        yield origin, read().define


def _header_folders(path: Path) -> Iterator[tuple[Path, Sequence[Path]]]:
    for origin, read in _build_files(path):
        yield origin, read().include


def _build_files(path: Path) -> Iterator[tuple[Path, Callable[[], BuildFile]]]:
    """Yield each file of a build in the file's folder and its parents, and how to read it."""
    folders = list(build_folders(path))
    root = next((folder for folder in reversed(folders) if is_file(folder / CMAKE)), None)
    for folder in folders:
        makefile = next((folder / name for name in MAKEFILES if is_file(folder / name)), None)
        if makefile is not None:
            yield makefile, partial(_makefile, makefile)
        if root is not None and is_file(folder / CMAKE):
            yield folder / CMAKE, partial(read_cmake, folder, root)
        if is_file(folder / SETUP):
            yield folder / SETUP, partial(read_setup, folder / SETUP)


def _makefile(path: Path) -> BuildFile:
    return BuildFile(tuple(header_folders(path)), tuple(macros(path)))


def program_words(path: Path) -> tuple[Path, tuple[str, ...]] | None:
    """Return the nearest Makefile, and the words that it runs the program of a file with; None if it runs none."""
    makefile = _nearest_makefile(path)
    words = command_line(makefile, path.stem) if makefile is not None else None
    return (makefile, words) if makefile is not None and words else None


def is_built_fast(path: Path) -> bool:
    """Return whether the nearest Makefile of a file compiles with --use_fast_math."""
    makefile = _nearest_makefile(path)
    return makefile is not None and compiles_fast(makefile)


def _nearest_makefile(path: Path) -> Path | None:
    candidates = (folder / name for folder in build_folders(path) for name in MAKEFILES)
    return next(filter(is_file, candidates), None)


def build_command(path: Path) -> BuildCommand | None:
    """Return what the nearest `compile_commands.json`, also in a folder `build`, says of a file; None if nothing."""
    for folder in build_folders(path):
        for origin in (folder / COMMANDS, folder / "build" / COMMANDS):
            if is_file(origin):
                for entry in _entries(origin):
                    if (command := _command(origin, entry, path)) is not None:
                        return command
    return None


def _entries(origin: Path) -> list[Any]:
    """Return the entries of a `compile_commands.json`; none if it cannot be read."""
    try:
        entries = json.loads(read_regular(origin, MAXIMUM_BYTES))
    except (OSError, ValueError, RecursionError):
        return []
    return entries if isinstance(entries, list) else []


def _command(origin: Path, entry: Any, path: Path) -> BuildCommand | None:  # noqa: ANN401  (JSON of other tools)
    """Return the command of an entry, if it is that of the file and has its fields."""
    try:
        folder = origin.parent / entry["directory"]
        if os.path.realpath(folder / entry["file"]) != os.path.realpath(path):
            return None
        words = entry.get("arguments") or shlex.split(entry["command"])
        values = list(_values(words))
    except (AttributeError, KeyError, TypeError, ValueError, OSError):
        return None
    include = (folder / value for kind, value in values if kind == "I")
    return BuildCommand(
        origin,
        tuple(dict.fromkeys(item for item in include if item.is_dir())),
        tuple(value for kind, value in values if kind == "D" and is_macro(value)),
        any(kind == "std" and _NEWER.fullmatch(value) for kind, value in values),
    )


def _values(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield `I`, `D` or `std` with its value for each such option of a compiler's command."""
    kinds = {"-I": "I", "-isystem": "I", "--include-path": "I", "-D": "D", "--define-macro": "D"}
    kinds |= {"-std": "std", "--std": "std"}
    following = iter(words)
    for word in following:
        if word in kinds:
            yield kinds[word], next(following, "")
            continue
        name, sign, value = word.partition("=")
        if sign and name in kinds and not name.startswith(("-I", "-D")):
            yield kinds[name], value
        elif word[:2] in {"-I", "-D"}:
            yield word[1], word[2:]
