"""The kernels that run the litmus tests on a GPU, in the emulator: what they write says what happened."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.memory_litmus import kernels
from benchmarks.memory_litmus.__main__ import Outcome
from benchmarks.memory_litmus.kernels import is_forbidden, is_without_wait
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.litmus.bulk_model import bulk_verdict
from tests.litmus.bulk_table import BulkLitmus, bulk_rows
from tests.litmus.kernels import shape
from tests.litmus.model import verdict
from tests.litmus.parameters import parameters
from tests.litmus.table import USED, Litmus, rows

INSTANCES = 2
LONG = 4000  # clocks before the second instance's part
ROWS: list[Litmus | BulkLitmus] = [*rows(), *bulk_rows()]
SOUND = [row for row in ROWS if (verdict(row) if isinstance(row, Litmus) else bulk_verdict(row)) == "sound"]


def shown(row: Litmus | BulkLitmus, early: int, late: int) -> list[bool]:
    """Return which instances show the result that a sound row forbids."""
    if isinstance(row, Litmus):
        (blocks, threads), ptx, old, cluster = shape(row), kernels.many(row), 0, kernels.BLOCKS_OF_CLUSTER
    else:
        blocks, threads, ptx, old, cluster = 1, 64, kernels.many_bulk(row), kernels.OLD_GLOBAL, 1
    place = Shape.of((INSTANCES * blocks, 1, 1), (threads, 1, 1), cluster=(cluster, 1, 1))
    memory = np.full(INSTANCES * kernels.WORDS, old, np.uint32)
    numbers: list[int | np.generic] = [0, np.uint32(early), np.uint32(late)]
    (words,) = execute(EmulatedLaunch(link(parse(ptx), "k"), place, 0, [], [memory], 0, order=numbers))
    return [*map(bool, is_forbidden(row, words.reshape(INSTANCES, kernels.WORDS)))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", parameters(SOUND))
def test_a_sound_row_shows_nothing(row: Litmus | BulkLitmus) -> None:
    assert not any(shown(row, 0, 0) + shown(row, LONG, 0) + shown(row, 0, LONG))


@pytest.mark.archs
def test_rows_without_a_wait_show_it_when_a_thread_is_late() -> None:
    missing = [row for row in ROWS if is_without_wait(row) and (isinstance(row, Litmus) or not row.barrier)]
    assert len(missing) > 20
    quiet = [row.name for row in missing if not shown(row, LONG, 0)[1] and not shown(row, 0, LONG)[1]]
    assert not quiet


def test_the_page_keeps_rows_apart_that_are_broken_only_because_nothing_uses_the_value() -> None:
    outcomes = [Outcome(row, verdict(row) if isinstance(row, Litmus) else bulk_verdict(row), 0, 0) for row in ROWS]
    unused = {item.row for item in outcomes if item.kind == "unused"}
    assert {replace(row, used=USED) for row in unused} < {item.row for item in outcomes if item.kind == "doubtful"}
    assert all(item.verdict == "broken" for item in outcomes if item.row in unused)
    assert {item.mechanism for item in outcomes if item.row in unused} == {
        "cluster barrier", "mbarrier", "bulk load", "bulk store",
    }  # fmt: skip
