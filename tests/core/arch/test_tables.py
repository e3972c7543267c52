"""The files of architectures, checked against the launch arithmetic of the package and the runs on an H200."""

import csv
import re
import typing
from dataclasses import fields
from pathlib import Path

import pytest

from shflbench.core.arch import Architecture, Figure, list_archs, load, tables
from shflbench.core.arch import launch_limits as limits
from shflbench.store.calibration_file import find_shipped, read

RESULTS = Path(__file__).parents[3] / "results"
H200_SMS = 132
SLOPE_ERROR = 1.003  # a slope between two lengths of a kernel scatters by up to 0.3% around a saturated unit's
FIGURES = [field.name for field in fields(Architecture) if field.name != "name"]
TYPES = {name: typing.get_args(typing.get_type_hints(Architecture)[name])[0] for name in FIGURES}
RATES = (
    *("exchange", "exchange_measured", "shared_memory", "fp32", "fp64", "half2", "int32_add", "int32_logic"),
    *("vote", "redux", "special", "conversion", "barrier", "match_values", "load_store", "l1_tags"),
    *("uniform", "mbarrier", "cluster_store", "movmatrix", "mma"),
)

Case = dict[str, str]


def table(arch: str) -> Architecture:
    architecture = load(arch)
    assert architecture is not None
    return architecture


def figures(arch: str) -> dict[str, Figure[typing.Any]]:
    values = {name: getattr(table(arch), name) for name in FIGURES}
    return {name: figure for name, figure in values.items() if figure is not None}


def value(arch: str, name: str) -> typing.Any:
    return figures(arch)[name].value


