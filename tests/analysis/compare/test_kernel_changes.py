from dataclasses import replace

import pytest

from shflbench.analysis.compare.kernel_changes import kernel_changes
from tests.fakes.processes import verified
from tests.fakes.simulated import spread

SHFL, _, _, SMEM = (verified(case) for case in spread(4))


def test_an_unchanged_kernel_has_no_changes() -> None:
    assert kernel_changes(SHFL, SHFL) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"registers": 40}, "registers 16 → 40"),
        ({"spill_bytes": 8}, "spill bytes 0 → 8"),
        ({"local_bytes": 24}, "local bytes 0 → 24"),
        ({"shared_bytes": 4096}, "shared bytes 0 → 4096"),
        ({"occupancy": 0.5}, "occupancy 100% → 50%"),
        ({"sass_per_iteration": {"SHFL": 2.0}}, "SHFL per iteration 1 → 2"),
    ],
)
def test_each_property_that_changed_is_listed(change: dict[str, object], words: str) -> None:
    assert kernel_changes(SHFL, replace(SHFL, **change)) == (words,)  # type: ignore[arg-type]


def test_all_that_changed_is_listed_in_a_fixed_order() -> None:
    new = replace(SMEM, registers=40, spill_bytes=8, sass_per_iteration={"LDS": 2.0, "SHFL": 1.0})
    assert kernel_changes(SMEM, new) == (
        "registers 16 → 40",
        "spill bytes 0 → 8",
        "LDS per iteration 1 → 2",
        "SHFL per iteration 0 → 1",
        "STS per iteration 1 → 0",
    )


@pytest.mark.parametrize("column", ["registers", "spill_bytes", "occupancy", "sass_per_iteration"])
def test_properties_that_are_unknown_on_a_side_are_left_out(column: str) -> None:
    unknown = replace(SHFL, **{column: None})  # type: ignore[arg-type]
    assert kernel_changes(SHFL, unknown) == kernel_changes(unknown, SHFL) == ()
