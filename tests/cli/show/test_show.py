import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.store.columns import row_columns
from tests.conftest import Command, Outcome
from tests.fakes.runs import compiled, info, measured, write_run

RESULTS = Path(__file__).parents[3] / "results"


def test_run_is_shown_with_its_tables_and_sentences(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=3)  # one round, whose median is the row's
    write_run(tmp_path / "run", rows, samples)
    outcome = shflbench("show", "run")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[:3] == [
        "run: suite gtc2013, NVIDIA H200, driver 580.159, CUDA 13.0, 2026-11-20",
        "",
        "neighbor  f32  26x1024  4096 iterations",
    ]
    assert [line.split()[0] for line in lines[4:10]] == [
        "shfl",
        "smem-syncwarp",
        "smem-unsafe",
        "smem-double",
        "smem-deck",
        "smem",
    ]
    assert lines[10:] == [
        "  verified with up to 37 iterations instead of 4096",
        "",
        "± covers 1 process; these sentences also cover differences to other processes:",
        "neighbor, f32: shfl runs at 1.9× the speed of smem-syncwarp, 4.7× that of smem",
    ]


def test_run_without_a_gpu_shows_what_was_compiled(shflbench: Command, tmp_path: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    write_run(tmp_path / "run", [replace(row, registers=16) for row in rows], about=info(device=None, backend="none"))
    outcome = shflbench("show", "run")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "run: suite gtc2013, no GPU, compiled for sm_90, 2026-11-20"
    assert outcome.out.count("  16  ") == 6
    assert "time µs" not in outcome.out
    assert "(not timed)" in outcome.out


def test_unfinished_run_is_shown_with_a_warning(shflbench: Command, tmp_path: Path) -> None:
    write_run(tmp_path / "run", finished=False)
    outcome = shflbench("show", "run")
    assert outcome.code == 0
    assert outcome.err.startswith("warning: run contains an unfinished run")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of two patterns and two element types."""
    rows, samples = measured(patterns=["neighbor", "reduce"], dtypes=["f32", "i32"])
    write_run(tmp_path / "run", rows, samples)
    return tmp_path / "run"


def cases(outcome: Outcome) -> list[dict[str, Any]]:
    (shown,) = json.loads(outcome.out)
    return list(shown["cases"])


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (("--pattern", "reduce"), {"pattern": {"reduce"}, "dtype": {"f32", "i32"}}),
        (("--dtype", "i32"), {"pattern": {"neighbor", "reduce"}, "dtype": {"i32"}}),
        (("--variant", "smem", "--variant", "shfl"), {"variant": {"smem", "shfl"}, "dtype": {"f32", "i32"}}),
        (("--pattern", "neighbor", "--dtype", "f32", "--variant", "shfl"), {"variant": {"shfl"}, "dtype": {"f32"}}),
    ],
)
def test_filters_keep_the_cases_that_match_all_of_them(
    shflbench: Command, run: Path, filters: tuple[str, ...], kept: dict[str, set[str]]
) -> None:
    shown = cases(shflbench("show", run, *filters, "--format", "json"))
    assert {name: {case[name] for case in shown} for name in kept} == kept


def test_filter_that_matches_nothing_is_wrong_usage(shflbench: Command, run: Path) -> None:
    outcome = shflbench("show", run, "--variant", "shlf")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: no case has the variant `shlf`\nDid you mean `shfl`?\n"
    outcome = shflbench("show", run, "--pattern", "neighbor", "--pattern", "zzz")
    assert (outcome.code, outcome.err) == (2, "error: no case has the pattern `zzz`\nThere are: neighbor, reduce\n")
    outcome = shflbench("show", run, "--pattern", "neighbor", "--variant", "redux")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: no case matches all filters\n")


def test_a_run_without_times_has_no_best(shflbench: Command, tmp_path: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    write_run(tmp_path / "run", rows, about=info(device=None, backend="none"))
    outcome = shflbench("show", "run", "--best")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "error: no case was timed, so that none is the fastest\nLeave out --best\n"


@pytest.mark.archs
def test_the_best_are_the_fastest_candidates_and_library_calls_as_fast(shflbench: Command) -> None:
    run = RESULTS / "gtc2013"
    shown = cases(shflbench("show", run, "--pattern", "reduce", "--best", "--format", "json"))
    best = [(case["dtype"], case["variant"]) for case in shown if case["options"] == {"width": "32"}]
    assert sorted(variant for dtype, variant in best if dtype == "f32") == ["cg", "shfl"]
    assert sorted(variant for dtype, variant in best if dtype == "i32") == ["cg", "cub", "redux"]
    assert all(case["safe"] for case in shown)


def test_of_damaged_samples_the_rows_decide_ties_and_a_warning_says_so(shflbench: Command, tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    tied = [replace(row, time_low_us=1.0) if row.variant == "smem-syncwarp" else row for row in rows]
    write_run(tmp_path / "run", [replace(row, time_us=2 * (row.time_us or 0)) for row in tied], samples)
    outcome = shflbench("show", "run", "--best")
    assert [line.split()[0] for line in outcome.out.splitlines()[4:6]] == ["shfl", "smem-syncwarp"]
    assert "do not match its rows" in outcome.err
    assert outcome.err.endswith("; ties are decided by the intervals of the rows alone\n")


def test_json_has_every_column_with_its_type(shflbench: Command, run: Path) -> None:
    (shown,) = json.loads(shflbench("show", run, "--format", "json").out)
    assert (shown["suite"], shown["device"]) == ("gtc2013", "NVIDIA H200")
    assert set(shown["cases"][0]) == set(row_columns())
    assert shown["cases"][0]["safe"] is True
    assert isinstance(shown["cases"][0]["time_us"], float)
    assert shown["cases"][0]["gb_per_s"] is None


def test_a_run_on_a_busy_gpu_says_so_below_its_name(shflbench: Command, run: Path) -> None:
    file = run / "run.json"
    noise = {"verdict": "busy GPU", "sentence": "the sentinels were slow", "advice": "stop other programs"}
    assert shflbench("show", run).out.splitlines()[1] == ""
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "noise": noise}), encoding="utf-8")
    assert shflbench("show", run).out.splitlines()[1] == "busy GPU: the sentinels were slow"
    (shown,) = json.loads(shflbench("show", run, "--format", "json").out)
    assert shown["noise"] == noise
