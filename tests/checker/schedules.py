"""Run kernels under fewer schedules: for those that differ little from others, which all ten schedules run."""

from functools import partial

import pytest

from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.machine.policies import POLICIES

THREE = ("lockstep", "lanes at random", "blocks one at a time")
_CHECK = "shflbench.checker.kernel_check"


def look_for_hazards_under_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `check` compare the results of all schedules, and look for hazards under three of them."""
    monkeypatch.setattr(f"{_CHECK}.explore", partial(explore, observed=THREE))


def run_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `check` run three schedules only."""
    monkeypatch.setattr(f"{_CHECK}.POLICIES", {name: POLICIES[name] for name in THREE})
