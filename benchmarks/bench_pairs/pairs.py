"""The list of pairs: two kernels of a public file each, and how their own program times them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

LIST = Path(__file__).with_name("pairs.json")
MICROSECONDS = {"s": 1e6, "ms": 1e3, "us": 1.0}  # groups of the regular expressions that find times


@dataclass(frozen=True)
class Pair:
    """Two kernels of a file, with the options of `bench` and the own program that times both.

    Attributes:
        source: `owner/name@commit` on GitHub.
        path: Path of the file there; `file` is that below the folder of sources given to the benchmark.
        options: Options of `bench`; `{data}` is the folder of the contents that the own program draws at random.
        program: Name of the own program; `arguments` are its command line.
        in_turn: Whether the program prints `TURN 0` and `TURN 1` and times the kernels in turn in one process.
        times: A regular expression for both kernels, or one each, with a group `s`, `ms`, `us` or `rate`, and `key` for
            the threads per block if the program times several.
        method: How the program times.

    """

    id: str
    source: str
    path: str
    file: str
    task: str
    kernels: tuple[str, str]
    options: tuple[str, ...]
    l2: str
    program: str
    arguments: tuple[str, ...]
    in_turn: bool
    times: tuple[str, ...]
    method: str

    @property
    def kinds_of_options(self) -> int:
        """The number of different options that the user has to know."""
        return len({word for word in self.options if word.startswith("--")})

    @property
    def by_block(self) -> bool:
        """Whether the own program times several sizes of blocks."""
        return "(?P<key>" in self.times[0]


def pairs() -> list[Pair]:
    """Return the pairs of the list, in its order."""
    return msgspec.json.decode(LIST.read_bytes(), type=list[Pair])


def own_times(pair: Pair, text: str) -> dict[str, tuple[list[float], list[float]]]:
    """Return the times in µs that the own program printed: by threads per block ("" for one), those of each kernel.

    For a program that prints rates, the times are relative: inverse rates.
    """
    times: dict[str, tuple[list[float], list[float]]] = {}
    if pair.in_turn:
        kernel = None
        for line in text.splitlines():
            if line.startswith("TURN "):
                kernel = int(line.split()[1])
            elif kernel is not None and (match := re.search(pair.times[0], line)):
                _add(times, kernel, match)
        return times
    for kernel, expression in enumerate(pair.times):
        for match in re.finditer(expression, text):
            _add(times, kernel, match)
    return times


def _add(times: dict[str, tuple[list[float], list[float]]], kernel: int, match: re.Match[str]) -> None:
    groups = match.groupdict()
    if groups.get("rate"):
        time_us = 1 / float(groups["rate"])
    else:
        unit = next(name for name in MICROSECONDS if groups.get(name))
        time_us = float(groups[unit]) * MICROSECONDS[unit]
    times.setdefault(groups.get("key") or "", ([], []))[kernel].append(time_us)
