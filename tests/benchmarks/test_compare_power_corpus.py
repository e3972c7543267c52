from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.compare_power import corpus
from benchmarks.compare_power.__main__ import RECORDED
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.judges import by_files
from benchmarks.compare_power.pack import packed
from benchmarks.nvbench.recording import NVBenchProcess, NVBenchRecording
from shflbench.analysis.compare.comparison import Outcome
from shflbench.errors import ResultsError
from shflbench.store import read_run
from shflbench.store.readers.nvbench_samples import CLOCKS_TAG, TIMES_TAG
from tests.fakes.processes import Simulated, spread, write

DOCS = Path(__file__).parents[2] / "docs" / "how-to"
PAGE = DOCS / "score-a-comparison-rule.md"
SLOW = "reduce/smem/f32/26x1024/100/width=32"
KERNEL = "neighbor/shfl/f32/26x1024/4000/mode=idx"  # of the recordings, which have a copy slower by 2%


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    run = Simulated(cases=spread(3), rounds=2, processes=2)
    return Batch("gpu-1", packed([read_run(write(tmp_path / "run", run))]))


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of NVBench with one process per side."""
    processes = []
    for side, factor in (("unchanged", 1.0), ("slower", 1.02)):
        named = [{"tag": tag, "data": [{"name": "filename", "value": "0.bin"}]} for tag in (TIMES_TAG, CLOCKS_TAG)]
        text = json.dumps({"benchmarks": [{"name": KERNEL, "states": [{"summaries": named}]}]})
        times, clocks = np.array([70.0, 70.1, 70.2]) * factor * 1e-6, np.array([1.98e9, 1.98e9, 1.9795e9])
        samples = ({"0.bin": values.astype(np.float32)} for values in (times, clocks))
        processes.append(NVBenchProcess(side, "process-1.json", text, *samples))
    facts = {"gpu": "NVIDIA H200", "uuid": "GPU-1", "started": "2026-11-22T07:00:00Z", "cuda_bench": "0.3.0"}
    recording = NVBenchRecording({**facts, "versions": {"driver": "580", "nvrtc": "13.0"}}, tuple(processes))
    monkeypatch.setattr(NVBenchRecording, "load", lambda _: recording)
    return tmp_path / "h200-9.npz"


def test_corpus_is_read_by_pandas_with_every_sample(batch: Batch, recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    size = corpus.write_corpus(folder, [batch], [recorded])
    assert size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    for kind, of_block in (("", False), ("sentinels/", True)):
        parts = [pd.read_csv(path) for path in sorted(folder.glob(f"gpu-1/{kind}unchanged/*.csv.gz"))]
        table = pd.concat(parts)
        assert list(table.columns) == ["case", "process", "round", "time_us"]
        for process, label in zip(batch.processes(0), ("0-00", "0-01"), strict=True):
            block = batch.block(process, 0)
            names = {name.removeprefix("sentinel/") for name in block if name.startswith("sentinel/") == of_block}
            mine = table[table["process"] == label]
            assert set(mine["case"]) == names
            for name in names:
                rounds = block[f"sentinel/{name}" if of_block else name]
                taken = mine.loc[mine["case"] == name]
                expected = [(number, time) for number in sorted(rounds) for time in rounds[number].tolist()]
                assert list(zip(taken["round"], taken["time_us"], strict=True)) == expected
    again = corpus.write_corpus(tmp_path / "again", [batch], [recorded])
    assert again == size
    assert all(
        (tmp_path / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes()
        for path in folder.rglob("*.gz")
    )


def test_tables_describe_batches_and_true_slowdowns(batch: Batch, recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    corpus.write_corpus(folder, [batch], [recorded])
    simulated, nvbench = pd.read_csv(folder / "batches.csv").to_dict("records")
    assert (simulated["batch"], simulated["processes"]) == ("gpu-1", 2)
    assert (nvbench["batch"], nvbench["processes"]) == ("nvbench-h200-9", 1)
    assert [nvbench[column] for column in ("tool", "version", "gpu_uuid")] == ["NVBench", "0.3.0", "GPU-1"]
    slowdowns = pd.read_csv(folder / "slowdowns.csv")
    (slower,) = slowdowns[slowdowns["side"] == "slower"].to_dict("records")
    assert (slower["case"], slower["percent_more_iterations"], slower["waits_for_memory"]) == (KERNEL, 2, 0)
    assert slower["true_slowdown"] == pytest.approx(0.02)
    assert slower["time_us"] == pytest.approx(70.1)
    times = pd.read_csv(folder / "nvbench-h200-9" / "slower" / "process-1.csv.gz")
    assert times["sm_clock_mhz"].tolist() == [1980, 1980, 1979.5]
    assert times["time_us"].tolist() == pytest.approx([71.4, 71.502, 71.604])


@pytest.mark.archs
def test_true_slowdowns_are_those_of_the_recorded_copies() -> None:
    (recorded,) = load([min(RECORDED.glob("*.npz"))])
    rows = {(row[1], row[2]): row for row in corpus.slowdown_rows(recorded)}
    assert float(str(rows[SLOW, "plus-10"][5])) == pytest.approx(0.096, abs=0.003)
    assert rows[SLOW, "unchanged"][3:6] == (0, rows[SLOW, "plus-10"][4], "0")
    assert len(rows) == 54 + 5 * 44


def test_the_folder_must_be_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "load", lambda _: [])
    with pytest.raises(FileExistsError):
        corpus.main([str(tmp_path)])
    corpus.main([str(tmp_path / "new"), "some.npz"])
    assert capsys.readouterr().out == f"{tmp_path / 'new'}: 0.0 MB\n"


def test_page_explains_every_column_and_dedicates_the_data_to_the_public() -> None:
    text = PAGE.read_text(encoding="utf-8")
    columns = {*corpus.BATCH_COLUMNS, *corpus.SLOWDOWN_COLUMNS, "process", "round", "time_us", "sm_clock_mhz"}
    assert {column for column in columns if f"`{column}`" not in text} == set()
    assert "CC0 1.0" in text
    assert f"({PAGE.name})" in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.archs
def test_compare_reads_the_files_that_rules_get() -> None:
    (recorded,) = load([min(RECORDED.glob("*.npz"))])
    slowed = recorded.processes(10)[:3]
    unchanged = [process for process in recorded.processes(0) if process not in slowed][:3]
    assert by_files(recorded, 10, unchanged, slowed)[SLOW] is Outcome.SLOWER
    with pytest.raises(ResultsError, match="`shflbench compare` fails"):
        by_files(recorded, 10, [], slowed)
