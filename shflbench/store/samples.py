"""The lines of `samples.csv.gz`: one gzip member for the header, and one for each group of cases."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import files
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.files import RESTORE
from shflbench.store.rows import csv_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    import pandas as pd

    from shflbench.model import Sample

GZIP = 31  # zlib's window size for 32 KiB, plus 16: a gzip header (zlib manual, inflateInit2)


def header() -> bytes:
    """Return the member that starts the file."""
    return pack(csv_line(tuple(SAMPLE_COLUMNS)))


def encode(samples: Iterable[Sample]) -> bytes:
    """Return one member with a line for each sample."""
    return pack("".join(csv_line(tuple(getattr(sample, name) for name in SAMPLE_COLUMNS)) for sample in samples))


def pack(text: str) -> bytes:
    """Return the text as one gzip member; the same text gives the same bytes."""
    return gzip.compress(text.encode(), mtime=0)


def members(content: bytes, path: Path) -> Iterator[str]:
    """Yield the text of each whole member; a last one that a kill cut off is left out.

    ResultsError where the content of the file at `path` is no gzip.
    """
    while content:
        member = zlib.decompressobj(GZIP)
        try:
            data = member.decompress(content)
        except zlib.error as error:
            raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
        if not member.eof:
            return
        yield files.text(data, path)
        content = member.unused_data


def keep(path: Path, cases: Collection[str]) -> bytes:
    """Return what the file at `path` holds with the samples of `cases` alone; ResultsError where it is damaged."""
    lines = csv.reader(io.StringIO("".join(members(files.read(path), path)), newline=""))
    next(lines, None)
    return header() + pack("".join(csv_line(cells) for cells in lines if cells[0] in cases))


def load(path: Path) -> pd.DataFrame:
    """Read the samples at `path`, a column for each of `SAMPLE_COLUMNS`, times in µs.

    Samples that a kill cut off are left out. ResultsError where the file is missing or broken.
    """
    import pandas as pd  # noqa: PLC0415  (rows can be read where pandas is slow to import or absent)

    text = "".join(members(files.read(path), path))
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            usecols=list(SAMPLE_COLUMNS),
            dtype={"case_id": "str", "time_us": "float64", "sm_clock_mhz": "float64", "dropped": "bool"},
        )
    except ValueError as error:  # pandas: a column is missing or a value is of the wrong kind
        raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
    return frame[list(SAMPLE_COLUMNS)]
