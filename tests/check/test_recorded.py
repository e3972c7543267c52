"""What compute-sanitizer said on an H200 of every built-in kernel, beside what the emulator says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.check.conftest import Reports

RECORD = (
    Path(__file__).parents[1] / "data" / "check-nvidia-h200.json"
)  # check neighbor reduce --sanitizer --format json
KERNELS: list[dict[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))["kernels"]
RACES = {"RAW", "WAR", "WAW"}


def name_of(kernel: dict[str, Any]) -> str:
    return "{pattern}/{variant}/{dtype}".format_map(kernel)


def test_every_built_in_kernel_was_recorded() -> None:
    assert len(KERNELS) == 53
    assert len({name_of(kernel) for kernel in KERNELS}) == 53


@pytest.mark.parametrize("kernel", KERNELS, ids=name_of)
def test_racecheck_and_the_emulator_agree(kernel: dict[str, Any]) -> None:
    said = kernel["compute_sanitizer"]
    races = [finding for finding in kernel["findings"] if finding["kind"] in RACES]
    assert said["failures"] == []
    assert (said["racecheck"]["warnings"] > 0) == bool(races) == (not kernel["safe"])
    assert said["racecheck"]["errors"] == 0  # races within a warp are warnings
    assert (said["synccheck"]["errors"], said["memcheck"]["errors"]) == (0, 0)


def test_the_emulator_still_says_what_was_recorded(built_in: Reports) -> None:
    recorded = {name_of(kernel): kernel["verdict"] for kernel in KERNELS}
    verdicts = {f"{item.pattern}/{item.variant}/{item.dtype}": str(item.verdict) for item in built_in.values()}
    assert len(verdicts) >= 14
    assert {name: recorded[name] for name in verdicts} == verdicts
