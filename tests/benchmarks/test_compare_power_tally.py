from random import Random

import pytest

from benchmarks.compare_power.draws import DEFAULT, FINE, QUICK, Drawn, between, disjoint, within
from benchmarks.compare_power.tally import (
    LONG,
    MIDDLE,
    SHORT,
    UNSTEADY,
    Share,
    alarm_counts,
    alarmed,
    detections,
    jackknife,
    kind,
    pooled,
    suspected,
    undecided,
)
from shflbench.analysis.compare.comparison import Outcome

PROCESSES = [(0, number) for number in range(13)]


def drawn(*processes: int, **outcomes: Outcome) -> Drawn:
    return Drawn(
        frozenset((0, process) for process in processes), {f"{case}/": each for case, each in outcomes.items()}
    )


@pytest.mark.parametrize(
    ("hits", "of", "text"),
    [
        (0, 9, "0%"),
        (9, 9, "100%"),
        (1, 3, "33.3%"),
        (5, 2000, "0.25%"),
        (107_995, 108_000, "99.9954%"),
        (5, 108_000, "0.0046%"),
        (0, 0, "–"),
    ],
)
def test_share_is_never_rounded_to_all_or_nothing(hits: int, of: int, text: str) -> None:
    assert str(Share(hits, of)) == text


@pytest.mark.parametrize(("hits", "of", "bound"), [(0, 300, 0.00994), (5, 2000, 0.00525), (1, 3, 0.8647), (3, 3, 1.0)])
def test_bound_is_that_of_clopper_and_pearson(hits: int, of: int, bound: float) -> None:
    assert Share(hits, of).bound == pytest.approx(bound, rel=1e-3)


def test_all_pairs_are_drawn_where_they_are_few() -> None:
    pairs = [frozenset((*base, *new)) for base, new in within(PROCESSES, 1, 100, Random(1))]  # noqa: S311
    assert len(set(pairs)) == len(pairs) == 13 * 12 // 2


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_no_process_is_drawn_for_both_sides(size: int) -> None:
    pairs = list(within(PROCESSES, size, 20, Random(1)))  # noqa: S311
    pairs += between(PROCESSES, PROCESSES[:6], size, 20, Random(1))  # noqa: S311
    assert len(pairs) >= 40
    assert all(len({*base, *new}) == 2 * size for base, new in pairs)


def test_processes_take_turns() -> None:
    pairs = list(within(PROCESSES, 3, 20, Random(1)))  # noqa: S311
    assert disjoint(PROCESSES, 3) == 2
    for first, second in zip(pairs[::2], pairs[1::2], strict=True):
        assert len({process for pair in (first, second) for side in pair for process in side}) == 12


def test_alarms_are_slower_and_faster_alone() -> None:
    draws = [
        drawn(1, 2, a=Outcome.SLOWER, b=Outcome.SAME),
        drawn(1, 3, a=Outcome.FASTER, b=Outcome.SLOWER),
        drawn(2, 3, a=Outcome.SUSPECTED, b=Outcome.INCONCLUSIVE),
        drawn(2, 4),
    ]
    assert alarmed(draws) == Share(2, 4)
    assert alarmed(draws, lambda case: case == "b/") == Share(1, 4)
    assert suspected(draws) == Share(1, 4)
    assert alarm_counts(draws) == [("a/", 2), ("b/", 1)]
    assert [each.refused for each in draws] == [False, False, False, True]
    assert undecided(draws, {"a/": 5.0, "b/": 50.0}) == {
        SHORT: Share(1, 3),
        MIDDLE: Share(0, 0),
        LONG: Share(1, 3),
        UNSTEADY: Share(0, 0),
    }


def test_jackknife_separates_one_outlier_process_from_many_alarming_draws() -> None:
    pairs = [(first, second) for first in range(8) for second in range(first)]
    one = [drawn(*pair, a=Outcome.SLOWER if 0 in pair else Outcome.SAME) for pair in pairs]
    # Without process 0: no alarm. Without any other: 6 of 21.
    assert jackknife(one) == pytest.approx((7 / 8 * (49 / 64 + 7 / 64) * (6 / 21) ** 2) ** 0.5)
    ring = [drawn(*pair, a=Outcome.SLOWER if abs(pair[0] - pair[1]) in {1, 7} else Outcome.SAME) for pair in pairs]
    assert alarmed(ring) == Share(8, 28)
    assert jackknife(ring) == pytest.approx(0, abs=1e-12)


def test_slowdowns_count_in_refused_comparisons_as_not_found() -> None:
    draws = [drawn(1, 2, a=Outcome.SLOWER), drawn(1, 3, a=Outcome.FASTER), drawn(1, 4)]
    (case,) = detections(draws, 2, {"a/": 20.0}, {"a/": 0.019}, "h200-1")
    assert (case.slower, case.faster, case.kind, case.truth) == (Share(1, 3), 1, MIDDLE, 0.019)
    assert pooled([case, case]) == Share(2, 6)


@pytest.mark.parametrize(
    ("case", "time_us", "expected"),
    [
        ("scan/shfl", 9.99, SHORT),
        ("scan/shfl", 10.0, MIDDLE),
        ("scan/shfl", 50.0, LONG),
        ("struct-access/soa", 50.0, UNSTEADY),
    ],
)
def test_kind_depends_on_the_time_unless_the_case_waits_for_memory(case: str, time_us: float, expected: str) -> None:
    assert kind(case, time_us) == expected


def test_modes_are_named_with_processes_and_threshold() -> None:
    assert [str(mode) for mode in (QUICK, DEFAULT, FINE)] == [
        "quick: 1 process per side, 2%",
        "default: 3 processes per side, 1%",
        "fine: 5 processes per side, 0.5%",
    ]
