from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Outcome, Reason
from shflbench.analysis.compare.evidence import OTHER_GPU, ComparisonEvidence, set_threshold
from shflbench.analysis.compare.machine_evidence import CRUDE
from shflbench.analysis.compare.noise import ASSUMED, NoiseModel, Weights
from shflbench.analysis.compare.offset import Offsets
from shflbench.analysis.compare.rule import Contrast
from shflbench.core.thresholds import Threshold, Thresholds
from shflbench.store import SentinelSet, SuiteText
from tests.fakes.estimated import estimated
from tests.fakes.runs import H200
from tests.fakes.sides import side
from tests.fakes.simulated import Simulated, spread

FULL = ComparisonEvidence(sampled=True, offsets=Offsets({(0, 0): 0.0}, {(0, 0): 0.0}), machine_change=0.0)
BARE = replace(FULL, offsets=None)
TABLES = replace(BARE, sampled=False)
BASE, NEW = (side(Simulated(cases=spread(2), processes=2, seed=seed)) for seed in (1, 2))


def contrast(base: float = 10.0, new: float = 10.0, processes: int = 3, by: float = 0.0) -> Contrast:
    """Return a case whose processes lie up to `by` µs off on either side."""
    steps = [by * (2 * place / max(1, processes - 1) - 1) for place in range(processes)]
    before, after = (estimated(*(value + step for step in steps)) for value in (base, new))
    return Contrast("case", before, after, Weights(1.0, base * new))


def taken(
    case: Contrast, text: str = "", evidence: ComparisonEvidence = FULL, *, learned: bool = False
) -> tuple[float, float]:
    """Return the threshold of a case, and from which change on it is certain."""
    found = set_threshold(case, Threshold.parse(text) if text else None, evidence, learned=learned)
    return found.threshold, found.doubt.certain(found.threshold) if found.doubt else found.threshold


@pytest.mark.parametrize(
    ("processes", "text", "learned", "threshold", "certain"),
    [
        (3, "", False, 0.01, 0.01),
        (3, "0.5%", False, 0.005, 0.005),
        (2, "", False, 0.01, 0.02),
        (2, "", True, 0.01, 0.01),
        (1, "", False, 0.02, 0.06),
        (1, "0.5%", False, 0.02, 0.06),
        (1, "3%", False, 0.03, 0.09),
        (1, "", True, 0.01, 0.02),
        (1, "0.5%", True, 0.005, 0.01),
        (3, "0.2us", False, 0.02, 0.02),
        (1, "0.1us", False, 0.02, 0.06),
    ],
)
def test_few_processes_have_a_larger_threshold_and_only_suspect_small_changes(
    processes: int, text: str, threshold: float, certain: float, *, learned: bool
) -> None:
    assert taken(contrast(processes=processes), text, learned=learned) == pytest.approx((threshold, certain))


def test_a_threshold_in_us_is_the_same_whichever_side_is_the_base() -> None:
    assert taken(contrast(10.0, 20.0), "0.2us") == taken(contrast(20.0, 10.0), "0.2us") == (0.02, 0.02)


@pytest.mark.parametrize(
    ("evidence", "reason", "least"),
    [
        (TABLES, Reason.NO_SAMPLES, CRUDE),
        (BARE, Reason.NO_SENTINELS, CRUDE),
        (replace(FULL, one_gpu=False), Reason.OTHER_GPU, OTHER_GPU),
    ],
)
def test_what_is_missing_is_a_reason_for_doubt(evidence: ComparisonEvidence, reason: Reason, least: float) -> None:
    (doubt,) = evidence.doubts()
    assert (doubt.reason, doubt.least) == (reason, least)
    found = set_threshold(contrast(), None, evidence, learned=False)
    assert found.doubt == doubt


def test_complete_evidence_has_no_doubt() -> None:
    assert [*FULL.doubts(), *FULL.warnings()] == []
    assert set_threshold(contrast(), None, FULL, learned=False).doubt is None


def test_the_largest_doubt_counts() -> None:
    two_gpus = replace(BARE, one_gpu=False)
    assert {doubt.reason for doubt in two_gpus.doubts()} == {Reason.NO_SENTINELS, Reason.OTHER_GPU}
    largest = set_threshold(contrast(), None, two_gpus, learned=False).doubt
    assert largest is not None
    assert largest.reason is Reason.NO_SENTINELS
    few = set_threshold(contrast(processes=1), None, two_gpus, learned=False).doubt
    assert few is not None
    assert few.reason is Reason.FEW_PROCESSES  # 6% are more than 5


