"""Read files of any size and kind safely, and say in one sentence what is wrong with them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from shflbench.core.files import irregular_kind, read_regular
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from pathlib import Path

MOST_FOREIGN_BYTES = 64 << 20  # of a file, packed or not: the JSON of 4,000 states of NVBench
MOST_PROCESSES = 100  # per side: files
GZIP_START = b"\x1f\x8b"
GZIP = 31  # zlib's window size for 32 KiB, plus 16: a gzip header (zlib manual, inflateInit2)

WRITE_AGAIN = "write the file again, or leave it out"
FORMATS = (
    "NVBench, Google Benchmark, pytest-benchmark, hyperfine, Kernel Tuner or Triton's perf_report, or CSV with the "
    "columns case, process and time_us"
)


def read_bytes(path: Path, most: int = MOST_FOREIGN_BYTES) -> bytes:
    """Return the content of a file; ResultsError if it is missing, empty, larger than `most` or no regular file."""
    try:
        if kind := irregular_kind(path):
            raise ResultsError(f"{path} is {kind}, not a file", "give a file, or a folder of files")
        if (size := path.stat().st_size) > most:
            raise ResultsError(f"{path} has {size:,} bytes, more than the limit of {most:,}", WRITE_AGAIN)
        content = read_regular(path, most)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ResultsError(f"{path} cannot be read: {reason}", "check the name and the permissions") from error
    if len(content) > most:
        raise ResultsError(f"{path} has more bytes than the limit of {most:,}", WRITE_AGAIN)
    if not content:
        raise ResultsError(f"{path} is empty", WRITE_AGAIN)
    return content


def unpack(content: bytes, path: Path) -> bytes:
    """Return the content of a gzip file with one or several members, and other content unchanged.

    ResultsError if it is damaged or unpacks to more than `MOST_FOREIGN_BYTES`.
    """
    if not content.startswith(GZIP_START):
        return content
    parts: list[bytes] = []
    room = MOST_FOREIGN_BYTES
    while content:
        member = zlib.decompressobj(GZIP)
        try:
            parts.append(member.decompress(content, room + 1))
        except zlib.error as error:
            raise ResultsError(f"{path} is damaged: {error}", WRITE_AGAIN) from error
        room -= len(parts[-1])
        if room < 0:
            raise ResultsError(f"{path} unpacks to more than {MOST_FOREIGN_BYTES:,} bytes", WRITE_AGAIN)
        if not member.eof:
            raise ResultsError(f"{path} is damaged: its end is missing", WRITE_AGAIN)
        content = member.unused_data
    return b"".join(parts)


def decode(content: bytes, path: Path) -> str:
    """Return the text of a file; ResultsError if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{path} is damaged: not UTF-8", WRITE_AGAIN) from error
