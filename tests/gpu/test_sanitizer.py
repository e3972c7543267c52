"""compute-sanitizer and the emulator on the same kernels."""

import json
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.environment import compute_sanitizer
from tests.conftest import Command
from tests.kernel_facts.pattern_checks.conftest import PLANTED

pytestmark = pytest.mark.gpu


@pytest.fixture
def check(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench check --sanitizer`."""
    if compute_sanitizer() is None:
        pytest.skip("compute-sanitizer is not installed")
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    return lambda *words: shflbench("check", *words, "--sanitizer", "--format", "json")


def results(text: str) -> dict[str, dict[str, Any]]:
    return {f"{item['pattern']}/{item['variant']}": item for item in json.loads(text)["kernels"]}


def test_both_agree_on_every_built_in_kernel(check: Command) -> None:
    outcome = check("neighbor", "reduce", "--dtype", "f32")
    assert outcome.code == 0, outcome.err
    for name, kernel in results(outcome.out).items():
        said = kernel["compute_sanitizer"]
        assert said["failures"] == [], name
        assert (said["synccheck"]["errors"], said["memcheck"]["errors"]) == (0, 0), name
        racecheck = said["racecheck"]
        races = [finding for finding in kernel["findings"] if finding["kind"] in {"RAW", "WAR", "WAW"}]
        assert bool(racecheck["errors"] + racecheck["warnings"]) == bool(races), name
        if not kernel["safe"]:
            assert racecheck["errors"] == 0, name  # hazards within a warp are warnings
            assert racecheck["hazards"] > 0, name


def test_racecheck_finds_the_planted_races_and_memcheck_the_planted_access(check: Command) -> None:
    variants = ("right", "one-barrier", "lockstep", "past-shared")
    words = [word for variant in variants for word in ("--variant", variant)]
    outcome = check(PLANTED, "--dtype", "i32", *words)
    assert outcome.code == 1, outcome.err
    kernels = results(outcome.out)
    said = {name.removeprefix("pairs/"): kernel["compute_sanitizer"] for name, kernel in kernels.items()}
    assert said["right"]["racecheck"]["warnings"] == 0
    for name in ("one-barrier", "lockstep"):
        assert said[name]["racecheck"]["warnings"] > 0, name
    assert said["past-shared"]["memcheck"]["errors"] > 0 or said["past-shared"]["failures"]
