"""The real `shflbench run` on a real GPU."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.core.model import Status, is_sentinel
from shflbench.patterns.discover import builtin, load
from shflbench.store import read_run
from tests.conftest import Command
from tests.gpu.conftest import PATTERNS, stored

pytestmark = pytest.mark.gpu

REPOSITORY = Path(__file__).parents[2]
FIRST_WRONG = {"one-lane": 1, "second-iteration": 51, "unrolled-body": 51, "lost-passes": 51}  # iterations
CYCLES = {"shfl": 32, "smem-syncwarp": 64, "smem-unsafe": 64}  # a block of 32 warps, each request takes a cycle


def test_wrong_kernels_are_incorrect_and_the_honest_one_is_timed(run: Command) -> None:
    variants = [word for variant in ("right", *FIRST_WRONG) for word in ("--variant", variant)]
    outcome = run(PATTERNS / "faulty" / "broken.yaml", *variants)
    assert outcome.code == 5, outcome.err
    for row in stored(outcome).rows:
        if row.variant == "right":
            assert (row.status, row.matched) == (Status.TIMED, 8)
        else:
            assert (row.status, row.matched, row.time_us) == (Status.INCORRECT, 0, None), row.case_id
            assert (row.reason or "").startswith(f"after {FIRST_WRONG[row.variant]} iteration")
    assert outcome.err.endswith("warning: 8 of 10 cases failed or computed a wrong result\n")


def test_crash_is_a_failed_row_and_exits_5(tmp_path: Path, kernel_cache: Path) -> None:
    # In a process of its own: an illegal address leaves the CUDA context of its process unusable.
    words = ("run", PATTERNS / "faulty" / "broken.yaml", "--dtype", "f32", "--variant", "right", "--variant", "illegal")
    outcome = subprocess.run(
        [sys.executable, "-m", "shflbench", *words, "--device", "cuda", "--output", "crashed"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]),
            "SHFLBENCH_CACHE": str(kernel_cache),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert outcome.returncode == 5, outcome.stderr
    assert outcome.stdout == "crashed\n"
    rows = {row.variant: row for row in read_run(tmp_path / "crashed").rows}
    assert rows["illegal"].status is Status.FAILED
    assert "illegal" in (rows["illegal"].reason or "").lower()
    assert rows["illegal"].time_us is None
    assert "Traceback" not in outcome.stderr


def test_quick_suite_is_verified_and_timed(run: Command) -> None:
    outcome = run("quick")
    assert outcome.code == 0, outcome.err
    kept = stored(outcome)
    assert {row.pattern for row in kept.rows} == set(builtin())
    for row in kept.rows:
        assert (row.status, row.matched) == (Status.TIMED, row.inputs), row.reason
        assert (row.inputs or 0) >= 4  # of large data there are fewer sets
        assert row.time_us is not None
        assert row.time_low_us is not None
        assert row.time_high_us is not None
        assert 0 < row.time_low_us <= row.time_us <= row.time_high_us
        assert (row.samples or 0) >= 27
        assert row.iterations == 1 or (row.ns_per_iteration or 0) > 0
        has_several = ", " in (row.shape or "")  # launches, which have several occupancies
        assert row.occupancy is None if has_several else 0 < (row.occupancy or 0) <= 1
        assert 0 <= (row.launch_overhead_us or 0) < 50  # with what a kernel does before its loop
    assert kept.info.device is not None
    assert kept.info.finished is not None
    samples = kept.samples()
    assert {name for name in samples["case_id"] if not is_sentinel(name)} == {row.case_id for row in kept.rows}
    assert (samples["time_us"] > 0).all()


NEEDS_CCCL = re.compile(r"needs CCCL [0-9.]+ or newer, and this is [0-9.]+")


def test_every_variant_is_verified_in_every_dtype_at_a_launch_that_fills_the_gpu(run: Command, tmp_path: Path) -> None:
    # Blocks of 256 threads, or near it: shared memory holds the private arrays of more only in the smaller types.
    head = "schema: 1\nname: all\ndefaults: {iterations: 64}\n"
    measure = "measure: {precision: 10%, max_seconds: 0.01}\nexperiments:\n"
    suite = tmp_path / "all.yaml"
    experiments = [f"  - {{pattern: {name}, launch: {grid_of(name)} x {block_of(name)}}}\n" for name in builtin()]
    suite.write_text(head + measure + "".join(experiments), encoding="utf-8")
    outcome = run(suite)
    assert outcome.code == 0, outcome.err
    rows = stored(outcome).rows
    untimed = [(row.case_id, row.reason) for row in rows if row.status is not Status.TIMED]
    # A machine may have older headers than shflbench installs; the reason says so.
    assert [case for case in untimed if not NEEDS_CCCL.search(case[1] or "")] == []
    assert [row.case_id for row in rows if row.safe and row.matched != row.inputs] == []
    assert len(rows) > 300


def grid_of(pattern: str) -> str:
    """Return the grid of a launch: some kernels of grid-reduce need all blocks at once, 32 for each of the grid."""
    return "4" if pattern == "grid-reduce" else "8*sms"


def block_of(pattern: str) -> int:
    """Return the number of threads per block nearest to 256 that the kernels of a pattern support."""
    sizes = load(builtin()[pattern]).declaration.block_sizes
    return min(sizes, key=lambda size: abs(size - 256), default=256)


def test_cycles_of_an_iteration_are_those_of_the_hardware(run: Command) -> None:
    variants = [word for variant in ("smem", *CYCLES) for word in ("--variant", variant)]
    flags = ("--pattern", "neighbor", "--dtype", "f32", *variants, "--precision", "1%", "--max-seconds", "0.5")
    outcome = run("gtc2013", *flags)
    assert outcome.code == 0, outcome.err
    kept = stored(outcome)
    if kept.info.arch != "sm_90":
        pytest.skip(f"the cycles are known for sm_90, and this is {kept.info.arch}")
    idx = [row for row in kept.rows if row.options == (("mode", "idx"),)]
    measured = {row.variant: row.cycles_per_iteration for row in idx if row.variant in CYCLES}
    assert measured == pytest.approx(CYCLES, rel=0.02)


def test_shared_memory_beyond_48_kib_is_requested_or_skipped_if_unavailable(run: Command) -> None:
    outcome = run(PATTERNS / "memory" / "suite.yaml")
    assert outcome.code == 0, outcome.err
    large, too_large = stored(outcome).rows
    assert (large.status, large.matched, large.shared_bytes) == (Status.TIMED, 8, 64 * 1024)
    assert (too_large.status, too_large.reason) == (
        Status.SKIPPED,
        "a block of 256 threads with 1048576 bytes of shared memory does not fit an SM",
    )


def test_fill_launches_as_many_blocks_as_are_resident_for_the_variant_of_lowest_occupancy(run: Command) -> None:
    patterns = ("--pattern", "neighbor", "--pattern", "reduce")
    outcome = run("quick", *patterns, "--launch", "fill x 256", "--iterations", "256")
    assert outcome.code == 0, outcome.err
    kept = stored(outcome)
    assert kept.info.device is not None
    sms, threads = kept.info.device.sms, kept.info.device.threads_per_sm
    for pattern in ("neighbor", "reduce"):
        rows = [row for row in kept.rows if row.pattern == pattern]
        resident = min(round((row.occupancy or 0) * threads / 256) for row in rows)
        assert resident > 0
        assert {row.grid for row in rows} == {sms * resident}
        assert {row.status for row in rows} == {Status.TIMED}


LAUNCH_OPTIONS = """\
schema: 1
name: own
defaults: {iterations: 256}
experiments:
  - {pattern: neighbor, variants: [smem, shfl], dtypes: f32, launch: sms x 256, extra_shared: [0, 65536]}
  - {pattern: neighbor, variants: [smem, shfl], dtypes: f32, launch: sms x 256, carveout: [0, 100]}
