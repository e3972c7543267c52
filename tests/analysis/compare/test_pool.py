from dataclasses import astuple, replace

import numpy as np
import pytest

from shflbench.analysis.compare import Side, compare
from shflbench.analysis.compare.noise import NoiseModel
from shflbench.analysis.compare.pool import Pool, evidence_of, judgments
from shflbench.analysis.compare.sides import KernelTimes
from shflbench.core.model import Status
from shflbench.core.thresholds import Thresholds
from shflbench.errors import ResultsError
from tests.fakes.runs import H200, untimed
from tests.fakes.sides import side, without
from tests.fakes.simulated import SENTINEL_US, Simulated, spread

FEW = spread(4)
FIRST, SECOND, *_ = (case.id for case in FEW)
BASE = side(Simulated(cases=FEW, processes=4, seed=1))
NEW = side(Simulated(cases=FEW, processes=4, seed=2, factors={SECOND: 1.2}))
NO_FLAGS = Thresholds()


def test_a_pool_has_every_process_with_every_case_and_sentinel() -> None:
    pool = Pool.of(BASE)
    assert pool.processes == ((0, 0), (0, 1), (0, 2), (0, 3))
    assert (pool.cases.keys(), pool.sentinels.keys()) == (BASE.rows.keys(), SENTINEL_US.keys())
    assert pool.gpu == H200.uuid


@pytest.mark.parametrize("names", [[FIRST], list(SENTINEL_US)], ids=["a case", "the sentinels"])
def test_an_incomplete_process_is_left_out(names: list[str]) -> None:
    assert Pool.of(without(BASE, *names)).processes == ((0, 0), (0, 1), (0, 2))


def test_cases_that_were_not_timed_are_no_part_of_it() -> None:
    rows = {**BASE.rows, FIRST: untimed(BASE.rows[FIRST], Status.FAILED, "it crashed")}
    assert list(Pool.of(replace(BASE, rows=rows)).cases) == list(BASE.rows)[1:]


@pytest.mark.parametrize(
    "poor",
    [
        replace(BASE, kernels={}),
        replace(BASE, rows={}),
        side(Simulated(cases=FEW, sentinels=False)),
        without(without(without(without(BASE, FIRST), FIRST, process=2), FIRST, process=1), SECOND, process=0),
    ],
    ids=["no samples", "no cases", "no sentinels", "no common process"],
)
def test_sides_without_samples_or_sentinels_are_refused(poor: Side) -> None:
    with pytest.raises(ResultsError, match="has no process with samples of every case and of the sentinels"):
        Pool.of(poor)


def test_processes_are_picked_for_cases_and_sentinels_alike() -> None:
    pool = Pool.of(BASE).select([(0, 2), (0, 0)])
    assert pool.processes == ((0, 2), (0, 0))
    assert {own.processes for own in pool.cases.values()} == {pool.processes}


@pytest.mark.parametrize("learned", [None, NoiseModel(0.05, 4e-4, "learned")])
@pytest.mark.parametrize("requested", [(), ("5%", f"{SECOND}=30%")])
def test_pools_are_judged_as_sides_are(requested: tuple[str, ...], learned: NoiseModel | None) -> None:
    from shflbench.analysis.compare import Settings

    thresholds = Thresholds.parse(requested)
    result = compare(BASE, NEW, Settings(thresholds=thresholds, noise=learned))
    found = judgments(Pool.of(BASE), Pool.of(NEW), thresholds, learned)
    for finding, verdict in zip(found, result.verdicts, strict=True):
        assert (finding.case_id, finding.outcome, finding.reason) == (verdict.case_id, verdict.outcome, verdict.reason)
        assert verdict.ratio is not None
        assert astuple(finding.ratio) == pytest.approx(astuple(verdict.ratio))


def test_pools_between_which_the_machine_changed_have_no_judgment() -> None:
    slower = Pool.of(side(Simulated(cases=FEW, processes=4, seed=2, factor=1.01)))
    assert evidence_of(Pool.of(BASE), slower).machine_change > 0.005
    assert judgments(Pool.of(BASE), slower, NO_FLAGS) == []


def test_pools_know_their_gpu() -> None:
    one, other = Pool.of(BASE), replace(Pool.of(NEW), gpu="GPU-2")
    assert evidence_of(one, Pool.of(NEW)).one_gpu
    assert not evidence_of(one, other).one_gpu


def test_a_pass_over_memory_has_more_noise() -> None:
    nothing = {"iterations": 1, "sass_per_iteration": None}
    rows = {**BASE.rows, FIRST: replace(BASE.rows[FIRST], **nothing)}  # type: ignore[arg-type]
    kernels = {**BASE.kernels, FIRST: KernelTimes({1: BASE.kernels[FIRST].counts[4096]}, 8)}
    pool = Pool.of(replace(BASE, rows=rows, kernels=kernels))
    assert pool.passes == {FIRST}
    plain, passing = (
        judgments(each, Pool.of(NEW), NO_FLAGS, NoiseModel(0.05, 0.0, ""))[0] for each in (Pool.of(BASE), pool)
    )
    assert passing.ratio.high - passing.ratio.low > 1.5 * (plain.ratio.high - plain.ratio.low)


@pytest.mark.parametrize("launches", [1, 0])
def test_cases_that_cannot_be_compared_are_left_out(launches: int) -> None:
    new = Pool.of(NEW)
    other = replace(new, cases={**new.cases, FIRST: replace(new.cases[FIRST], launches=launches)})
    nothing = replace(new, cases={**new.cases, FIRST: replace(new.cases[FIRST], values=np.zeros(4))})
    fewer = replace(new, cases={name: own for name, own in new.cases.items() if name != FIRST})
    for pool in (other, nothing, fewer):
        assert [finding.case_id for finding in judgments(Pool.of(BASE), pool, NO_FLAGS)] == list(BASE.rows)[1:]
