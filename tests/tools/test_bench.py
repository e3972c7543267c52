"""`make bench` draws the run, or the reference runs of its suite where nothing was timed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "tools" / "bench.sh"
SHFLBENCH = """#!/bin/sh
echo "$@" >>calls
[ "$1" != run ] || { echo "$(cat run)"; exit "$(cat code)"; }
"""


@pytest.mark.parametrize(
    ("runs", "code", "drawn"),
    [
        pytest.param({"quick/new": "timed", "quick/h200": "timed"}, 0, "plot results/quick/new", id="timed"),
        pytest.param(
            {"quick/new": "verified", "quick/h200": "timed", "quick/old": "verified", "gtc2013/h200": "timed"},
            5,
            "plot results/quick/h200",
            id="emulated",
        ),
        pytest.param({"quick/new": "verified", "gtc2013/h200": "timed"}, 0, None, id="without a reference run"),
        pytest.param({}, 4, None, id="without a run"),
    ],
)
def test_charts_are_those_of_the_suite_that_was_run(
    tmp_path: Path, runs: dict[str, str], code: int, drawn: str | None
) -> None:
    (tmp_path / "shflbench").write_text(SHFLBENCH, encoding="utf-8")
    (tmp_path / "shflbench").chmod(0o755)
    (tmp_path / "run").write_text("results/quick/new" if runs else "", encoding="utf-8")
    (tmp_path / "code").write_text(str(code), encoding="utf-8")
    for name, status in runs.items():
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        (folder / "results.csv").write_text(f"case_id,status,reason\nneighbor/shfl,{status},\n", encoding="utf-8")
    outcome = subprocess.run(
        ["sh", BENCH, "./shflbench", "quick"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == code
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert calls == ["run quick", *([drawn] if drawn else [])]
    assert ("reference runs" in outcome.stderr) == ("h200" in (drawn or ""))
