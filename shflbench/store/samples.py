"""The lines of `samples.csv.gz`: one gzip member for the header, and one for each group of cases."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from shflbench.core.model import Sample
from shflbench.errors import ResultsError
from shflbench.store import run_files
from shflbench.store.cells import FLAG, NEGATIVE_TOO, TEXT, TIME, number, whole
from shflbench.store.csv_table import CsvTable
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from shflbench.store.csv_table import Columns
    from shflbench.store.sample_arrays import Arrays

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
SMALL = 1 << 16  # bytes of a file: its 12,000 lines take 0.03 s one by one, and the import of pandas 0.3 s
MOST_SAMPLE_BYTES = (
    1 << 30
)  # of the text, in memory at once: 20 million samples; those of 500 cases on an H200 have 96 MB
PIECE = 1 << 14  # bytes of a member that are unpacked at once
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
    """Yield the text of each complete member, with the errors of `unpack`, and for what is not UTF-8."""
    for data in unpack(content, path, whole=whole):
        yield run_files.text(data, path)


def unpack(content: bytes, path: Path, *, whole: bool = False) -> Iterator[bytes]:
    """Yield the data of each complete member; an incomplete last one, as a kill leaves it, is an error if `whole`.

    ResultsError where the content of the file at `path` is not gzip, or unpacks to more than `MOST_SAMPLE_BYTES`.
    """
    start, room = 0, MOST_SAMPLE_BYTES
    while start < len(content):
        try:
            data, end = _unpack_member(content, start, room)
        except zlib.error as error:
            raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
        if len(data) > room:
            raise ResultsError(f"{path} unpacks to more than {MOST_SAMPLE_BYTES:,} bytes of samples", RESTORE)
        if end is None:
            if whole:
                raise ResultsError(f"{path} is damaged: its end is missing", RESTORE)
            return
        yield data
        start, room = end, room - len(data)


def _unpack_member(content: bytes, start: int, most: int) -> tuple[bytes, int | None]:
    """Return the data of the member at `start`, and the place after it; None as place if its end is not reached.

    Stops after one byte more than `most`: a gzip header does not say how much it unpacks to.
    """
    member = zlib.decompressobj(GZIP)
    parts: list[bytes] = []
    size = 0
    while start < len(content) and not member.eof and size <= most:
        piece = content[start : start + PIECE]
        parts.append(member.decompress(piece, most + 1 - size))
        start, size = start + len(piece), size + len(parts[-1])
    return b"".join(parts), start - len(member.unused_data) if member.eof else None


def read(path: Path) -> list[Sample]:
    """Read the samples at `path`, without an incomplete end. ResultsError where the file is damaged."""
    return SAMPLES.decode(_columns(path, whole=False))


def load(path: Path, *, whole: bool, only: Collection[str] | None = None) -> pd.DataFrame:
    """Read the samples at `path`, a column for each of `SAMPLE_COLUMNS`, times in µs; those of sentinels, too.

    With `only` some columns, the others are not checked. What older runs did not record is NaN. ResultsError where the
    file is missing or damaged, or where its end is missing although the file is to be `whole`.
    """
    import pandas as pd  # noqa: PLC0415  (rows can be read where pandas is slow to import or absent)

    kinds = {"case_id": "str", "dropped": "bool", "sm_clock_mhz": "float64", "seconds": "float64"}
    frame = pd.DataFrame(_columns(path, whole=whole, only=only).values)
    return frame.astype({name: kind for name, kind in kinds.items() if name in frame})


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
    """Read the kept samples at `path`; imports NumPy, and pandas unless the file is small. Errors as for `load`."""
    from shflbench.store.sample_arrays import read_arrays  # noqa: PLC0415  (rows can be read without NumPy)

    content = run_files.read(path)
    taken = None if len(content) < SMALL else read_arrays(unpack(content, path, whole=whole), SAMPLES.required)
    return _kept(*(taken or _read_lines("".join(members(content, path, whole=whole)), path)))


def read_clocks(path: Path, *, whole: bool) -> dict[str, dict[int, float]]:
    """Return the median SM clock of the kept samples at `path` by case and process, MHz; errors as for `load`."""
    taken = _columns(path, whole=whole, only=("case_id", "process", "sm_clock_mhz", "dropped")).values  # noqa: PD011
    columns = (taken[name] for name in ("case_id", "process", "sm_clock_mhz", "dropped"))
    clocks: dict[str, dict[int, list[float]]] = {}
    for case_id, process, clock, dropped in zip(*columns, strict=True):
        if clock is not None and not dropped:
            clocks.setdefault(case_id, {}).setdefault(process, []).append(clock)
    return {case_id: {process: median(seen) for process, seen in known.items()} for case_id, known in clocks.items()}


def _read_lines(text: str, path: Path) -> tuple[tuple[str, ...], Arrays]:
    """Return what `read_arrays` does, of a file that it cannot read; ResultsError which names the damaged line."""
    import numpy as np  # noqa: PLC0415  (rows can be read where it is slow to import)

    taken = SAMPLES.columns(text, path, ("case_id", "time_us", "dropped", *INTEGERS)).values  # noqa: PD011
    places = {case_id: place for place, case_id in enumerate(dict.fromkeys(taken["case_id"]))}
    arrays = {
        "case": np.array([places[case_id] for case_id in taken["case_id"]], np.int64),
        "time_us": np.array(taken["time_us"], np.float64),
        "dropped": np.array(taken["dropped"], bool),
        **{name: np.array(taken[name], np.int64) for name in INTEGERS},
    }
    return tuple(map(str, places)), arrays


def _kept(ids: tuple[str, ...], columns: Arrays) -> KeptSamples:
    """Return the samples that were not dropped, sorted; `columns` is emptied, so that memory holds them once."""
    import numpy as np  # noqa: PLC0415  (as above)

    dropped = columns.pop("dropped")
    if dropped.any():
        columns = {name: columns.pop(name)[~dropped] for name in list(columns)}
    known = np.zeros(len(ids), bool)
    known[columns["case"]] = True
    if not known.all():
        columns["case"] = (np.cumsum(known) - 1)[columns["case"]]
    order = _order([columns[name] for name in ("case", "iterations", "process", "round")])
    return KeptSamples(
        tuple(case_id for case_id, is_known in zip(ids, known.tolist(), strict=True) if is_known),
        **{name: columns.pop(name)[order] for name in list(columns)},
    )


def _order(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the order that sorts lines by `keys`, the first key first; lines with the same keys keep their order.

    Sorts runs of lines with the same keys, of which a file has a fraction of its lines.
    """
    import numpy as np  # noqa: PLC0415  (as above)

    lines = len(keys[0])
    starts = run_starts(keys)
    sizes = np.diff(starts, append=lines)
    runs = np.lexsort([key[starts] for key in reversed(keys)])
    sizes = sizes[runs]
    before = np.cumsum(sizes) - sizes  # lines of earlier runs
    return np.asarray(np.repeat(starts[runs] - before, sizes) + np.arange(lines))


def run_starts(keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the indices of lines at which a run of lines with the same keys starts."""
    import numpy as np  # noqa: PLC0415  (as above)

    changes = np.zeros(len(keys[0]), bool)
    changes[:1] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changes)


def _columns(path: Path, *, whole: bool, only: Collection[str] | None = None) -> Columns:
    return SAMPLES.columns("".join(members(run_files.read(path), path, whole=whole)), path, only)
