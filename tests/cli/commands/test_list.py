from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from shflbench.cli.gpus import Gpu
from shflbench.errors import DeviceError
from shflbench.patterns.discover import builtin
from shflbench.suite import shipped

if TYPE_CHECKING:
    from tests.conftest import Command

H200 = Gpu(0, "NVIDIA H200", "sm_90", 139.8, "580.95.05", "GPU-1234")


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> list[Gpu]:
        message = "no NVIDIA driver is loaded"
        raise DeviceError(message)

    monkeypatch.setattr("shflbench.cli.gpus.find", find)


def test_patterns_are_listed_as_a_table(shflbench: Command) -> None:
    outcome = shflbench("list", "patterns")
    assert outcome.code == 0
    assert outcome.out.splitlines()[:2] == [
        "name      dtypes           variants  summary",
        "neighbor  f32 f64 i32 i64  6         Each lane takes the value of its right neighbour in the warp.",
    ]


def test_variants_say_which_are_unsafe(shflbench: Command) -> None:
    variants = json.loads(shflbench("list", "variants", "--format", "json").out)
    unsafe = {(item["pattern"], item["name"]) for item in variants if not item["safe"]}
    assert unsafe == {("neighbor", "smem-unsafe"), ("neighbor", "smem-deck"), ("reduce", "smem-unsafe")}


def test_every_suite_is_listed_with_its_number_of_cases(shflbench: Command) -> None:
    suites = json.loads(shflbench("list", "suites", "--format", "json").out)
    assert [item["name"] for item in suites] == list(shipped())
    assert {item["name"]: item["cases"] for item in suites}["gtc2013"] == 40


def test_devices_are_listed_with_their_architecture(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cli.gpus.find", lambda: [H200])
    assert shflbench("list", "devices").out == (
        "index  name         arch   memory gib  driver     uuid\n"
        "0      NVIDIA H200  sm_90  139.8       580.95.05  GPU-1234\n"
    )


@pytest.mark.usefixtures("no_driver")
def test_machine_without_a_driver_has_no_devices_and_says_why(shflbench: Command) -> None:
    outcome = shflbench("list", "devices", "--format", "json")
    assert (outcome.code, json.loads(outcome.out)) == (0, [])
    assert outcome.err == "devices: none, because no NVIDIA driver is loaded\n"


@pytest.mark.usefixtures("no_driver")
def test_without_a_word_everything_is_listed(shflbench: Command) -> None:
    everything = json.loads(shflbench("list", "--format", "json").out)
    assert list(everything) == ["suites", "patterns", "variants", "devices"]
    assert [item["name"] for item in everything["patterns"]] == list(builtin())
    headings = [line for line in shflbench("list").out.splitlines() if line and not line.startswith(" ")]
    assert headings == ["suites", "patterns", "variants"]
