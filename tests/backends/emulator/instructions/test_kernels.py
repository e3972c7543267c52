"""Pairs of kernels, sound and broken, alike but for the fault."""

import pytest

from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.machine.faults import KernelFault
from tests.backends.emulator.instructions.kernels import launch, subjects
from tests.checker.planted_kernels import PlantedKernel


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.file.stem)
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
