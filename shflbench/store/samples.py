"""The lines of `samples.csv.gz`: one gzip member for the header, and one for each group of cases."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Sample
from shflbench.store import files
from shflbench.store.cells import FLAG, NEGATIVE_TOO, TEXT, TIME, number, whole
from shflbench.store.csv_table import CsvTable
from shflbench.store.files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from shflbench.store.csv_table import Columns

SAMPLES = CsvTable(
    Sample,
    {
        str: TEXT,
        bool: FLAG,
        int: whole(),
        float: number(),
        "iterations": whole(1),
        "launches": whole(1),
        "time_us": TIME,
        "seconds": number(NEGATIVE_TOO),  # a clock may have been set back during the run
    },
)
INTEGERS = ("iterations", "process", "round", "launches")  # columns that `read_kept` returns
GZIP = 31  # zlib's window size for 32 KiB, plus 16: a gzip header (zlib manual, inflateInit2)


def header() -> bytes:
    """Return the member that starts the file."""
    return pack(SAMPLES.header())


def encode(samples: Iterable[Sample]) -> bytes:
    """Return one member with a line for each sample."""
    return pack(SAMPLES.encode(samples))


def pack(text: str) -> bytes:
    """Return the text as one gzip member; the same text gives the same bytes."""
    return gzip.compress(text.encode(), mtime=0)


def members(content: bytes, path: Path, *, whole: bool = False) -> Iterator[str]:
    """Yield the text of each complete member; an incomplete last one, as a kill leaves it, is an error if `whole`.

    ResultsError where the content of the file at `path` is not gzip.
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
    """Read the samples at `path`, without an incomplete end. ResultsError where the file is damaged."""
    return SAMPLES.decode(_columns(path, whole=False))


def load(path: Path, *, whole: bool) -> pd.DataFrame:
    """Read the samples at `path`, a column for each of `SAMPLE_COLUMNS`, times in µs; those of sentinels, too.

    What older runs did not record is NaN. ResultsError where the file is missing or damaged, or where its end is
    missing although the file is to be `whole`.
    """
    import pandas as pd  # noqa: PLC0415  (rows can be read where pandas is slow to import or absent)

    kinds = {"case_id": "str", "dropped": "bool", "sm_clock_mhz": "float64", "seconds": "float64"}
    return pd.DataFrame(_columns(path, whole=whole).values).astype(kinds)


@dataclass(frozen=True, slots=True)
class KeptSamples:
    """The samples that were kept, in arrays of an element for each; sorted by case, iterations, process and round."""

    cases: tuple[str, ...]  # ids, in the order in which they appear in the file; those of sentinels, too
    case: NDArray[np.int64]  # place in `cases`
    iterations: NDArray[np.int64]
    process: NDArray[np.int64]
    round: NDArray[np.int64]
    launches: NDArray[np.int64]
    time_us: NDArray[np.float64]


def read_kept(path: Path, *, whole: bool) -> KeptSamples:
    """Read the kept samples at `path`; imports NumPy, and not pandas, which takes longer than reading 100,000 samples.

    Errors as for `load`.
    """
    import numpy as np  # noqa: PLC0415  (as above)

    taken = _columns(path, whole=whole, only=("case_id", "time_us", "dropped", *INTEGERS)).values  # noqa: PD011
    is_kept = ~np.array(taken["dropped"], bool)
    case_ids = list(compress(taken["case_id"], is_kept))
    places = {case_id: place for place, case_id in enumerate(dict.fromkeys(case_ids))}
    case = np.array([places[case_id] for case_id in case_ids], np.int64)
    times = np.array(taken["time_us"], np.float64)[is_kept]
    integers = [np.array(taken[name], np.int64)[is_kept] for name in INTEGERS]
    order = np.lexsort((integers[2], integers[1], integers[0], case))
    iterations, process, rounds, launches = (column[order] for column in integers)
    return KeptSamples(tuple(places), case[order], iterations, process, rounds, launches, times[order])


def _columns(path: Path, *, whole: bool, only: Collection[str] | None = None) -> Columns:
    return SAMPLES.columns("".join(members(files.read(path), path, whole=whole)), path, only)
