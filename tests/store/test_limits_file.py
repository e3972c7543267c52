from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.limits_file import LIMITS_FILE, CaseLimit, read_limits, write_limits

SHFL = CaseLimit(
    case_id="neighbor/shfl/f32/26x1024/4096",
    limit_us=66.2,
    limit_by="exchange",
    limit_fraction=0.941,
    limit_cycles=32.0,
    omitted="uniform;latency of S2R",
    ceiling_us=66.9,
    ceiling_by="exchange",
    model_us=69.8,
    model_low_us=68.5,
    model_high_us=76.4,
    model_by="loop",
    load_efficiency=0.25,
)
UNKNOWN = CaseLimit(case_id="mine/shfl/f32/26x1024/4096", limit_reason="no timed loop was found in its machine code")


def test_what_is_written_is_read_back_by_case(tmp_path: Path) -> None:
    write_limits(tmp_path, [SHFL, UNKNOWN])
    assert read_limits(tmp_path) == {limit.case_id: limit for limit in (SHFL, UNKNOWN)}


def test_an_older_file_has_the_reason_under_another_name(tmp_path: Path) -> None:
    write_limits(tmp_path, [SHFL, UNKNOWN])
    path = tmp_path / LIMITS_FILE
    path.write_text(path.read_text(encoding="utf-8").replace(",limit_reason,", ",reason,"), encoding="utf-8")
    assert read_limits(tmp_path) == {limit.case_id: limit for limit in (SHFL, UNKNOWN)}


def test_a_file_of_an_older_version_has_predictions_without_intervals(tmp_path: Path) -> None:
    write_limits(tmp_path, [SHFL])
    path = tmp_path / LIMITS_FILE
    rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [place for place, name in enumerate(rows[0]) if name not in {"model_low_us", "model_high_us", "model_by"}]
    path.write_text("".join(",".join(row[place] for place in kept) + "\n" for row in rows), encoding="utf-8")
    assert read_limits(tmp_path) == {SHFL.case_id: replace(SHFL, model_low_us=None, model_high_us=None, model_by=None)}


def test_an_unknown_value_is_an_empty_cell_and_never_zero(tmp_path: Path) -> None:
    write_limits(tmp_path, [UNKNOWN])
    _, line = (tmp_path / LIMITS_FILE).read_text(encoding="utf-8").splitlines()
    assert line == f"{UNKNOWN.case_id},,,,,{UNKNOWN.limit_reason},,,,,,,,,,"


def test_limits_that_are_written_again_replace_the_older_ones(tmp_path: Path) -> None:
    write_limits(tmp_path, [SHFL, UNKNOWN])
    write_limits(tmp_path, [SHFL])
    assert read_limits(tmp_path) == {SHFL.case_id: SHFL}
    assert [path.name for path in tmp_path.iterdir()] == [LIMITS_FILE]


def test_a_run_without_the_file_has_no_limits(tmp_path: Path) -> None:
    assert read_limits(tmp_path) == {}


def test_a_damaged_file_is_an_error_that_names_the_line(tmp_path: Path) -> None:
    write_limits(tmp_path, [SHFL])
    path = tmp_path / LIMITS_FILE
    path.write_text(path.read_text(encoding="utf-8").replace("66.2", "fast"), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"limits\.csv:2: limit_us is 'fast'"):
        read_limits(tmp_path)


def test_a_folder_that_cannot_be_written_is_an_error_with_advice(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as caught:
        write_limits(tmp_path / "nowhere", [SHFL])
    assert caught.value.advice
