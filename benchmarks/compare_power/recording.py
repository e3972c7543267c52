"""A recording: the samples of several runs of one machine in one small file, to the timer's step and nothing lost.

Kept are the samples that `compare` looks at: those not dropped, at each case's own iterations, and of the sentinels.
The file is a `.npz` that `numpy.load` reads. The same samples give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.errors import ResultsError
from shflbench.store import RunInfo
from shflbench.store.rows import ROWS, decode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from shflbench.store import Row

# What is known of a burst: places in `runs` and `kernels`, numbers of process and round, launches that a sample
# brackets, and the number of samples.
BURST = RUN, PROCESS, KERNEL, ROUND, LAUNCHES, SAMPLES = range(6)
STEP_NS = 32  # of the timer behind CUDA's events: times of all launches of a sample together are multiples of it
NARROW = np.iinfo(np.uint16).max
DAMAGED = "take the file from the repository again, or pack the runs anew"


@dataclass(frozen=True, eq=False, slots=True)
class Recording:
    """The runs, and every burst of samples, sorted by run, process, kernel and round."""

    runs: tuple[RunInfo, ...]
    rows: tuple[Row, ...]  # what is known of each unslowed case beside its time
    kernels: tuple[str, ...]  # ids of cases and sentinels, slowed copies, too
    bursts: NDArray[np.int64]  # a column for each round of a kernel in a process, a row for each of `BURST`
    steps: NDArray[np.int64]  # an element for each sample of each burst: all its launches, in steps of the timer

    @property
    def times_us(self) -> NDArray[np.float64]:
        """The time of one launch, an element for each sample: the very numbers of `samples.csv.gz`."""
        return times_us(self.steps, np.repeat(self.bursts[LAUNCHES], self.bursts[SAMPLES]))

    def encode(self) -> bytes:
        """Return the content of the file."""
        facts = {
            "runs": [json.loads(info.to_json()) for info in self.runs],
            "rows": ROWS.header() + ROWS.encode(self.rows),
            "kernels": self.kernels,
        }
        owner = np.repeat(self.bursts[KERNEL], self.bursts[SAMPLES])
        least = np.full(len(self.kernels), np.iinfo(np.int64).max)
        np.minimum.at(least, owner, self.steps)
        above = self.steps - least[owner]
        return _zipped(
            {
                "facts": np.frombuffer(json.dumps(facts, ensure_ascii=False).encode(), np.uint8),
                "bursts": _narrow(np.ascontiguousarray(self.bursts)),
                "least": least,
                "above": _narrow(above),  # by far the most of the file, and small numbers
            }
        )

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read the file at `path`; ResultsError where that cannot be done."""
        try:
            with np.load(io.BytesIO(path.read_bytes())) as arrays:
                facts = json.loads(arrays["facts"].tobytes())
                bursts = arrays["bursts"].astype(np.int64)
                least, above = arrays["least"], arrays["above"].astype(np.int64)
            infos = tuple(RunInfo.from_json(json.dumps(each), path) for each in facts["runs"])
            steps = above + np.repeat(least[bursts[KERNEL]], bursts[SAMPLES])
            return cls(infos, tuple(decode(facts["rows"], path)), tuple(facts["kernels"]), bursts, steps)
        except (OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise ResultsError(f"{path} is no recording that can be read: {error}", DAMAGED) from error


def times_us(steps: NDArray[np.int64], launches: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the time of one launch in µs, of samples that bracket `launches` of them."""
    return steps * STEP_NS / launches / 1000


def _narrow(numbers: NDArray[np.int64]) -> NDArray[np.integer]:
    """Return them in 16 bits if they fit; none is negative."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) <= NARROW else numbers.astype(np.uint32)


def _zipped(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a `.npz`, packed by LZMA: a quarter less than by the deflate that NumPy writes, which reads both."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # it has no date
            member.compress_type = zipfile.ZIP_LZMA
            lines = io.BytesIO()
            np.save(lines, array)
            archive.writestr(member, lines.getvalue())
    return content.getvalue()
