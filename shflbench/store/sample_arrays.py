"""Read samples into arrays, in a tenth of the time that it takes line by line, where the file is as a run writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.store.cells import SHORTEST_US

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Arrays = dict[str, NDArray[Any]]

BLOCK = 1 << 20  # bytes of whole lines that are split at once: their arrays fit into the cache of a core
DIGITS = 15  # decimal digits that a float always holds exactly: division by a power of 10 then rounds as `float(text)`
LEAST = {"process": 0, "round": 0, "iterations": 1, "launches": 1}  # the smallest value of each integer
UNUSUAL = (b'"', b"\r")  # quotes and line ends of other systems, which only other programs write
COMMA, NEWLINE = b",", b"\n"
ZERO = np.uint8(ord("0"))
POINT = np.uint8(256 + ord(".") - ord("0"))  # less the code of a zero, modulo 256
NINE = 9


def read_arrays(pieces: Iterable[bytes], needed: Sequence[str]) -> tuple[tuple[str, ...], Arrays] | None:
    """Return the ids of the cases in the order of the file, and arrays of the columns: `case` has indices of ids.

    `pieces` are the bytes of the file, header first; `needed` are the columns that it must have. None where anything is
    unusual, so that the caller reads the file line by line and says what is wrong with it.
    """
    names: list[str] = []
    places: dict[bytes, int] = {}
    taken: list[Arrays] = []
    for data in _blocks(pieces):
        block = data
        if not names:
            head, _, block = data.partition(NEWLINE)
            if not head.isascii():
                return None
            names = head.decode().split(",")
            if names[0] != "case_id" or len(set(names)) < len(names) or not set(needed) <= set(names):
                return None
        arrays = _read_block(block, names, places) if block else {}
        if arrays is None:
            return None
        taken += [arrays] if arrays else []
    if not taken:
        return None
    ids = tuple(prefix.removesuffix(COMMA).decode() for prefix in places)
    return ids, {name: np.concatenate([arrays.pop(name) for arrays in taken]) for name in list(taken[0])}


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in blocks of about `BLOCK` that end with a line; the last block may not."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        for begin in range(0, len(piece), BLOCK):
            parts.append(piece[begin : begin + BLOCK])
            size += len(parts[-1])
            if size < BLOCK:
                continue
            data = b"".join(parts)
            end = data.rfind(NEWLINE) + 1 or len(data)
            yield data[:end]
            parts, size = [data[end:]], len(data) - end
    if size:
        yield b"".join(parts)


def _read_block(block: bytes, names: Sequence[str], places: dict[bytes, int]) -> Arrays | None:
    """Read whole lines; add new ids, with their comma, to `places`. None for anything unusual."""
    lines = _Lines.split(block, len(names))
    if lines is None:
        return None
    integers = {name: lines.integers(names.index(name), least) for name, least in LEAST.items()}
    times = lines.times(names.index("time_us"))
    dropped = lines.flags(names.index("dropped"))
    if times is None or dropped is None or any(array is None for array in integers.values()):
        return None
    known = {name: array for name, array in integers.items() if array is not None}
    return {"case": lines.cases(places), "time_us": times, "dropped": dropped, **known}


@dataclass(frozen=True, slots=True)
class _Lines:
    """The bytes of some lines, and where their cells are."""

    block: bytes
    characters: NDArray[np.uint8]
    ends: Integers  # lines × columns: index of the comma or the line end that follows a cell

    @classmethod
    def split(cls, block: bytes, columns: int) -> _Lines | None:
        """Find the cells; None unless each line has a cell for each column."""
        if not block.isascii() or not block.endswith(NEWLINE) or any(mark in block for mark in UNUSUAL):
            return None
        characters = np.frombuffer(block, np.uint8)
        marks = np.flatnonzero((characters == ord(COMMA)) | (characters == ord(NEWLINE)))
        if len(marks) % columns:
            return None
        ends = marks.reshape(-1, columns)
        expected = np.frombuffer(COMMA * (columns - 1) + NEWLINE, np.uint8)
        return cls(block, characters, ends) if (characters[ends] == expected).all() else None

    def cases(self, places: dict[bytes, int]) -> Integers:
        """Return the index of each line's id, which is its first cell; add new ids, with their comma, to `places`."""
        starts_with = self.block.startswith
        prefix, start = NEWLINE, 0  # which starts no line
        lines, chosen = [], []  # where the id changes, and to which
        for line, end in enumerate(self.ends[:, -1].tolist()):
            if not starts_with(prefix, start):
                prefix = self.block[start : self.block.index(COMMA, start) + 1]
                lines.append(line)
                chosen.append(places.setdefault(prefix, len(places)))
            start = end + 1
        return np.repeat(np.array(chosen, np.int64), np.diff([*lines, len(self.ends)]))

    def integers(self, column: int, least: int) -> Integers | None:
        """Return the integers of a column; None if one is not written as digits or is below `least`."""
        ends, sizes = self._cells(column)
        if sizes.min() < 1 or sizes.max() > DIGITS:
            return None
        numbers = self._digits(ends, sizes)
        return None if numbers is None or numbers[0].min() < least else numbers[0]

    def times(self, column: int) -> NDArray[np.float64] | None:
        """Return the times of a column; None if one is not written as digits with a dot, or is no time."""
        ends, sizes = self._cells(column)
        if sizes.min() < 1 or sizes.max() > DIGITS + 1:
            return None
        numbers = self._digits(ends, sizes, dots=True)
        if numbers is None:
            return None
        values, decimals = numbers
        times: NDArray[np.float64] = values / 10.0**decimals
        return None if times.min() < SHORTEST_US or values.max() >= 10**DIGITS else times

    def flags(self, column: int) -> NDArray[np.bool_] | None:
        """Return the truth values of a column; None if one is neither `true` nor `false`."""
        ends, sizes = self._cells(column)
        flags = np.equal(sizes, len(b"true"))
        for text, chosen in ((b"true", flags), (b"false", ~flags)):
            if (sizes[chosen] != len(text)).any():
                return None
            texts = self.characters[ends[chosen][:, None] - np.arange(len(text), 0, -1)]
            if (texts != np.frombuffer(text, np.uint8)).any():
                return None
        return flags

    def _cells(self, column: int) -> tuple[Integers, Integers]:
        """Return the end and the length of the cells of a column, not of the first."""
        ends = self.ends[:, column]
        return ends, ends - self.ends[:, column - 1] - 1

    def _digits(self, ends: Integers, sizes: Integers, *, dots: bool = False) -> tuple[Integers, Integers] | None:
        """Return the numbers that the digits of cells form, without a dot, and how many digits follow the dot.

        None if a cell has another character, or two dots; dots are allowed if `dots`.
        """
        values = np.zeros(len(ends), np.int64)
        decimals = np.zeros(len(ends), np.int64)
        pointed = np.zeros(len(ends), bool)  # whether a dot was read, from the end of the cell
        smallest = sizes.min()
        for back in range(1, int(sizes.max()) + 1):
            digits = self.characters[ends - back] - ZERO  # modulo 256
            if back > smallest:
                digits[sizes < back] = 0
            weight: NDArray[np.int64] | int = 10 ** (back - 1)
            if dots:
                dot = digits == POINT
                if (dot & pointed).any():
                    return None
                digits[dot] = 0
                decimals[dot] = back - 1
                pointed |= dot
                weight = np.where(pointed, weight // 10, weight)
            if (digits > NINE).any():
                return None
            values += digits * np.int64(weight)
        return values, decimals
