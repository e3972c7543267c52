"""Find the repository of a file, and headers anywhere in it."""

from __future__ import annotations

import os
import stat
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from shflbench.core.ceiling import is_below_ceiling
from shflbench.core.files import read_regular
from shflbench.emulator.file_budget import NEVER, FileBudget

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MAXIMUM_PARENTS = 8  # of the file's folder that are taken for its repository
MAXIMUM_ENTRIES = 20_000  # files and folders of a repository; a larger one has too many headers of equal names
MAXIMUM_BYTES = 2**20  # of a header that is compared with one of the same name
MARKS = ("README", "LICENSE", "COPYING", "CMakeLists.txt", "Makefile", "configure.ac")  # how the files of a root begin


def repository_root(path: Path) -> Path | None:
    """Return the nearest parent of a file with .git, else the outermost with a README, license or build file.

    None if there is none. A folder that every user may write to, the home directory and what lies above them belong to
    no repository.
    """
    root = None
    for folder in _own_parents(path):
        if (folder / ".git").exists():
            return folder
        if _is_marked(folder):
            root = folder
    return root


class Repository:
    """The headers of the repository of a file."""

    def __init__(self, path: Path, budget: FileBudget = NEVER) -> None:
        """Find the repository of the file; it is read when a header is first asked for, in the time of the budget."""
        self._path, self._budget = path.resolve(), budget
        self.root = repository_root(path)

    def folder_of(self, name: str) -> tuple[Path, int] | None:
        """Return the folder below which the nearest header of the name is, and how many others differ from it.

        Of headers that differ, one beside CUDA files belongs to them and is not taken. None if there is no other, or
        if two that differ are equally near.
        """
        wanted = PurePosixPath(name)
        if wanted.is_absolute() or ".." in wanted.parts:
            return None
        folders = [
            folder.parents[len(wanted.parts) - 2] if len(wanted.parts) > 1 else folder
            for folder in self._folders.get(wanted.name, [])
            if (*folder.parts, wanted.name)[-len(wanted.parts) :] == wanted.parts
        ]
        if folders and all(_are_equal(folder / wanted, folders[0] / wanted) for folder in folders):
            return min(folders, key=self._distance), 0
        shared = [folder for folder in folders if (folder / wanted).parent not in self._programs]
        nearest = min(shared, key=self._distance, default=None)
        if nearest is None:
            return None
        different = [folder for folder in folders if not _are_equal(folder / wanted, nearest / wanted)]
        if any(self._distance(folder)[0] == self._distance(nearest)[0] for folder in shared if folder in different):
            return None
        return nearest, len(different)

    def files(self, suffixes: Collection[str]) -> list[Path]:
        """Return the files with one of the suffixes, the nearest to the file first."""
        named = [(folder, name) for name, folders in self._folders.items() for folder in folders]
        wanted = [(folder, name) for folder, name in named if PurePosixPath(name).suffix in suffixes]
        return [folder / name for folder, name in sorted(wanted, key=lambda item: (*self._distance(item[0]), item[1]))]

    @cached_property
    def _programs(self) -> set[Path]:
        """Folders with CUDA files, whose headers are theirs."""
        return {folder for name, folders in self._folders.items() if name.endswith(".cu") for folder in folders}

    @cached_property
    def _folders(self) -> dict[str, list[Path]]:
        """Folders with a file of a name; none if the repository is too large."""
        folders: dict[str, list[Path]] = {}
        if self.root is None:
            return folders
        entries = 0
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = sorted(item for item in subfolders if not item.startswith("."))
            entries += len(subfolders) + len(names)
            if entries > MAXIMUM_ENTRIES:
                return {}
            self._budget.check_time()
            for name in names:
                folders.setdefault(name, []).append(Path(folder))
        return folders

    def _distance(self, folder: Path) -> tuple[int, str]:
        """Return the number of folders between the file and another folder, and the folder's name."""
        shared = os.path.commonpath([folder, self._path.parent])
        return len(folder.parts) + len(self._path.parent.parts) - 2 * len(Path(shared).parts), str(folder)


def _own_parents(path: Path) -> Iterator[Path]:
    for folder in list(path.resolve().parents)[:MAXIMUM_PARENTS]:
        try:
            if folder in {Path.home(), Path(folder.anchor)} or folder.stat().st_mode & stat.S_IWOTH:
                return
            if not is_below_ceiling(folder):
                return
        except (OSError, RuntimeError):  # no such folder, or a user without a home directory
            return
        yield folder


def _is_marked(folder: Path) -> bool:
    try:
        return any(item.name.startswith(MARKS) for item in folder.iterdir())
    except OSError:
        return False


def _are_equal(file: Path, other: Path) -> bool:
    try:
        return file == other or read_regular(file, MAXIMUM_BYTES) == read_regular(other, MAXIMUM_BYTES)
    except OSError:
        return False