"""


def test_shared_memory_that_a_kernel_does_not_use_costs_occupancy(run: Command) -> None:
    Path("own.yaml").write_text(LAUNCH_OPTIONS, encoding="utf-8")
    outcome = run("own.yaml", "--max-seconds", "0.05", "--precision", "5%")
    assert outcome.code == 0, outcome.err
    rows = stored(outcome).rows
    assert {row.status for row in rows} == {Status.TIMED}
    occupancy = {";".join(row.option_texts): row.occupancy for row in rows if row.variant == "shfl"}
    assert 0 < (occupancy["mode=idx;extra_shared=65536"] or 0) < (occupancy["mode=idx;extra_shared=0"] or 0)
    assert occupancy["mode=idx;carveout=0"] is None  # which no calculator knows


def test_launches_of_two_dimensions_are_verified_whole_and_timed(run: Command) -> None:
    suite = Path("tiles.yaml")
    transpose, product = (PATTERNS / name for name in ("tile_transpose", "tiled_product"))
    suite.write_text(
        "schema: 1\nname: tiles\nmeasure: {precision: 5%, max_seconds: 0.2}\nexperiments:\n"
        f"  - {{pattern: {transpose}, dtypes: f32, launch: {{grid: [64, 32], block: [16, 16]}}}}\n"
        f"  - {{pattern: {product}, launch: 8x8:16x16}}\n",
        encoding="utf-8",
    )
    outcome = run(suite)
    assert outcome.code == 0, outcome.err
    rows = stored(outcome).rows
    assert {(row.status, row.launch, row.verified_launch) for row in rows} == {
        (Status.TIMED, launch, launch) for launch in ("64x32:16x16", "8x8:16x16")
    }
    assert min(row.time_us or 0 for row in rows) > 0
