from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Metric, Outcome
from shflbench.core.model import Interval
from shflbench.core.words import flat
from shflbench.output.export.comparison_words import (
    basis,
    change,
    count_unchanged,
    describe_missed,
    extent,
    headline,
    legend,
    side,
    value,
)
from tests.fakes.comparisons import BASE, NEW, across, many, quiet, rich, timed

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


def test_cases_that_are_the_same_are_counted_with_what_could_have_been_missed() -> None:
    same = timed(CASE, 70.0, 0.0, detectable_95=0.0123)
    other = replace(same, threshold=0.02, detectable_95=0.04)
    one, two = (replace(quiet(), verdicts=verdicts) for verdicts in ((same,), (same, other)))
    assert count_unchanged(one) == "1 case is the same: it changed by less than the threshold of 1%"
    assert describe_missed(one) == (
        "what could have been missed: in this case, a slowdown of 1.23% or more would have been reported as slower "
        "with 95% probability; a smaller one could have been left undecided (suspected or inconclusive), and one below "
        "the threshold counts as the same"
    )
    assert count_unchanged(two) == "2 cases are the same: they changed by less than their thresholds of 1% to 2%"
    assert "in each of these cases, a slowdown of 4% or more" in describe_missed(two)
    exact = replace(quiet(), verdicts=(replace(same, threshold=None, detectable_95=None),))
    assert (count_unchanged(exact), describe_missed(exact)) == ("1 case is the same", "")
    registers = count_unchanged(replace(exact, metric=Metric.REGISTERS))
    assert registers == "1 case is the same: it needs as many registers on both sides"
    slower = replace(quiet(), verdicts=(replace(same, outcome=Outcome.SLOWER),))
    assert (count_unchanged(slower), describe_missed(slower)) == ("", "")


def test_the_basis_is_what_was_tested_noise_and_allowed_findings() -> None:
    assert list(basis(rich())) == [
        (
            "tested: 27 cases; 3 processes per side; smallest change that matters (threshold): 1%; "
            "designed for false alarms in at most 1% of such comparisons of unchanged code"
        ),
        "noise: fitted to the spread between the processes of a side (0.035 µs and 0.023% of the time)",
        "allowed: missing",
    ]
    assert list(basis(replace(quiet(), noise=None, offset_us=None, verdicts=()))) == []


def test_several_thresholds_are_given_as_a_range_and_so_are_numbers_of_processes() -> None:
    verdicts = (timed(CASE, 70.0, 0.0, threshold=0.005), timed(CASE, 70.0, 0.0, threshold=0.02))
    sentence = extent(replace(quiet(), verdicts=verdicts, new=replace(NEW, processes=1, most_processes=3)))
    assert "(threshold): 0.5% to 2%" in sentence
    assert "; 3 processes on the base side and 1 to 3 processes on the new side; " in sentence


def test_the_legend_explains_what_was_measured_and_how_it_was_corrected() -> None:
    one_run = replace(quiet(), base=replace(BASE, runs=1))
    assert list(legend(one_run)) == [
        "base, new: as measured (time_us in results.csv)",
        (
            "correction: sentinels ran 0.031 µs faster on the new side, which is subtracted; the mean of the fastest "
            "half of the samples replaces their median"
        ),
        (
            "judged change: new - base + correction, in percent of the corrected base, with an interval that holds for "
            "all cases together with 99% probability"
        ),
    ]
    assert legend(quiet())[0] == "base, new: as measured (time_us in results.csv; of several runs, their median)"
    assert legend(replace(quiet(), metric=Metric.REGISTERS, verdicts=())) == ()
