"""The emulator judges each litmus test as the enumeration of the written model does."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.hazards import RACES, HazardKind
from tests.litmus.bulk_kernels import bulk_text
from tests.litmus.bulk_model import bulk_verdict
from tests.litmus.bulk_table import BulkLitmus, bulk_rows
from tests.litmus.kernels import shape, text
from tests.litmus.model import verdict
from tests.litmus.parameters import parameters
from tests.litmus.table import Litmus, rows

SCHEDULES = (LOCKSTEP, POLICIES["warps in reverse"], POLICIES["blocks in reverse"])
RACING = {*RACES, HazardKind.PROXY_RACE}
WEAK = {HazardKind.WEAK_ORDER, HazardKind.PROXY_ORDER}
PAIRS = 80
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "how-the-memory-model-was-tested.md"


def judge(test: Litmus) -> str:
    grid, block = shape(test)
    program = link(parse(text(test)), "k")
    place = Shape.of((grid, 1, 1), (block, 1, 1), cluster=(2, 1, 1))
    return conclude(EmulatedLaunch(program, place, 0, [], [np.zeros(16, np.uint32)], 0, order=(0,)))


def judge_bulk(test: BulkLitmus) -> str:
    program = link(parse(bulk_text(test)), "k")
    return conclude(EmulatedLaunch(program, Shape(1, 64), 0, [], [np.zeros(16, np.uint32)], 0, order=(0,)))


def conclude(launch: EmulatedLaunch) -> str:
    """Return the verdict on a launch that ends and has no other hazards than races and weak orders.

    After a schedule that shows a race, no other one runs.
    """
    kinds: set[HazardKind] = set()
    for schedule in SCHEDULES:
        report = explore(launch, (schedule,))
        assert report.errors == ()
        kinds |= {hazard.kind for hazard in report.hazards} - {HazardKind.UNORDERED}
        assert kinds <= RACING | WEAK
        if kinds & RACING:
            return "broken"
    return "doubtful" if kinds else "sound"


@pytest.mark.parametrize("test", parameters(bulk_rows()))
def test_a_bulk_copy_is_judged_as_the_written_model_says(test: BulkLitmus) -> None:
    assert judge_bulk(test) == bulk_verdict(test)


@pytest.mark.parametrize("test", parameters(rows()))
def test_a_row_is_judged_as_the_written_model_says(test: Litmus) -> None:
    assert judge(test) == verdict(test)


def test_the_page_on_the_memory_model_counts_the_rows() -> None:
    names = {
        "block barrier": "barrier of the block",
        "cluster barrier": "barrier of the cluster",
        "mbarrier": "`mbarrier`",
    }
    names |= {"flag": "flag in memory", "atomics": "atomics of one word"}
    counts = Counter((names[row.mechanism], verdict(row)) for row in rows())
    names["bulk"] = "bulk copy"
    counts.update((names["bulk"], bulk_verdict(row)) for row in bulk_rows())
    page = PAGE.read_text(encoding="utf-8")
    for name in names.values():
        columns = " | ".join(str(counts[name, one]) for one in ("sound", "doubtful", "broken"))
        assert f"| {name} | {columns} |" in page
    assert f"lists {len(rows())} tests" in page
    assert f"lists {len(bulk_rows())} tests" in page


def test_the_table_has_pairs_of_a_sound_and_a_broken_row_that_differ_in_one_column() -> None:
    verdicts = {row: verdict(row) for row in rows()}
    pairs = [
        (one, other)
        for one, other in combinations(verdicts, 2)
        if one.differences(other) == 1 and {verdicts[one], verdicts[other]} == {"sound", "broken"}
    ]
    assert len({row for pair in pairs for row in pair if verdicts[row] == "broken"}) >= PAIRS
    assert len(pairs) >= PAIRS
    assert f"{len(pairs)} pairs of a sound and a broken row" in PAGE.read_text(encoding="utf-8")


def test_the_second_reading_finds_the_same_rows_sound() -> None:
    second: dict[str, str] = json.loads((Path(__file__).parent / "second_reading.json").read_text(encoding="utf-8"))
    ours = {row.name: verdict(row) for row in rows()} | {row.name: bulk_verdict(row) for row in bulk_rows()}
    differing = Counter((read, ours[name]) for name, read in second.items() if read != ours[name])
    assert len(second) == 366 + 120
    assert differing == {("doubtful", "broken"): 15, ("broken", "doubtful"): 4}
