"""Pairs of kernels, sound and broken, alike but for the fault."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import POLICIES
from tests.emulator.breaking import breaking
from tests.emulator.synchronization.kernels import BULK, CLUSTERS, FOLDER, Subject, kinds, subjects

pytestmark = pytest.mark.expensive

STEP_LIMIT = 16_000
# Seconds each; what they show, others show for two blocks, or for one phase.
SLOW = {
    "asynchronous_addition",
    "barrier_in_memory_is_made_known_by_its_fence",
    "remote_barrier_in_memory_of_two_phases",
}
OBSERVED = ("lockstep", "lanes at random", "blocks one at a time")


@pytest.mark.one_in(16, 2)
@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.archs] if one.name in SLOW else [])
        for folder in (FOLDER, CLUSTERS, BULK)
        for one in subjects(folder)
    ],
)
def test_a_kernel_is_judged_as_its_first_line_says(subject: Subject) -> None:
    truth, kind = subject.truth
    launch = subject.launch()
    if truth == "broken":  # the first schedule that shows it is enough
        reports = (explore(launch, [one], step_limit=STEP_LIMIT, observed=OBSERVED) for one in POLICIES.values())
        assert any(kind in kinds(report) for report in reports)
        return
    report = explore(launch, step_limit=STEP_LIMIT, observed=OBSERVED)
    results = {result.outputs[0].tobytes() for result in report.results if result.outputs}
    assert report.errors == ()
    if truth == "sound":
        assert kinds(report) <= {"ABSENT_VALUE", "EXITED"}  # which change nothing
        assert len(results) == 1
    else:
        assert breaking(report) == ()
        assert kind in kinds(report)
