"""The real `shflbench run` on a scripted GPU that is disturbed in known ways."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.demo import NEIGHBOR, REDUCE, SCRIPTS, SUITE, Plug, rows_of
from tests.conftest import Command, Outcome
from tests.fakes.backend import FakeBackend
from tests.fakes.noise import Noise

SHFL = NEIGHBOR[2]


def for_a_second() -> None:
    """Let the rounds of the suite spread over a second, as they do outside of tests."""
    Path("demo.yaml").write_text(SUITE.replace("min_seconds: 0.001", "min_seconds: 1"), encoding="utf-8")


def noise_of(outcome: Outcome) -> dict[str, str]:
    """Return the kind of trouble of each case."""
    return {case_id: next(iter(row.noise or ()), "quiet") for case_id, row in rows_of(outcome).items()}


def test_processes_that_differ_widen_the_interval_and_are_reported(run: Command, plug: Plug) -> None:
    offset = replace(SCRIPTS["shfl"], offsets_us=(0.0, 0.64))
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": offset}))
    outcome = run("demo.yaml", "--processes", "2")
    assert outcome.code == 0
    row = rows_of(outcome)[SHFL]
    assert (row.time_us, row.time_low_us, row.time_high_us) == (69.856, 69.52, 70.192)
    assert (row.processes, row.rounds, row.samples) == ((0, 1), 18, 2 * 90)
    assert row.ns_per_iteration == 16.0  # an offset is no slope
    assert row.launch_overhead_us == pytest.approx(4.32)
    assert noise_of(outcome) == {**dict.fromkeys((*NEIGHBOR, *REDUCE), "quiet"), SHFL: "processes"}
    assert "\n  shfl          69.86 ± 0.34  16.00 ± 0.02  4.75×     verified; noise: processes differ\n" in outcome.err
    assert (
        f"\nwarning: {SHFL}: it takes 0.92% longer in process 1 than in process 0; their intervals do not overlap; "
    ) in outcome.err
    assert outcome.err.count("SM clock when warm: 2000 MHz.") == 2
    samples = read_run(Path(outcome.out.strip())).samples()
    shfl = samples[(samples["case_id"] == SHFL) & (samples["iterations"] == 4096)]
    assert shfl.groupby("process")["time_us"].median().tolist() == pytest.approx([69.536, 70.176])


def test_processes_that_agree_narrow_nothing_and_widen_nothing(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    row = rows_of(run("demo.yaml", "--processes", "2"))[SHFL]
    assert (row.time_us, row.time_low_us, row.time_high_us) == (69.536, 69.52, 69.552)
    assert (row.processes, row.noise) == ((0, 1), {})


def test_drifting_case_is_reported_with_advice(run: Command, plug: Plug) -> None:
    for_a_second()
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": replace(SCRIPTS["shfl"], noise=Noise(drift=0.01))}))
    outcome = run("demo.yaml")
    assert noise_of(outcome) == {**dict.fromkeys((*NEIGHBOR, *REDUCE), "quiet"), SHFL: "drift"}
    reason = rows_of(outcome)[SHFL].reason or ""
    assert reason.startswith(("its time rose by 0.9", "its time rose by 1%"))
    (warned,) = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert warned.startswith(f"warning: {SHFL}: {reason}; ")
    assert "nvidia-smi --lock-gpu-clocks" in warned  # as the advice has it
    assert "verified; noise: drift\n" in outcome.err
    assert "The machine was quiet: " in outcome.err  # the sentinels show that it is the case alone


def test_clock_that_drifts_is_reported_once_for_all_cases_and_by_the_sentinels(run: Command, plug: Plug) -> None:
    for_a_second()
    plug(FakeBackend(SCRIPTS, noise=Noise(drift=0.01)))
    outcome = run("demo.yaml")
    assert set(noise_of(outcome).values()) == {"drift"}
    warned = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 2
    assert warned[0].startswith("warning: the times of 5 cases drifted by up to ")
    assert warned[1].startswith("warning: drifting clock: the times of all long sentinels moved by at least 0.")
    recorded = read_run(Path(outcome.out.strip())).info.noise
    assert recorded is not None
    assert recorded.verdict == "drifting clock"


@pytest.mark.archs
def test_slow_episodes_are_reported_and_do_not_move_the_median(run: Command, plug: Plug) -> None:
    for_a_second()
    episodes = Noise(slow=((0.35, 0.4), (0.8, 0.9)))
    plug(FakeBackend(SCRIPTS, noise=episodes))
    outcome = run("demo.yaml")
    assert set(noise_of(outcome).values()) == {"slow-episodes"}
    assert "warning: some rounds of" not in outcome.err  # 0.3% is within the precision of 0.5%
    plug(FakeBackend(SCRIPTS, noise=episodes))
    outcome = run("demo.yaml", "--precision", "0.2%")
    assert "\nwarning: some rounds of 5 cases were up to 0.3" in outcome.err
    assert rows_of(outcome)[SHFL].time_us == pytest.approx(69.536, rel=0.0005)


def test_throttled_samples_are_dropped_and_reported(run: Command, plug: Plug) -> None:
    for_a_second()
    plug(FakeBackend(SCRIPTS, noise=Noise(throttled=((0.5, 0.7),), throttled_by=0.3)))
    outcome = run("demo.yaml")
    rows = rows_of(outcome)
    assert set(noise_of(outcome).values()) == {"throttled"}
    assert all(row.dropped and row.samples and row.dropped < row.samples for row in rows.values())
    assert rows[SHFL].time_us == pytest.approx(69.536, rel=0.0005)
    assert "of the samples of 5 cases were dropped (throttled, or host-bound), worst in " in outcome.err
    assert "\nwarning: drifting clock: " in outcome.err
