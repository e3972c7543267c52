"""Count the verdicts on the sample, and which of them are right."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.whole_programs.sample import LEFT_OUT, WRONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.whole_programs.sample import FileResult, Reading


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of the page; shares are parts of 1."""

    files: int  # that count
    left_out: tuple[str, ...]
    verdicts: Counter[str]  # of files
    right: float  # share of files, clean ones that nobody read at the rate of those that were read
    read: int  # files
    clean_read: int
    clean_right: int
    kernels: dict[str, tuple[int, int]]  # verdict → kernels that were read, and how many of them are right
    differing: int  # readings in which the two readers differ
    median_s: float
    most_of_s: float  # 95% of the files take at most as long
    longest_s: float


def counts(results: Sequence[FileResult], readings: Sequence[Reading]) -> Counts:
    """Return the figures of a run."""
    by_file: dict[str, list[Reading]] = {}
    for reading in readings:
        by_file.setdefault(reading.file, []).append(reading)
    left_out = {file for file, items in by_file.items() if any(item.decided == LEFT_OUT for item in items)}
    counted = [item for item in results if item.file not in left_out]
    read = [item for item in counted if item.file in by_file]
    right = {item.file for item in read if all(one.decided != WRONG for one in by_file[item.file])}
    clean = [item for item in read if item.verdict == "clean"]
    clean_right = sum(item.file in right for item in clean)
    unread = len(counted) - len(read)
    share = (len(right) + unread * (clean_right / len(clean) if clean else 0.0)) / max(len(counted), 1)
    kernels: dict[str, tuple[int, int]] = {}
    for item in counted:
        wrong = {one.kernel for one in by_file.get(item.file, ()) if one.decided == WRONG}
        for kernel in item.kernels:
            if item.file in by_file:
                number, good = kernels.get(kernel.verdict, (0, 0))
                kernels[kernel.verdict] = number + 1, good + (kernel.name not in wrong and "" not in wrong)
    seconds = sorted(item.seconds for item in counted)
    return Counts(
        files=len(counted),
        left_out=tuple(sorted(left_out)),
        verdicts=Counter(item.verdict for item in counted),
        right=share,
        read=len(read),
        clean_read=len(clean),
        clean_right=clean_right,
        kernels=kernels,
        differing=sum(item.first != item.second for item in readings),
        median_s=median(seconds) if seconds else 0.0,
        most_of_s=seconds[int(len(seconds) * 0.95)] if seconds else 0.0,
        longest_s=seconds[-1] if seconds else 0.0,
    )
