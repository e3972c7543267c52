"""A recording: the samples of several runs of one machine in one small file, without loss.

It has the samples that `compare` uses: those not dropped, at each case's own iterations, and those of the sentinels.
The file is a `.npz` for `numpy.load`. The same samples give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shflbench.errors import ResultsError
from shflbench.store import Row, RunInfo
from shflbench.store.rows import ROWS, decode

Floats = NDArray[np.float64]
Process = tuple[int, int]  # index of the run among those of all batches, number of the process in the run
# The properties of a burst: indices in `runs` and `kernels`, numbers of process and round, launches per sample, and the
# number of samples.
BURST = RUN, PROCESS, KERNEL, ROUND, LAUNCHES, SAMPLES = range(6)
STEP_NS = 32  # of the timer behind CUDA's events: times of all launches of a sample together are multiples of it
NARROW = np.iinfo(np.uint16).max
DAMAGED = "take the file from the repository again, or pack the runs anew"


@dataclass(frozen=True, eq=False, slots=True)
class Recording:
    """The runs, and every burst of samples, sorted by run, process, kernel and round."""

    runs: tuple[RunInfo, ...]
    rows: tuple[Row, ...]  # of each case without additional iterations, without its times
    kernels: tuple[str, ...]  # ids of cases and sentinels, slowed copies, too
    bursts: NDArray[np.int64]  # a column for each round of a kernel in a process, a row for each property in `BURST`
    steps: NDArray[np.int64]  # an element for each sample of each burst: all its launches, in steps of the timer

    @property
    def times_us(self) -> NDArray[np.float64]:
        """The time of one launch, for each sample, as in `samples.csv.gz` before rounding to seven digits."""
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
        return zipped(
            {
                "facts": np.frombuffer(json.dumps(facts, ensure_ascii=False).encode(), np.uint8),
                "bursts": _narrow(np.ascontiguousarray(self.bursts)),
                "least": least,
                "above": _narrow(above),  # most of the file: small numbers
            }
        )

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read the file at `path`; ResultsError if it cannot be read."""
        try:
            with np.load(io.BytesIO(path.read_bytes())) as arrays:
                facts = json.loads(arrays["facts"].tobytes())
                bursts = arrays["bursts"].astype(np.int64)
                least, above = arrays["least"], arrays["above"].astype(np.int64)
            infos = tuple(RunInfo.from_json(json.dumps(each), path) for each in facts["runs"])
            steps = above + np.repeat(least[bursts[KERNEL]], bursts[SAMPLES])
            return cls(infos, tuple(decode(facts["rows"], path)), tuple(facts["kernels"]), bursts, steps)
        except (OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise ResultsError(f"{path} cannot be read as a recording: {error}", DAMAGED) from error


def times_us(steps: NDArray[np.int64], launches: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the time of one launch in µs, of samples of `launches` launches each."""
    return steps * STEP_NS / launches / 1000


def _narrow(numbers: NDArray[np.int64]) -> NDArray[np.integer]:
    """Return non-negative numbers in 16 bits if they fit, else in 32."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) <= NARROW else numbers.astype(np.uint32)


def zipped(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a `.npz` compressed by LZMA: a quarter smaller than with NumPy's deflate; NumPy reads both."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # it has no date
            member.compress_type = zipfile.ZIP_LZMA
            lines = io.BytesIO()
            np.save(lines, array)
            archive.writestr(member, lines.getvalue())
    return content.getvalue()
