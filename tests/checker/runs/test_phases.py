"""Kernels that communicate by phases of barriers in memory: of which one execution shows all schedules."""

import pytest

from tests.checker.runs.phase_kernels import (
    arrive,
    expect,
    hazards,
    init,
    is_exhaustive,
    load,
    of_warp,
    once,
    one_test,
    results,
    wait,
)

SCHEDULES = 40
WRITE, READ = (
    "ld.global.u32 %r8, [%d1]; st.shared.u32 [%r6], %r8;",
    "ld.shared.u32 %r9, [%r7]; st.global.u32 [%d2], %r9;",
)
TOKEN = "mbarrier.arrive.shared.b64 %d7, [bar];"  # noqa: S105
BY_TOKEN = f"{TOKEN} $again: mbarrier.test_wait.shared.b64 %p4, [bar], %d7; @!%p4 bra $again;"
LOADED = once(init(0, 1) + expect(0) + load(0)) + "WAIT" + "ld.shared.u32 %r9, [%r6]; st.global.u32 [%d2], %r9;"

# A ring of two stages: warp 0 fills each three times, and warp 1 empties them.
_ROUNDS = [(number % 2, number // 2 % 2) for number in range(6)]
RING = once("".join(init(barrier, 1) for barrier in range(4))) + of_warp(
    0,
    "".join(
        wait(2 + stage, parity ^ 1) + f"ld.global.u32 %r8, [%d4+{4 * number}]; st.shared.u32 [data+{4 * stage}], %r8;"
        + arrive(stage)
        for number, (stage, parity) in enumerate(_ROUNDS)
    ),
) + of_warp(
    1,
    "".join(
        wait(stage, parity) + f"ld.shared.u32 %r9, [data+{4 * stage}]; st.global.u32 [%d5+{4 * number}], %r9;"
        + arrive(2 + stage)
        for number, (stage, parity) in enumerate(_ROUNDS)
    ),
)  # fmt: skip

# Another test before the loop, whose result decides whether the loop runs; registers that only the loop reads.
PEELED = one_test(0, 0, "%p5") + f"mov.u32 %r10, bar; @%p5 bra $end; {wait(0, 0)} $end:"
SELECTED = """mov.u32 %r10, 0; $again: mov.u32 %r12, bar; mad.lo.u32 %r11, %r2, 0, %r12;
    mbarrier.try_wait.parity.shared.b64 %p4, [%r11], 0;
    selp.u32 %r10, 1, 0, %p4; setp.eq.u32 %p5, %r10, 0; @%p5 bra $again;"""

FIXED = {
    "all arrive and wait twice": once(init(0, 96)) + WRITE + arrive(0) + wait(0, 0) + READ + arrive(0) + wait(0, 1)
    + WRITE,
    "by tokens": once(init(0, 96)) + WRITE + BY_TOKEN + READ,
    "a ring of two stages": RING,
    "a bulk copy": LOADED.replace("WAIT", wait(0, 0)),
    "a test before the loop": LOADED.replace("WAIT", PEELED),
    "a result that a register holds": LOADED.replace("WAIT", SELECTED),
    "a barrier between expected bytes and arrivals": once(
        init(0, 96) + "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 384;" + load(0)
    ) + arrive(0) + wait(0, 0) + "ld.shared.u32 %r9, [%r6]; st.global.u32 [%d2], %r9;",
    "copies of each thread": once(init(0, 96)) + "cp.async.ca.shared.global [%r6], [%d1], 4;"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];" + wait(0, 0) + READ,
}  # fmt: skip


@pytest.mark.parametrize("code", FIXED.values(), ids=FIXED)
def test_phases_that_no_order_changes_are_exhaustive(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_exhaustive(code)
    assert len(results(code, SCHEDULES, monkeypatch)) == 1


READ_WORD = "ld.shared.u32 %r9, [data]; st.global.u32 [%d2], %r9;"
COUNTED = """mov.u32 %r10, 0; $again: add.u32 %r10, %r10, 1; LOOP; st.global.u32 [%d2+384], %r10;"""
AGAIN = one_test(0, 0) + "@!%p4 bra $again;"

# The code tells a thread more than that a phase is complete. Each returns other results under some schedules.
TELLING = {
    "a test that is not repeated": once(init(0, 1) + arrive(0)) + one_test(0, 0)
    + "selp.u32 %r9, 1, 0, %p4; st.global.u32 [%d2], %r9;",
    "the number of tests": LOADED.replace("WAIT", COUNTED.replace("LOOP", AGAIN)),
    "tests that end after a number": once(init(0, 1)) + of_warp(0, "st.shared.u32 [data], 5;" + arrive(0)) + of_warp(
        2, "mov.u32 %r10, 0; $again: add.u32 %r10, %r10, 1; setp.gt.u32 %p5, %r10, 2; @%p5 bra $end;" + AGAIN
        + "$end:" + READ_WORD
    ),
    "an effect of each test": LOADED.replace(
        "WAIT", "$again: red.global.add.u32 [%d5+400], 1; " + one_test(0, 0) + "@!%p4 bra $again;"
    ),
    "a wait for another phase": once(init(0, 1) + init(1, 1)) + of_warp(
        0, "st.shared.u32 [data], 5;" + arrive(0)
    ) + of_warp(1, arrive(1)) + of_warp(2, one_test(0, 0, "%p5") + f"@%p5 bra $end; {wait(1, 0)} $end: {READ_WORD}"),
    "a value that depends on the first test": LOADED.replace(
        "WAIT", f"mov.u32 %r10, 1; {one_test(0, 0, '%p5')} @%p5 bra $end; mov.u32 %r10, 2; {wait(0, 0)}"
        "$end: st.global.u32 [%d2+384], %r10;"
    ),
    "a token in memory": once(init(0, 96)) + BY_TOKEN + "st.global.u32 [%d2], %r9; cvt.u32.u64 %r10, %d7; "
    "st.global.u32 [%d2+384], %r10;",
}  # fmt: skip


@pytest.mark.parametrize("code", TELLING.values(), ids=TELLING)
def test_code_that_learns_more_than_a_phase_is_not_exhaustive(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hazards(code) == []
    assert not is_exhaustive(code)
    assert len(results(code, SCHEDULES, monkeypatch)) > 1


ADVANCE = "".join(arrive(0) + wait(0, parity) for parity in (0, 1))

# Other orders than lockstep, which executes the code as it stands, divide the operations into other phases, or let a
# thread miss one.
CHANGING = {
    "an arrival that does not wait for the phase before": once(init(0, 2)) + of_warp(
        1, "st.shared.u32 [data], 5;" + arrive(0)
    ) + of_warp(0, arrive(0)) + of_warp(2, arrive(0)) + of_warp(0, wait(0, 0) + READ_WORD),
    "a copy that does not wait for the phase before": once(init(0, 1)) + of_warp(
        0, arrive(0) + wait(0, 0) + expect(0)
    ) + of_warp(1, load(0)) + of_warp(0, wait(0, 1) + READ_WORD),
    "a parity of two phases": once(init(0, 1)) + of_warp(
        0, ADVANCE + "st.shared.u32 [data], 5;" + arrive(0)
    ) + of_warp(2, wait(0, 0) + READ_WORD),
    "a parity of a phase that has not begun": once(init(0, 1)) + of_warp(
        0, arrive(0) + wait(0, 0) + "st.shared.u32 [data], 5;" + arrive(0)
    ) + of_warp(2, wait(0, 1) + READ_WORD),
    "a phase that may be over": once(init(0, 1)) + of_warp(0, arrive(0)) + of_warp(2, wait(0, 0)) + of_warp(
        0, wait(0, 0) + arrive(0)
    ),
    "a phase that may be over when it is tested again": once(init(0, 2)) + of_warp(0, arrive(0)) + of_warp(
        2, arrive(0) + wait(0, 0) + arrive(0) + wait(0, 0)
    ) + of_warp(0, wait(0, 0) + arrive(0)),
    "bytes that are expected too late": once(init(0, 1)) + of_warp(
        1, "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 384;" + load(0)
    ) + of_warp(0, arrive(0)) + of_warp(2, wait(0, 0) + READ_WORD),
    "bytes that never come": once(init(0, 1)) + of_warp(
        1, "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 384;"
    ) + of_warp(0, arrive(0)) + of_warp(2, wait(0, 1)),
    "more arrivals than the barrier counts": once(init(0, 64)) + WRITE + arrive(0) + wait(0, 0) + READ,
}  # fmt: skip


@pytest.mark.parametrize("code", CHANGING.values(), ids=CHANGING)
def test_phases_that_another_order_changes_are_not_exhaustive(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hazards(code) == []
    assert not is_exhaustive(code)
    assert len(results(code, SCHEDULES, monkeypatch)) > 1


@pytest.mark.parametrize(
    "code",
    [
        once(init(0, 96)) + arrive(0) + wait(0, 0) + once(init(0, 96)) + arrive(0) + wait(0, 0),
        once(init(0, 96) + "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 8;")
        + of_warp(0, "mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 8;")
        + arrive(0)
        + wait(0, 0),
    ],
)
def test_barriers_that_are_not_followed_are_not_exhaustive(code: str) -> None:
    assert hazards(code) == []
    assert not is_exhaustive(code)
