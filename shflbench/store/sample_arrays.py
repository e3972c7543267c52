"""Read samples into arrays by the reader of pandas, where the file is as a run writes it.

That takes 0.34 ms of CPU time per case of `gtc2013` on an AMD EPYC (1,076 samples), line by line seven times as long.
The reader of pandas accepts more than a run writes; what it would accept is therefore refused before and after it.
"""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from shflbench.store.cells import SHORTEST_US

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

LEAST = {"process": 0, "round": 0, "iterations": 1, "launches": 1}  # the smallest value of each integer
COMMA, LINE_END = b",\n"
UNUSUAL = (b'"', b"\r")  # quotes and line ends of other systems, which only other programs write


def read_arrays(pieces: Iterable[bytes], needed: Sequence[str]) -> tuple[tuple[str, ...], Arrays] | None:
    """Return the ids of the cases in the order of the file, and arrays of the columns: `case` has indices of ids.

    `pieces` are the bytes of the file, header first; `needed` are the columns that it must have. None where anything is
    unusual, so that the caller reads the file line by line and says what is wrong with it.
    """
    import pandas as pd  # noqa: PLC0415  (rows can be read where pandas is slow to import or absent)

    kinds = {"case_id": "category", "time_us": "float64", "dropped": "bool", **dict.fromkeys(LEAST, "int64")}
    try:
        table = pd.read_csv(
            cast("IO[bytes]", _Stream(_usual(pieces, needed))),  # it has all that pandas calls
            usecols=list(kinds),
            dtype=kinds,
            true_values=["true"],
            false_values=["false"],
            na_filter=False,
            index_col=False,
            engine="c",
        )
    except (ValueError, OverflowError):  # pandas.errors.ParserError is a ValueError
        return None
    times = table["time_us"].to_numpy()
    if (
        not len(times)
        or not np.isfinite(times).all()
        or times.min() < SHORTEST_US
        or any(table[name].min() < least for name, least in LEAST.items())
    ):
        return None
    ids, cases = _in_order(table["case_id"].cat.codes.to_numpy(), list(table["case_id"].cat.categories))
    columns = {name: table[name].to_numpy() for name in (*LEAST, "dropped")}
    return ids, {"case": cases, "time_us": times, **columns}


class _Stream:
    """A file for pandas, in pieces: each is unpacked, checked and read while it is in the cache of the CPU."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        """Take the pieces, none of which is empty."""
        self._pieces = pieces
        self._piece = io.BytesIO()

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; none at the end."""
        part = self._piece.read(size)
        if not part:
            self._piece = io.BytesIO(next(self._pieces, b""))
            part = self._piece.read(size)
        return part

    def __iter__(self) -> Iterator[bytes]:
        """Return the pieces; without this method, pandas takes an object for no file."""
        return self._pieces


def _usual(pieces: Iterable[bytes], needed: Sequence[str]) -> Iterator[bytes]:
    """Yield the pieces that are not empty.

    ValueError unless the file is ASCII without quotes, has these columns, and has in each line a cell for each column:
    pandas itself refuses lines that are too long, and not those that are too short.
    """
    commas = 0  # per line
    surplus = 0  # commas beyond those
    last = b""
    for piece in filter(None, pieces):
        commas = commas or len(_names(piece, needed)) - 1
        if not piece.isascii() or any(mark in piece for mark in UNUSUAL):
            raise ValueError("neither quotes nor other characters are usual")
        codes = np.frombuffer(piece, np.uint8)  # NumPy counts a frequent byte in a quarter of the time of `bytes.count`
        surplus += int(np.count_nonzero(codes == COMMA)) - commas * int(np.count_nonzero(codes == LINE_END))
        yield piece
        last = piece
    if surplus or not last.endswith(b"\n"):
        raise ValueError("a line is incomplete")


def _names(piece: bytes, needed: Sequence[str]) -> list[str]:
    """Return the columns that the first piece of the file names; ValueError if not all `needed` ones are there once."""
    head, line_end, _ = piece.partition(b"\n")
    names = head.decode("ascii").split(",")
    if not line_end or len(set(names)) < len(names) or not set(needed) <= set(names):
        raise ValueError("a column is missing or there twice")
    return names


def _in_order(codes: NDArray[Any], categories: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the categories in the order in which their codes appear first, and the place of each code among them."""
    _, first = np.unique(codes, return_index=True)
    order = codes[np.sort(first)]
    places = np.empty(len(categories), np.int64)
    places[order] = np.arange(len(order))
    return tuple(categories[code] for code in order), places[codes]