def cases(suite: str, pattern: str) -> dict[str, Case]:
    """Return the timed cases of the run on an H200 whose id matches `pattern`."""
    with (RESULTS / suite / "nvidia-h200/results.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["case_id"]: row for row in csv.DictReader(file)}
    return {name: row for name, row in rows.items() if re.match(pattern, name) and row["cycles_per_iteration"]}


def cycles(suite: str, pattern: str) -> dict[int, float]:
    """Return cycles per iteration by resident warps per SM, the fewest of all launches that run in one wave."""
    found: dict[int, float] = {}
    for row in cases(suite, pattern).values():
        per_sm = -(-int(row["grid"]) // H200_SMS)
        warps = per_sm * int(row["block"]) // 32
        if warps <= value("sm_90", "resident_warps") and per_sm <= value("sm_90", "resident_blocks"):
            found[warps] = min(found.get(warps, float("inf")), float(row["cycles_per_iteration"]))
    return found


def test_every_architecture_has_a_file_and_they_are_sorted_by_age() -> None:
    numbers = (75, 80, 86, 87, 89, 90, 100, 103, 120, 121)
    assert list_archs() == tuple(f"sm_{number}" for number in numbers)
    assert [table(name).name for name in list_archs()] == list(list_archs())


@pytest.mark.parametrize(("arch", "name"), [("sm_90a", "sm_90"), ("sm_100f", "sm_100"), ("sm_120a", "sm_120")])
def test_suffixes_select_the_table_of_the_same_chip(arch: str, name: str) -> None:
    assert load(arch) == load(name)


@pytest.mark.parametrize("arch", ["sm_70", "sm_9", "sm_900", "compute_90", "sm_90aa", "../sm_90", ""])
def test_an_architecture_without_a_file_is_unknown(arch: str) -> None:
    assert load(arch) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[wraps]\nvalue = 64\nsource = "x"\nverified = false', "wraps"),
        ('[issue]\nvalue = 1.0\nsource = "x"\nverified = false\nunit = "clock"', "unit"),
        ("[issue]\nvalue = 1.0\nverified = false", "source"),
    ],
)
def test_unknown_and_missing_keys_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, complaint: str
) -> None:
    (tmp_path / "sm_999.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    monkeypatch.setattr(tables, "list_archs", tables.list_archs.__wrapped__)
    with pytest.raises(TypeError, match=complaint):
        tables.load.__wrapped__("sm_999")


@pytest.mark.parametrize("arch", list_archs())
def test_every_figure_has_a_source_and_the_declared_type(arch: str) -> None:
    assert figures(arch)
    for name, figure in figures(arch).items():
        (expected,) = typing.get_args(TYPES[name])
        assert len(figure.source) > 20, name
        assert type(figure.verified) is bool, name
        if typing.get_origin(expected) is tuple:
            assert {type(item) for item in figure.value} == {typing.get_args(expected)[0]}, name
        else:
            assert type(figure.value) is expected, name


@pytest.mark.parametrize("arch", list_archs())
def test_residency_agrees_with_the_launch_arithmetic_of_the_emulator(arch: str) -> None:
    expected = limits.limits_of(arch)
    generation = limits.major(arch)
    assert value(arch, "resident_warps") * 32 == expected.threads
    assert value(arch, "resident_blocks") == expected.blocks
    assert value(arch, "registers") == limits.REGISTERS
    assert value(arch, "shared_bytes") == expected.shared_bytes
    assert value(arch, "shared_bytes_per_block") == expected.block_shared_bytes(generation)
    assert value(arch, "reserved_shared_bytes") == (limits.RESERVED_SHARED if generation >= 8 else 0)


@pytest.mark.parametrize("arch", list_archs())
def test_figures_of_an_architecture_agree_with_each_other(arch: str) -> None:
    found = figures(arch)
    per_block = value(arch, "shared_bytes_per_block") + value(arch, "reserved_shared_bytes")
    assert per_block == value(arch, "shared_bytes")
    assert max(value(arch, "carveouts_kib")) * 1024 == value(arch, "shared_bytes") < value(arch, "l1_shared_bytes")
    assert list(value(arch, "carveouts_kib")) == sorted(value(arch, "carveouts_kib"))
    slots = found["sub_partitions"].value * found["issue"].value if "issue" in found else 4.0
    assert all(0 < found[rate].value <= slots for rate in RATES if rate in found)
    if {"exchange", "exchange_measured"} <= found.keys():
        assert found["exchange_measured"].value <= found["exchange"].value
    assert set(found["fixed_latency"].value) <= set(RATES)


def test_only_sm_90_has_a_fixed_latency_for_fp64() -> None:
    assert [arch for arch in list_archs() if "fp64" in value(arch, "fixed_latency")] == ["sm_90"]


def test_rates_and_latencies_that_calibrate_measured_have_a_margin() -> None:
    calibration = read(find_shipped("NVIDIA H200") or Path())
    rates = {"cluster_store": "dsmem_store", "movmatrix": "movmatrix", "mma": "mma"}
    assert all(value("sm_90", name) >= 1.03 * calibration.figures[figure].high for name, figure in rates.items())
    latencies = {"atoms_latency": "atoms_add_latency", "match_latency": "match_any_equal_latency"}
    latencies |= {"redux_latency": "redux_add_latency", "movmatrix_latency": "movmatrix_latency"}
    latencies |= {"fence_latency": "fence_gpu_release", "system_fence_latency": "fence_system"}
    latencies |= {"cluster_barrier_latency": "cluster_barrier_relaxed_8"}
    assert all(value("sm_90", name) <= 0.97 * calibration.figures[figure].low for name, figure in latencies.items())


def test_only_figures_that_a_test_of_this_file_confirms_are_verified() -> None:
    verified = {(arch, name) for arch in list_archs() for name, figure in figures(arch).items() if figure.verified}
    residency = {"resident_warps", "resident_blocks", "shared_bytes", "reserved_shared_bytes"}
    speeds = {"exchange", "redux", "barrier", "shfl_latency", "barrier_constant", "barrier_per_warp"}
    speeds |= {"load_store", "l1_tags", "ldl_latency", "ldg_latency", "l2_latency", "integer_opcodes"}
    assert verified == {("sm_90", name) for name in residency | speeds}


def test_the_h200_keeps_as_many_blocks_resident_as_the_table_of_sm_90_says() -> None:
    suites = {**cases("launch-sweep", "neighbor/"), **cases("occupancy", "neighbor/|reduce/")}
    reserved, limiting = value("sm_90", "reserved_shared_bytes"), set()
    for name, row in suites.items():
        warps, shared = int(row["block"]) // 32, int(row["shared_bytes"])
        by_unit = {
            "resident_warps": value("sm_90", "resident_warps") // warps,
            "resident_blocks": value("sm_90", "resident_blocks"),
            "shared_bytes": value("sm_90", "shared_bytes") // (-(-shared // 128) * 128 + reserved),
        }
        blocks = min(by_unit.values())
        lowest = [unit for unit, count in by_unit.items() if count == blocks]
        limiting |= set(lowest) if len(lowest) == 1 else set()
        assert float(row["occupancy"]) == blocks * warps / value("sm_90", "resident_warps"), name
    assert limiting == {"resident_warps", "resident_blocks", "shared_bytes"}


def test_an_h200_shuffles_at_the_rate_and_the_latency_of_sm_90() -> None:
    measured = cycles("launch-sweep", r"neighbor/shfl/")
    rate, latency = value("sm_90", "exchange"), value("sm_90", "shfl_latency")
    assert {1, 32, 64} <= measured.keys()
    for warps, clocks in measured.items():
        assert clocks * SLOPE_ERROR >= max(warps / rate, latency), warps
    assert measured[64] == pytest.approx(64 / rate, rel=0.003)
    assert measured[1] - 3 < latency < measured[1]


def test_an_h200_stores_and_loads_within_the_rate_and_the_latency_of_sm_90() -> None:
    for warps, clocks in cycles("launch-sweep", r"neighbor/smem-(syncwarp|unsafe)/").items():
        assert clocks * SLOPE_ERROR >= max(2 * warps / value("sm_90", "exchange"), value("sm_90", "lds_latency")), warps


def test_an_h200_reduces_in_hardware_at_the_rate_of_sm_90() -> None:
    measured = cycles("gtc2013", r"reduce/(redux|cub|cg)/i32/26x1024/.*width=32")[32]
    assert measured == pytest.approx(32 / value("sm_90", "redux"), rel=0.005)


def test_an_h200_waits_at_barriers_as_long_as_the_table_of_sm_90_says() -> None:
    constant, slope = value("sm_90", "barrier_constant"), value("sm_90", "barrier_per_warp")
    one_block = {
        warps: cycles("launch-sweep", rf"neighbor/smem/f32/sms x {32 * warps}/")[warps]
        for warps in (1, 2, 4, 8, 16, 32)
    }
    for warps, clocks in one_block.items():
        assert clocks >= 2 * (constant + slope * warps), warps
    assert one_block[32] == pytest.approx(2 * (constant + slope * 32), rel=0.05)
    assert (one_block[32] - one_block[16]) / 32 == pytest.approx(slope, rel=0.01)


def test_warps_of_an_h200_arrive_at_barriers_no_faster_than_at_the_rate_of_sm_90() -> None:
    measured = cycles("launch-sweep", r"neighbor/smem/f32/")
    for warps, clocks in measured.items():
        assert clocks >= 2 * warps / value("sm_90", "barrier"), warps
    assert measured[32] == pytest.approx(2 * 32 / value("sm_90", "barrier"), rel=0.04)


def test_an_h200_loads_at_the_rate_of_sm_90() -> None:
    for variant in ("smem", "l1", "l2", "dram"):
        measured = cycles("warp-collectives", rf"memory-ladder/{variant}/i32/2\*sms x 1024/4096/chains=4")[64]
        assert measured * SLOPE_ERROR >= 4 * 64 / value("sm_90", "load_store"), variant
    assert cycles("warp-collectives", r"memory-ladder/smem/i32/2\*sms x 1024/")[64] == pytest.approx(256, rel=0.003)


def test_an_h200_looks_up_as_many_lines_per_clock_as_the_table_of_sm_90_says() -> None:
    measured = cycles("dynamic-indexing", r"private-array/local/f32/8\*sms x 64/1024/length=32/index=worst/math=0$")[16]
    assert measured == pytest.approx(16 * 32 / value("sm_90", "l1_tags"), rel=0.005)


@pytest.mark.parametrize(("variant", "figure", "below"), [("l1", "ldg_latency", 2), ("l2", "l2_latency", 100)])
def test_an_h200_loads_from_global_memory_with_the_latency_of_sm_90(variant: str, figure: str, below: float) -> None:
    address = 6  # clocks of the multiply-add that computes the next address
    latency = cycles("warp-collectives", rf"memory-ladder/{variant}/i32/sms x 32/")[1] - address
    assert value("sm_90", figure) <= latency < value("sm_90", figure) + below


def test_an_h200_loads_from_local_memory_with_the_latency_of_sm_90() -> None:
    latency, address = value("sm_90", "ldl_latency"), 15  # clocks from an element to the address of the next one
    one_warp = cycles("residency", r"lane-array/local/f32/sms x 32/1024/length=32/index=uniform$")[1]
    loads, other = 15, 280  # of 16 iterations, which loads wait for each other, and the clocks of the code between them
    assert latency <= (16 * one_warp - other) / loads < latency + 1
    measured = {
        **cycles("quick", r"private-array/local/f32/26x256/"),
        **cycles("dynamic-indexing", r"private-array/local/f32/8\*sms x 64/1024/length=(16|32)/index=uniform/math=0$"),
    }
    assert measured.keys() == {8, 16}
    for warps, clocks in measured.items():
        assert latency <= clocks - address < latency + 3, warps


def test_an_h200_votes_in_the_integer_unit() -> None:
    measured = cycles("warp-collectives", r"vote/vote/i32/2\*sms x 1024/4096/op=ballot$")[64]
    comparison, shift, vote, counter = 1, 1, 1, 1 / 16  # integer instructions per iteration
    assert "VOTE" in value("sm_90", "integer_opcodes")
    instructions = 64 * (comparison + shift + vote + counter)
    assert measured == pytest.approx(instructions / value("sm_90", "int32_logic"), rel=0.03)


def test_an_h200_compares_values_no_faster_than_the_table_of_sm_90_says() -> None:
    distinct = {16: 2, 8: 4, 4: 8}  # values per MATCH by the width of a group
    for values, width in distinct.items():
        measured = cycles("gtc2013", rf"reduce/cg-group/f32/26x1024/4096/width={width}$")[32]
        assert 4 * measured >= 32 * values / value("sm_90", "match_values"), width  # one MATCH per four iterations
