"""`shflbench run` of kernels without a reference in NumPy: one variant is the trusted reference."""

from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.errors import LaunchError
from shflbench.store import Row
from tests.cli.demo import Plug, copy_neighbor, rows_of
from tests.conftest import Command, Outcome
from tests.fakes.backend import FakeBackend, Script, in_iteration, lost, one_lane

SUITE = """\
schema: 1
name: own
measure: {min_seconds: 0.001}
experiments:
  - {pattern: ./swap, variants: [shfl, smem-syncwarp, smem], dtypes: f32, launch: 2x64, iterations: 64}
"""


@pytest.fixture
def swap(run: Command) -> Command:
    """Call `shflbench run` with a copy of `neighbor` whose variant `smem` is the trusted reference."""
    Path("own.yaml").write_text(SUITE, encoding="utf-8")
    copy_neighbor("swap", ("pattern.py", "PATTERN = Pattern(", 'PATTERN = Pattern(\n    reference_variant="smem",'))
    return lambda *words: run("own.yaml", *words)


def by_variant(outcome: Outcome) -> dict[str, Row]:
    return {row.variant: row for row in rows_of(outcome).values()}


def statuses(outcome: Outcome) -> dict[str, Status]:
    return {variant: row.status for variant, row in by_variant(outcome).items()}


def device(**scripts: Script) -> FakeBackend:
    named = {name.replace("_", "-"): script for name, script in scripts.items()}
    return FakeBackend(named, folders=[Path("swap").resolve()])


@pytest.mark.archs
def test_other_variants_are_compared_with_it_in_any_order(swap: Command, plug: Plug) -> None:
    plug(device())
    outcome = swap()
    assert outcome.code == 0, outcome.err
    assert set(statuses(outcome).values()) == {Status.TIMED}
    plug(device(shfl=Script(fault=one_lane(in_iteration(0)))))
    outcome = swap()
    assert outcome.code == 5
    assert statuses(outcome) == {"shfl": Status.INCORRECT, "smem-syncwarp": Status.TIMED, "smem": Status.TIMED}


def test_reference_that_is_wrong_like_the_others_is_not_detected(swap: Command, plug: Plug) -> None:
    wrong = Script(fault=lost(in_iteration(0)))  # so that a reader of the results has to trust it
    plug(device(shfl=wrong, smem=wrong, smem_syncwarp=wrong))
    assert swap().code == 0


def test_a_reference_that_gives_another_result_the_second_time_is_not_trusted(swap: Command, plug: Plug) -> None:
    plug(device(smem=Script(fault=one_lane(in_iteration(0), runs=1))))
    outcome = swap()
    assert outcome.code == 5
    rows = by_variant(outcome)
    assert (rows["smem"].reason or "").startswith("the reference gives another result the second time: ")
    for other in ("shfl", "smem-syncwarp"):
        assert (rows[other].status, rows[other].time_us) == (Status.FAILED, None)
        assert "the reference variant `smem`" in (rows[other].reason or "")


def test_a_reference_that_crashes_leaves_nothing_to_compare_with(swap: Command, plug: Plug) -> None:
    plug(device(smem=Script(run_raises={0: LaunchError("illegal address")})))
    outcome = swap()
    assert outcome.code == 5
    assert set(statuses(outcome).values()) == {Status.FAILED}


def test_a_suite_without_it_is_refused(swap: Command) -> None:
    outcome = swap("--variant", "shfl")
    assert outcome.code == 2
    assert "lacks the variant `smem`" in outcome.err
