import pytest

from shflbench.suite.revision import charts_in, same_measurements
from tests.conftest import Command
from tests.suite.conftest import Folder

RING = "experiments: [{pattern: ./ring, launch: 1x32}]\n"
ALLOWED = (
    "allowed: samples, limits, predictions, or a pattern of this suite with what is drawn, such as `ring-time-by-size`"
)


def test_charts_of_the_run_and_of_its_patterns_can_be_declared(folder: Folder) -> None:
    suite = folder.load(f"schema: 1\nname: demo\ncharts: [limits, ring-time, ring-time-by-block, ring-speedup]\n{RING}")
    assert suite.charts == ("limits", "ring-time", "ring-time-by-block", "ring-speedup")
    assert folder.load(f"schema: 1\nname: demo\ncharts: samples\n{RING}").charts == ("samples",)
    assert folder.load(f"schema: 1\nname: demo\n{RING}").charts == ()


@pytest.mark.parametrize(
    ("charts", "message"),
    [
        ("[limits, ring-tme]", f"3:18: unknown chart `ring-tme`; {ALLOWED}; did you mean `ring-time`?"),
        ("[reduce-time]", f"3:10: unknown chart `reduce-time`; {ALLOWED}; did you mean `ring-time`?"),
        ("[limits, limits]", "3:18: found `limits` a second time; allowed: each chart once"),
        (
            "[ring time]",
            "3:10: found `ring time`; allowed: the name of a chart, such as `limits` or `reduce-time-by-width`",
        ),
        ("[]", "3:9: found an empty list; allowed: at least one value"),
        ("[a, b, c, d, e, f, g]", "3:9: found a list; allowed: at most 6 charts"),
    ],
)
def test_a_chart_that_cannot_exist_is_refused_with_its_place(folder: Folder, charts: str, message: str) -> None:
    assert folder.refusal_of(f"charts: {charts}\n{RING}") == f"demo.yaml:{message}"


def test_charts_are_read_from_a_text_whose_patterns_may_no_longer_exist() -> None:
    assert charts_in("schema: 1\ncharts: [reduce-time-by-width, limits]\n") == ("reduce-time-by-width", "limits")
    assert charts_in("schema: 1\ncharts: limits\n") == ("limits",)
    assert charts_in("schema: 1\n") == charts_in("charts: {a: b}") == charts_in(": [charts:") == ()


def test_charts_change_no_measurement() -> None:
    text = "schema: 1\nname: demo\nexperiments: {pattern: reduce}\n"
    assert same_measurements(text, f"{text}charts: [limits]\n")


def test_validate_reports_a_chart_of_another_pattern(shflbench: Command, folder: Folder) -> None:
    assert folder.refusal_of(f"charts: [reduce-time-by-width]\n{RING}")
    outcome = shflbench("validate", "demo.yaml")
    assert outcome.code == 3
    assert "demo.yaml:3:10: unknown chart `reduce-time-by-width`" in outcome.err
