"""Resident blocks, compared with what the driver of an NVIDIA H200 reported in the reference runs."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.arch import load
from shflbench.core.arch.residency import SmCapacity, occupancy

RESULTS = Path(__file__).parents[3] / "results"
ROWS = [
    row
    for path in sorted(RESULTS.glob("*/nvidia-h200/results.csv"))
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    if row["occupancy"]
]


def capacity(arch: str) -> SmCapacity:
    architecture = load(arch)
    assert architecture
    found = SmCapacity.of(architecture)
    assert found
    return found


# The driver counts named barriers too: 64 on an SM, of which each block of this kernel has 4 with two stages.
BY_BARRIERS = re.compile(r"handoff/named/i32/.*/stages=2")


def test_every_row_of_the_reference_runs_has_the_occupancy_that_the_driver_reported() -> None:
    h200 = capacity("sm_90")
    differing = {}
    for row in ROWS:
        own = re.match(r"\d+x(\d+)", row["shape"])
        if own and own[1] != row["block"]:
            continue  # its blocks are not those of its case, as of a larger block in place of a cluster
        computed = occupancy(h200, int(row["registers"]), int(row["shared_bytes"]), int(row["block"])).blocks
        reported = round(float(row["occupancy"]) * h200.warps * 32 / int(row["block"]))
        if computed != reported:
            differing[row["case_id"]] = (computed, reported)
    assert [case for case in differing if not BY_BARRIERS.fullmatch(case)] == []
    assert {reported for _, reported in differing.values()} == {64 // 4}
    assert len(ROWS) > 1000
    assert {float(row["occupancy"]) for row in ROWS} >= {0.125, 0.25, 0.5, 1.0}  # the rows test several resources


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "block", "warps", "limited_by"),
    [
        ("sm_90", 32, 0, 1024, 64, ("warps", "registers")),
        ("sm_90", 16, 0, 1024, 64, ("warps",)),
        ("sm_90", 16, 0, 32, 32, ("blocks",)),
        ("sm_90", 33, 0, 256, 48, ("registers",)),  # 33 registers round up to 40 per thread
        ("sm_90", 33, 0, 224, 42, ("registers",)),  # 12 warps per sub-partition, and not 51 per SM
        ("sm_90", 16, 32 * 1024, 128, 24, ("shared memory",)),
        ("sm_90", 16, 48000, 256, 32, ("shared memory",)),
        ("sm_86", 32, 0, 1024, 32, ("warps",)),  # 48 warps hold one block of 32
        ("sm_75", 16, 0, 1024, 32, ("warps",)),
        ("sm_75", 16, 4900, 64, 24, ("shared memory",)),  # multiples of 256 bytes before sm_80
        ("sm_75", 16, 32 * 1024, 64, 4, ("shared memory",)),  # nothing reserved before sm_80
        ("sm_80", 16, 82 * 1024, 64, 2, ("shared memory",)),  # 1 KiB per block is reserved
        ("sm_90", 65, 0, 1024, 0, ("registers",)),
        (
            "sm_90",
            73,
            0,
            800,
            0,
            ("registers",),
        ),  # 6 warps per sub-partition, although 25 warps have registers enough on the SM
        ("sm_90", 256, 0, 32, 0, ("registers",)),
        ("sm_90", 16, 227 * 1024 + 1, 32, 0, ("shared memory",)),
    ],
)
def test_the_scarcest_resource_decides(
    arch: str, registers: int, shared: int, block: int, warps: int, limited_by: tuple[str, ...]
) -> None:
    result = occupancy(capacity(arch), registers, shared, block)
    assert (result.warps, result.limited_by) == (warps, limited_by)
    assert result.fraction == warps / capacity(arch).warps


def test_an_unknown_figure_leaves_the_capacity_unknown() -> None:
    architecture = load("sm_90")
    assert architecture
    assert SmCapacity.of(replace(architecture, registers=None)) is None


def test_a_block_without_threads_is_rejected() -> None:
    with pytest.raises(ValueError, match="a block of 0 threads"):
        occupancy(capacity("sm_90"), 16, 0, 0)
