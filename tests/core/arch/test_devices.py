"""The figures of products, checked against the runs on an H200."""

from pathlib import Path

import pytest

from shflbench.core.arch.devices import Product, peak_dram_bytes_per_us, product, products
from shflbench.core.model import Status
from shflbench.store import Row, find_runs, read_run

RESULTS = Path(__file__).parents[3] / "results"


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [row for folder in find_runs([RESULTS]) for row in read_run(folder).rows if row.status is Status.TIMED]


@pytest.fixture
def h200() -> Product:
    known = product("NVIDIA H200")
    assert known
    return known


def test_each_name_of_a_driver_belongs_to_one_product_and_each_figure_has_a_source() -> None:
    names = [name for one in products() for name in one.names]
    assert len(names) == len(set(names))
    for one in products():
        assert one.dram_gb_per_s
        figures = (one.dram_gb_per_s, one.memory_bus_bits, one.blocks_per_clock, one.same_address_atomics_per_clock)
        assert all(figure.value > 0 and figure.source for figure in figures if figure)


def test_a_product_without_an_entry_is_unknown() -> None:
    assert product("NVIDIA H2000") is None
    assert peak_dram_bytes_per_us("NVIDIA H2000", 3201, None) is None


def test_the_peak_is_the_higher_of_the_documented_rate_and_that_of_the_clock() -> None:
    assert peak_dram_bytes_per_us("NVIDIA H200", 3201, None) == 3201 * 2 * 6144 / 8  # more than the documented 4.8 TB/s
    assert peak_dram_bytes_per_us("NVIDIA H200", None, None) == 4_800_000
    assert peak_dram_bytes_per_us("NVIDIA H200", 2000, 6144) == 4_800_000
    assert peak_dram_bytes_per_us("NVIDIA H2000", 2000, 512) == 2000 * 2 * 64


def test_no_case_of_an_h200_starts_blocks_faster_than_the_figure(rows: list[Row], h200: Product) -> None:
    assert h200.blocks_per_clock
    rates = [
        grid / (row.time_us * row.sm_clock_mhz)
        for row in rows
        if (grid := row.first_launch[0]) and row.time_us and row.sm_clock_mhz
    ]
    assert h200.blocks_per_clock_measured
    fastest = h200.blocks_per_clock_measured.value  # of several H200s, of which the last run is on another one
    assert 0.99 * fastest < max(rates) <= fastest < h200.blocks_per_clock.value


def test_no_case_of_an_h200_moves_data_that_l2_cannot_hold_faster_than_memory(rows: list[Row], h200: Product) -> None:
    assert h200.dram_gb_per_s
    rates = [row.gb_per_s for row in rows if row.gb_per_s and row.time_us and row.gb_per_s * row.time_us > 200_000]
    assert 0.8 * h200.dram_gb_per_s.value < max(rates) < h200.dram_gb_per_s.value


def test_no_case_of_an_h200_does_atomics_on_one_address_faster_than_the_figure(rows: list[Row], h200: Product) -> None:
    assert h200.same_address_atomics_per_clock
    one_per_thread = [row for row in rows if (row.pattern, row.variant) == ("reserve", "atomic")]
    rates = [
        row.grid * row.block / (row.time_us * row.sm_clock_mhz)
        for row in one_per_thread
        if row.grid and row.time_us and row.sm_clock_mhz
    ]
    assert 0.68 < max(rates) < h200.same_address_atomics_per_clock.value
