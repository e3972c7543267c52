"""All GPUs of a host against each alone: what counts as moved, and the requirements."""

import pytest

from benchmarks.fleet_host import FOLDER, LEAST_US, ROOT, Device, Pair, Record, members, requirements
from shflbench.analysis.fleet.model_times import FEWEST_DEVICES

CASES = 200
RUN = {f"case {number}": 100.0 + number for number in range(CASES)}
SECONDS = {"alone-0-0": 60.0, "alone-0-1": 62.0, "all-0": 66.0, "all-1": 70.0}


def moved(cases: int, share: float) -> dict[str, float]:
    """Return the times of a run in which some cases took that much longer."""
    return {case: time * (1 + share * (number < cases)) for number, (case, time) in enumerate(RUN.items())}


def test_cases_count_that_are_long_in_both_runs_and_moved_by_more_than_the_threshold() -> None:
    one = moved(0, 0) | {"short": 49.9, "once": 100.0}
    pair = Pair.of(one, moved(3, 0.006) | {"short": 60.0})
    assert (pair.cases, pair.moved) == (CASES, 3)
    assert Pair.of(RUN, moved(CASES, -0.004)).moved == 0
    assert Pair.of(RUN, moved(CASES, -0.02)) == pytest.approx((CASES, CASES, 0.02, 0.02))


@pytest.mark.parametrize(("cases", "is_met"), [((4, 4), True), ((4, 8), False)])
def test_requirement_is_about_the_cases_that_move_on_average_beyond_those_of_two_runs_alone(
    cases: tuple[int, int], *, is_met: bool
) -> None:
    together = [Pair.of(RUN, moved(number, 0.01)) for number in cases]
    device = Device(0, Pair.of(RUN, moved(3, 0.01)), together)
    (duration, fast), (words, few) = requirements([device], SECONDS)
    assert (few, fast) == (is_met, True)
    assert duration.endswith("1.11× the time of a run on one of them alone (at most 1.15): 68.0 s against 61.0 s")
    assert words.startswith(f"{sum(cases) / 2 / CASES - 3 / CASES:+.2%} of the cases")


def records() -> list[Record]:
    """Return what the repository has."""
    return [Record(int(page.name.partition("-")[0])) for page in sorted(FOLDER.glob("*-gpus.md"))]


def test_the_kept_run_and_its_chart_are_those_of_the_page() -> None:
    for record in records():
        text = record.page.read_text(encoding="utf-8")
        kept = dict(members(record.run))
        assert f"on a host with {len(kept)} NVIDIA H200" in text
        assert {number: sum(time >= LEAST_US for time in times.values()) for number, times in kept.items()} == {
            number: int(text.partition(f"| GPU {number} | ")[2].partition(" |")[0]) for number in kept
        }
        assert (f"]({record.chart.name})" in text) == record.chart.exists() == (record.gpus >= FEWEST_DEVICES)


def test_the_guide_says_how_long_the_recorded_runs_take() -> None:
    guide = (ROOT / "docs" / "how-to" / "run-on-many-gpus.md").read_text(encoding="utf-8")
    assert records()
    for record in records():
        recorded = record.page.read_text(encoding="utf-8").partition(" GPUs takes ")[2].partition("×")[0]
        assert f"{recorded}×" in guide
        assert f"benchmarks/fleet_host/{record.page.name}" in guide
