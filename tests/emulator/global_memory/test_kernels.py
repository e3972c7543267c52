"""Pairs of kernels, sound and broken, alike but for the fault."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.breaking import breaking
from tests.emulator.global_memory.kernels import Subject, subjects

SCHEDULES = (LOCKSTEP, POLICIES["warps in reverse"], POLICIES["blocks in reverse"])
STEP_LIMIT = 16_000  # each kernel that ends does so within it; one loops for ever
UNORDERED = HazardKind.UNORDERED.name  # no race: sound as long as every order computes the same


@pytest.mark.one_in(5)
@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_a_kernel_is_judged_as_its_first_line_says(subject: Subject) -> None:
    truth, kind = subject.truth
    report = explore(subject.launch(), SCHEDULES, step_limit=STEP_LIMIT)
    outputs = {tuple(out.tobytes() for out in result.outputs) for result in report.results}
    kinds = {hazard.kind.name for hazard in report.hazards}
    match truth:
        case "sound":
            assert report.errors == ()
            assert kinds <= {UNORDERED}
            assert len(outputs) == 1 or not kinds
        case "doubtful":
            assert breaking(report) == ()
            assert kind in kinds
        case _ if kind == UNORDERED:
            assert kind in kinds
            assert len(outputs) > 1
        case _:
            assert kind in {hazard.kind.name for hazard in breaking(report)}
