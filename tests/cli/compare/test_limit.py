"""`compare --limit` bounds the times of the new side, whatever the base took."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shflbench.store import read_run
from tests.cli.gate.runs import DOUBLE, SHFL, SMEM, SYNCWARP, lay, put_rows, without
from tests.conftest import Command

DATA = Path(__file__).parents[2] / "data/readers"
SAME = "no change that matters in 4 cases\n"


@pytest.fixture(autouse=True)
def _two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two equal runs, `base` and `new`, with cases of 20, 49, 122 and 300 µs, in the current folder."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2)


@pytest.mark.parametrize(
    ("limits", "code", "result"),
    [
        (["1ms"], 0, SAME),
        (["200us"], 1, "1 over its limit of 4 cases\n"),
        (["40000ns"], 1, "3 over their limits of 4 cases\n"),
        (["200us", f"{SMEM}=0.4ms"], 0, SAME),
        ([f"{SMEM}=0.4ms", "200us"], 0, SAME),
        (["*/shfl/*=10us"], 1, "1 over its limit of 4 cases\n"),
    ],
    ids=str,
)
def test_a_time_above_its_limit_fails(shflbench: Command, limits: list[str], code: int, result: str) -> None:
    flags = [word for text in limits for word in ("--limit", text)]
    outcome = shflbench("compare", "base", "new", *flags)
    assert (outcome.code, outcome.err) == (code, "")
    assert outcome.out.endswith(result)


def test_each_format_says_so(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    files = {form: f"report.{form}" for form in ("json", "markdown", "junit", "github")}
    also = [word for form, name in files.items() for word in ("--also", f"{form}={name}")]
    outcome = shflbench("compare", "base", "new", "--limit", f"{SMEM}=200us", *also)
    assert outcome.code == 1
    rows = [line.split() for line in outcome.out.splitlines()]
    assert ["over", "limit,", "same", SMEM] in [row[:4] for row in rows]
    sentence = "over the limit of 200 µs: 3"
    assert f"    {sentence}" in outcome.out
    report = json.loads(Path(files["json"]).read_text())
    assert (report["exit_code"], report["counts"]) == (1, {"same": 4})
    by_case = {verdict["case_id"]: verdict["limit"] for verdict in report["verdicts"]}
    assert by_case.pop(SMEM) == {
        "state": "over",
        "limit_us": 200,
        "time_us": pytest.approx(300, rel=0.01),
        "low_us": pytest.approx(300, rel=0.01),
        "high_us": pytest.approx(300, rel=0.01),
    }
    assert set(by_case.values()) == {None}
    assert f"| **over limit, same** | `{SMEM}` |" in Path(files["markdown"]).read_text()
    tests = ET.parse(files["junit"]).getroot()  # noqa: S314  (written by the command)
    assert (tests.attrib["failures"], tests.attrib["errors"]) == ("1", "0")
    (failure,) = tests.iter("failure")
    assert failure.attrib["type"] == "over-limit"
    assert failure.attrib["message"].startswith(sentence)
    (error,) = [line for line in Path(files["github"]).read_text().splitlines() if line.startswith("::error")]
    assert error.startswith(f"::error title=over limit%2C same%3A {SMEM}::")
    assert sentence in error


def test_an_interval_that_contains_the_limit_is_undecided(shflbench: Command) -> None:
    rows = read_run(Path("new")).rows
    (smem,) = [row for row in rows if row.case_id == SMEM]
    assert smem.time_us
    put_rows(
        Path("new"),
        [
            replace(row, time_low_us=smem.time_us - 5, time_high_us=smem.time_us + 5) if row is smem else row
            for row in rows
        ],
    )
    flags = ("compare", "base", "new", "--limit", f"{smem.time_us - 2}us", "--also", "junit=report.xml")
    outcome = shflbench(*flags)
    assert outcome.code == 0
    assert outcome.out.endswith("1 perhaps over its limit of 4 cases\n")
    assert "perhaps over the limit of 29" in outcome.out
    assert len(list(ET.parse("report.xml").getroot().iter("skipped"))) == 1  # noqa: S314  (written by the command)
    assert shflbench(*flags, "--strict").code == 6
    assert shflbench("compare", "base", "new", "--limit", f"{smem.time_us - 6}us").code == 1
    assert shflbench("compare", "base", "new", "--limit", f"{smem.time_us + 6}us", "--strict").code == 0


def test_several_runs_form_one_interval(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "slow", seed=3, factors={SMEM: 1.2})
    flags = ("compare", "base", "new", "--new", "slow", "--limit", f"{SMEM}=310us")
    assert "perhaps over the limit of 310 µs: 33" in shflbench(*flags).out


def test_new_cases_have_limits_and_missing_ones_have_none(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "less", cases=without(SMEM))
    outcome = shflbench("compare", "less", "new", "--limit", f"{SMEM}=10us")
    assert outcome.code == 1
    assert outcome.out.endswith("1 over its limit, 1 new of 4 cases\n")
    lost = shflbench("compare", "base", "less", "--limit", "1ms", "--allow", "missing")
    assert (lost.code, "limit" in lost.out) == (0, False)


def test_a_value_without_an_interval_is_undecided_near_its_limit(shflbench: Command) -> None:
    sides = (DATA / "triton/1", DATA / "triton/2")
    outcome = shflbench("compare", *sides, "--limit", "*Range/M=8*=160us")
    assert outcome.code == 0
    assert "limit of 160 µs: undecided at 164.6 µs, whose interval is unknown" in outcome.out
    outcome = shflbench("compare", *sides, "--limit", "1us")
    assert outcome.code == 1
    assert "limit of 1 µs: over at 164.6 µs, whose interval is unknown" in outcome.out


def test_other_tools_have_limits_too(shflbench: Command) -> None:
    sides = (DATA / "pytest-benchmark/base", DATA / "pytest-benchmark/base/1.json")
    outcome = shflbench("compare", DATA / "pytest-benchmark/new", sides[0], "--limit", "*sum_integers=1ms")
    assert outcome.code == 1
    assert "over limit, faster" in outcome.out


@pytest.mark.parametrize("text", ["500", "x=", "1%", "-1us"])
def test_other_texts_are_no_limits(shflbench: Command, text: str) -> None:
    outcome = shflbench("compare", "base", "new", "--limit", text)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"`{text}` is not a limit; write a time such as `500us`" in outcome.err


def test_a_limit_without_a_case_is_a_mistake_that_hides_no_report(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--limit", "scann/*=2s")
    assert (outcome.code, outcome.out.endswith(SAME)) == (2, True)
    assert outcome.err == "warning: --limit scann/*=2000000us has no effect: no case matches `scann/*`\n"


@pytest.mark.parametrize("flags", [("--across",), ("--metric", "registers"), ("--metric", "ns_per_iteration")])
def test_limits_need_verdicts_on_times(shflbench: Command, flags: tuple[str, ...]) -> None:
    outcome = shflbench("compare", "base", "new", "--limit", "1ms", *flags)
    assert (outcome.code, outcome.out) == (2, "")
    assert "has no limit: limits are times" in outcome.err


def test_limits_do_not_hide_slower_cases(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "slow", seed=2, factors={SHFL: 1.1, SYNCWARP: 1.1})
    outcome = shflbench("compare", "base", "slow", "--limit", f"{SHFL}=10us", "--limit", f"{DOUBLE}=1us")
    assert outcome.code == 1
    assert outcome.out.endswith("2 over their limits, 2 slower of 4 cases\n")
    verdicts = [line for line in outcome.out.splitlines() if any(line.find(case) > 0 for case in (SHFL, SYNCWARP))]
    assert [line.partition("neighbor")[0].strip() for line in verdicts] == ["over limit, slower", "slower"]
