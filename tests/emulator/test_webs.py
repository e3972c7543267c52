"""A register that is written several times becomes a register per value that reads may see."""

from collections.abc import Iterator

import pytest

from shflbench.emulator.link import webs
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.ptx.parse import parse

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    BODY
    st.global.u32 [%rd1], %r2;
    ret;
}
"""


def writers(body: str) -> list[set[int]]:
    """Return the registers that the instructions of `body` and of the code around it write, by the opcode."""
    program = link(parse(PTX.replace("BODY", body)), "k")
    return [_written(op) for op in program.ops() if op.instruction.text.split(",")[0].endswith("%r2")]


def _written(op: Op) -> set[int]:
    return {slot.number for slot in op.results if isinstance(slot, Slot)}


def test_one_value_after_the_other_has_a_register_of_its_own() -> None:
    first, second, third = writers("shl.b32 %r2, %r1, 8; add.u32 %r2, %r2, %r1; mul.lo.u32 %r2, %r2, 3;")
    assert first.isdisjoint(second)
    assert first.isdisjoint(third)
    assert second.isdisjoint(third)


def test_the_variable_of_a_loop_stays_one_register() -> None:
    first, second = writers(
        "add.u32 %r2, %r1, 1; LOOP: add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r2, 99; @%p1 bra LOOP;"
    )
    assert first == second


def test_a_value_that_a_guard_may_keep_stays_in_its_register() -> None:
    first, second = writers("add.u32 %r2, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 add.u32 %r2, %r1, 5;")
    assert first == second


def test_both_sides_of_a_branch_write_one_register() -> None:
    first, second = writers(
        "setp.lt.u32 %p1, %r1, 9; @%p1 bra ELSE; add.u32 %r2, %r1, 1; bra END; ELSE: add.u32 %r2, %r1, 5; END:"
    )
    assert first == second


def test_each_write_is_joined_once_however_many_reads_may_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    places_of = webs.places_of

    def count(bits: int) -> Iterator[int]:
        for place in places_of(bits):
            seen.append(place)
            yield place

    monkeypatch.setattr(webs, "places_of", count)
    registers = writers("add.u32 %r2, %r1, 1; setp.lt.u32 %p1, %r1, 9;" + "@%p1 add.u32 %r2, %r2, %r1;" * 300)
    assert len(set(map(frozenset, registers))) == 1
    assert len(seen) < 2 * len(registers)  # otherwise quadratic: each read sees all writes before it
