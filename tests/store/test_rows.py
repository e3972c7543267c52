import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from shflbench.core.model import Disturbance, Status
from shflbench.errors import ResultsError
from shflbench.store import Row, read_run, row_columns
from shflbench.store.rows import ROWS, decode
from tests.fakes.runs import compiled, measured, untimed

FILE = Path("run/results.csv")
ROOT = Path(__file__).parents[2]
OLDER = ROOT / "tests" / "data" / "runs" / "quick-of-0.1.0"
RECORDED = [*sorted(ROOT.glob("results/*/nvidia-h200/results.csv")), OLDER / "results.csv"]


def rows() -> list[Row]:
    return measured(dtypes=["f32"])[0]


def full() -> Row:
    """Return a row whose every column holds something of its own."""
    row = rows()[0]
    unique = {name: getattr(row, name) for name in row_columns()}
    for index, (name, value) in enumerate(unique.items()):
        if isinstance(value, float):
            unique[name] = 0.5 + index
        elif isinstance(value, int) and not isinstance(value, bool):
            unique[name] = 1 + index
        elif value is None:
            type_ = str(get_type_hints(Row)[name])
            unique[name] = 1.5 if "float" in type_ else 1 + index if "int" in type_ else f"text {index}"
    several: dict[str, Any] = {
        "options": (("mode", "xor"), ("width", "8")),
        "processes": (0, 2),
        "noise": {Disturbance.DRIFT: 0.012, Disturbance.PROCESSES: 0.067},
        "sass_per_iteration": {"STS": 1.0, "LDS": 1.5},
        "throttle": ("sw_power_cap", "hw_slowdown"),
        "verified_iterations": (1, 3),
        "not_compared": ("one thing", "another"),
    }
    return Row(**unique | several)


def test_every_column_comes_back_as_it_was_written() -> None:
    row = full()
    assert all(getattr(row, name) is not None for name in row_columns())
    assert decode(ROWS.header() + ROWS.encode([row]), FILE) == [row]


def test_unknown_is_written_empty_and_comes_back_as_none() -> None:
    (bare,) = compiled(rows()[:1])
    line = ROWS.encode([bare])
    assert ",compiled,,,,,,,," in line
    (read,) = decode(ROWS.header() + line, FILE)
    assert read == bare
    assert read.time_us is None


def test_values_of_several_parts_are_joined_in_the_file_alone() -> None:
    cells = dict(zip(row_columns(), ROWS.encode([full()]).rstrip("\n").split(","), strict=True))
    assert [cells[name] for name in ("options", "processes", "noise")] == [
        "mode=xor;width=8",
        "0;2",
        "drift=0.012;processes=0.067",
    ]
    assert [cells[name] for name in ("sass_per_iteration", "throttle", "verified_iterations")] == [
        "STS=1;LDS=1.5",
        "sw_power_cap;hw_slowdown",
        "1;3",
    ]


def test_no_column_of_several_values_is_a_text_in_memory() -> None:
    several = {name for name, meaning in row_columns().items() if ";" in meaning.replace("; ", "")}
    assert several >= {"options", "processes", "noise", "sass_per_iteration", "throttle", "verified_iterations"}
    assert [name for name, kind in get_type_hints(Row).items() if name in several and kind in {str, str | None}] == []


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_recorded_rows_are_written_as_they_were_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    rewritten = csv.DictReader(io.StringIO(ROWS.header() + ROWS.encode(decode(text, path))))
    missing = dict.fromkeys(row_columns(), "")  # columns that came after the run
    recorded = csv.DictReader(io.StringIO(re.sub(r"\bbent=", "nonlinear=", text)))
    assert list(rewritten) == [missing | row for row in recorded]


def test_run_of_version_0_1_is_read_with_the_old_name_of_a_disturbance() -> None:
    assert "bent=" in (OLDER / "results.csv").read_text(encoding="utf-8")
    run = read_run(OLDER)
    assert any(Disturbance.NONLINEAR in (row.noise or ()) for row in run.rows)


def test_a_disturbance_without_a_size_counts_in_full() -> None:
    line = ROWS.encode([replace(rows()[0], noise={Disturbance.DRIFT: 0.012})])
    (row,) = decode(ROWS.header() + line.replace("drift=0.012", "drift;nonlinear=0.02"), FILE)
    assert row.noise == {Disturbance.DRIFT: 1.0, Disturbance.NONLINEAR: 0.02}


def test_the_old_word_for_nonlinear_is_read() -> None:
    line = ROWS.encode([replace(rows()[0], noise={Disturbance.NONLINEAR: 0.02})])
    assert "nonlinear=0.02" in line
    (row,) = decode(ROWS.header() + line.replace("nonlinear=0.02", "bent=0.02"), FILE)
    assert row.noise == {Disturbance.NONLINEAR: 0.02}


