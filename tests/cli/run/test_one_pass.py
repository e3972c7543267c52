"""`shflbench run` of a pattern whose kernels make one pass over their data."""

from pathlib import Path

import pytest

from shflbench.core.model import SENTINEL, Status
from shflbench.store import read_run
from tests.cli.demo import PATTERNS, Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane

ONCE = PATTERNS / "once"
SUITE = f"""\
schema: 1
name: once
measure: {{min_seconds: 0.001}}
experiments: [{{pattern: {ONCE}, launch: 1024x1024, dtypes: f64}}]
"""
GLOBAL, SHFL = (f"once/{variant}/f64/1024x1024/1" for variant in ("global", "shfl"))


@pytest.fixture
def once(run: Command) -> Command:
    Path("once.yaml").write_text(SUITE, encoding="utf-8")
    return lambda *words: run("once.yaml", *words)


@pytest.mark.archs
def test_it_has_a_bandwidth_and_no_time_of_an_iteration(once: Command, plug: Plug) -> None:
    plug(FakeBackend({"global": Script(base_us=16.0), "shfl": Script(base_us=8.0)}, folders=[ONCE]))
    outcome = once()
    assert outcome.code == 0, outcome.err
    rows = rows_of(outcome)
    assert list(rows) == [GLOBAL, SHFL]
    shuffled = rows[SHFL]
    assert (shuffled.status, shuffled.iterations, shuffled.verified_iterations) == (Status.TIMED, 1, (1,))
    assert shuffled.time_us is not None
    moved = 2 * 1024 * 1024 * 8  # bytes, in megabytes a second of microseconds
    assert shuffled.gb_per_s == pytest.approx(moved / shuffled.time_us / 1000, rel=1e-6)
    assert shuffled.gb_per_s == pytest.approx(2 * (rows[GLOBAL].gb_per_s or 0), rel=0.01)
    assert (shuffled.ns_per_iteration, shuffled.cycles_per_iteration) == (None, None)
    assert (shuffled.sass_per_iteration, shuffled.launch_overhead_us) == (None, None)
    samples = read_run(Path(outcome.out.strip())).samples()
    cases = samples[~samples["case_id"].str.startswith(f"{SENTINEL}/")]
    assert set(cases["iterations"]) == {1}


def test_wrong_kernel_is_reported_without_iterations(once: Command, plug: Plug) -> None:
    plug(FakeBackend({"shfl": Script(fault=one_lane(in_iteration(0)))}, folders=[ONCE]))
    outcome = once()
    assert outcome.code == 5
    row = rows_of(outcome)[SHFL]
    assert (row.status, row.gb_per_s) == (Status.INCORRECT, None)
    assert (row.reason or "").startswith("on input 0, element ")


def test_it_is_verified_on_the_emulator(once: Command) -> None:
    outcome = once("--launch", "2x64")
    assert outcome.code == 0, outcome.err
    assert {row.status for row in rows_of(outcome).values()} == {Status.VERIFIED}
