import re
from dataclasses import replace

from shflbench.analysis.compare.comparison import Comparison, Metric, Outcome
from shflbench.cli.compare.table import lines
from shflbench.core.model import Interval
from tests.fakes.comparisons import across, many, quiet, rich, timed

CASE = "neighbor/shfl/f32/26x1024/4096"


def text(comparison: Comparison) -> list[str]:
    return [line for line, _ in lines(comparison)]


def style(comparison: Comparison, start: str) -> set[str]:
    return {style for line, style in lines(comparison) if line.startswith(start)}


def test_the_last_line_is_the_result() -> None:
    assert text(many(40, slower=2))[-1] == "2 slower of 40 cases"
    assert text(quiet())[-1] == "no change that matters in 20 cases"


def test_cases_that_are_the_same_are_one_line() -> None:
    report = text(many(2000, slower=2))
    assert sum("neighbor/" in line for line in report) == 2
    assert sum("1,998 cases are the same: " in line for line in report) == 1


def test_the_worst_case_comes_first() -> None:
    shown = [line.split()[:2] for line in text(rich()) if "x1024/" in line]
    outcomes = [Outcome(outcome) for outcome, _ in shown]
    assert shown[0] == ["slower", CASE]
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome.rank)


def test_what_explains_a_case_stands_below_it_and_widens_no_column() -> None:
    reason = "registers 32 → 40 " * 20
    short = text(replace(quiet(), verdicts=(timed(CASE, 70.0, 0.02),)))
    long = text(replace(quiet(), verdicts=(timed(CASE, 70.0, 0.02, why=(reason,)),)))
    assert short[8] == long[8]
    assert long[9] == f"    {reason.strip()}"


def test_a_reason_of_several_lines_stays_on_one() -> None:
    lost = replace(timed(CASE, 70.0, 0.0), outcome=Outcome.FAILED, ratio=None, sentence="it said\n\x1b[31mno\x1b[0m\n")
    assert "    it said no" in text(replace(quiet(), verdicts=(lost,)))


def test_style_of_a_line_follows_its_outcome_unless_allowed() -> None:
    assert style(rich(), "slower") == style(rich(), "failed") == {"bad"}
    assert style(rich(), "suspected") == style(rich(), "not-comparable") == style(rich(), "missing") == {"doubt"}
    assert style(rich(), "faster ") == {"good"}
    assert style(replace(rich(), allowed=frozenset()), "missing") == {"bad"}


def test_unit_is_that_of_the_metric() -> None:
    changed = timed(CASE, 32.0, 0.25, ratio=Interval(1.25, 1.25, 1.25), measured_base=32, measured_new=40)
    changed = replace(changed, correction=None)
    report = text(replace(quiet(), metric=Metric.REGISTERS, verdicts=(changed,)))
    assert re.split(" {2,}", report[3]) == ["verdict", "case", "base registers", "new registers", "change", "threshold"]
    assert re.split(" {2,}", report[4]) == ["slower", CASE, "32", "40", "+25.0%", "1%"]


def test_report_across_has_every_case_in_the_order_of_the_suite_and_no_verdict() -> None:
    report = text(across())
    cases = [line.split()[0] for line in report if re.search("/f32|/f64|/i32", line)]
    assert cases == [verdict.case_id for verdict in across().verdicts]
    assert not re.search("slower|faster|same|not-comparable|threshold", "\n".join(report))
    assert "no verdict: the GPUs differ (NVIDIA H200, NVIDIA A100-SXM4-80GB)" in report


def test_lines_end_without_blanks() -> None:
    assert all(line == line.rstrip() for line in text(rich()))