@pytest.mark.parametrize("status", list(Status))
def test_every_status_comes_back(status: Status) -> None:
    row = untimed(rows()[0], status, "a reason")
    assert decode(ROWS.header() + ROWS.encode([row]), FILE) == [row]


@pytest.mark.parametrize("reason", ["needs sm_80, which has REDUX", 'the "wrong" value', '"', "µ ≠ μ", "a;b"])
def test_text_that_needs_quotes_comes_back(reason: str) -> None:
    row = replace(rows()[0], reason=reason)
    assert decode(ROWS.header() + ROWS.encode([row]), FILE)[0].reason == reason


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (328.0, "328.0"),
        (136.06400000000002, "136.064"),
        (123456.789, "123456.8"),
        (1e-05, "1e-05"),
        (math.nan, ""),
        (math.inf, ""),
    ],
)
def test_numbers_keep_seven_digits_and_what_is_not_finite_is_unknown(value: float, cell: str) -> None:
    line = ROWS.encode([replace(rows()[0], power_w=value)])
    assert line.split(",")[list(row_columns()).index("power_w")] == cell


def test_unknown_columns_are_left_out_and_later_columns_may_be_missing() -> None:
    row = rows()[0]
    names, values = list(row_columns()), ROWS.encode([row]).rstrip("\n").split(",")
    kept = [index for index, name in enumerate(names) if name not in {"verified_launch", "occupancy"}]
    head = ",".join(["limit_us", *(names[index] for index in kept)])
    line = ",".join(["61.2", *(values[index] for index in kept)])
    (read,) = decode(f"{head}\n{line}\n", FILE)
    (whole,) = decode(ROWS.header() + ROWS.encode([row]), FILE)
    assert whole.occupancy is not None
    assert read == replace(whole, occupancy=None, verified_launch=None)


def test_a_missing_core_column_is_named() -> None:
    with pytest.raises(ResultsError, match=r"results\.csv:1: the column status is missing"):
        decode(ROWS.header().replace("status", "state"), FILE)


@pytest.mark.parametrize(
    ("column", "text", "sentence"),
    [
        ("grid", "26.5", "grid is '26.5', not an integer, 0 or above"),
        ("time_us", "fast", "time_us is 'fast', not a time in µs"),
        ("time_us", "nan", "time_us is 'nan', not a time in µs"),
        ("time_us", "0", "time_us is '0', not a time in µs"),
        ("time_low_us", "-5", "time_low_us is '-5', not a time in µs"),
        ("time_high_us", "inf", "time_high_us is 'inf', not a time in µs"),
        ("ns_per_iteration", "nan", "ns_per_iteration is 'nan', not a number"),
        ("speedup", "-2.5", "speedup is '-2.5', not a number, 0 or above"),
        ("registers", "-1", "registers is '-1', not an integer, 0 or above"),
        ("samples", "9" * 99, f"samples is '{'9' * 60}…', not an integer, 0 or above"),
        ("safe", "yes", "safe is 'yes', not true or false"),
        ("status", "done", "status is 'done', not one of timed, verified, compiled, incorrect, failed, skipped"),
        ("block", "", "block is '', not an integer, 0 or above"),
        ("options", "mode", "options is 'mode', not `name=value` joined by `;`"),
        ("processes", "0;a", "processes is '0;a', not integers joined by `;`"),
        ("noise", "loud=1", "noise is 'loud=1', not quiet, or `drift=0.012` joined by `;`"),
        ("sass_per_iteration", "LDS=one", "sass_per_iteration is 'LDS=one', not `LDS=1` joined by `;`"),
    ],
)
def test_a_wrong_value_is_reported_with_line_and_column(column: str, text: str, sentence: str) -> None:
    good, bad = (ROWS.encode([row]) for row in rows()[:2])
    values = bad.rstrip("\n").split(",")
    values[list(row_columns()).index(column)] = text
    with pytest.raises(ResultsError) as caught:
        decode(ROWS.header() + good + ",".join(values) + "\n", FILE)
    assert caught.value.message == f"{FILE}:3: {sentence}"
    assert caught.value.advice


def test_a_case_that_is_there_twice_is_refused() -> None:
    line = ROWS.encode(rows()[:1])
    with pytest.raises(ResultsError, match=r":3: the case neighbor/smem/f32/26x1024/4096 is there twice"):
        decode(ROWS.header() + line + line, FILE)


def test_a_line_with_too_few_values_is_refused() -> None:
    with pytest.raises(ResultsError, match=rf":2: 2 values for {len(row_columns())} columns"):
        decode(ROWS.header() + "a,b\n", FILE)


def test_a_slope_that_noise_turned_may_be_negative() -> None:
    row = replace(rows()[0], ns_per_iteration=-0.5, launch_overhead_us=-8.0, cycles_per_iteration=-1.0)
    (read,) = decode(ROWS.header() + ROWS.encode([row]), FILE)
    assert (read.ns_per_iteration, read.launch_overhead_us, read.cycles_per_iteration) == (-0.5, -8.0, -1.0)
