from __future__ import annotations

from dataclasses import replace

import pytest

from shflbench.cli.gpu_state import describe, disturbances, usable
from shflbench.model import DeviceState

QUIET = DeviceState(
    ecc=True, mig=False, persistence=True, compute_mode="default", power_limit_w=700.0, other_processes=0
)


def test_state_that_is_all_known_is_one_line() -> None:
    assert describe(QUIET) == (
        "ECC on, MIG off, persistence on, compute mode default, power limit 700 W, nobody else computes on it"
    )


def test_what_is_unknown_is_left_out() -> None:
    assert describe(DeviceState(ecc=False, power_limit_w=72.5, other_processes=0)) == (
        "ECC off, power limit 72.5 W, nobody else computes on it"
    )
    assert describe(DeviceState()) == ""


def test_processes_that_cannot_be_seen_are_not_called_absent() -> None:
    assert describe(DeviceState(ecc=True)) == "ECC on, other processes not shown here"


@pytest.mark.parametrize("state", [QUIET, DeviceState()], ids=["quiet", "unknown"])
def test_nothing_disturbs_a_quiet_or_unknown_gpu(state: DeviceState) -> None:
    assert list(disturbances(0, state)) == []
    assert usable(state)


@pytest.mark.parametrize(
    ("state", "found", "remedy"),
    [
        (
            replace(QUIET, mig=True),
            "MIG cuts it into instances: times are those of one, and others move the clock",
            "have its owner run: nvidia-smi -i 2 -mig 0",
        ),
        (
            replace(QUIET, other_processes=1),
            "another process computes on it, which makes times longer and uneven",
            "wait, or choose another GPU with --gpu; nvidia-smi lists who it is",
        ),
        (
            replace(QUIET, other_processes=3),
            "3 others compute on it, which makes times longer and uneven",
            "wait, or choose another GPU with --gpu; nvidia-smi lists who it is",
        ),
        (
            replace(QUIET, compute_mode="prohibited"),
            "no program may compute on it: its compute mode is prohibited",
            "have its owner run: nvidia-smi -i 2 -c DEFAULT",
        ),
    ],
    ids=["mig", "another", "others", "prohibited"],
)
def test_what_disturbs_is_said_with_its_remedy(state: DeviceState, found: str, remedy: str) -> None:
    assert list(disturbances(2, state)) == [(found, remedy)]


def test_gpu_whose_compute_mode_is_prohibited_cannot_be_used() -> None:
    assert not usable(replace(QUIET, compute_mode="prohibited"))
    assert usable(replace(QUIET, compute_mode="exclusive-process"))
