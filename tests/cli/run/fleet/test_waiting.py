"""Messages of a run on a cluster while it waits for GPUs."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from shflbench.cli.console import Console
from shflbench.cli.run.fleet import cluster
from shflbench.cli.run.fleet.cluster import FIRST_SECONDS, first_devices
from shflbench.errors import DeviceError
from shflbench.session.fleet.devices import DeviceFinder
from shflbench.session.fleet.executor import FleetDevice

MANY = [f"node{number}: no usable GPU" for number in range(10)]


@dataclass
class FakeFinder:
    """A cluster that has one GPU at once, if any, and a second one after some seconds; sleeping advances the clock."""

    reasons: list[str] = field(default_factory=list)
    first: int = 1
    second_after: float = float("inf")
    now: float = 0.0
    given: int = 0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def open_new(self) -> tuple[list[Any], list[str]]:
        there = self.first + (self.now >= self.second_after)
        new, self.given = there - self.given, there
        return [object()] * new, []

    def unusable(self) -> list[str]:
        return self.reasons


def wait(fake: FakeFinder, count: int | None, monkeypatch: pytest.MonkeyPatch) -> list[FleetDevice]:
    monkeypatch.setattr(cluster, "time", fake)
    return first_devices(cast("DeviceFinder", fake), "tcp://1:1", count, Console())


def test_missing_gpus_are_reported_twice_per_minute_with_the_reasons(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(wait(FakeFinder(MANY, second_after=65.0), 2, monkeypatch)) == 2
    lines = capsys.readouterr().err.splitlines()
    report = [*(f"  not used: {reason}" for reason in MANY[:8]), "  and 2 more"]
    assert lines == [
        "Waiting for GPUs: 1 of 2.",
        "Waited 30 s for GPUs: 1 of 2.",
        *report,
        "Waited 60 s for GPUs: 1 of 2.",
        *report,
    ]


def test_cluster_without_a_usable_gpu_says_why_or_how_to_start_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    for reasons, sentence, advice in (
        ([], "a GPU that can be used", "Start workers on machines with GPUs"),
        (MANY[:2], "can be used: node0: no usable GPU; 1 more", "Correct this on the machines of the workers"),
    ):
        fake = FakeFinder(reasons, first=0)
        with pytest.raises(DeviceError) as caught:
            wait(fake, None, monkeypatch)
        assert FIRST_SECONDS < fake.now < FIRST_SECONDS + 3
        assert sentence in caught.value.message
        assert caught.value.advice.startswith(advice)
