"""The comparison with libraries: what is planned, and the table and the page of recorded rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.peers_table import PeerRow, RowError, comparisons, page, read, table, verdict, write
from benchmarks.peers_works import FUNCTIONS, PlanError, Work, bandwidth_case, cases_of, setting, works, zeroed
from shflbench.measure.workload import Workload
from shflbench.model import Case
from shflbench.patterns.discover import LoadedPattern, builtin, load

REDUCE, STREAM = load(builtin()["device-reduce"]), load(builtin()["stream"])
SMALL = Work("sum", "f32", 0, 1 << 18)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_launches_of_a_work_have_the_same_array(function: str) -> None:
    pattern = load(builtin()[FUNCTIONS[function][0]])
    for work in works([function], ["f32", "bf16"], [64, 16384], [64]):
        chosen = list(cases_of(work, pattern, [128, 512]))
        bandwidth = bandwidth_case(work, STREAM, 256)
        assert {case.launch.block for case in chosen} == {128, 512}
        assert {first_input(case, pattern) for case in chosen} == {first_input(bandwidth, STREAM)} == {64 << 20}
        assert dict(bandwidth.options)["work"] == ("read" if function == "sum" else "copy")


def first_input(case: Case, pattern: LoadedPattern) -> int:
    """Return the bytes of the first input of a case."""
    buffers = Workload.of(pattern, case, case.launch.grid or 0, 0).buffers
    return next(buffer.nbytes for buffer in buffers if buffer.read)


def test_works_are_those_that_libraries_have_for_a_type() -> None:
    names = [work.name for work in works(["sum", "softmax"], ["f32", "i32"], [64, 256], [512])]
    assert names == [
        "sum f32, 512 MiB",
        "sum i32, 512 MiB",
        "softmax f32, rows of 64, 512 MiB",
        "softmax f32, rows of 256, 512 MiB",
    ]


def test_array_that_is_no_multiple_of_a_block_is_refused() -> None:
    with pytest.raises(PlanError, match="1000 bytes are not a multiple of the 16384 bytes of a block"):
        setting(REDUCE, {"per_thread": "32"}, "f32", 128, 1000)


def test_results_that_kernels_add_to_are_zeroed() -> None:
    zeroed_buffers = {case.variant: zeroed(case) for case in cases_of(SMALL, REDUCE, [128])}
    assert zeroed_buffers["last-block"] == zeroed_buffers["last-block-acq-rel"] == ()
    assert zeroed_buffers["shfl-vector"] == ("total",)


def row(name: str, kind: str, *samples: float, problem: str = "") -> PeerRow:
    return PeerRow("softmax", "bf16", 256, 1 << 29, name, kind, 1 << 30, samples, problem)


ROWS = [
    row("shfl-warp", "ours", 254.0, 256.0, 258.0),
    row("shfl-block", "ours", 300.0),
    row("torch softmax", "peer", 245.0, 246.0, 247.0),
    row("vector", "bandwidth", 250.0),
    row("other", "peer", problem="failed: no kernel"),
]


def test_a_line_compares_the_fastest_of_both_sides_with_an_interval() -> None:
    assert read(write(ROWS)) == ROWS
    line = table(comparisons(ROWS)).splitlines()[-1]
    assert line == (
        "| softmax bf16, rows of 256, 512 MiB | `shfl-warp` | 4194 | `torch softmax` | 4365 | 0.961 (0.950 to 0.972) "
        "| 4295 | 0.977 |"
    )


def test_the_verdict_lists_what_misses_the_bar_and_what_was_not_timed() -> None:
    assert verdict(comparisons(ROWS)).splitlines() == [
        "- 0 of 1 reach 0.97 of the throughput of the fastest peer",
        "- below: softmax bf16, rows of 256, 512 MiB (0.961)",
        "- not timed: softmax bf16, rows of 256, 512 MiB, `other`: failed: no kernel",
    ]


def test_without_a_peer_there_is_no_ratio() -> None:
    compared = comparisons([one for one in ROWS if one.kind != "peer"])
    assert table(compared).splitlines()[-1].endswith("| – | – | – | 4295 | 0.977 |")
    assert verdict(compared).startswith("- 0 of 0")


def test_a_damaged_record_names_its_line() -> None:
    with pytest.raises(RowError, match="line 2 is no row"):
        read(write(ROWS[:1]) + "{}\n")


def test_the_page_is_written_again_from_recorded_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, record = tmp_path / "rows.jsonl", tmp_path / "peers.md"
    rows.write_text(write(ROWS), encoding="utf-8")
    facts = {name: f"the {name}" for name in ("device", "driver", "cuda", "shflbench", "libraries", "day")}
    (tmp_path / "rows.jsonl.facts.json").write_text(json.dumps(facts), encoding="utf-8")
    assert peers.main(["--rows", str(rows), "--record", str(record), "--no-gpu"]) == 1  # a peer failed
    text = record.read_text(encoding="utf-8")
    assert text == page(ROWS, facts)
    assert "- the device, driver the driver, CUDA the cuda" in text
    assert table(comparisons(ROWS)) in text
    assert table(comparisons(ROWS)) in capsys.readouterr().out
    rows.write_text("nonsense", encoding="utf-8")
    assert peers.main(["--rows", str(rows), "--no-gpu"]) == 2
