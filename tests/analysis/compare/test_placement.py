from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from shflbench.analysis.compare import Outcome, Settings, Side, compare
from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.draws import judge_pair
from shflbench.analysis.compare.evidence import ComparisonEvidence, set_threshold
from shflbench.analysis.compare.noise import NoiseModel, Weights
from shflbench.analysis.compare.offset import Offsets
from shflbench.analysis.compare.placement import (
    MOST,
    OF_CHAIN,
    OF_PASS_US,
    PageUse,
    page_use,
    recorded_waits,
    with_placement,
)
from shflbench.analysis.compare.pool import Pool, judgments
from shflbench.analysis.compare.rule import Contrast
from shflbench.core.model import Mechanism
from shflbench.core.thresholds import Thresholds
from shflbench.patterns.discover import builtin, load
from shflbench.store import Row, read_run
from shflbench.store.limits_file import read_limits
from shflbench.store.provenance import Conversion
from tests.fakes.estimated import estimated
from tests.fakes.pools import recorded
from tests.fakes.sides import side
from tests.fakes.simulated import Simulated, spread

ROOT = Path(__file__).parents[3]
RECORDED = [path.parent for path in sorted((ROOT / "results").glob("*/*/run.json"))]
HALF = 0.5  # of the time is explained by a limit that is at least this fraction of it
FULL = ComparisonEvidence(sampled=True, offsets=Offsets({(0, 0): 0.0}, {(0, 0): 0.0}), machine_change=0.0)
LEARNED = NoiseModel(0.03, 2.5e-4, "learned")
BASE, NEW = (side(Simulated(cases=spread(3), processes=3, seed=seed)) for seed in (1, 2))
LONGEST = list(BASE.rows)[-1]


def contrast(time_us: float = 69.0, processes: int = 3) -> Contrast:
    times = estimated(*[time_us] * processes)
    return Contrast("case", times, times, Weights(1.0, time_us**2))


def as_chain(known: Side, factor: float = 1.0) -> Side:
    """Return a side whose longest case is a chain of loads from L2, and takes `factor` times as long."""
    rows = {**known.rows, LONGEST: replace(known.rows[LONGEST], pattern="memory-ladder", variant="l2")}
    return slowed(replace(known, rows=rows), factor)


def slowed(known: Side, factor: float) -> Side:
    kernel = known.kernels[LONGEST]
    counts = {
        count: {key: [times * factor for times in rounds] for key, rounds in taken.items()}
        for count, taken in kernel.counts.items()
    }
    return replace(known, kernels={**known.kernels, LONGEST: replace(kernel, counts=counts)})


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.parent.name)
def test_each_recorded_case_that_l2_or_dram_limits_is_declared_to_wait_for_memory(folder: Path) -> None:
    limits, rows = read_limits(folder), {row.case_id: row for row in read_run(folder).rows}
    limited = [
        case_id
        for case_id, limit in limits.items()
        if limit.limit_by in {"dram", "l2"} and (limit.limit_fraction or 0.0) > HALF
    ]
    assert [case_id for case_id in limited if page_use(rows[case_id]) is PageUse.NONE] == []


def test_recorded_limits_include_cases_that_memory_limits() -> None:
    limits = [limit for folder in RECORDED for limit in read_limits(folder).values()]
    assert sum(limit.limit_by == "dram" and (limit.limit_fraction or 0.0) > HALF for limit in limits) > 100


def test_only_loops_over_global_memory_are_declared() -> None:
    declared = {
        (name, variant.name, variant.mechanism)
        for name, folder in builtin().items()
        for variant in load(folder).declaration.variants
        if variant.waits_for_memory
    }
    assert declared == {("memory-ladder", "l2", Mechanism.GLOBAL), ("memory-ladder", "dram", Mechanism.GLOBAL)}


