"""The real `shflbench calibrate` on a real GPU."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.calibration import faults, pairs
from shflbench.measure.calibrate.pipeline import PROCESSES
from shflbench.measure.calibrate.probes import select_supported
from shflbench.store.calibration_file import Calibration, read

pytestmark = pytest.mark.gpu

REPOSITORY = Path(__file__).parents[2]
MOST_SECONDS = 60.0


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Calibration, Calibration]:
    """Return two calibrations, of which the first compiled the kernels; each took less than a minute."""
    folder = tmp_path_factory.mktemp("calibrate")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]),
        "SHFLBENCH_CACHE": str(folder / "cache"),
    }
    for name in ("first", "second"):
        start = time.monotonic()
        command = [sys.executable, "-m", "shflbench", "calibrate", "--output", f"{name}.json"]
        outcome = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert outcome.returncode == 0, outcome.stderr
        assert time.monotonic() - start < MOST_SECONDS
    return read(folder / "first.json"), read(folder / "second.json")


def test_every_figure_of_the_architecture_is_measured(two: tuple[Calibration, Calibration]) -> None:
    for calibration in two:
        assert set(calibration.figures) == {probe.name for probe in select_supported(calibration.arch)}
        assert {figure.processes for figure in calibration.figures.values()} == {PROCESSES}


def test_two_calibrations_agree(two: tuple[Calibration, Calibration]) -> None:
    assert [(pair.name, pair.difference) for pair in pairs(*two) if not pair.agrees] == []


def test_shuffles_and_barriers_of_an_h200_are_as_documented(two: tuple[Calibration, Calibration]) -> None:
    if two[0].arch != "sm_90":
        pytest.skip(f"the ceilings are known for sm_90, and this is {two[0].arch}")
    assert list(faults(*two)) == []
