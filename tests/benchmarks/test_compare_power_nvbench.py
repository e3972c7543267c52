from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.compare_power import nvbench
from benchmarks.compare_power.__main__ import RECORDED
from benchmarks.compare_power.__main__ import main as compare_power
from benchmarks.compare_power.nvbench import quartile, write_nvbench
from shflbench.errors import ResultsError
from tests.scripts import write_script

# Stands for NVBench's script, which is not installed for tests: its output has the form of that of cuda-bench 0.3.0.
SCRIPT = """\
import json, sys
*options, base, new = sys.argv[1:]
assert options == ["--no-color"], options
def means(name):
    with open(name) as file:
        root = json.load(file)
    assert root["meta"]["version"]["json"]["string"] == "1.0.0"
    return {
        bench["name"]: float(next(
            summary["data"][0]["value"]
            for summary in bench["states"][0]["summaries"]
            if summary["tag"] == "nv/cold/time/gpu/mean"
        ))
        for bench in root["benchmarks"]
    }
base, new = means(base), means(new)
for name in new:
    ratio = new[name] / base[name]
    close = "🔵 SAME" if abs(ratio - 1) < 0.01 else "🟡 AMBG"
    status = "🔴 SLOW" if ratio > 1.04 else "🟢 FAST" if ratio < 0.96 else close
    print(f"# {name}", "", "## [0] NVIDIA H200", "", "| Ref | Change | Status |", sep="\\n")
    print("|-----|--------|--------|", f"| {base[name]} | {ratio} | {status} |", "", sep="\\n")
print("# Summary", "", "- Total Matches: 3", sep="\\n")
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "bin" / "nvbench-compare-robust"
    path.parent.mkdir()
    write_script(path, SCRIPT)
    monkeypatch.setenv("NVBENCH_BIN", str(path.parent))
    return path


def side(**factors: float) -> dict[str, np.ndarray[Any, Any]]:
    return {case: 20 * factor + 0.032 * np.arange(6) for case, factor in factors.items()}


@pytest.mark.usefixtures("script")
def test_verdicts_of_the_script_are_read_per_case() -> None:
    base, new = side(slow=1, fast=1, same=1, unclear=1), side(slow=1.05, fast=0.9, same=1, unclear=1.02)
    expected = {"slow": "slower", "fast": "faster", "same": "same", "unclear": "ambiguous"}
    assert nvbench.verdicts("robust", base, new) == expected
    with pytest.raises(ResultsError, match="nvbench-compare-legacy is not installed"):
        nvbench.verdicts("legacy", base, new)


def test_script_without_a_verdict_is_one_sentence(script: Path) -> None:
    write_script(script, "print('Device sections do not match')\n")
    with pytest.raises(ResultsError, match="prints no verdict: Device sections do not match"):
        nvbench.verdicts("robust", side(a=1), side(a=1))
    with pytest.raises(ResultsError, match="has no cuda-bench"):
        nvbench.version("robust")


def test_all_rules_need_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVBENCH_BIN", "/no/such/folder")
    with pytest.raises(ResultsError, match=r"pip install 'cuda-bench\[compare\]'"):
        compare_power(["--rules", str(min(RECORDED.glob("*.npz")))])


def test_files_are_those_of_nvbench(tmp_path: Path) -> None:
    times = np.array([20.064, 20.0, 20.032, 20.128])
    path = tmp_path / "process-1.json"
    write_nvbench(path, {"a/b": times})
    root = json.loads(path.read_text(encoding="utf-8"))
    values = {
        summary["tag"]: {item["name"]: (item["type"], item["value"]) for item in summary["data"]}
        for summary in root["benchmarks"][0]["states"][0]["summaries"]
    }
    assert values["nv/cold/sample_size"] == {"value": ("int64", "4")}
    assert float(values["nv/cold/time/gpu/mean"]["value"][1]) == pytest.approx(20.056e-6)
    assert float(values["nv/cold/time/gpu/stdev/relative"]["value"][1]) == pytest.approx(np.std(times, ddof=1) / 20.056)
    assert float(values["nv/cold/time/gpu/q3"]["value"][1]) == pytest.approx(20.064e-6)
    assert values["nv/json/bin:nv/cold/sample_times"] == {
        "filename": ("string", "process-1.json-bin/0.bin"),
        "size": ("int64", "4"),
    }
    binary = np.fromfile(tmp_path / "process-1.json-bin" / "0.bin", "<f4")
    assert (binary == (times / 1e6).astype(np.float32)).all()  # in the order of the measurement
    assert (np.fromfile(tmp_path / "process-1.json-freqs-bin" / "0.bin", "<f4") == np.float32(1.98e9)).all()


def test_quartiles_are_rounded_ranks_with_halves_up() -> None:
    ordered = np.arange(3.0)
    assert [quartile(ordered, quarter) for quarter in (1, 2, 3)] == [1.0, 1.0, 2.0]  # ranks 0.5, 1 and 1.5