@pytest.mark.parametrize(
    ("pattern", "variant", "use"),
    [
        ("memory-ladder", "l2", PageUse.CHAIN),
        ("memory-ladder", "l1", PageUse.NONE),
        ("neighbor", "shfl", PageUse.NONE),
        ("my-pattern", "l2", PageUse.NONE),
    ],
)
def test_loop_waits_for_memory_where_a_shipped_pattern_declares_it(pattern: str, variant: str, use: PageUse) -> None:
    assert page_use(replace(BASE.rows[LONGEST], pattern=pattern, variant=variant)) is use


def test_loop_waits_for_memory_where_the_run_recorded_it() -> None:
    row = replace(BASE.rows[LONGEST], pattern="my-pattern", variant="l2")
    assert page_use(row, frozenset({"my-pattern/l2"})) is PageUse.CHAIN
    assert page_use(row, frozenset()) is PageUse.NONE
    assert page_use(replace(row, pattern="memory-ladder"), frozenset({"my-pattern/l2"})) is PageUse.NONE


def test_declarations_of_all_runs_count_and_an_older_run_has_none() -> None:
    (info,) = (run.info for run in BASE.runs)
    runs = [replace(info, waits_for_memory=names) for names in (("a/l2",), (), ("b/dram", "a/l2"))]
    assert recorded_waits(runs) == frozenset({"a/l2", "b/dram"})
    assert recorded_waits([*runs, replace(info, waits_for_memory=None)]) is None


def test_declaration_of_a_user_s_pattern_makes_a_change_suspected() -> None:
    def of_user(known: Side, waits: tuple[str, ...]) -> Side:
        rows = {**known.rows, LONGEST: replace(known.rows[LONGEST], pattern="my-pattern", variant="gather")}
        runs = tuple(replace(run, info=replace(run.info, waits_for_memory=waits)) for run in known.runs)
        return replace(known, rows=rows, runs=runs)

    declared = ("my-pattern/gather",)
    verdict = compare(of_user(BASE, declared), of_user(slowed(NEW, 1.02), declared)).verdicts[-1]
    assert (verdict.outcome, verdict.reason) == (Outcome.SUSPECTED, Reason.PAGE_PLACEMENT)
    assert compare(of_user(BASE, ()), of_user(slowed(NEW, 1.02), ())).verdicts[-1].outcome is Outcome.SLOWER
    assert Pool.of(of_user(BASE, declared)).chains == {LONGEST}


def test_pass_over_data_waits_for_memory() -> None:
    row: Row = replace(BASE.rows[LONGEST], iterations=1, sass_per_iteration=None)
    assert page_use(row) is PageUse.PASS


def test_recorded_pool_has_one_chain_and_its_passes() -> None:
    pool = recorded()
    assert pool.chains == {"memory-ladder/l2/i32/26x1024/400/chains=1/lines=64"}
    assert {case_id.partition("/")[0] for case_id in pool.passes} == {
        "struct-access",
        "moving-average",
        "neighbor-difference",
    }


def test_effect_of_pages_shrinks_with_the_processes_and_is_limited() -> None:
    def effect(use: PageUse, time_us: float, processes: int) -> float:
        return with_placement(contrast(time_us, processes), use).placement

    assert effect(PageUse.NONE, 5.0, 3) == 0.0
    assert effect(PageUse.CHAIN, 69.0, 6) == effect(PageUse.CHAIN, 2e3, 6) == pytest.approx(OF_CHAIN * sqrt(1 / 3))
    assert effect(PageUse.CHAIN, 69.0, 24) == pytest.approx(effect(PageUse.CHAIN, 69.0, 6) / 2)
    assert effect(PageUse.PASS, 20.0, 3) == pytest.approx(OF_PASS_US / 20.0 * sqrt(2 / 3))
    assert effect(PageUse.PASS, 500.0, 3) < 0.001
    assert effect(PageUse.PASS, 5.0, 3) == effect(PageUse.CHAIN, 69.0, 3) == effect(PageUse.CHAIN, 69.0, 1) == MOST


