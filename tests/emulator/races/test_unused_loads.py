"""Loads that race, and whose values some threads never use: compilers move such loads out of conditions."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.value_uses import ValueUses
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.races.hazards import Hazard, HazardKind
from tests.emulator.threads import TO_64_BITS, launch, operands, program

WAR = HazardKind.WAR
# Thread 0 reads a word and writes it again, while all other threads only load it.
START = "setp.eq.u32 %p1, %r3, 0; @%p1 st.shared.b32 [%r4], %a32; bar.sync 0;"
LOAD, WRITE = "ld.shared.b32 %r8, [%r4];", "@%p1 st.shared.b32 [%r4], %b32;"
GUARDED = "@%p1 st.shared.b32 [%r4+4], %r8;"
BRANCH = "@!%p1 bra $skip; st.shared.b32 [%r4+4], %r8; $skip:"
BOTH = "setp.gt.s32 %p2, %r8, 5; and.pred %p3, %p1, %p2; @%p3 st.shared.b32 [%r4+4], 1;"
SELECT = f"selp.b32 %x32, %r8, 7, %p1; {TO_64_BITS}"
SUM = "add.u32 %r9, %r8, 1; @%p1 st.shared.b32 [%r4+4], %r9;"
OF_WARP_1 = "setp.ge.u32 %p2, %r3, 32;"
DATA = "setp.eq.u32 %p2, %b32, 77;"  # an operand of no thread
FEW = "ld.param.u32 %r7, [n]; setp.gt.u32 %p2, %r7, 5;"  # for no thread: the parameter is 0
# The sum of three rounds, each of which thread 0 adds to and writes, as a compiler makes it.
ROUNDS = f"""
    mov.u32 %r6, 0; mov.u32 %r9, 0;
    $again: bar.sync 0; {LOAD} add.u32 %r9, %r9, %r8; {WRITE} add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 3; @%p2 bra $again; @%p1 st.shared.b32 [%r4+4], %r9;"""


def races(code: str, policy: str = LOCKSTEP.name) -> set[HazardKind]:
    return {hazard.kind for hazard in explored(code, policy)}


def explored(code: str, policy: str) -> tuple[Hazard, ...]:
    return explore(launch(code, operands()), (POLICIES[policy],)).hazards


@pytest.mark.parametrize("policy", [LOCKSTEP.name, "warps in reverse", "odd lanes first"])
@pytest.mark.parametrize("use", [GUARDED, BRANCH, BOTH, SELECT, SUM])
def test_a_load_whose_value_its_thread_never_uses_does_not_race(use: str, policy: str) -> None:
    assert races(f"{START} {LOAD} {use} {WRITE}", policy) == set()


@pytest.mark.parametrize(
    "use",
    [
        "",  # no thread uses it, and no condition is the reason
        f"mov.u32 %x32, %r8; {TO_64_BITS}",
        "@!%p1 st.shared.b32 [%r5+8], %r8;",
        f"selp.b32 %x32, 7, %r8, %p1; {TO_64_BITS}",
        "setp.eq.u32 %p2, %r8, 77; @%p2 bra $end; $end:",  # whatever the value is here
        "setp.eq.u32 %p2, %r8, 77; @%p2 st.shared.b32 [%r5+8], 1;",
        f"{DATA} @%p2 st.shared.b32 [%r5+8], %r8;",  # with other data, threads use it
        f"{FEW} @%p2 st.shared.b32 [%r5+8], %r8;",  # with another parameter, they do
        "and.b32 %r8, %r8, 28; add.u32 %r8, %r4, %r8; ld.shared.b32 %r9, [%r8+64];",  # an address
        f"shfl.sync.idx.b32 %x32, %r8, 1, 31, -1; {TO_64_BITS}",
        "add.u32 %r9, %r8, 1; setp.ne.u32 %p3, %r3, 9; @%p3 bra $skip; st.shared.b32 [%r5+8], %r9; $skip:",
    ],
)
def test_a_load_whose_value_a_thread_may_use_races(use: str) -> None:
    assert WAR in races(f"{START} {LOAD} {use} {WRITE}")


def test_only_threads_that_use_the_value_race() -> None:
    code = f"{START} {LOAD} {OF_WARP_1} @%p2 st.shared.b32 [%r5+8], %r8; {WRITE}"
    (race,) = explored(code, LOCKSTEP.name)
    assert (race.kind, race.threads[0], race.threads[1][1] >= 32) == (WAR, (0, 0), True)


def test_another_load_of_the_same_thread_still_races() -> None:
    used = "ld.shared.b32 %r9, [%r4]; st.shared.b32 [%r5+8], %r9;"
    assert WAR in races(f"{START} {used} {LOAD} {GUARDED} {WRITE}")


def test_a_sum_that_one_thread_uses_does_not_race() -> None:
    assert races(START + ROUNDS) == set()


def test_a_sum_that_all_threads_use_races() -> None:
    assert WAR in races(START + ROUNDS + f"mov.u32 %x32, %r9; {TO_64_BITS}")


def test_volatile_loads_and_atomics_are_executed_as_the_source_says() -> None:
    assert races(f"{START} ld.volatile.shared.b32 %r8, [%r4]; {GUARDED} {WRITE}")
    assert races(f"{START} atom.shared.add.u32 %r8, [%r4], 0; {GUARDED} {WRITE}")


def test_a_value_is_used_along_the_branches_that_a_thread_may_take() -> None:
    code = program(f"{START} {LOAD} {BRANCH}")
    (load,) = [op for op in code.ops() if op.instruction.text.startswith("ld.shared")]
    uses = ValueUses(code)
    (condition,) = uses.conditions(load)
    assert uses.may_use(load, {})
    assert uses.may_use(load, {condition: True})
    assert not uses.may_use(load, {condition: False})
