from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power.files_rule import compared_files
from benchmarks.compare_power.nvbench_files import NVBenchDevice, write_nvbench
from benchmarks.nvbench_gate import page
from benchmarks.nvbench_gate.cases import SIDES, SLOWER, UNCHANGED
from benchmarks.nvbench_gate.recording import NVBenchProcess, NVBenchRecording
from benchmarks.nvbench_gate.splits import GateResult, GateRule, compare_processes, slowed_pairs, unchanged_pairs
from benchmarks.nvbench_gate.truth import slowdowns

PAGE = Path(__file__).parents[2] / "benchmarks" / "nvbench_gate.md"
SHORT, LONG = "broadcast/shfl/f32/26x1024/100/values=1", "neighbor/shfl/f32/26x1024/4000/mode=idx"
TIMES = {SHORT: 5.0, LONG: 70.0}
FACTS = {"gpu": "NVIDIA H200", "started": "2026-11-22T07:00:00Z", "cuda_bench": "0.3.0", "settings": ["--timeout", "1"]}


def process(number: int) -> NVBenchProcess:
    return NVBenchProcess("unchanged", f"process-{number}.json", "{}", {}, {})


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Six processes per side; the slower copies take 2% longer, and the first process 3% longer for the short case."""
    for side in SIDES:
        (tmp_path / side).mkdir()
        for number in range(1, 7):
            factor = 1.02 if side == SLOWER else 1.0
            first = {SHORT: 1.03 if number == 1 else 1.0, LONG: 1.0}
            times = {case: np.array([time, time, time + 0.032]) * factor * first[case] for case, time in TIMES.items()}
            device = NVBenchDevice("NVIDIA H200")
            write_nvbench(tmp_path / side / f"process-{number}.json", times, device=device)
    processes = [NVBenchProcess.read(path) for path in sorted(tmp_path.glob("*/*.json"))]
    path = tmp_path / "h200-1.npz"
    path.write_bytes(NVBenchRecording({**FACTS, "versions": {"driver": "580"}}, tuple(processes)).encode())
    return path


def by_means(base: Path, new: Path) -> dict[str, str]:
    """Judge by the mean of all samples: 1% is slower, 0.4% to 1% is unclear."""
    sides = []
    for folder in (base, new):
        times = [NVBenchProcess.read(path).times_us() for path in folder.glob("*.json")]
        sides.append({case: np.mean([of_process[case] for of_process in times]) for case in times[0]})
    ratios = {case: float(sides[1][case] / sides[0][case]) for case in sides[1]}
    return {
        case: "slower" if ratio > 1.015 else "inconclusive" if abs(ratio - 1) > 0.004 else "same"
        for case, ratio in ratios.items()
    }


def test_six_unchanged_processes_are_split_in_all_ten_ways() -> None:
    six = [process(number) for number in range(1, 7)]
    splits = {frozenset((frozenset(map(id, base)), frozenset(map(id, new)))) for base, new in unchanged_pairs(six, 3)}
    assert len(splits) == len(list(unchanged_pairs(six, 3))) == 10
    assert all(len(side) == 3 for split in splits for side in split)
    assert len(list(unchanged_pairs(six, 1))) == 15


def test_slower_processes_take_part_equally_often() -> None:
    base, new = ([process(number) for number in range(6)] for _ in range(2))
    pairs = list(slowed_pairs(base, new, 3))
    assert len(pairs) == 40
    assert set(Counter(id(one) for before, _ in pairs for one in before).values()) == {20}
    assert set(Counter(id(one) for _, after in pairs for one in after).values()) == {20}


def test_page_counts_alarms_and_found_copies(
    recording: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "gate_rules", lambda: [GateRule("means", 3, by_means), GateRule("pairs", 1, by_means)])
    target = recording.with_suffix(".md")
    assert page.main([str(recording), "--record", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert capsys.readouterr().out == text + "\n"
    assert "{" not in text
    assert "- met: 0 of 10 comparisons of unchanged processes raise an alarm" in text
    assert "- met: 40 of 40 verdicts on copies" in text  # of the long case
    assert "| means | 3 | 0 of 10 | 0 of 20 | 10 of 20 |" in text  # the first process is always on one side: 1%
    assert (
        "| `neighbor/shfl/f32/26x1024/4000/mode=idx` | 70 | 0.00% | 2% | +2.00% | 0 of 10 | 0 of 15 | 40 of 40 |"
        in text
    )


def test_missed_requirement_is_exit_code_1(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alarms = dict.fromkeys(TIMES, "slower")
    monkeypatch.setattr(page, "gate_rules", lambda: [GateRule("always slower", 3, lambda _, __: alarms)])
    monkeypatch.setattr(page, "apply", lambda rule, _: GateResult(rule, [alarms], [alarms]))
    assert page.main([str(recording)]) == 1


def test_folder_without_recordings_and_damaged_files_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "RECORDED", tmp_path)
    assert page.main([]) == 2
    assert "has no recording" in capsys.readouterr().err
    assert page.main([str(tmp_path / "none.npz")]) == 2
    assert "cannot be read as a recording of NVBench" in capsys.readouterr().err


def test_committed_page_is_of_the_committed_recordings() -> None:
    headings = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    assert headings == [f"## `{path.stem}`" for path in sorted(page.RECORDED.glob("*.npz"))]


@pytest.mark.archs
def test_compare_passes_what_nvbench_measured_of_unchanged_kernels_and_finds_slower_ones() -> None:
    recording = NVBenchRecording.load(min(page.RECORDED.glob("*.npz")))
    rule = GateRule("compare", 3, lambda base, new: dict(compared_files(base, new)))
    base, new = recording.side(UNCHANGED), recording.side(SLOWER)
    unchanged = compare_processes(rule, base[::2], base[1::2])
    assert {"slower", "faster"}.isdisjoint(unchanged.values())
    slowed = compare_processes(rule, base[::2], new[::2])
    wanted = [each.case_id for each in slowdowns(recording) if each.time_us >= 50 and each.slowdown >= 0.019]
    assert len(wanted) == 6
    assert {slowed[case] for case in wanted} == {"slower"}
