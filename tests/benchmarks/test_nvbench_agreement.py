import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path
from typing import Any

import pytest

from benchmarks.nvbench import __main__ as nvbench_agreement
from benchmarks.nvbench import runs as nvbench_agreement_runs
from benchmarks.nvbench.runs import CASES, Watched, suite_text, watch
from benchmarks.nvbench.table import MEDIAN_TAG, WALL_TAG, NVBenchCase, ResultError
from shflbench.store import read_info
from shflbench.suite import load

REPOSITORY = Path(__file__).parents[2]
RECORDED = REPOSITORY / "results" / "quick" / "nvidia-h200"


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let both sides find that each case takes 70 µs, 70.1 µs, … in turn; return who took which turn."""
    taken: list[str] = []

    def names(suite: Path) -> list[str]:
        return [case.id for case in load(suite).cases]

    def nvbench(suite: Path, number: int, gpu: int) -> dict[str, NVBenchCase]:
        taken.append(f"NVBench {number} on {gpu}")
        return {name: NVBenchCase(70.0 + number / 10, 2.0) for name in names(suite)}

    def shflbench(suite: Path, number: int, gpu: int) -> tuple[dict[str, float], float]:
        taken.append(f"shflbench {number} on {gpu}")
        shutil.copytree(RECORDED, suite.with_name(f"shflbench-{number}"))
        found = dict.fromkeys(names(suite), 70.0 + number / 10)
        return found, 0.1 * len(found)

    monkeypatch.setattr(nvbench_agreement_runs, "run_nvbench", nvbench)
    monkeypatch.setattr(nvbench_agreement_runs, "run_shflbench", shflbench)
    monkeypatch.setattr(nvbench_agreement, "installed", lambda: True)
    monkeypatch.setattr(metadata, "version", lambda _: "0.3.0")
    return taken


@pytest.mark.parametrize("l2", ["warm", "cold"])
def test_suite_has_twenty_four_cases_that_exist(l2: str, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(suite_text(len(CASES), l2), encoding="utf-8")
    cases = load(tmp_path / "suite.yaml").cases
    assert len({case.id for case in cases}) == len(CASES) == 24
    assert all(case.launch.grid for case in cases)
    assert {dict(case.options).get("l2", "warm") for case in cases} == {l2}


def test_both_take_turns(turns: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert nvbench_agreement.main(["--cases", "2", "--processes", "3", "--runs", "2", "--gpu", "1"]) == 0
    assert turns == ["shflbench 1 on 1", "NVBench 1 on 1", "shflbench 2 on 1", "NVBench 2 on 1", "NVBench 3 on 1"]
    table, verdicts = capsys.readouterr().out.split("\n\n")
    assert len(table.splitlines()) == 4
    assert verdicts.count("reached") == 3


@pytest.mark.parametrize("side", ["nvbench", "shflbench"])
def test_one_side_can_be_left_out(side: str, turns: list[str]) -> None:
    nvbench_agreement.main(["--cases", "1", "--only", side])
    assert {name.split()[0].lower() for name in turns} == {side}


def test_missed_bar_is_exit_code_1(turns: list[str]) -> None:
    assert nvbench_agreement.main(["--runs", "4", "--processes", "1"]) == 1  # 70.1 to 70.4 µs are 0.4% apart
    assert len(turns) == 5


def test_record_says_what_was_measured_where_and_how(turns: list[str], tmp_path: Path) -> None:
    kept = tmp_path / "kept.md"
    assert nvbench_agreement.main(["--record", str(kept), "--folder", str(tmp_path / "runs")]) == 0
    text = kept.read_text(encoding="utf-8")
    versions = read_info(RECORDED).versions
    assert f"- NVIDIA H200, driver {versions.driver}, CUDA {versions.cuda}\n- NVBench 0.3.0 (`cuda-bench`), " in text
    commit = (versions.git_commit or "")[:12] + (", changed" if versions.git_dirty else "")
    assert f", shflbench {versions.shflbench} at {commit}, cupy {versions.cupy}, " in text
    assert "- NVBench, 5 processes: default settings" in text
    assert "- shflbench, 3 runs, precision 0.5%, L2 cache cold." in text
    assert "| 70.300 | 0.57% | 70.200 | 0.28% | -0.14% | 0.97% | yes |\n" in text
    assert "- reached: 24 of 24 kernels agree" in text
    assert "NVBench takes 2.00 s per case and shflbench 0.100 s, both without start-up: a factor of 20.0" in text
    assert (tmp_path / "runs" / "suite.yaml").read_text(encoding="utf-8") == suite_text(24, "cold")
    assert len(turns) == 8


@pytest.mark.parametrize("words", [("--cases", "23"), ("--processes", "4"), ("--runs", "2"), ("--only", "nvbench")])
def test_record_of_a_part_is_refused(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        nvbench_agreement.main(["--record", "kept.md", *words])
    assert "--record needs all cases, 3 runs or more, and 5 processes or more" in capsys.readouterr().err


def test_missing_package_is_one_sentence_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nvbench_agreement, "installed", lambda: False)
    assert nvbench_agreement.main([]) == 2
    assert capsys.readouterr().err == (
        "The package cuda-bench is not installed. In a checkout: pip install '.[nvbench]'.\n"
    )


@pytest.mark.parametrize("specs", [{}, {"cuda": "a spec"}, {"cuda": "a spec", "cuda.bench": "a spec"}])
def test_package_is_searched_without_importing_it(specs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", specs.get)
    assert nvbench_agreement.installed() == bool(specs.get("cuda.bench"))


def test_failed_process_is_quoted(
    turns: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(suite: Path, number: int, gpu: int) -> Any:
        del suite, number, gpu
        raise ResultError("it ends with exit code 4")

    monkeypatch.setattr(nvbench_agreement_runs, "run_nvbench", fail)
    assert nvbench_agreement.main([]) == 2
    assert capsys.readouterr().err == "it ends with exit code 4\n"
    assert turns == ["shflbench 1 on 0"]


def test_seconds_count_from_the_line_that_ends_the_start_up() -> None:
    watched = Watched(((1.0, "GPU"), (3.0, "SM clock when warm: 1980 MHz."), (4.5, "a table"), (5.0, "folder")), 6.0)
    assert watched.after("SM clock when warm") == 2.0
    assert watched.after("no such line") == 6.0


def test_run_of_shflbench_is_read_from_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fake(words: tuple[str, ...], log: Path, cache: Path) -> Watched:
        assert words[:4] == ("-m", "shflbench", "run", str(tmp_path / "suite.yaml"))
        assert words[4:8] == ("--device", "cuda", "--gpu", "1")
        assert (log, cache) == (tmp_path / "shflbench-2.log", tmp_path / "cache")
        shutil.copytree(RECORDED, words[9])
        return Watched(((2.0, "SM clock when warm: 1974 MHz."), (7.5, "folder")), 8.0)

    monkeypatch.setattr(nvbench_agreement_runs, "watch", fake)
    times, seconds = nvbench_agreement_runs.run_shflbench(tmp_path / "suite.yaml", 2, 1)
    assert times["neighbor/smem/f32/26x1024/512/mode=idx"] > 10
    assert seconds == 5.5


def test_process_of_nvbench_is_read_from_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fake(words: tuple[str, ...], log: Path, cache: Path) -> Watched:
        assert words == ("-m", "benchmarks.nvbench.timer", str(suite), str(tmp_path / "nvbench-3.json"), "1")
        assert (log, cache) == (tmp_path / "nvbench-3.log", tmp_path / "cache")
        values = [(MEDIAN_TAG, "7e-05"), (WALL_TAG, "1.5")]
        summaries = [{"tag": tag, "data": [{"name": "value", "value": value}]} for tag, value in values]
        benches = [{"name": "case", "states": [{"summaries": summaries}]}]
        (tmp_path / "nvbench-3.json").write_text(json.dumps({"benchmarks": benches}), encoding="utf-8")
        return Watched((), 4.0)

    suite = tmp_path / "suite.yaml"
    monkeypatch.setattr(nvbench_agreement_runs, "watch", fake)
    assert nvbench_agreement_runs.run_nvbench(suite, 3, 1)["case"].wall_s == 1.5
    assert capsys.readouterr().err == "NVBench, process 3: 4.0 s, 1.5 s of them in 1 cases\n"


@pytest.fixture
def watched(tmp_path: Path) -> Callable[[str], Watched]:
    return lambda code: watch(("-c", code), tmp_path / "log", tmp_path / "cache")


def test_lines_of_a_process_carry_the_second_they_were_printed_at(
    watched: Callable[[str], Watched], tmp_path: Path
) -> None:
    code = "import os, sys, time; print(os.environ['SHFLBENCH_CACHE'], flush=True); time.sleep(0.2); print('b')"
    found = watched(code)
    (first, cache), (second, last) = found.lines
    assert (cache, last) == (str(tmp_path / "cache"), "b")
    assert 0.2 <= second - first < found.seconds
    assert [line.split()[1] for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()] == [cache, "b"]


def test_a_failed_process_is_reported_with_its_last_lines(watched: Callable[[str], Watched]) -> None:
    with pytest.raises(ResultError, match=r"ends with exit code 3; it printed\n1\n(.*\n)*30$"):
        watched("print(0)\nfor i in range(1, 31): print(i)\nraise SystemExit(3)")


def test_help_needs_neither_nvbench_nor_a_gpu() -> None:
    command = [sys.executable, "-m", "benchmarks", "nvbench", "--help"]
    shown = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("usage:")
    assert shown.stderr == ""
