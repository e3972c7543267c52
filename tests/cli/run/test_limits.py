"""The limits that a run writes at its end."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import CompilerError
from shflbench.kernel_facts import stored_limits
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits, write_limits
from tests.cli.demo import SCRIPTS, Plug
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script

WRITE_LIMITS = stored_limits.write_limits_of  # which a scripted GPU replaces
SLOW = {name: Script(ns_per_iteration=500.0) for name in SCRIPTS}
IMPOSSIBLE = {name: Script(ns_per_iteration=0.5) for name in SCRIPTS}


@pytest.fixture
def with_limits(run: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run on a scripted GPU, and compute limits as on a real one."""

    def call(*words: str | Path) -> object:
        monkeypatch.setattr(stored_limits, "write_limits_of", WRITE_LIMITS)
        return run(*words)

    plug(FakeBackend(SLOW))
    return call  # type: ignore[return-value]


def test_a_run_on_a_gpu_stores_the_limit_of_each_timed_case(with_limits: Command) -> None:
    outcome = with_limits("demo.yaml", "--output", "out")
    assert outcome.code == 0
    limits = read_limits(Path("out"))
    assert list(limits) == [row.case_id for row in read_run(Path("out")).rows if row.time_us]
    assert any(limit.limit_us for limit in limits.values())
    assert "faster than the limit" not in outcome.err


@pytest.mark.archs
def test_a_resumed_run_keeps_closer_limits(with_limits: Command) -> None:
    assert with_limits("demo.yaml", "--output", "out").code == 0
    limits = read_limits(Path("out"))
    closer, lost = [case_id for case_id, limit in limits.items() if limit.limit_us][:2]
    counted = limits[closer]
    counted = replace(counted, limit_us=2 * (counted.limit_us or 0), limit_fraction=2 * (counted.limit_fraction or 0))
    write_limits(Path("out"), [counted, *(limit for name, limit in limits.items() if name not in {closer, lost})])
    assert not stored_limits.write_limits_of(read_run(Path("out")), {}, Path("baselines"))
    after = read_limits(Path("out"))
    assert list(after) == list(limits)
    assert after[closer].limit_us == pytest.approx(counted.limit_us)
    assert after[lost] == limits[lost]


def test_a_case_that_beats_its_limit_is_a_warning(with_limits: Command, plug: Plug) -> None:
    plug(FakeBackend(IMPOSSIBLE))
    outcome = with_limits("demo.yaml", "--output", "out")
    assert outcome.code == 0
    assert "faster than the limit, so the limit is wrong" in outcome.err


def test_a_run_whose_limits_cannot_be_computed_is_complete(
    with_limits: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CompilerError("nvdisasm does not run")

    monkeypatch.setattr("shflbench.kernel_facts.stored_limits.limits_of", refuse)
    outcome = with_limits("demo.yaml", "--output", "out")
    assert outcome.code == 0
    assert "the limits are missing: nvdisasm does not run" in outcome.err
    assert "shflbench limits --save out" in outcome.err
    assert not (Path("out") / "limits.csv").exists()
    assert read_run(Path("out")).is_finished


def test_an_emulated_run_has_no_limits(run: Command) -> None:
    assert run("demo.yaml", "--output", "out").code == 0
    assert not (Path("out") / "limits.csv").exists()
