"""After an access out of bounds or misaligned: what else a launch does, and what counts of it."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine import dropped
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.scheduler import STEP_LIMIT
from shflbench.emulator.races.hazards import HazardKind
from shflbench.emulator.races.past_faults import AfterFaults, past_faults
from shflbench.emulator.races.watched import ScheduledRun
from tests.emulator.threads import launch, operands

OUTSIDE = "add.u64 %d7, %d5, 0x100000;"
UPPER_HALF = "setp.ge.u32 %p1, %r3, 32;"
ONE_PLACE = "st.shared.u32 [%r4], %r3;"


def after(code: str) -> AfterFaults:
    item = launch(code, operands())
    (stopped,) = explore(item, (LOCKSTEP,)).results
    return past_faults(ScheduledRun(item, LOCKSTEP, 0, STEP_LIMIT), stopped.hazards)


def kinds(result: AfterFaults) -> list[HazardKind]:
    return [hazard.kind for hazard in result.hazards if hazard.after_fault]


@pytest.mark.parametrize(
    ("access", "kind"),
    [
        ("st.global.u32 [%d7], %r3;", HazardKind.OUT_OF_BOUNDS),
        ("red.global.add.u32 [%d7], %r3;", HazardKind.OUT_OF_BOUNDS),
        ("st.shared.u32 [%r5+2], %r3;", HazardKind.MISALIGNED),
        ("st.shared.u32 [%r4+4096], %r3;", HazardKind.OUT_OF_BOUNDS),
        ("st.local.u32 [own+16], %r3;", HazardKind.OUT_OF_BOUNDS),
        ("@%p1 ld.global.u32 %r7, [%d7];", HazardKind.OUT_OF_BOUNDS),  # the lower half goes on
    ],
)
def test_a_race_after_a_dropped_access_is_reported(access: str, kind: HazardKind) -> None:
    result = after(f"{OUTSIDE} {UPPER_HALF} {access} {ONE_PLACE}")
    assert [fault.kind.name for fault in result.faults] == [kind.name]
    assert kinds(result) == [HazardKind.WAW]
    race = result.hazards[-1]
    assert all(thread < 32 for _, thread in race.threads) or "@%p1" not in access


def test_a_second_fault_is_reported_and_one_after_a_dropped_load_is_not() -> None:
    result = after(f"{OUTSIDE} st.global.u32 [%d7], %r3;\nst.shared.u32 [%r4+4096], %r3;")
    assert kinds(result) == [HazardKind.OUT_OF_BOUNDS]
    result = after(f"{OUTSIDE} ld.global.u32 %r7, [%d7];\nst.shared.u32 [%r4+4096], %r7;")
    assert (kinds(result), len(result.faults)) == ([], 1)


@pytest.mark.parametrize(
    "code",
    [
        "ld.global.u32 %r7, [%d7]; {one_place}",
        "atom.global.add.u32 %r7, [%d7], 1; {one_place}",
        # The upper half passes zeros on: through shared memory, atomics, and lanes.
        "@%p1 ld.global.u32 %r7, [%d7]; st.shared.u32 [%r5], %r7; bar.sync 0; {read_other} @!%p1 {one_place}",
        (
            "@%p1 ld.global.u32 %r7, [%d7]; @%p1 red.shared.add.u32 [%r4], %r7; bar.sync 0; "
            "atom.shared.add.u32 %r7, [%r4], 1; st.shared.u32 [%r4+64], %r3;"
        ),
        (
            "setp.eq.u32 %p1, %r3, 5; @%p1 ld.global.u32 %r7, [%d7]; setp.lt.u32 %p2, %r3, 32; @!%p2 exit; "
            "shfl.sync.idx.b32 %r7, %r7, 5, 31, -1; {one_place}"
        ),
        (
            "setp.eq.u32 %p1, %r3, 5; @%p1 ld.global.u32 %r7, [%d7]; setp.eq.u32 %p2, %r7, 0; "
            "bar.red.popc.u32 %r8, 0, %p2; {one_place}"
        ),
    ],
)
def test_threads_that_depend_on_a_dropped_load_do_not_race(code: str) -> None:
    read_other = "xor.b32 %r6, %r3, 32; mad.lo.u32 %r6, %r6, 32, %r4; ld.shared.u32 %r8, [%r6]; bar.sync 0;"
    text = code.format(one_place=ONE_PLACE, read_other=read_other)
    assert kinds(after(f"{OUTSIDE} {UPPER_HALF} {text}")) == []


def test_memory_that_is_written_again_is_known_again() -> None:
    code = f"""{OUTSIDE} {UPPER_HALF}
        @%p1 ld.global.u32 %r7, [%d7]; @%p1 st.shared.u32 [%r5], %r7; bar.sync 0;
        xor.b32 %r6, %r3, 32; mad.lo.u32 %r6, %r6, 32, %r4; @!%p1 st.shared.u32 [%r6], %r3;
        @!%p1 ld.shared.u32 %r7, [%r6]; bar.sync 0; {ONE_PLACE}"""
    assert HazardKind.WAW in kinds(after(code))


def test_a_launch_with_many_faults_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropped, "MOST_DROPPED", 8)
    step = "st.global.u32 [%d7], %r3; add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, "
    loop = f"mov.u32 %r7, 0; LOOP: {step}COUNT; @%p2 bra LOOP; {ONE_PLACE}"
    results = [after(f"{OUTSIDE} {loop.replace('COUNT', count)}") for count in ("8", "9")]
    assert [kinds(result) for result in results] == [[HazardKind.WAW], []]
