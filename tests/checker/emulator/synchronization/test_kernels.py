"""Pairs of kernels, sound and broken, alike but for the fault."""

import pytest

from shflbench.checker.explore import explore
from tests.checker.emulator.synchronization.kernels import BULK, CLUSTERS, Subject, kinds, subjects

STEP_LIMIT = 16_000
OBSERVED = ("lockstep", "lanes at random", "blocks one at a time")


@pytest.mark.parametrize(
    "subject", [*subjects(), *subjects(CLUSTERS), *subjects(BULK)], ids=lambda subject: subject.name
)
def test_a_kernel_is_judged_as_its_first_line_says(subject: Subject) -> None:
    truth, kind = subject.truth
    report = explore(subject.launch(), step_limit=STEP_LIMIT, observed=OBSERVED)
    results = {result.outputs[0].tobytes() for result in report.results if result.outputs}
    match truth:
        case "sound":
            assert report.errors == ()
            assert report.hazards == ()
            assert len(results) == 1
        case "doubtful":
            assert report.errors == ()
            assert report.breaking == ()
            assert kind in kinds(report)
        case _:
            assert kind in kinds(report)
