from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.nvbench.recording import (
    MEMORY,
    PERCENT_MORE,
    SIDES,
    SLOWER,
    NVBenchRecording,
    percent_of,
    slowdowns,
)
from shflbench.errors import ResultsError
from tests.fakes.nvbench_recordings import write_sides

RECORDED = Path(__file__).parents[1] / "data" / "nvbench" / "h200-1.npz"


def test_the_slower_copies_of_a_recording_take_longer_by_about_the_iterations_that_they_have_more() -> None:
    recording = NVBenchRecording.load(RECORDED)
    assert [len(recording.side(side)) for side in SIDES] == [6, 6]
    cases = slowdowns(recording)
    assert {"/".join(one.case_id.split("/")[:5]) for one in cases} == PERCENT_MORE.keys()
    for one in cases:
        assert one.waits_for_memory == one.case_id.startswith(MEMORY)
        more = percent_of(one.case_id) / 100
        assert 0.45 * more - 0.002 < one.slowdown < more + 0.002, one


def test_the_files_of_a_recording_have_the_samples_that_the_json_names(tmp_path: Path) -> None:
    recording = NVBenchRecording.load(RECORDED)
    write_sides(recording, tmp_path)
    process = recording.side(SLOWER)[0]
    for name, values in process.times.items():
        assert (tmp_path / SLOWER / name).stat().st_size == 4 * len(values)
    assert {case: len(times) for case, times in process.times_us().items()} == {
        case: len(clocks) for case, clocks in process.clocks_mhz().items()
    }


def test_a_damaged_recording_is_one_sentence(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(b"PK")
    with pytest.raises(ResultsError, match="cannot be read as a recording of NVBench"):
        NVBenchRecording.load(damaged)


def test_a_case_without_a_slower_copy_is_an_error() -> None:
    with pytest.raises(KeyError):
        percent_of("neighbor/shfl/f32/26x1024/999/mode=idx")
