"""The files of a revision in git, as they were."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_SECONDS = 60.0  # of a command of git
ADVICE = "Name a commit, a tag or a branch of the file's repository."
OTHER_WAY = "Give the older file: bench OLD.cu NEW.cu."


@dataclass(frozen=True, slots=True)
class Revision:
    """The files of a revision in a folder that exists for a while."""

    top: Path  # of the user's repository
    copy: Path  # the same folder at the revision

    def path(self, path: Path) -> Path:
        """Return the place of a file or folder at the revision; a path outside of the repository stays."""
        whole = path.resolve()
        return self.copy / whole.relative_to(self.top) if whole.is_relative_to(self.top) else path


@contextmanager
def checked_out(path: Path, name: str) -> Iterator[Revision]:
    """Copy the repository of the file `path` at the revision `name` to a folder, and remove it afterwards.

    UsageError if the file is in no repository, or the repository has no such revision or file.
    """
    no_repository = UsageError(f"--against: {path} is in no git repository", "Compare two files: bench OLD.cu NEW.cu.")
    no_revision = UsageError(f"--against: the repository of {path} has no revision {name}", ADVICE)
    top = Path(_git(path.resolve().parent, "rev-parse", "--show-toplevel", missing=no_repository))
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options")
    commit = _git(top, *words, f"{name}^{{commit}}", missing=no_revision)
    archive = _output(top, "archive", "--format=tar", commit, missing=no_revision)
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            _extract(files, folder)
        revision = Revision(top, Path(folder))
        if not revision.path(path).is_file():
            raise UsageError(f"--against: {name} has no file {path}", "Name a revision that has the file.")
        yield revision


def _extract(files: tarfile.TarFile, folder: str) -> None:
    """Extract an archive of git without links that leave it, or any where Python has no filter for them (< 3.11.4)."""
    if hasattr(tarfile, "data_filter"):
        files.extractall(folder, filter=_inside)  # noqa: S202  (what leaves it is left out)
    else:
        files.extractall(folder, [item for item in files if item.isfile() or item.isdir()])  # noqa: S202  (names of git)


def _inside(item: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(item, folder)
    except tarfile.FilterError:
        return None


def _git(folder: Path, *words: str, missing: UsageError) -> str:
    """Return the line that a command of git prints."""
    return _output(folder, *words, missing=missing).decode().strip()


def _output(folder: Path, *words: str, missing: UsageError) -> bytes:
    """Return what a command of git prints; UsageError with its message if it fails, `missing` if it has none."""
    program = shutil.which("git")
    if program is None:
        raise UsageError("--against: git is not on the PATH", OTHER_WAY)
    try:
        made = subprocess.run(  # noqa: S603  (the words are not those of a shell)
            [program, "-C", str(folder), *words], capture_output=True, check=False, timeout=MOST_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--against: git cannot be run: {error}", OTHER_WAY) from error
    if made.returncode:
        why = made.stderr.decode(errors="replace").strip().splitlines()
        if not why or "not a git repository" in why[-1]:
            raise missing
        raise UsageError(f"--against: {why[-1]}", ADVICE)
    return made.stdout
