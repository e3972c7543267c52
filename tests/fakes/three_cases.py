"""A small run of three cases, whose files a test may damage."""

from collections.abc import Callable
from dataclasses import replace

from shflbench.core.model import Sample
from shflbench.store import Run, samples
from shflbench.store.run_files import SAMPLES_FILE
from tests.fakes.simulated import Simulated, spread

FEW = Simulated(cases=spread(3), processes=2, rounds=4)
FIRST, SECOND, THIRD = (case.id for case in FEW.cases)


def without(run: Run, dropped: Callable[[Sample], bool]) -> Run:
    """Remove samples from the file of a run, and the number of samples from its rows."""
    path = run.folder / SAMPLES_FILE
    kept = [sample for sample in samples.read(path) if not dropped(sample)]
    path.write_bytes(samples.header() + samples.encode(kept))
    return replace(run, rows=tuple(replace(row, samples=None, rounds=None) for row in run.rows))
