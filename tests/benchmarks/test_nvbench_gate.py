from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.compare_power.nvbench_files import NVBenchDevice, write_nvbench
from benchmarks.nvbench_agreement_runs import Watched
from benchmarks.nvbench_agreement_table import ResultError
from benchmarks.nvbench_gate import __main__ as gate
from benchmarks.nvbench_gate import timer
from benchmarks.nvbench_gate.cases import KERNELS, SIDES, SLOWER, UNCHANGED
from benchmarks.nvbench_gate.recording import CLOCK_STEP_HZ, NVBenchProcess, NVBenchRecording
from benchmarks.nvbench_gate.truth import slowdowns
from shflbench.errors import ResultsError
from shflbench.measure.workload import Workload, call_of
from shflbench.patterns.discover import load as load_pattern

H200 = NVBenchDevice("NVIDIA H200", 1_980_000_000)
SHORT, LONG = "broadcast/shfl/f32/26x1024/100/values=1", "memory-ladder/l2/i32/26x1024/400/chains=1/lines=64"
TRUTH = {SHORT: 1.10, LONG: 1.03}
UNASKED = 48 * 1024  # bytes of shared memory that a block gets without a function attribute


def write_outputs(words: tuple[str, ...], log: Path, cache: Path) -> Watched:
    """Write what a process of NVBench writes, in its place."""
    module, side, output, gpu = words[1:]
    assert (module, gpu, cache.is_dir()) == ("benchmarks.nvbench_gate.timer", "0", True)
    log.write_text("NVBench\n", encoding="utf-8")
    path = Path(output)
    number = int(path.stem.removeprefix("process-"))
    random = np.random.default_rng([number, SIDES.index(side)])
    times = {
        case: (20.0 * (1 + 3 * place)) * (factor if side == SLOWER else 1.0) + 0.032 * random.integers(0, 4, 400)
        for place, (case, factor) in enumerate(TRUTH.items())
    }
    clocks = {case: 1.98e9 + 1e6 * random.normal(size=400) for case in times}
    write_nvbench(path, times, clocks, device=H200)
    return Watched(((0.5, "NVBench"),), 0.5)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with one GPU, on which `write_outputs` stands for NVBench."""
    monkeypatch.setattr(gate, "watch", write_outputs)
    monkeypatch.setattr(gate, "installed", lambda: True)
    monkeypatch.setattr("importlib.metadata.version", {"cuda-bench": "0.3.0"}.__getitem__)
    gpu = SimpleNamespace(name="NVIDIA H200", uuid="GPU-1", driver="580")
    monkeypatch.setattr(gate, "find_gpus", lambda: [gpu])
    monkeypatch.setattr(gate, "versions", lambda **_: NVBenchDevice("of versions"))
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "")


@pytest.mark.usefixtures("machine")
def test_recording_is_packed_without_loss_but_for_the_clocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, packed, again = tmp_path / "recorded", tmp_path / "h200.npz", tmp_path / "again"
    assert gate.main([str(folder), "--processes", "2", "--pack", str(packed)]) == 0
    lines = capsys.readouterr()
    turns = [line.partition(":")[0] for line in lines.err.splitlines()[:4]]
    assert turns == [f"{side}, process {number} of 2" for number in (1, 2) for side in (UNCHANGED, SLOWER)]
    cells = [line.split(" | ") for line in lines.out.splitlines()[2:]]
    assert [(row[4], row[5]) for row in cells] == [("1600", " |"), ("1600", "yes |")]  # one waits for memory

    assert gate.main([str(again), "--unpack", str(packed)]) == 0
    kept = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.suffix != ".log"}
    assert kept == {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    assert len(kept) == 1 + 4 * (1 + 2 * len(TRUTH))
    for name in kept:
        before, after = ((root / name).read_bytes() for root in (folder, again))
        if "freqs" in str(name):
            one, other = (np.frombuffer(content, "<f4") for content in (before, after))
            assert 0 < abs(one - other).max() <= CLOCK_STEP_HZ / 2 + 128  # half a step, and that of float32
        else:
            assert before == after
    assert NVBenchRecording.load(packed).encode() == NVBenchRecording.read(again).encode()
    assert json.loads((again / "facts.json").read_text(encoding="utf-8"))["settings"] == ["--timeout", "1"]


@pytest.mark.usefixtures("machine")
def test_true_slowdown_is_that_of_all_processes(tmp_path: Path) -> None:
    gate.main([str(tmp_path / "recorded")])
    recording = NVBenchRecording.read(tmp_path / "recorded")
    assert [len(recording.side(side)) for side in SIDES] == [6, 6]
    short, long = slowdowns(recording)
    assert (short.case_id, long.case_id) == (SHORT, LONG)
    assert [short.slowdown, long.slowdown] == pytest.approx([0.10, 0.03], abs=0.002)
    assert (short.samples, short.waits_for_memory, long.waits_for_memory) == (12 * 400, False, True)


@pytest.mark.usefixtures("machine")
def test_failed_process_and_damaged_files_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise ResultError("NVBench ends with exit code 1")

    monkeypatch.setattr(gate, "watch", fail)
    assert gate.main([str(tmp_path / "failed")]) == 2
    assert "ends with exit code 1" in capsys.readouterr().err
    assert gate.main([str(tmp_path / "failed")]) == 2  # nothing to read there
    assert "has no JSON file of NVBench" in capsys.readouterr().err
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(b"PK")
    assert gate.main([str(tmp_path / "none"), "--unpack", str(damaged)]) == 2
    assert "cannot be read as a recording of NVBench" in capsys.readouterr().err
    monkeypatch.setattr(gate, "installed", lambda: False)
    assert gate.main([str(tmp_path / "none")]) == 2
    assert "pip install '.[nvbench]'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["/etc/passwd", "../other/0.bin"])
def test_sample_file_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "process-1.json"
    write_nvbench(path, {SHORT: np.full(9, 20.0)}, device=H200)
    path.write_text(path.read_text(encoding="utf-8").replace("process-1.json-bin/0.bin", name), encoding="utf-8")
    with pytest.raises(ResultsError, match="is outside the folder"):
        NVBenchProcess.read(path)


@pytest.mark.parametrize("side", SIDES)
def test_slower_copies_have_the_names_of_the_unchanged_kernels_and_more_iterations(
    side: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names, words, folders = list[str](), list[str](), list[Path]()
    iterations = list[int]()

    def run(given: list[str]) -> None:
        words.extend(given)
        folders.append(Path.cwd())

    def register(count: int) -> SimpleNamespace:
        iterations.append(count)
        return SimpleNamespace(set_name=names.append)

    device = SimpleNamespace(use=lambda: None, compute_capability="90")
    modules = {
        "cuda.bench": SimpleNamespace(register=register, run_all_benchmarks=run),
        "cupy": SimpleNamespace(cuda=SimpleNamespace(Device=lambda _: device)),
    }
    monkeypatch.setattr(timer, "import_module", modules.get)
    monkeypatch.setattr(timer, "Builder", lambda *_: None)
    monkeypatch.setattr(timer, "prepared", lambda _, __, case: (case, ()))
    monkeypatch.setattr(timer, "benchmark", lambda _, case, __, count: count if count == case.iterations else None)
    monkeypatch.setattr(sys, "argv", ["timer", side, str(tmp_path / "process-1.json"), "0"])
    timer.main()
    assert words == ["nvbench", "--devices", "0", "--timeout", "1", "--jsonbin", "process-1.json"]
    assert folders == [tmp_path]
    unchanged = timer.chosen(UNCHANGED)[1]
    assert names == list(unchanged)
    assert sorted(iterations) == sorted(kernel.count(side) for kernel in KERNELS)
    more = {count / case.iterations for count, case in zip(iterations, unchanged.values(), strict=True)}
    assert more == ({1.0} if side == UNCHANGED else {1.0, 1.01, 1.02, 1.03, 1.05, 1.1})


def test_every_kernel_is_launched_without_asking_for_more_shared_memory() -> None:
    suite, cases = timer.chosen(SLOWER)
    uncompiled: Any = SimpleNamespace(later=())
    for case in cases.values():
        pattern = load_pattern(suite.pattern_folders[case.pattern])
        assert case.launch.grid is not None
        call = call_of(pattern, case, uncompiled, Workload.of(pattern, case, case.launch.grid, 0).setting)
        assert (call.carveout, call.shared_bytes <= UNASKED) == (None, True)
