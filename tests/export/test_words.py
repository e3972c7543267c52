from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Metric, Outcome
from shflbench.export.words import basis, change, flat, headline, side, unchanged, value
from shflbench.model import Interval
from tests.fakes.comparisons import BASE, across, many, quiet, rich, timed

CASE = "neighbor/shfl/f32/26x1024/4096"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (0.0, "0"),
        (0.1234567, "0.1235"),
        (5.92, "5.920"),
        (2893.4, "2893"),
        (1e6, "1000000"),
    ],
)
def test_a_value_has_four_digits_and_is_empty_where_there_is_none(number: float | None, text: str) -> None:
    assert value(number, Metric.TIME) == text


def test_registers_are_whole() -> None:
    assert value(32, Metric.REGISTERS) == "32"


def test_an_exact_change_has_no_interval() -> None:
    assert change(Interval(1.25, 1.25, 1.25)) == "+25.0%"
    assert change(Interval(1.021, 1.019, 1.023)) == "+2.1% (+1.9 to +2.3%)"
    assert change(None) == ""


def test_a_text_of_many_lines_and_colors_becomes_one_plain_line() -> None:
    assert flat("\x1b[1;31merror:\x1b[0m\r\n\t x\x00y ") == "error: x y"


def test_a_side_leaves_out_unknown_properties() -> None:
    unknown = replace(BASE, device="", driver="", nvrtc="", commit="", runs=1, processes=1)
    assert side(unknown) == "baseline main: 1 run, 1 process per case"


def test_the_headline_counts_what_is_not_the_same() -> None:
    assert headline(many(1234, slower=2)) == "2 slower of 1,234 cases"
    assert headline(quiet()) == "no change that matters in 20 cases"
    assert headline(across()) == "21 cases side by side, without a verdict"


def test_cases_that_are_the_same_are_counted_with_what_would_have_been_found() -> None:
    same = timed(CASE, 70.0, 0.0, detectable=0.0123)
    other = replace(same, threshold=0.02, detectable=0.04)
    assert unchanged(replace(quiet(), verdicts=(same,))) == (
        "1 case is the same within 1%; a slowdown of 1.23% would have been found"
    )
    assert unchanged(replace(quiet(), verdicts=(same, other))) == (
        "2 cases are the same within their thresholds; a slowdown of 4% would have been found"
    )
    exact = replace(same, threshold=None, detectable=None)
    assert unchanged(replace(quiet(), verdicts=(exact,))) == "1 case is the same"
    assert unchanged(replace(quiet(), verdicts=(replace(same, outcome=Outcome.SLOWER),))) == ""


def test_the_basis_is_threshold_noise_offset_and_allowed_findings() -> None:
    assert list(basis(rich())) == [
        "threshold 1%",
        "noise: fitted to the spread between the processes of a side (0.035 µs and 0.023% of the time)",
        "sentinels ran 0.062 µs slower on the new side; subtracted",
        "allowed: missing",
    ]
    assert list(basis(replace(quiet(), noise=None, offset_us=None, verdicts=()))) == []


def test_several_thresholds_are_given_as_a_range() -> None:
    verdicts = (timed(CASE, 70.0, 0.0, threshold=0.005), timed(CASE, 70.0, 0.0, threshold=0.02))
    assert next(iter(basis(replace(quiet(), verdicts=verdicts)))) == "thresholds from 0.5% to 2%"
