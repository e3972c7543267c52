"""The time in which a run sampled kernels."""

import gzip
import shutil
from pathlib import Path

import pytest

from shflbench.advice.tuner.answer import sampling_seconds
from shflbench.store import read_run

QUICK = Path(__file__).parents[3] / "results/quick/nvidia-h200"


def test_the_verification_between_windows_is_not_sampling() -> None:
    seconds = read_run(QUICK).samples(("seconds",))["seconds"]
    assert seconds.max() - seconds.min() == pytest.approx(12.84, abs=0.01)
    assert sampling_seconds(read_run(QUICK)) == pytest.approx(6.27, abs=0.1)  # five gaps take 6.57 s in all


@pytest.mark.archs
def test_each_process_counts(tmp_path: Path) -> None:
    usual = sampling_seconds(read_run(QUICK))
    shutil.copytree(QUICK, tmp_path / "twice")
    file = tmp_path / "twice/samples.csv.gz"
    header, *lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    place = header.split(",").index("process")
    others = [",".join((*(cells := line.split(","))[:place], "1", *cells[place + 1 :])) for line in lines]
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in (header, *lines, *others)).encode()))
    assert sampling_seconds(read_run(tmp_path / "twice")) == pytest.approx(2 * usual)
