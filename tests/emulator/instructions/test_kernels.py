"""Pairs of kernels, sound and broken, alike but for the fault."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.faults import KernelFault
from tests.checker.planted_kernels import PlantedKernel
from tests.emulator.instructions.kernels import launch, subjects

SLOW = "barrier_in_shared_memory_without_wait"  # its threads poll a barrier up to the limit of turns


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "subject",
    [
        pytest.param(subject, id=subject.file.stem, marks=[pytest.mark.archs] if subject.file.stem == SLOW else [])
        for subject in subjects()
    ],
)
def test_a_kernel_is_judged_as_its_first_line_says(subject: PlantedKernel) -> None:
    report = explore(launch(subject))
    faults = {error.kind.name for error in report.errors if isinstance(error, KernelFault)}
    kinds = {hazard.kind.name for hazard in report.hazards} | faults
    if subject.fault:
        assert subject.fault in kinds
    else:
        assert report.errors == ()
        assert report.hazards == ()
        assert len({result.outputs[0].tobytes() for result in report.results}) == 1
