"""Judgments by the sentinels of devices when some of them are missing."""

from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.fleet.model_times import environment_of
from tests.fakes.fleets import record

LAUNCH_US = 1.5


@pytest.mark.parametrize("left", [0, 1, 2])
def test_device_that_lacks_sentinels_says_nothing_about_the_launches_of_the_others(left: int) -> None:
    devices = [*(record(number) for number in range(8)), record(8, launch_us=LAUNCH_US)]
    few = dict(list(record(9).sentinels_us.items())[:left])
    environment = environment_of([*devices, replace(record(9), sentinels_us=few)])
    assert environment.offsets_us[:9] == pytest.approx([0.0] * 8 + [LAUNCH_US], abs=1e-3)
    assert environment.changes[:9] == pytest.approx([0.0] * 9, abs=1e-3)
    assert np.isnan(environment.offsets_us[9])
