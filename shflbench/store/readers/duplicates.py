"""Refuse files that hold one measurement twice: it would count as two processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.equal_samples import find_equal
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.store.readers.recording import Floats, RecordedProcess

ONCE = "give each measurement once; measure again for more processes"


def refuse_duplicates(files: Sequence[Path], processes: Sequence[Sequence[RecordedProcess]]) -> None:
    """Raise ResultsError if two of the files have one content, or two processes the same samples.

    `processes` are those of each file.
    """
    contents: dict[str, Path] = {}
    for file, of_file in zip(files, processes, strict=True):
        digest = of_file[0].sha256
        if digest in contents:
            raise ResultsError(f"{contents[digest]} and {file} have the same content: one measurement", ONCE)
        contents[digest] = file
    places = [(file, number) for file, of_file in zip(files, processes, strict=True) for number in range(len(of_file))]
    equal = find_equal([_samples(process) for of_file in processes for process in of_file])
    if equal:
        (file, number), (other, other_number) = (places[place] for place in equal)
        names = f"processes {number + 1} and {other_number + 1} of {file}" if file == other else f"{file} and {other}"
        raise ResultsError(f"{names} have the same samples: one measurement", ONCE)


def _samples(process: RecordedProcess) -> Mapping[str, Floats]:
    """Return the samples of each case; what stands in for them in a file without samples."""
    samples = {name: np.concatenate(case.rounds) for name, case in process.cases.items() if case.rounds}
    for name, case in process.cases.items():
        if (known := case.summary) and known.deviation_us:
            samples[name] = np.array([known.time_us, known.deviation_us, float(known.samples or 0)])
    return samples
