"""The limits of the committed run of the suite quick on an H200."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.limits import LATENCY
from shflbench.analysis.limits.one_pass import ATOMIC, BLOCK_START, DRAM
from shflbench.analysis.limits.units import _UNIT_OF
from shflbench.core import arch
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.kernel_facts import run_limits, stored_code
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.store import Run, read_run
from shflbench.store.limits_file import CaseLimit
from tests.analysis.limits.test_calibrated import calibration
from tests.fakes.runs import H200

RESULTS = Path(__file__).parents[2] / "results"
SHFL = "neighbor/shfl/f32/26x1024/512/mode=idx"
AVERAGE = "moving-average/shfl/f32/4096x256/1/missing=0"
RESERVE = "reserve/atomic/i32/1024x256/1"
STRUCTS = "struct-access/soa/f32/4096x256/1/words=4/way=load"


@pytest.fixture(scope="module")
def run() -> Run:
    return read_run(RESULTS / "quick" / "nvidia-h200")


@pytest.fixture(scope="module")
def clusters() -> Run:
    return read_run(RESULTS / "clusters" / "nvidia-h200")


@pytest.fixture(scope="module")
def known(run: Run) -> Mapping[str, CaseLimit]:
    rates = calibration(shuffle=0.5, l2_bytes_per_s=5e12, dram_copy_bytes_per_s=4e12, atomic_global_lane=0.5 / H200.sms)
    return {limit.case_id: limit for limit in limits_of(run, calibration=rates)}


def with_device(run: Run, **changes: object) -> Run:
    """Return the run as if its GPU were another."""
    assert run.info.device
    return replace(run, info=replace(run.info, device=replace(run.info.device, **changes)))  # type: ignore[arg-type]


def only(run: Run, case_id: str) -> Run:
    """Return the run with one of its rows."""
    return replace(run, rows=tuple(row for row in run.rows if row.case_id == case_id))


@pytest.mark.archs
def test_each_timed_case_has_a_limit_that_it_does_not_beat_or_the_reason_why_not(
    run: Run, known: Mapping[str, CaseLimit]
) -> None:
    assert list(known) == [row.case_id for row in run.rows if row.status is Status.TIMED]
    for limit in known.values():
        assert (limit.limit_us is None) == (limit.limit_reason is not None)
        assert limit.limit_fraction is None or 0 < limit.limit_fraction < 1.01


@pytest.mark.archs
def test_the_limit_of_a_loop_is_its_cycles_at_the_clock_of_the_row(run: Run, known: Mapping[str, CaseLimit]) -> None:
    row = next(row for row in run.rows if row.case_id == SHFL)
    limit = known[SHFL]
    assert limit.limit_by == "exchange"
    assert limit.limit_cycles == 32.0  # a shuffle of 32 warps, one per clock
    assert row.sm_clock_mhz
    assert row.time_us
    assert limit.limit_us
    assert limit.limit_us == pytest.approx(32 * 512 / row.sm_clock_mhz)
    assert limit.limit_fraction == pytest.approx(limit.limit_us / row.time_us)


def test_a_loop_of_few_iterations_in_many_blocks_is_limited_by_their_start(run: Run) -> None:
    (row,) = only(run, SHFL).rows
    many = replace(row, grid=1_320_000, iterations=2, occupancy=None)
    (limit,) = limits_of(replace(run, rows=(many,)))
    assert limit.limit_by == BLOCK_START
    assert limit.limit_us == pytest.approx(1_320_000 / (many.sm_clock_mhz or 0))


def test_a_kernel_of_one_pass_has_a_limit_and_no_cycles_per_iteration(known: Mapping[str, CaseLimit]) -> None:
    limit = known[AVERAGE]
    assert (limit.limit_by, limit.limit_cycles) == (BLOCK_START, None)
    assert limit.limit_us == pytest.approx(4096 / 1973, rel=0.01)


def test_atomic_additions_to_one_counter_set_the_limit(known: Mapping[str, CaseLimit]) -> None:
    limit = known[RESERVE]
    assert limit.limit_by == ATOMIC
    assert limit.limit_us == pytest.approx(1024 * 256 / 1980, rel=0.001)


def test_the_ceiling_is_that_of_the_measured_rates(known: Mapping[str, CaseLimit]) -> None:
    assert known[SHFL].ceiling_by == "exchange"
    assert known[SHFL].ceiling_us == pytest.approx(2 * (known[SHFL].limit_us or 0))  # at half the documented rate
    assert known[RESERVE].ceiling_by == ATOMIC
    assert known[RESERVE].ceiling_us == pytest.approx(2 * (known[RESERVE].limit_us or 0))
    assert known[AVERAGE].ceiling_by == BLOCK_START
    assert known[AVERAGE].ceiling_us == pytest.approx((known[AVERAGE].limit_us or 0) / 0.831)  # the rate of an H200
    assert known[STRUCTS].ceiling_by == "l2"
    assert known[STRUCTS].ceiling_us == pytest.approx(33.55e6 / 5e6, rel=0.001)


def test_without_a_calibration_there_is_no_ceiling(run: Run) -> None:
    (limit,) = limits_of(only(run, SHFL))
    assert limit.limit_us
    assert (limit.ceiling_us, limit.ceiling_by) == (None, None)


def test_memory_limits_what_l2_cannot_hold(run: Run) -> None:
    assert run.info.device
    small = with_device(only(run, STRUCTS), state=replace(run.info.device.state, l2_bytes=2**20))
    (limit,) = limits_of(small)
    assert limit.limit_by == DRAM
    assert limit.limit_us == pytest.approx((33.55e6 - 2**20) / (2 * 3201 * 6016 / 8), rel=0.001)  # MHz, bits


def test_a_gpu_without_figures_has_no_limit_and_a_reason(run: Run) -> None:
    (limit,) = limits_of(with_device(only(run, SHFL), arch="sm_70"))
    assert (limit.limit_us, limit.limit_reason) == (None, "no figures are known for sm_70")


def test_a_product_without_figures_leaves_out_what_no_sm_sets(run: Run) -> None:
    assert run.info.device
    unknown = replace(run.info.device.state, memory_bus_bits=None)
    (limit,) = limits_of(with_device(only(run, AVERAGE), name="NVIDIA H20", state=unknown))
    assert limit.limit_by == "issue"
    assert {DRAM, BLOCK_START} <= set((limit.omitted or "").split(";"))


def test_a_run_that_kept_no_machine_code_has_limits_of_memory_only(run: Run, tmp_path: Path) -> None:
    bare = replace(run, folder=tmp_path)
    (loop,), (average,) = (limits_of(only(bare, case)) for case in (SHFL, AVERAGE))
    assert (loop.limit_us, loop.limit_reason) == (None, "its machine code was not kept")
    assert average.limit_by == BLOCK_START


def test_a_machine_without_a_disassembler_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_code, "disassemble", lambda *_: None)
    (limit,) = limits_of(only(run, SHFL))
    assert (limit.limit_us, limit.limit_reason) == (None, "no disassembler here can read sm_90")


def test_an_instruction_of_no_known_unit_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(_UNIT_OF, "SHFL")
    (limit,) = limits_of(only(run, SHFL))
    assert limit.limit_reason == "no unit is known for the instructions SHFL"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "left_out"),
    [
        ("cluster-exchange/barrier/i32/1x128/1024/cluster=2", {"cluster barrier"}),
        ("cluster-exchange/store-async/i32/1x128/1024/cluster=2", {"mbarrier", "cluster store"}),
        ("cluster-reduce/barrier/i32/1x128/1/cluster=2", {"cluster barrier"}),
        ("cluster-reduce/add-async/i32/1x128/1/cluster=2", {"cluster barrier", "mbarrier", "cluster store"}),
    ],
)
def test_a_limit_leaves_out_what_no_rate_is_known_of_and_says_so(
    clusters: Run, case: str, left_out: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (known,) = limits_of(only(clusters, case))
    assert not left_out & set((known.omitted or "").split(";"))
    figures = arch.load("sm_90")
    assert figures is not None
    names = "mbarrier", "cluster_store", "cluster_barrier_latency", "fence_latency"
    unknown = replace(figures, **dict.fromkeys(names))  # type: ignore[arg-type]
    monkeypatch.setattr(run_limits, "load", lambda _: unknown)
    (limit,) = limits_of(only(clusters, case))
    assert left_out <= set((limit.omitted or "").split(";"))
    assert (limit.limit_us or 0.0) <= (known.limit_us or 0.0)


def test_the_fence_and_the_barrier_of_a_cluster_are_most_of_the_limit_of_an_exchange(clusters: Run) -> None:
    (limit,) = limits_of(only(clusters, "cluster-exchange/barrier/i32/1x128/1024/cluster=2"))
    assert limit.limit_by == LATENCY
    assert limit.limit_fraction
    assert 0.6 < limit.limit_fraction < 1


def test_an_instruction_of_no_known_unit_in_a_kernel_of_one_pass_is_named(
    clusters: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(_UNIT_OF, "UCGABAR_ARV")
    unknown = with_device(only(clusters, "cluster-reduce/barrier/i32/1x128/1/cluster=2"), name="NVIDIA H20")
    (limit,) = limits_of(unknown)  # without a rate at which blocks start
    assert limit.limit_reason == "no unit is known for the instructions UCGABAR_ARV"


def test_a_damaged_archive_is_an_error(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.folder, tmp_path / "run")
    (tmp_path / "run" / "kernels.zip").write_bytes(b"none")
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged"):
        limits_of(replace(run, folder=tmp_path / "run"))


def test_a_run_without_a_gpu_has_no_limits(run: Run) -> None:
    assert limits_of(replace(run, info=replace(run.info, device=None))) == []
