import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path

import pytest

from benchmarks.nvbench import __main__ as nvbench_agreement
from benchmarks.nvbench import table
from benchmarks.nvbench.table import CASES, NVBenchCase, ResultError, Watched, suite_text, watch
from shflbench.errors import ResultsError
from shflbench.store import read_info
from shflbench.store.readers.nvbench import MEDIAN, WALLTIME
from shflbench.suite import load

REPOSITORY = Path(__file__).parents[2]
RECORDED = REPOSITORY / "results" / "quick" / "nvidia-h200"


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let both sides find that each case takes 70 µs, 70.1 µs, … in turn; return who took which turn."""
    taken: list[str] = []

    def names(suite: Path) -> list[str]:
        return [case.id for case in load(suite).cases]

    def nvbench(suite: Path, number: int) -> dict[str, NVBenchCase]:
        taken.append(f"NVBench {number}")
        return {name: NVBenchCase(70.0 + number / 10, 2.0) for name in names(suite)}

    def shflbench(suite: Path, number: int) -> tuple[dict[str, float], float]:
        taken.append(f"shflbench {number}")
        shutil.copytree(RECORDED, suite.with_name(f"shflbench-{number}"))
        found = dict.fromkeys(names(suite), 70.0 + number / 10)
        return found, 0.1 * len(found)

    monkeypatch.setattr(table, "run_nvbench", nvbench)
    monkeypatch.setattr(table, "run_shflbench", shflbench)
    monkeypatch.setattr(nvbench_agreement, "installed", lambda: True)
    monkeypatch.setattr(metadata, "version", lambda _: "0.3.0")
    return taken


def test_suite_has_twenty_four_cases_that_exist(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(suite_text(), encoding="utf-8")
    cases = load(tmp_path / "suite.yaml").cases
    assert len({case.id for case in cases}) == len(CASES) == 24
    assert all(case.launch.grid for case in cases)
    assert {dict(case.options)["l2"] for case in cases} == {"cold"}


def test_both_take_turns_and_the_page_says_what_was_measured_where_and_how(
    turns: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.md"
    assert nvbench_agreement.main(["--record", str(kept)]) == 0
    assert turns[:5] == ["shflbench 1", "NVBench 1", "shflbench 2", "NVBench 2", "shflbench 3"]
    assert turns[5:] == ["NVBench 3", "NVBench 4", "NVBench 5"]
    text = kept.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"{text}\n"
    versions = read_info(RECORDED).versions
    assert f"- NVIDIA H200, driver {versions.driver}, CUDA {versions.cuda}\n- NVBench 0.3.0 (`cuda-bench`), " in text
    commit = (versions.git_commit or "")[:12] + (", changed" if versions.git_dirty else "")
    assert f", shflbench {versions.shflbench} at {commit}, cupy {versions.cupy}, " in text
    assert "- NVBench, 5 processes: default settings" in text
    assert "- shflbench, 3 runs, precision 0.5%, L2 cache cold." in text
    assert "| 70.300 | 0.57% | 70.200 | 0.28% | -0.14% | 0.97% | yes |\n" in text
    assert "- met: 24 of 24 kernels agree" in text
    assert "NVBench takes 2.00 s per case and shflbench 0.100 s, both without start-up: a factor of 20.0" in text


def test_missed_bar_is_exit_code_1(turns: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "RUNS", 4)  # 70.1 to 70.4 µs are 0.4% apart
    assert nvbench_agreement.main([]) == 1
    assert len(turns) == 9


def test_missing_package_is_one_sentence_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvbench_agreement, "installed", lambda: False)
    with pytest.raises(ResultsError, match="cuda-bench is not installed") as error:
        nvbench_agreement.main([])
    assert "pip install '.[nvbench]'" in error.value.advice


@pytest.mark.parametrize("specs", [{}, {"cuda": "a spec"}, {"cuda": "a spec", "cuda.bench": "a spec"}])
def test_package_is_searched_without_importing_it(specs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", specs.get)
    assert nvbench_agreement.installed() == bool(specs.get("cuda.bench"))


def test_seconds_count_from_the_line_that_ends_the_start_up() -> None:
    watched = Watched(((1.0, "GPU"), (3.0, "SM clock when warm: 1980 MHz."), (4.5, "a table"), (5.0, "folder")), 6.0)
    assert watched.after("SM clock when warm") == 2.0
    assert watched.after("no such line") == 6.0


def test_both_are_read_from_their_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = tmp_path / "suite.yaml"

    def fake(words: tuple[str, ...], log: Path, cache: Path) -> Watched:
        assert cache == tmp_path / "cache"
        if words[1] == "shflbench":
            assert words[2:7] == ("run", str(suite), "--device", "cuda", "--output")
            assert log == tmp_path / "shflbench-2.log"
            shutil.copytree(RECORDED, words[7])
        else:
            assert words == ("-m", "benchmarks.nvbench.timer", str(suite), str(tmp_path / "nvbench-3.json"))
            values = [(MEDIAN, "7e-05"), (WALLTIME, "1.5")]
            summaries = [{"tag": tag, "data": [{"name": "value", "value": value}]} for tag, value in values]
            benches = [{"name": "case", "states": [{"summaries": summaries}]}]
            (tmp_path / "nvbench-3.json").write_text(json.dumps({"benchmarks": benches}), encoding="utf-8")
        return Watched(((2.0, "SM clock when warm: 1974 MHz."), (7.5, "folder")), 8.0)

    monkeypatch.setattr(table, "watch", fake)
    times, seconds = table.run_shflbench(suite, 2)
    assert times["neighbor/smem/f32/26x1024/512/mode=idx"] > 10
    assert seconds == 5.5
    assert table.run_nvbench(suite, 3)["case"].wall_s == 1.5


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
