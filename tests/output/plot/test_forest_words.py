from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Comparison, Metric, Outcome, Reason
from shflbench.output.plot.forest import draw
from shflbench.output.plot.forest_words import title
from tests.fakes.comparisons import across, many, quiet, rich, timed
from tests.output.plot.forests import of, of_verdicts
from tests.output.plot.subjects import texts


@pytest.mark.parametrize(
    ("comparison", "title_text"),
    [
        (many(40, slower=2), "2 of 40 cases got slower"),
        (many(1, slower=1), "1 of 1 case got slower"),
        (quiet(), "None of 20 cases got slower"),
        (of([0.02, -0.02, -0.03, 0.0]), "1 of 4 cases got slower, 2 got faster"),
        (of_verdicts([]), "There are no cases to compare"),
        (
            of_verdicts([timed("a/b", 9, 0.0, outcome=Outcome.INCONCLUSIVE), timed("c/d", 9, 0.0)]),
            "None of 2 cases is shown to be slower, 1 is inconclusive",
        ),
        (
            of_verdicts([replace(timed("a/b", 9, 0.0), outcome=outcome) for outcome in [*Outcome, *Outcome]]),
            (
                "2 of 18 cases got slower, 2 failed, 2 are missing, 2 are suspected, 2 are inconclusive, "
                "2 cannot be compared, 2 got faster, 2 are new"
            ),
        ),
    ],
)
def test_the_title_says_what_was_found(comparison: Comparison, title_text: str) -> None:
    assert title(comparison) == title_text
    assert draw(comparison).title == title_text


def test_below_the_chart_stand_both_sides_the_metric_and_the_source_of_the_noise() -> None:
    comparison = rich()
    title_text = " ".join(texts(draw(comparison)))
    for side in (comparison.base, comparison.new):
        assert f"{side.name} · {side.device} · driver {side.driver} · NVRTC {side.nvrtc}" in title_text
        assert f"run of {side.started[:10]} · 3 processes" in title_text
    assert "metric time, in µs" in title_text
    assert comparison.noise
    assert comparison.noise.source in title_text
    for doubt in (*comparison.warnings, *comparison.notes):
        assert doubt in title_text


def test_many_notes_end_with_the_number_of_others() -> None:
    comparison = replace(quiet(), notes=tuple(f"thing {n} differs" for n in range(20)))
    labels = texts(draw(comparison))
    assert "… and 14 more, which `shflbench compare` prints" in labels
    assert "Note: thing 6 differs" not in labels


def test_registers_are_not_faster_or_slower_but_fewer_or_more() -> None:
    page = draw(replace(of([0.25, -0.25, 0.0]), metric=Metric.REGISTERS, noise=None))
    assert page.title == "1 of 3 cases needs more registers, 1 needs fewer registers"
    label = page.figure.axes[0].get_xlabel()
    assert label.startswith("← fewer ")
    assert label.endswith(" more →")
    assert "the number of registers" in label


def test_the_figure_beside_a_line_never_makes_the_interval_narrower() -> None:
    (verdict,) = of([0.02]).verdicts
    assert verdict.ratio
    narrow = replace(verdict.ratio, low=verdict.ratio.value - 0.00101, high=verdict.ratio.value + 0.0005)
    page = draw(of_verdicts([replace(verdict, ratio=narrow)]))
    assert "+2.00 ± 0.11%" in texts(page)
    assert "+2.00%" in texts(draw(of_verdicts([replace(verdict, ratio=replace(narrow, low=1.02, high=1.02))])))


def test_failed_is_not_repeated_and_control_characters_are_not_drawn() -> None:
    labels = texts(draw(rich()))
    assert any(words.startswith("failed (the worker stopped: CUDA_ERROR_ILLEGAL_ADDRESS") for words in labels)
    assert all(words.isprintable() for words in labels)


def test_a_report_says_how_far_the_cases_changed() -> None:
    verdicts = [
        replace(verdict, outcome=Outcome.NOT_COMPARABLE, reason=Reason.ACROSS)
        for verdict in of([-0.5, 0.03, 1.5]).verdicts
    ]
    comparison = replace(across(), verdicts=tuple(verdicts))
    assert title(comparison) == (
        "Report without verdict: the time of 3 cases changes by \N{MINUS SIGN}50.0 to +150%, the median by +3.00%"
    )
    nothing = replace(comparison, verdicts=tuple(replace(verdict, ratio=None) for verdict in verdicts))
    assert title(nothing) == "Report without verdict: none of 3 cases has a value on both sides"
