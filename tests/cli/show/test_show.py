from dataclasses import replace
from pathlib import Path

from tests.conftest import Command
from tests.fakes.runs import compiled, info, measured, write_run


def test_run_is_shown_with_its_tables_and_sentences(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], noise=1e-9)
    write_run(tmp_path / "run", rows, samples)
    outcome = shflbench("show", "run")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[:3] == [
        "run: suite gtc2013, NVIDIA H200, driver 580.159, CUDA 13.0, 2026-11-20",
        "",
        "neighbor  f32  26x1024  4096 iterations",
    ]
    assert [line.split()[0] for line in lines[4:10]] == [
        "shfl",
        "smem-syncwarp",
        "smem-unsafe",
        "smem-double",
        "smem-deck",
        "smem",
    ]
    assert lines[10:] == ["", "neighbor, f32: shfl runs at 4.7× the speed of smem, 1.9× that of smem-syncwarp"]


def test_run_without_a_gpu_shows_what_was_compiled(shflbench: Command, tmp_path: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    write_run(tmp_path / "run", [replace(row, registers=16) for row in rows], about=info(device=None, backend="none"))
    outcome = shflbench("show", "run")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "run: suite gtc2013, no GPU, compiled for sm_90, 2026-11-20"
    assert outcome.out.count("  16  ") == 6
    assert "time µs" not in outcome.out
    assert "(not timed)" in outcome.out


def test_unfinished_run_is_shown_with_a_warning(shflbench: Command, tmp_path: Path) -> None:
    write_run(tmp_path / "run", finished=False)
    outcome = shflbench("show", "run")
    assert outcome.code == 0
    assert outcome.err.startswith("warning: run holds an unfinished run")
