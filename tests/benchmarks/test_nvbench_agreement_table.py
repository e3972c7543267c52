import json
from typing import Any

import pytest

from benchmarks.nvbench.table import (
    Comparison,
    NVBenchCase,
    Report,
    ResultError,
    compare,
    read_nvbench,
)
from shflbench.store.readers.nvbench import MEDIAN, WALLTIME

TABLE = """\
| kernel | NVBench, µs | its range | shflbench, µs | its range | difference | allowed | agree |
| --- | --: | --: | --: | --: | --: | --: | --: |
| `long` | 100.000 | 0.20% | 100.900 | 0.59% | +0.90% | 0.80% | **no** |
| `short` | 20.000 | 2.00% | 20.000 | 2.00% | +0.00% | 2.40% | yes |
| `tiny` | 5.000 | 0.00% | 6.000 | 0.00% | +20.00% | 8.40% | **no** |"""

REPORT = Report(
    (
        Comparison("long", (100.0, 99.9, 100.1), (100.9, 101.2, 100.6)),
        Comparison("short", (20.0, 19.8, 20.2), (20.0, 20.0, 19.6)),
        Comparison("tiny", (5.0, 5.0, 5.0), (6.0, 6.0, 6.0)),
    ),
    their_seconds=(6.0, 6.3, 5.7),
    our_seconds=(0.5, 0.7, 0.6),
)


TIMES = "NVBench takes 2.00 s per case and shflbench 0.200 s, both without start-up"


def state(*values: tuple[str, str, object], **further: object) -> dict[str, Any]:
    """Return a state as NVBench's `json_printer.cu` writes it: numbers as text, each summary with its own data."""
    summaries = [
        {"tag": tag, "name": "any", "data": [{"name": "value", "type": kind, "value": value}]}
        for tag, kind, value in values
    ]
    return {
        "name": "Device=0",
        "device": 0,
        "axis_values": None,
        "summaries": summaries,
        "is_skipped": False,
        **further,
    }


def results(**states: dict[str, Any]) -> str:
    """Return a result file with one benchmark for each of `states`."""
    benches = [{"name": name, "index": i, "states": [states[name]]} for i, name in enumerate(states)]
    return json.dumps({"meta": {}, "devices": [{"id": 0, "name": "NVIDIA H200"}], "benchmarks": benches})


def test_medians_and_wall_times_of_nvbench_are_read_by_case() -> None:
    text = results(
        first=state(
            ("nv/cold/sample_size", "int64", "499"),
            ("nv/cold/time/gpu/mean", "float64", "0.0010034715849794225"),
            (MEDIAN, "float64", "6.9408e-05"),
            (WALLTIME, "float64", "0.51435071"),
        ),
        second=state((MEDIAN, "float64", "2e-05"), (WALLTIME, "float64", "2.5")),
    )
    found = read_nvbench(text)
    assert {name: (round(case.median_us, 6), case.wall_s) for name, case in found.items()} == {
        "first": (69.408, 0.51435071),
        "second": (20.0, 2.5),
    }


def test_case_that_nvbench_skipped_is_named_with_its_reason() -> None:
    with pytest.raises(ResultError, match="NVBench skipped first: no such thing"):
        read_nvbench(results(first=state(summaries=None, is_skipped=True, skip_reason="no such thing")))


def test_case_of_which_every_sample_was_throttled_is_named() -> None:
    with pytest.raises(ResultError, match="NVBench took no sample of first"):
        read_nvbench(results(first=state((WALLTIME, "float64", "15.0"))))


def test_table_and_bars_have_the_figures() -> None:
    assert REPORT.table() == TABLE
    assert list(REPORT.bars()) == [
        ("1 of 3 kernels agree within 0.4 µs plus 0.4%", False),
        ("runs of shflbench differ by 0.59% at most for kernels of 50 µs and more; the bar is 0.3%", False),
        (f"{TIMES}: a factor of 10.0; the bar is 10", True),
    ]
    case = Comparison("case", (9.0,), (9.0,))
    assert [reached for _, reached in Report((case,), (9.0,), (1.0,)).bars()] == [True, True, False]


@pytest.mark.parametrize(
    ("theirs", "ours", "agrees"),
    [
        ((50.0, 50.0), (50.59,), True),
        ((50.0, 50.0), (50.61,), False),
        ((1000.0,), (995.61,), True),
        ((1000.0,), (995.59,), False),
        ((48.0, 49.0, 50.0), (49.59,), True),
        ((48.0, 49.0, 50.0), (49.61,), False),  # the range of NVBench does not widen the bar
        ((30.0, 30.0), (30.0, 30.0, 29.0), True),  # one run of three is an outlier
    ],
)
def test_bar_is_a_constant_plus_a_share_of_the_time(
    theirs: tuple[float, ...], ours: tuple[float, ...], *, agrees: bool
) -> None:
    assert Comparison("case", theirs, ours).agrees is agrees


def test_results_are_joined_in_the_order_of_the_suite() -> None:
    theirs = [{"b": NVBenchCase(2.0, 1.0), "a": NVBenchCase(1.0, 1.0)}]
    joined = compare(["a", "b"], theirs, [{"a": 1.1, "b": 2.1}, {"a": 1.2, "b": 2.2}])
    assert joined == (Comparison("a", (1.0,), (1.1, 1.2)), Comparison("b", (2.0,), (2.1, 2.2)))


@pytest.mark.parametrize(
    ("theirs", "ours", "sentence"),
    [
        (["ab", "a"], ["ab"], "process 2 of NVBench has no time for b"),
        (["ab", "ab"], ["ab", "b"], "run 2 of shflbench has no time for a"),
    ],
)
def test_case_that_one_side_did_not_time_is_named(theirs: list[str], ours: list[str], sentence: str) -> None:
    with pytest.raises(ResultError, match=sentence):
        compare(
            ["a", "b"],
            [dict.fromkeys(names, NVBenchCase(1.0, 1.0)) for names in theirs],
            [dict.fromkeys(names, 1.0) for names in ours],
        )
