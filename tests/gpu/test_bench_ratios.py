"""Ratios of `bench` are those of the program that nvcc builds from the same file."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shflbench.cuda.compile.toolchain import Toolchain
from tests.conftest import Command
from tests.gpu.conftest import stored

pytestmark = pytest.mark.gpu

PROGRAM = Path(__file__).with_name("windows.cu")
LARGEST = 0.03  # difference between the ratios
NVCC = shutil.which("nvcc")  # before a fixture hides it


def test_a_ratio_is_that_of_the_program(
    shflbench: Command, toolchain: Toolchain, tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if toolchain.difference_from_nvcc:
        pytest.skip(toolchain.difference_from_nvcc)
    if NVCC is None:
        pytest.skip("nvcc is not on the PATH")
    program = tmp_path / "windows"
    subprocess.run([NVCC, "-O3", "-arch=native", "-o", program, PROGRAM], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    (own,) = re.findall(r"RATIO ([0-9.]+)", printed)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    rows = {row.variant: row for row in stored(shflbench("bench", str(PROGRAM), "--device", "cuda")).rows}
    one, two = (rows[name].time_us for name in ("one_each", "two_each"))
    assert one is not None
    assert two is not None
    assert one / two == pytest.approx(float(own), rel=LARGEST)
