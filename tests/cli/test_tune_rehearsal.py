"""The benchmark of the tuner on a scripted GPU: it is measured within a limit on real ones, once."""

from pathlib import Path

import pytest

from benchmarks import tuner
from tests.cli.demo import Plug
from tests.cli.test_tune import FAST, MEMBERS, few_members, times_of  # noqa: F401  (the fixture is for all tests)
from tests.conftest import Command
from tests.fakes.backend import FakeBackend


def test_a_cut_measurement_goes_on_and_is_recorded(demo: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def command(words: list[str], _deadline: float) -> int | None:
        calls.append(words)
        if len(calls) == 2:
            return None
        plug(FakeBackend(times_of()))
        outcome = demo(*words, *(["--launch", "sms x 32"] if words[1] == "reduce" else []))
        assert outcome.code == 0, outcome.err
        return outcome.code

    monkeypatch.setattr(tuner, "_command", command)
    folder = Path("measured")
    steps = tuner.measure(folder, 3600, ["reduce"])
    assert [(step.name, step.ended) for step in steps] == [
        ("tuned-0", "finished"),
        ("tuned-1", "cut"),
        ("all", "finished"),
    ]
    assert tuner.recorded(folder, "reduce") == {"pattern": "reduce", "cut": {"tuned-1": "cut"}}
    steps = tuner.measure(folder, 3600, ["reduce"])
    assert {step.ended for step in steps} == {"finished"}
    assert len(calls) == 4
    record = tuner.recorded(folder, "reduce")
    setting = record["settings"][0]
    assert setting["chosen"] == [FAST, FAST]
    assert setting["fastest"] == FAST
    assert setting["candidates"] > len(MEMBERS)
    assert record["tune_processes"] == [6, 6]
    assert all(seconds > 0 for seconds in (record["all_gpu_seconds"], *record["tune_gpu_seconds"]))
    assert "| `sms x 32` |" in tuner.page([record])
    assert "s in 6 and 6 processes, 1/" in tuner.page([record])
