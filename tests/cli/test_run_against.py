"""`shflbench run --against` on a scripted GPU: measured, compared, and measured longer where that decides a case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import Outcome, Reason, Verdict
from shflbench.cli.decider import needed
from shflbench.errors import LaunchError
from shflbench.measure.sentinels import version
from shflbench.store import SentinelSet, read_info, read_run
from tests.cli.against_runs import INCONCLUSIVE, ONE_SLOW, SHFL, in_process, processes_of, save_main, with_offsets
from tests.cli.demo import NEIGHBOR, REDUCE, SCRIPTS, SUITE, Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script, in_trip, one_lane


@pytest.mark.usefixtures("main")
def test_quiet_run_is_the_same_and_passes(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert "inconclusive" not in outcome.err
    assert processes_of(outcome) == [(0, 1, 2)] * 5
    assert read_info(Path("mine")).settings.processes == 3


def test_folder_of_a_run_is_a_base_as_well(run: Command, plug: Plug, main: Path) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--against", main)
    assert outcome.code == 0
    assert "\nbase: base: NVIDIA H200, " in outcome.err


@pytest.mark.usefixtures("main")
def test_slower_kernel_fails_the_gate(run: Command, plug: Plug) -> None:
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=17.0)}))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (1, "mine\n")
    assert f"\nslower   {SHFL}  69.51    73.61   +5.9 % " in outcome.err
    assert outcome.err.endswith("1 slower of 5 cases\n")


@pytest.mark.usefixtures("main")
def test_inconclusive_case_is_measured_until_it_is_decided_and_nothing_but_its_group(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(ONE_SLOW))
    outcome = run("demo.yaml", "--against", "main", "--strict")
    assert outcome.code == 0
    assert outcome.err.count(INCONCLUSIVE) == 2
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert processes_of(outcome) == [(0, 1, 2, 3, 4)] * 3 + [(0, 1, 2)] * 2
    assert list(rows_of(outcome)) == [*NEIGHBOR, *REDUCE]
    assert device.process == 4
    assert outcome.err.count("  smem-unsafe  ") == 1  # its table is shown once


@pytest.mark.usefixtures("main")
def test_run_that_was_measured_longer_is_as_whole_as_any(run: Command, plug: Plug, shflbench: Command) -> None:
    plug(FakeBackend(ONE_SLOW))
    outcome = run("demo.yaml", "--against", "main")
    read = read_run(Path(outcome.out.strip()))
    about = read.info
    assert about.finished is not None
    assert about.notes == ("3 cases were measured in one more process",) * 2
    assert about.sentinels == SentinelSet(version())
    assert about.noise is not None
    assert about.noise.verdict == "quiet"
    samples = read.samples()
    kinds = {"case_id": [SHFL, REDUCE[0], "sentinel/shuffle"]}
    taken = {name: set(samples[samples["case_id"] == name]["process"]) for name in kinds["case_id"]}
    assert taken == {SHFL: {0, 1, 2, 3, 4}, REDUCE[0]: {0, 1, 2}, "sentinel/shuffle": {0, 1, 2, 3, 4}}
    assert shflbench("compare", "main", outcome.out.strip()).code == 0


@pytest.mark.usefixtures("main")
def test_budget_ends_the_measuring(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(ONE_SLOW))
    outcome = run("demo.yaml", "--against", "main", "--budget", "0", "--strict")
    assert outcome.code == 6
    assert (
        "1 case stays inconclusive: measuring on would take longer than what is left of the 0 s of --budget\n"
    ) in outcome.err
    assert "1 inconclusive of 5 cases\n" in outcome.err
    assert device.process == 2
    plug(FakeBackend(ONE_SLOW))
    assert run("demo.yaml", "--against", "main", "--budget", "0").code == 0


def test_seconds_of_measuring_longer_are_taken_off_the_budget(
    run: Command, plug: Plug, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_main(run, plug, shflbench, processes=1)
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=16.25)}))
    clock = iter([0, 1, 1, 2, 2, 61])  # at the begin and the end of each process
    monkeypatch.setattr("shflbench.session.pipeline.monotonic", lambda: float(next(clock)))
    outcome = run("demo.yaml", "--against", "main", "--processes", "2")
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert "of the 60 s of --budget\n" in outcome.err
    assert processes_of(outcome) == [(0, 1, 2)] * 3 + [(0, 1)] * 2
    assert outcome.err.endswith("1 suspected of 5 cases\n")


@pytest.mark.usefixtures("main")
def test_case_that_no_number_of_processes_would_decide_is_not_measured_in_vain(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(with_offsets(*[0.672] * 3)))  # 0.967 %
    outcome = run("demo.yaml", "--against", "main", "--strict", "--threshold", "0.97%")
    assert outcome.code == 6
    assert "1 case stays inconclusive: no sensible number of further processes would decide that\n" in outcome.err
    assert device.process == 2


@pytest.mark.usefixtures("main")
def test_number_of_processes_that_is_asked_for_is_taken(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert processes_of(run("demo.yaml", "--against", "main", "--processes", "2")) == [(0, 1)] * 5
    Path("demo.yaml").write_text(SUITE.replace("0.001", "0.001, processes: 4"), encoding="utf-8")
    plug(FakeBackend(SCRIPTS))
    outcome = run("demo.yaml", "--against", "main", "--allow", "suite")
    assert (outcome.code, processes_of(outcome)) == (0, [(0, 1, 2, 3)] * 5)


def test_case_that_one_process_a_side_makes_suspected_is_measured_again(
    run: Command, plug: Plug, shflbench: Command
) -> None:
    save_main(run, plug, shflbench, processes=1)
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=16.6)}))
    outcome = run("demo.yaml", "--against", "main", "--processes", "1")
    assert outcome.code == 1
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert processes_of(outcome) == [(0, 1)] * 3 + [(0,)] * 2


@pytest.mark.usefixtures("main")
def test_case_that_fails_in_a_further_process_keeps_what_was_measured_before(run: Command, plug: Plug) -> None:
    failing = with_offsets(0.0, burst_raises={1: LaunchError("illegal address")})
    device = plug(in_process(FakeBackend(ONE_SLOW), 3, failing))
    outcome = run("demo.yaml", "--against", "main")
    assert outcome.code == 0
    assert device.process == 3  # no second try
    assert (
        f"warning: {SHFL} failed in a further process, and keeps what was measured before: illegal address\n"
    ) in outcome.err
    assert processes_of(outcome) == [(0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2), (0, 1, 2), (0, 1, 2)]
    assert "1 inconclusive of 5 cases\n" in outcome.err


@pytest.mark.usefixtures("main")
def test_kernel_that_is_wrong_is_worse_than_one_that_is_slower(run: Command, plug: Plug) -> None:
    scripts = {**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=17.0)}
    plug(FakeBackend({**scripts, "reduce/shfl": replace(SCRIPTS["shfl"], fault=one_lane(in_trip(0)))}))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (5, "mine\n")
    assert outcome.err.endswith("1 slower, 1 failed of 5 cases\n")


@pytest.mark.usefixtures("main")
def test_report_is_written_where_it_is_asked_for_and_stdout_holds_the_folder_alone(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = run(
        "demo.yaml", "--against", "main", "--output", "mine", "--also", "junit=report.xml", "--format", "json"
    )
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert Path("report.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert '"new"' in outcome.err


@pytest.mark.usefixtures("main")
def test_machine_that_moved_is_no_verdict_and_no_reason_to_measure_longer(run: Command, plug: Plug) -> None:
    slower = {
        name: replace(script, ns_per_iteration=1.01 * script.ns_per_iteration) for name, script in SCRIPTS.items()
    }
    device = plug(FakeBackend({**slower, "sentinel": Script(404.0, 0.0)}))
    outcome = run("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (3, "mine\n")
    assert "error: main and mine cannot be compared: " in outcome.err
    assert device.process == 2
    assert read_info(Path("mine")).finished is not None


@pytest.mark.parametrize(
    ("outcome", "reason", "a_side", "expected"),
    [
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, 7, 3),
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, 4, 1),
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, None, None),
        (Outcome.INCONCLUSIVE, Reason.TOO_FEW_ROUNDS, 7, None),
        (Outcome.SUSPECTED, Reason.FEW_PROCESSES, None, 1),
        (Outcome.SUSPECTED, Reason.NO_SENTINELS, None, None),
    ],
)
def test_further_processes_are_needed_where_they_would_tell(
    outcome: Outcome, reason: Reason, a_side: int | None, expected: int | None
) -> None:
    verdict = Verdict(case_id=SHFL, outcome=outcome, reason=reason, sentence="", needs_processes=a_side)
    assert needed(verdict, 4) == expected
