"""`shflbench history show` and `mark`: what changed when and why, on the terminal and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.store.history.folder import add_run
from shflbench.store.history.record import HistoryKernel, HistoryRun
from tests.conftest import Command
from tests.fakes.histories import history_run, machine

HISTORY = Path("history")
STEP, DAYS = 40, 60
CASES = ("reduce/shfl", "reduce/smem", "scan/shfl")


def runs() -> Iterator[HistoryRun]:
    """Yield daily runs: on one day, `reduce/shfl` becomes 3% slower by an edit, and the last two have a slower scan."""
    rng = np.random.default_rng(5)
    for day in range(DAYS):
        noise = 1 + 0.001 * rng.standard_normal(len(CASES))
        times = dict(zip(CASES, (noise * 10.0).tolist(), strict=True))
        times["reduce/shfl"] *= 1.03 if day >= STEP else 1
        times["scan/shfl"] *= 1.05 if day >= DAYS - 2 else 1
        run = replace(history_run(day, times, machine(host="host")), commit=f"{day:02d}{0:038d}")
        edited = HistoryKernel(
            code=f"new {day >= STEP}", source=f"s {day >= STEP}", registers=40 if day >= STEP else 32
        )
        yield replace(run, cases=(replace(run.cases[0], kernel=edited), *run.cases[1:]))


@pytest.fixture(autouse=True)
def _history(tmp_path: Path) -> None:
    for run in runs():
        add_run(tmp_path / HISTORY, run)


def test_what_changed_is_said_with_day_revision_and_cause(shflbench: Command) -> None:
    outcome = shflbench("history", "show", "history")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].endswith("60 runs from 2026-01-01 to 2026-03-01")
    assert lines[1] == "1 change in the 30 days before the newest run, of 3 cases"
    assert lines[3].startswith(
        "between 2026-02-09 and 2026-02-10, revision 390000000 → 400000000: 1 case slower by 3.0%"
    )
    assert lines[4] == "  code: other machine code by the same compiler"
    assert lines[6].startswith("reduce/shfl  slower 3.0% (")
    assert lines[6].endswith("2026-02-12  registers 32 → 40")
    assert lines[-1].removeprefix("  scan/shfl").lstrip() == "slower 5.0% since 2026-02-28: 2 of 3 runs needed"


def test_a_change_before_the_period_is_counted(shflbench: Command) -> None:
    out = shflbench("history", "show", "history", "--days", "5").out
    assert "no change in the 5 days before the newest run, of 3 cases; --all shows 1 earlier or ignored" in out
    assert "reduce/shfl" not in out


def test_all_cases_have_their_level(shflbench: Command) -> None:
    lines = shflbench("history", "show", "history", "--all").out.splitlines()
    table = [line.split() for line in lines[lines.index(next(line for line in lines if "last run" in line)) + 1 :]]
    assert [row[0] for row in table] == list(CASES)
    assert table[0][1] == "10.3"
    assert table[0][-4:] == ["60", "2026-02-10", "2026-03-01", "timed"]


def test_filters_select_cases_suites_and_gpus(shflbench: Command) -> None:
    assert "reduce" not in shflbench("history", "show", "history", "--case", "scan/*", "--all").out
    for option, name in (("--case", "none*"), ("--suite", "none"), ("--gpu", "none")):
        outcome = shflbench("history", "show", "history", option, name)
        assert outcome.code == 2
        assert f"`{name}`" in outcome.err


def test_json_has_the_causes(shflbench: Command) -> None:
    document = json.loads(shflbench("history", "show", "history", "--format", "json").out)
    (suite,) = document["suites"]
    (change,) = suite["changes"]
    assert (change["case"], change["kind"], change["first"]["started"][:10]) == ("reduce/shfl", "step", "2026-02-10")
    assert change["low"] < change["ratio"] < change["high"]
    assert [cause["label"] for cause in change["causes"]] == ["code"]
    assert change["causes"][0]["changes"] == [{"name": "registers", "before": "32", "after": "40"}]
    assert [item["case"] for item in suite["likely"]] == ["scan/shfl"]
    assert len(suite["runs"]) == DAYS


def test_a_mark_is_shown_with_its_change(shflbench: Command) -> None:
    given = ("--since", "2026-02-10", "--as", "intended", "--reason", "exact sums")
    outcome = shflbench("history", "mark", "history", "reduce/*", *given)
    assert (outcome.code, outcome.out) == (0, "marked 1 change of 2 cases as intended\n")
    assert "  marked as intended: exact sums\n" in shflbench("history", "show", "history").out


def test_the_last_mark_of_a_change_counts(shflbench: Command) -> None:
    for reason in ("first", "second"):
        given = ("--as", "known", "--reason", reason)
        assert (
            shflbench("history", "mark", "history", "reduce/shfl", *given).out == "marked 1 change of 1 case as known\n"
        )
    assert "marked as known: second" in shflbench("history", "show", "history").out


def test_what_is_ignored_is_not_shown_unless_all_is_wanted(shflbench: Command) -> None:
    assert shflbench("history", "mark", "history", "reduce/shfl", "--as", "ignore", "--reason", "noisy").code == 0
    assert "no change in the 30 days" in shflbench("history", "show", "history").out
    assert "marked as ignore: noisy" in shflbench("history", "show", "history", "--all").out


def test_a_mark_of_no_change_is_kept_and_said(shflbench: Command) -> None:
    outcome = shflbench(
        "history", "mark", "history", "scan/*", "--since", "2026-01-05", "--as", "known", "--reason", "a"
    )
    assert outcome.code == 0
    assert "the mark is of no change so far: none of `scan/*` is of 2026-01-05" in outcome.err


@pytest.mark.parametrize(
    "arguments", [("none/*", "--reason", "a"), ("reduce/*", "--reason", ""), ("", "--reason", "a")]
)
def test_a_mark_that_cannot_be_is_refused(arguments: tuple[str, ...], shflbench: Command) -> None:
    assert shflbench("history", "mark", "history", "--as", "known", *arguments).code == 2
    assert not (HISTORY / "marks.yaml").exists()


def test_a_wrong_marks_file_is_named(shflbench: Command) -> None:
    (HISTORY / "marks.yaml").write_text("- case: a\n  as: fine\n  reason: b\n", encoding="utf-8")
    outcome = shflbench("history", "show", "history")
    assert outcome.code == 0
    assert "history/marks.yaml, mark 1 has `as: fine`" in outcome.err


def test_cases_without_a_time_in_the_newest_run_are_named(shflbench: Command) -> None:
    for run in runs():
        cases = (run.cases[0], *(() if run.started > "2026-02-01" else run.cases[1:2]), run.cases[2])
        failed = replace(cases[-1], status="failed", time_us=None, error=None)
        add_run(Path("other"), replace(run, cases=(*cases[:-1], failed)))
    out = shflbench("history", "show", "other").out
    assert "not timed in the newest run: scan/shfl (failed), reduce/smem (missing since 2026-01-31)" in out


def test_each_mark_of_an_event_is_of_its_cases(shflbench: Command) -> None:
    for run in runs():
        slower = [replace(case, time_us=(case.time_us or 0) * (1.1 if run.commit > "40" else 1)) for case in run.cases]
        add_run(Path("other"), replace(run, cases=tuple(slower)))
    assert shflbench("history", "mark", "other", "scan/*", "--as", "intended", "--reason", "exact").code == 0
    out = shflbench("history", "show", "other").out
    before, _, after = out.partition("marked as intended: exact")
    assert "reduce/smem" in before
    assert after.splitlines()[2].startswith("scan/shfl")
    assert "reduce/smem" not in after


def test_a_damaged_file_costs_its_run(shflbench: Command) -> None:
    path = sorted(HISTORY.rglob("*.gz"))[3]
    path.write_bytes(path.read_bytes()[:100])
    outcome = shflbench("history", "show", "history")
    assert outcome.code == 0
    assert path.name in outcome.err
    assert ": 59 runs from" in outcome.out


def test_a_folder_that_is_no_history_is_refused(shflbench: Command) -> None:
    outcome = shflbench("history", "show", "none")
    assert outcome.code == 3
    assert "none holds no history" in outcome.err


def test_hostile_names_do_nothing_to_the_terminal(shflbench: Command) -> None:
    for run in runs():
        cases = tuple(replace(case, case=f"{case.case}\x1b[2J") for case in run.cases)
        add_run(Path("other"), replace(run, commit="\x1b[31m", cases=cases))
    out = shflbench("history", "show", "other", "--all").out
    assert "\x1b" not in out
    assert "\\x1b[2J" in out
