"""Tell files from what only looks like one: reading a FIFO or a device may block, or never end."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

from shflbench.core.stdin_file import is_stdin

SHARED_HEADERS = Path(__file__).parents[1] / "patterns"  # those of the built-in patterns
COPIED = "copied/"  # in `#include`: the folder, which no disk has, of the functions of copy.cu
MOST_SOURCE = 16 << 20  # bytes of a file that people write; larger ones are something else
_CHUNK = 1 << 16  # bytes that are read at once: many files are smaller

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def irregular_kind(path: Path) -> str:
    """Return what `path` is if it is not a file, such as `a FIFO`, and nothing if it is one; nothing is opened.

    OSError if nothing is there, or if it cannot be looked at.
    """
    return _KINDS.get(stat.S_IFMT(path.stat().st_mode), "")


def read_regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file, cut after `most` bytes and one more.

    OSError if it is no regular file, or cannot be read now: /proc/kmsg looks like a regular file, and waits for more.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        if kind != stat.S_IFREG:
            raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'something else')}, not a file")
        parts: list[bytes] = []
        room = most + 1
        while room > 0 and (part := file.read(min(room, _CHUNK))) != b"":
            if part is None:
                raise OSError(errno.EAGAIN, "it has no end, and waits for further content")
            parts.append(part)
            room -= len(part)
    return b"".join(parts)


def read_source(path: Path) -> str:
    """Return the text of a regular file that people write, with LF as line break; OSError, also if it is too large.

    UnicodeDecodeError if it is not UTF-8.
    """
    content = read_regular(path, MOST_SOURCE)
    if len(content) > MOST_SOURCE:
        raise OSError(errno.EFBIG, f"it has more than {MOST_SOURCE:,} bytes")
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8").read()


def relative(file: Path, base: Path) -> Path:
    """Return `file` relative to the folder `base` if it lies below it, else as it is; what stdin has, by its name."""
    if is_stdin(file):
        return Path(file.name)
    return file.relative_to(base) if file.is_relative_to(base) else file
