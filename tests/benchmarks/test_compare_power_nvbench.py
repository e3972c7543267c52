from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power import nvbench
from benchmarks.compare_power.__main__ import RECORDED
from benchmarks.compare_power.__main__ import main as compare_power
from benchmarks.compare_power.nvbench_files import NVBenchDevice, quartile, write_nvbench
from shflbench.errors import ResultsError
from tests.scripts import write_script

DEVICE = NVBenchDevice("NVIDIA H200", 1_980_000_000)
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


def side(folder: Path, factors: dict[str, float]) -> Path:
    """Write two processes as plain CSV, one of them compressed as in the corpus."""
    folder.mkdir()
    for number in range(2):
        lines = [f"{case},{number},0,{20 * factor + 0.032 * k}" for case, factor in factors.items() for k in range(3)]
        (folder / f"process-{number}.csv").write_text("\n".join(["case,process,round,time_us", *lines]) + "\n")
    return folder


@pytest.mark.usefixtures("script")
def test_verdicts_of_the_script_are_printed_per_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = side(tmp_path / "base", {"a/slow": 1, "b/fast": 1, "c/same": 1, "d/unclear": 1})
    new = side(tmp_path / "new", {"a/slow": 1.05, "b/fast": 0.9, "c/same": 1, "d/unclear": 1.02})
    assert nvbench.main(["robust", str(base), str(new)]) == 0
    assert capsys.readouterr().out == "a/slow,slower\nb/fast,faster\nc/same,same\nd/unclear,ambiguous\n"
    assert nvbench.main(["legacy", str(base), str(new)]) == 2
    assert "nvbench-compare-legacy is not installed" in capsys.readouterr().err


def test_script_without_a_verdict_is_one_sentence(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_script(script, "print('Device sections do not match')\n")
    base = side(tmp_path / "base", {"a": 1})
    assert nvbench.main(["robust", str(base), str(base)]) == 2
    assert "prints no verdict: Device sections do not match" in capsys.readouterr().err
    with pytest.raises(ResultsError, match="has no cuda-bench"):
        nvbench.version("robust")


def test_all_rules_need_the_scripts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVBENCH_BIN", "/no/such/folder")
    assert compare_power(["--rules", str(min(RECORDED.glob("*.npz")))]) == 2
    assert "pip install 'cuda-bench[compare]'" in capsys.readouterr().err


def test_files_are_those_of_nvbench(tmp_path: Path) -> None:
    times = np.array([20.064, 20.0, 20.032, 20.128])
    path = tmp_path / "process-1.json"
    write_nvbench(path, {"a/b": times, "c": times * 2}, {"a/b": np.full(4, 1.98e9)}, device=DEVICE)
    root = json.loads(path.read_text(encoding="utf-8"))
    first, second = (bench["states"][0]["summaries"] for bench in root["benchmarks"])
    values = {
        summary["tag"]: {item["name"]: (item["type"], item["value"]) for item in summary["data"]} for summary in first
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
    assert not any("freqs" in summary["tag"] for summary in second)
    write_nvbench(tmp_path / "plain.json", {"c": times}, device=DEVICE, binary=False)
    assert not (tmp_path / "plain.json-bin").exists()


def test_quartiles_are_rounded_ranks_with_halves_up() -> None:
    ordered = np.arange(3.0)
    assert [quartile(ordered, quarter) for quarter in (1, 2, 3)] == [1.0, 1.0, 2.0]  # ranks 0.5, 1 and 1.5
