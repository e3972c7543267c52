"""The lines of `samples.csv.gz`: one gzip member for the header, and one for each group of cases."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Sample
from shflbench.store import files
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.files import RESTORE
from shflbench.store.rows import csv_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

OPTIONAL = {"seconds"}  # columns that older runs lack
WHOLE = ("iterations", "process", "round", "launches")  # the columns of numbers that `kept` returns
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


def members(content: bytes, path: Path, *, whole: bool = False) -> Iterator[str]:
    """Yield the text of each whole member; a last one that a kill cut off is left out, and an error if all is `whole`.

    ResultsError where the content of the file at `path` is no gzip.
    """
    while content:
        member = zlib.decompressobj(GZIP)
        try:
            data = member.decompress(content)
        except zlib.error as error:
            raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
        if not member.eof:
            if whole:
                raise ResultsError(f"{path} is damaged: its end is missing", RESTORE)
            return
        yield files.text(data, path)
        content = member.unused_data


def read(path: Path) -> list[Sample]:
    """Read the samples at `path`; those that a kill cut off are left out. ResultsError where the file is damaged."""
    lines = csv.DictReader(io.StringIO("".join(members(files.read(path), path)), newline=""))
    try:
        return [_sample(cells) for cells in lines]
    except (KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path} is damaged: {error!r}", RESTORE) from error


def _sample(cells: Mapping[str, str]) -> Sample:
    clock, seconds = cells["sm_clock_mhz"], cells.get("seconds")
    return Sample(
        case_id=cells["case_id"],
        process=int(cells["process"]),
        round=int(cells["round"]),
        sample=int(cells["sample"]),
        iterations=int(cells["iterations"]),
        launches=int(cells["launches"]),
        time_us=float(cells["time_us"]),
        sm_clock_mhz=float(clock) if clock else None,
        dropped=cells["dropped"] == "true",
        seconds=float(seconds) if seconds else None,
    )


def load(path: Path) -> pd.DataFrame:
    """Read the samples at `path`, a column for each of `SAMPLE_COLUMNS`, times in µs; those of sentinels, too.

    Samples that a kill cut off are left out; what older runs did not note is NaN.
    ResultsError where the file is missing or broken.
    """
    import pandas as pd  # noqa: PLC0415  (rows can be read where pandas is slow to import or absent)

    text = "".join(members(files.read(path), path))
    kinds = {"case_id": "str", "time_us": "float64", "sm_clock_mhz": "float64", "dropped": "bool", "seconds": "float64"}
    try:
        frame = pd.read_csv(io.StringIO(text), usecols=SAMPLE_COLUMNS.__contains__, dtype=kinds)
    except ValueError as error:  # pandas: a column is missing or a value is of the wrong kind
        raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
    missing = [name for name in SAMPLE_COLUMNS if name not in {*frame.columns, *OPTIONAL}]
    if missing:
        raise ResultsError(f"{path} is damaged: it has no column {missing[0]}", RESTORE)
    return frame.reindex(columns=list(SAMPLE_COLUMNS))


@dataclass(frozen=True, slots=True)
class Kept:
    """The samples that were kept, in arrays of an element for each; sorted by case, iterations, process and round."""

    cases: tuple[str, ...]  # ids, in the order in which they appear in the file; those of sentinels, too
    case: NDArray[np.int64]  # place in `cases`
    iterations: NDArray[np.int64]
    process: NDArray[np.int64]
    round: NDArray[np.int64]
    launches: NDArray[np.int64]
    time_us: NDArray[np.float64]


def read_kept(path: Path, *, whole: bool) -> Kept:
    """Read the kept samples at `path`; imports NumPy, and not pandas, which takes longer than reading 100,000 samples.

    ResultsError where the file is missing or damaged, or where its end is missing although all of it is to be there.
    """
    import numpy as np  # noqa: PLC0415  (as above)

    lines = csv.reader(io.StringIO("".join(members(files.read(path), path, whole=whole)), newline=""), strict=True)
    try:
        columns = _columns(next(lines, []), list(lines))
        places = {case_id: place for place, case_id in enumerate(dict.fromkeys(columns["case_id"]))}
        case = np.array([places[case_id] for case_id in columns["case_id"]], np.int64)
        numbers = [np.array([*map(int, columns[name])], np.int64) for name in WHOLE]
        times = np.array([*map(float, columns["time_us"])], np.float64)
    except (csv.Error, OverflowError, ValueError) as error:
        raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
    if len(times) and not (np.isfinite(times).all() and times.min() > 0):
        raise ResultsError(f"{path} is damaged: a time is not above 0", RESTORE)
    order = np.lexsort((numbers[2], numbers[1], numbers[0], case))
    iterations, process, rounds, launches = (column[order] for column in numbers)
    return Kept(tuple(places), case[order], iterations, process, rounds, launches, times[order])


def _columns(names: Sequence[str], lines: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return the columns that `kept` needs, of the samples that were not dropped; ValueError where one is missing."""
    for name in SAMPLE_COLUMNS:
        if name not in {*names, *OPTIONAL}:
            raise ValueError(f"it has no column {name}")
    if any(len(cells) != len(names) for cells in lines):
        raise ValueError(f"a line does not have {len(names)} values")
    dropped = names.index("dropped")
    if not {cells[dropped] for cells in lines} <= {"true", "false"}:
        raise ValueError("`dropped` is neither true nor false")
    lines = [cells for cells in lines if cells[dropped] == "false"]
    return {name: [cells[names.index(name)] for cells in lines] for name in ("case_id", "time_us", *WHOLE)}
