"""The counts of a launch, from blocks that stand for the others."""

from collections.abc import Sequence
from typing import Any

import pytest

from shflbench.emulator import count_with_outputs
from shflbench.errors import BudgetError
from shflbench.kernel_facts import launch_counts
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels


def test_two_blocks_stand_for_a_launch_that_takes_too_many_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    samples: list[Sequence[int]] = []
    counted = count_with_outputs

    def limited(launch: Any, *arguments: Any) -> Any:
        samples.append(launch.shape.sample)
        if launch.shape.grid > launch_counts.FEWEST_SAMPLED:
            raise BudgetError("it takes too many instructions", "--budget")
        return counted(launch, *arguments)

    monkeypatch.setattr(launch_counts, "count_with_outputs", limited)
    case = cases.case("staging", "ldg-sts", "i32", launch="1024x128", options={"tiles": "16"})
    kernel = kernels.compiled("staging/ldg-sts/i32/tiles=16")
    counts = launch_counts.counts_of(load(builtin()["staging"]), case, kernel)
    assert [len(sample) > launch_counts.FEWEST_SAMPLED for sample in samples] == [True, False]
    assert (counts.blocks, counts.grid) == (2, 1024)
