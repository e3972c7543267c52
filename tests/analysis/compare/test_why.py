from __future__ import annotations

from dataclasses import replace

import pytest

from shflbench.analysis.compare.why import why
from tests.fakes.processes import verified
from tests.fakes.simulated import spread

SHFL, _, _, SMEM = (verified(case) for case in spread(4))


def test_an_unchanged_kernel_explains_nothing() -> None:
    assert why(SHFL, SHFL) == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"registers": 40}, "registers 16 → 40"),
        ({"spill_bytes": 8}, "spill bytes 0 → 8"),
        ({"local_bytes": 24}, "local bytes 0 → 24"),
        ({"shared_bytes": 4096}, "shared bytes 0 → 4096"),
        ({"occupancy": 0.5}, "occupancy 100% → 50%"),
        ({"sass_per_iteration": {"SHFL": 2.0}}, "SHFL a trip 1 → 2"),
    ],
)
def test_each_fact_that_changed_is_told(change: dict[str, object], words: str) -> None:
    assert why(SHFL, replace(SHFL, **change)) == (words,)  # type: ignore[arg-type]


def test_all_that_changed_is_told_in_a_fixed_order() -> None:
    new = replace(SMEM, registers=40, spill_bytes=8, sass_per_iteration={"LDS": 2.0, "SHFL": 1.0})
    assert why(SMEM, new) == (
        "registers 16 → 40", "spill bytes 0 → 8", "LDS a trip 1 → 2", "SHFL a trip 0 → 1", "STS a trip 1 → 0",
    )  # fmt: skip


@pytest.mark.parametrize("column", ["registers", "spill_bytes", "occupancy", "sass_per_iteration"])
def test_what_a_side_does_not_know_is_left_out(column: str) -> None:
    unknown = replace(SHFL, **{column: None})  # type: ignore[arg-type]
    assert why(SHFL, unknown) == why(unknown, SHFL) == ()
