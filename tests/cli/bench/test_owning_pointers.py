"""`shflbench bench` on a program whose memory belongs to smart pointers and classes, as a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.store import read_run

WORDS = ("bench", "pointers.cu", "--device", "emulator", "--no-check", "--output", "run")
PROGRAM = Path(__file__).with_name("owning_pointers.cu").read_text(encoding="utf-8")


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("wrong", "code", "different"),
    [(("", ""), 0, set()), (("i + step - n]", "i]"), 5, {"next_by_wrap"})],
    ids=["equal", "another-result"],
)
def test_kernels_are_compared_with_the_buffers_of_the_program(
    tmp_path: Path, kernel_cache: Path, wrong: tuple[str, str], code: int, different: set[str]
) -> None:
    (tmp_path / "pointers.cu").write_text(PROGRAM.replace(*wrong), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "shflbench", *WORDS],
        cwd=tmp_path,
        env={**os.environ, "SHFLBENCH_CACHE": str(kernel_cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    rows = read_run(tmp_path / "run").rows
    assert len(rows) == 6
    assert {row.variant for row in rows if row.status.value == "incorrect"} == different
    for given in ("in = f32[600]", "in = i32[500]", "n = 500, step = 1", "x = f64[400]"):
        assert given in done.stderr
    assert "(from the host code)" in done.stderr
