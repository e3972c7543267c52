"""Barriers, fences, arrivals and waits of sound kernels, removed or relaxed: found unless nothing depends on them."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.ptx.parse import parse
from tests.emulator.synchronization.kernels import (
    BULK,
    CLUSTERS,
    ELEMENTS,
    Subject,
    compiled,
    kinds,
    subjects,
    values,
)

SCHEDULES = (LOCKSTEP, POLICIES["lanes at random"], POLICIES["blocks in reverse"])
SOUND = [subject for folder in (CLUSTERS, BULK) for subject in subjects(folder) if subject.truth[0] == "sound"]
# Their mutants take seconds each; those of the other kernels change the same instructions.
SLOW = {
    "asynchronous_addition",
    "asynchronous_store",
    "barrier_in_memory_is_made_known_by_its_fence",
    "bulk_copy_to_the_other_block",
    "bulk_load_for_both_blocks",
    "remote_barrier_in_memory_of_two_phases",
    "remote_barrier_in_memory_says_that_it_is_read",
}
# Mutants that nothing distinguishes, by kernel: what is changed, and how often it occurred before.
LAST_BARRIER = {("without barrier", 1), ("relaxed barrier", 1)}  # of which each block knows already what it says
EQUIVALENT: dict[str, set[tuple[str, int]]] = {
    "asynchronous_addition": {("without fence", 0), ("without block barrier", 0), *LAST_BARRIER},
    "asynchronous_store": {("without fence", 0), ("without block barrier", 0), *LAST_BARRIER},
    "barrier_in_memory_is_made_known_by_its_fence": {("without barrier", 1), ("relaxed barrier", 0)},
    "bulk_copy_to_the_other_block": {("without fence", 0), ("without block barrier", 0)},
    "bulk_load": {("without fence", 0)},
    "bulk_load_for_both_blocks": {("without fence", 0), ("without block barrier", 0), *LAST_BARRIER},
    "bulk_load_over_what_was_read_after_a_fence": {("without fence", 0)},
    "bulk_load_over_zeros_after_a_fence": {("without fence", 1)},
    "bulk_load_that_one_thread_waits_for": {("without fence", 0), ("without block barrier", 0)},
    "bulk_store_of_what_is_overwritten_after_its_read": {("without group", 1), ("group that is only read", 0)},
    "cluster_relaxed_arrival_after_a_fence": {("relaxed barrier", 0)},  # the start of a block is no matter of memory
    "cluster_writes_after_its_peer_has_started": {("relaxed barrier", 0)},
    "remote_barrier_in_memory": LAST_BARRIER,
    "remote_barrier_in_memory_of_two_phases": {("without barrier", 2), ("relaxed barrier", 2)},
    "remote_barrier_in_memory_says_that_it_is_read": {
        *((name, number) for name in ("without barrier", "relaxed barrier") for number in (0, 2))
    },
}

RELAXED = {
    "relaxed barrier": (r"barrier\.cluster\.arrive(\.release)?(?!\.relaxed)", "barrier.cluster.arrive.relaxed"),
    "relaxed wait": (r"acquire\.cluster", "relaxed.cluster"),
    "relaxed arrival": (r"arrive\.release\.cluster", "arrive.relaxed.cluster"),
    "group that is only read": (r"bulk\.wait_group(?!\.read)", "bulk.wait_group.read"),
    "without wait": (r"mbarrier\.try_wait\S*\s+(\S+),[^;]*;", r"setp.eq.u32 \1, 0, 0;"),
    "without arrival": (r"mbarrier\.arrive\.(?!expect)[^;]*;", ""),
    "without expected bytes": (r"mbarrier\.arrive\.expect_tx[^;]*;", ""),
    "without fence": (r"fence\.[^;]*;", ""),
    "without block barrier": (r"(bar|barrier)\.sync[^;]*;", ""),
    "without group": (r"cp\.async\.bulk\.wait_group[^;]*;", ""),
}
WITHOUT_ORDER = {"RAW", "WAR", "WAW", "ATOMIC_RACE", "ENDED", "UNFINISHED_COPY"}
# The kinds of hazards by which a mutant is found.
EXPECTED = {
    "relaxed barrier": {*WITHOUT_ORDER, "WEAK_END", "WEAK_ORDER"},
    "relaxed wait": {"RAW", "WEAK_ORDER"},
    "relaxed arrival": {"RAW", "WEAK_ORDER"},
    "group that is only read": {"RAW"},
    "without wait": {"RAW"},
    "without arrival": {"DEADLOCK"},
    "without expected bytes": {"DEADLOCK"},
    "without fence": {"RAW", "ENDED", "PROXY_RACE", "PROXY_ORDER"},
    "without block barrier": {"RAW"},
    "without group": {"WAR", "UNFINISHED_COPY"},
    "without barrier": {*WITHOUT_ORDER, "NOT_STARTED"},
}


def mutants(ptx: str) -> Iterator[tuple[str, int, str]]:
    """Yield what is changed, how often it occurred before, and the changed text."""
    lines = ptx.splitlines()
    for name, (pattern, replacement) in RELAXED.items():
        places = [number for number, line in enumerate(lines) if re.search(pattern, line.partition("//")[0])]
        for count, place in enumerate(places):
            changed = re.sub(pattern, replacement, lines[place].partition("//")[0])
            yield name, count, "\n".join((*lines[:place], changed, *lines[place + 1 :]))
    arrivals = [number for number, line in enumerate(lines) if "barrier.cluster.arrive" in line]
    waits = [number for number, line in enumerate(lines) if "barrier.cluster.wait" in line]
    for count, pair in enumerate(zip(arrivals, waits, strict=True)):
        yield "without barrier", count, "\n".join(line for number, line in enumerate(lines) if number not in pair)


def is_found(subject: Subject, symbol: str, ptx: str, expected: set[str]) -> bool:
    """Whether one of the schedules, which run until one does, shows one of the expected kinds of hazards."""
    outputs = [np.zeros(ELEMENTS, np.int32)]
    launch = EmulatedLaunch(link(parse(ptx), symbol), subject.shape, 0, [values()], outputs, 0, order=(0, 1))
    return any(expected & kinds(explore(launch, (schedule,), step_limit=16_000)) for schedule in SCHEDULES)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "subject",
    [pytest.param(one, id=one.name, marks=[pytest.mark.archs] if one.name in SLOW else []) for one in SOUND],
)
def test_every_mutant_is_found_unless_it_is_equivalent(subject: Subject) -> None:
    symbol, ptx = compiled(subject.folder)[subject.name]
    missed = {
        (name, count) for name, count, text in mutants(ptx) if not is_found(subject, symbol, text, EXPECTED[name])
    }
    assert missed == EQUIVALENT.get(subject.name, set())
