"""The files of a run folder; finished rows survive a kill, a full disk or a lost node."""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import irregular_kind, read_regular
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUN_FILE = "run.json"
ROWS_FILE = "results.csv"
SAMPLES_FILE = "samples.csv.gz"
KERNELS_FILE = "kernels.zip"  # which earlier versions did not write
CHECK_FILE = "check.json"  # which `shflbench check` writes, if the user wants it

MOST_FILE_BYTES = 64 << 20  # of a file: the largest of a run of 500 cases, its compressed samples, has 6 MB

RESTORE = "restore the file as the run wrote it, or measure again"
WHICH_FOLDER = "give the folder that `shflbench run` printed"

# Error number of the system → what it means for the user, and what to do about it.
_MEANINGS = {
    errno.ENOSPC: ("the disk is full", "free some space"),
    errno.EDQUOT: ("your disk quota is used up", "free some space"),
    errno.EFBIG: ("the limit on file sizes is reached", "raise the limit (`ulimit -f`)"),
    errno.EROFS: ("the disk is read-only", "make it writable"),
    errno.EACCES: ("you have no permission to write there", "make it writable"),
    errno.EPERM: ("you have no permission to write there", "make it writable"),
    errno.ENAMETOOLONG: ("its name is too long", "give a shorter name"),
}


@contextmanager
def writing(place: Path, elsewhere: str = "give another folder") -> Iterator[None]:
    """Turn an error of the file system while `place` is written into a ResultsError that says what to do.

    `elsewhere` says how to choose another place, where that helps.
    """
    try:
        yield
    except OSError as error:
        why, remedy = _explain(error, place)
        advice = f"{remedy}, or {elsewhere}" if remedy else elsewhere
        if os.path.exists(place / RUN_FILE):  # noqa: PTH110  (Path's own raises where the folder may not be searched)
            further = "start bench again" if _is_of_bench(place) else f"continue with --resume {place}"
            advice = f"{remedy or 'check the disk'}; finished rows are kept: {further}"
        path = Path(error.filename or place)
        named = path if place in path.parents else place  # the folders above are no concern of the user
        raise ResultsError(f"{named} cannot be written: {why}", advice) from error


def is_of_bench(argv: Sequence[object]) -> bool:
    """Whether the command of a run is `bench`, or the function of Python, whose runs cannot be resumed."""
    name = next((word for word in argv[1:] if not str(word).startswith("-")), None)
    return name == "bench" or list(argv) == ["shflbench.bench"]


def _is_of_bench(place: Path) -> bool:
    try:
        record = json.loads(read_regular(place / RUN_FILE, MOST_FILE_BYTES))
        return is_of_bench(record["argv"])
    except (OSError, ValueError, KeyError, TypeError):  # it is damaged, or cannot be read
        return False


def _explain(error: OSError, place: Path) -> tuple[str, str]:
    """Return what an error means, and what to do about it, which is empty where only another place helps."""
    number, path = error.errno or 0, Path(error.filename or place)
    if number == errno.ENOENT:
        return "the folder was deleted or moved" if place in path.parents else "no folder can be created there", ""
    if number in {errno.ENOTDIR, errno.EEXIST}:
        return f"{next(above for above in (path, *path.parents) if above.exists())} is not a folder", ""
    return _MEANINGS.get(number, (error.strerror or str(error), ""))


def replace(path: Path, content: bytes) -> None:
    """Replace the file at `path` in one step: a reader sees the old content or the new, never a part of it."""
    aside = path.with_name(f".{path.name}.part")  # always the same name, so that the next try replaces what a kill left
    try:
        with aside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def append(path: Path, content: bytes) -> None:
    """Append `content` to the file at `path` and sync it to disk; all of it or nothing, unless killed."""
    # r+ fails if the folder was deleted meanwhile; a would start a file without a header.
    # Unbuffered: closing would flush a buffer again, after the truncation.
    with path.open("r+b", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except BaseException:  # also Ctrl-C: the next row must not follow half a row
            file.truncate(end)
            raise


def read(path: Path) -> bytes:
    """Return the content of the file at `path`; ResultsError where it is missing, empty, too large or no regular file.

    Only a regular file is opened: a FIFO would wait for a writer, and /dev/zero has no end.
    """
    try:
        if kind := irregular_kind(path):
            raise ResultsError(f"{path} is {kind}, not a file", RESTORE)
        if (size := path.stat().st_size) > MOST_FILE_BYTES:
            raise ResultsError(
                f"{path} has {size:,} bytes, and no file of a run has more than {MOST_FILE_BYTES:,}", RESTORE
            )
        content = read_regular(path, MOST_FILE_BYTES)
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror or error}", WHICH_FOLDER) from error
    if len(content) > MOST_FILE_BYTES:
        raise ResultsError(f"{path} has more than {MOST_FILE_BYTES:,} bytes, and no file of a run has", RESTORE)
    if not content:
        raise ResultsError(f"{path} is empty", RESTORE)
    return content


def text(content: bytes, path: Path) -> str:
    """Return the text of the file at `path`; ResultsError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")  # spreadsheets and editors start with a byte order mark
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} is damaged: not UTF-8", RESTORE) from error