def test_a_table_is_doubted_for_missing_samples_not_for_unknown_processes() -> None:
    found = set_threshold(contrast(processes=1), None, TABLES, learned=False)
    assert found.doubt is not None
    assert found.doubt.reason is Reason.NO_SAMPLES
    assert found.doubt.certain(found.threshold) == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("evidence", "what", "limit"),
    [(TABLES, "no samples", "5% or 3 times the threshold"), (BARE, "no sentinels in common", "5%")],
)
def test_what_is_missing_is_reported_with_its_consequence(evidence: ComparisonEvidence, what: str, limit: str) -> None:
    (warning,) = evidence.warnings()
    assert what in warning
    assert warning.endswith(f"changes below {limit} are only suspected")


def needed(ratio: float, threshold: str) -> int | None:
    """Return how many processes per side would settle a case of 10 µs that was measured in one."""
    thresholds = Thresholds(Threshold.parse(threshold))
    (finding,) = FULL.judge([contrast(10.0, 10.0 * ratio, processes=1)], thresholds, None).judgments
    assert finding.outcome is Outcome.INCONCLUSIVE
    return finding.needs_processes


def test_needed_processes_are_computed_at_the_threshold_that_they_allow() -> None:
    assert needed(1.008, "1%") > needed(1.008, "2%")  # type: ignore[operator]  # the same within 2% is soon proved
    assert needed(1.018, "1%") < needed(1.018, "2%")  # type: ignore[operator]  # and so is a change of 1% or more


def test_the_sentinels_of_both_sides_are_used() -> None:
    found = ComparisonEvidence.of(BASE, NEW)
    assert (found.sampled, found.machine_change, found.one_gpu) == (True, 0.0, True)
    assert found.offsets is not None
    assert set(found.offsets.base) == {(0, 0), (0, 1)}


def test_different_sentinels_are_not_used() -> None:
    (run,) = NEW.runs
    other = replace(NEW, runs=(replace(run, info=replace(run.info, sentinels=SentinelSet("other"))),))
    for base, new in ((BASE, other), (other, BASE), (BASE, side(Simulated(cases=spread(2), sentinels=False)))):
        assert ComparisonEvidence.of(base, new).offsets is None


def test_a_machine_that_changed_is_noticed() -> None:
    slower = side(Simulated(cases=spread(2), processes=2, seed=2, factor=1.01))
    assert ComparisonEvidence.of(BASE, slower).machine_change == pytest.approx(0.01, abs=0.002)


def test_two_gpus_are_distinguished_from_one_also_within_a_side() -> None:
    (run,) = NEW.runs
    other = replace(run, info=replace(run.info, device=replace(H200, uuid="GPU-2")))
    assert not ComparisonEvidence.of(BASE, replace(NEW, runs=(other,))).one_gpu
    assert not ComparisonEvidence.of(replace(BASE, runs=(*BASE.runs, other)), NEW).one_gpu
    assert ComparisonEvidence.of(
        replace(BASE, runs=(replace(run, info=replace(run.info, suite=SuiteText("a", "", "", ""))),)), NEW
    ).one_gpu


def test_without_samples_nothing_else_is_known() -> None:
    bare = ComparisonEvidence.of(replace(BASE, kernels={}), NEW)
    assert (bare.sampled, bare.offsets) == (False, None)


LEARNED = NoiseModel(0.05, 3e-4, "learned")


def test_the_noise_is_assumed_fitted_or_learned() -> None:
    single, several = [contrast(processes=1)] * 8, [contrast(by=0.3)] * 8
    assert FULL.noise(single, None) == (ASSUMED, "")
    assert FULL.noise(several, None)[0].a_us > 2 * ASSUMED.a_us
    assert FULL.noise(single, LEARNED) == (LEARNED, "")
    assert FULL.noise([contrast(by=0.05)] * 8, LEARNED) == (LEARNED, "")


def test_offsets_that_are_not_subtracted_count_as_noise_unless_the_processes_show_it() -> None:
    single, several = [contrast(processes=1)], [contrast(by=0.3)] * 8
    assert BARE.noise(single, None)[0] == ASSUMED.with_offsets()
    assert BARE.noise(several, None) == FULL.noise(several, None)


def test_learned_noise_that_the_sides_contradict_is_not_used() -> None:
    model, warning = FULL.noise([contrast(by=0.3)] * 8, LEARNED)
    assert model.source.startswith("fitted")
    assert warning.startswith("the learned noise is not used: the processes of a side differ by 6.5× as much")
    assert FULL.noise([contrast(by=0.3)] * 4, LEARNED) == (LEARNED, "")  # too few cases to contradict it