def test_learned_noise_contains_the_effect() -> None:
    case = with_placement(contrast(), PageUse.CHAIN)
    doubt = set_threshold(case, None, FULL, learned=False).doubt
    assert doubt is not None
    assert (doubt.reason, doubt.least) == (Reason.PAGE_PLACEMENT, case.placement)
    assert set_threshold(case, None, FULL, learned=True).doubt is None


@pytest.mark.parametrize(
    ("factor", "outcome", "reason"),
    [
        (1.02, Outcome.SUSPECTED, Reason.PAGE_PLACEMENT),
        (1 / 1.02, Outcome.SUSPECTED, Reason.PAGE_PLACEMENT),
        (1.035, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
        (1.0, Outcome.SAME, Reason.WITHIN_THRESHOLD),
    ],
)
def test_change_that_pages_explain_is_suspected_and_a_larger_one_is_found(
    factor: float, outcome: Outcome, reason: Reason
) -> None:
    verdict = compare(as_chain(BASE), as_chain(NEW, factor)).verdicts[-1]
    assert (verdict.outcome, verdict.reason) == (outcome, reason)
    named = "the kernel waits for memory: other physical pages of its buffers change its time by up to 3%"
    assert (named in verdict.remarks) == (outcome is Outcome.SUSPECTED)
    assert verdict.advice.startswith("other physical pages") == (outcome is Outcome.SUSPECTED)


def test_the_same_change_of_another_kernel_is_found() -> None:
    verdict = compare(BASE, slowed(NEW, 1.02)).verdicts[-1]
    assert (verdict.outcome, verdict.remarks) == (Outcome.SLOWER, ())


def test_change_is_found_with_learned_noise() -> None:
    learned = Settings(noise=NoiseModel(0.055, 4e-4, "learned"))
    assert compare(as_chain(BASE), as_chain(NEW, 1.02), learned).verdicts[-1].outcome is Outcome.SLOWER


def test_undecided_case_that_waits_for_memory_is_explained() -> None:
    def scattered(known: Side) -> Side:
        kernel = known.kernels[LONGEST]
        counts = {
            count: {key: [times * (0.985 + 0.015 * key[1]) for times in rounds] for key, rounds in taken.items()}
            for count, taken in kernel.counts.items()
        }
        return replace(known, kernels={**known.kernels, LONGEST: replace(kernel, counts=counts)})

    verdict = compare(scattered(as_chain(BASE)), scattered(as_chain(NEW))).verdicts[-1]
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert len([remark for remark in verdict.remarks if "waits for memory" in remark]) == 1
    other = compare(scattered(BASE), scattered(NEW)).verdicts[-1]
    assert (other.outcome, other.remarks) == (Outcome.INCONCLUSIVE, ())


def test_other_tools_declare_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def converted(known: Side) -> Side:
        (run,) = known.runs
        info = replace(run.info, converted=Conversion("nvbench", None, ()), sentinels=None)
        return replace(known, runs=(replace(run, info=info),))

    monkeypatch.setattr("shflbench.analysis.compare.evidence.MachineEvidence.of", lambda *_, **__: None)
    verdict = compare(converted(as_chain(BASE)), converted(as_chain(NEW, 1.02))).verdicts[-1]
    assert (verdict.outcome, verdict.reason) == (Outcome.SUSPECTED, Reason.NO_SENTINELS)
    assert verdict.remarks == ()


def test_pools_and_draws_suspect_as_compare_does() -> None:
    base, new = Pool.of(as_chain(BASE)), Pool.of(as_chain(NEW, 1.02))
    assert [judgment.reason for judgment in judgments(base, new, Thresholds())][-1] is Reason.PAGE_PLACEMENT
    drawn = judge_pair(base, new, None)
    assert drawn is not None
    assert not drawn.alarms(0.01).any()
    assert drawn.undecided(0.01)[-1]
    plain = judge_pair(replace(base, chains=frozenset()), new, None)
    assert plain is not None
    assert plain.alarms(0.01).tolist() == [False, False, True]
    learned = judge_pair(base, new, LEARNED, trust_learned=True)
    assert learned is not None
    assert learned.alarms(0.01)[-1]
