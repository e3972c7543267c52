from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.core.model import DTYPES
from shflbench.kernel_facts.declared_traffic import DeclaredTraffic
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load
from shflbench.store import Row, read_run
from tests.kernel_facts.test_run_limits import RESULTS

TRAFFIC = DeclaredTraffic(builtin())


def row_of(suite: str, case_id: str) -> Row:
    """Return a committed row."""
    return next(row for row in read_run(RESULTS / suite / "nvidia-h200").rows if row.case_id == case_id)


def test_bytes_are_those_that_the_pattern_declares() -> None:
    row = row_of("quick", "moving-average/shfl/f32/4096x256/1/missing=0")
    assert TRAFFIC.distinct_bytes(row) == 2 * 4096 * 256 * 4


def test_an_element_that_all_threads_of_a_block_read_counts_once() -> None:
    row = row_of("warp-collectives", "strided-read/global/i32/16384x256/1/stride=0/offset=0")
    assert row.gb_per_s
    assert row.time_us
    assert round(row.gb_per_s * row.time_us * 1000, -6) == 34_000_000  # as if each thread read an element of its own
    assert TRAFFIC.distinct_bytes(row) == 4 * (16384 * 256 + 16384)


def test_a_pattern_that_declares_no_bytes_or_is_not_there_moves_an_unknown_number() -> None:
    row = row_of("quick", "reserve/atomic/i32/1024x256/1")
    assert TRAFFIC.distinct_bytes(row) is None
    assert DeclaredTraffic({}).distinct_bytes(row) is None
    assert DeclaredTraffic({"reserve": Path("nowhere")}).distinct_bytes(row) is None


@pytest.mark.parametrize("counters", ["1", "32"])
def test_declared_atomics_are_at_most_those_of_the_most_frequent_counter(counters: str) -> None:
    pattern = load(builtin()["count"])
    at = Setting(DTYPES["i32"], {"counters": counters}, grid=16, block=256)
    assert pattern.functions.inputs
    drawn = pattern.functions.inputs(np.random.default_rng(1), at)
    assert not isinstance(drawn, tuple)
    (counts,) = pattern.reference([drawn], at, 1)
    declared = pattern.declaration.variant("global").atomics
    assert declared
    assert 0.9 * counts.max() / (1.2 if counters == "32" else 1) < declared(at) <= counts.max()


def test_atomics_are_those_of_the_variant_at_its_launch() -> None:
    row = row_of("quick", "reserve/atomic/i32/1024x256/1")
    assert TRAFFIC.atomics(row) == 1024 * 256
    assert TRAFFIC.atomics(replace(row, variant="leader-shfl")) == 1024 * 8
    assert TRAFFIC.atomics(row_of("quick", "moving-average/shfl/f32/4096x256/1/missing=0")) is None
    assert DeclaredTraffic({}).atomics(row) is None
