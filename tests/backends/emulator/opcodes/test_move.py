from __future__ import annotations

import numpy as np
import pytest

from shflbench.backends.emulator.memory import WINDOWS
from shflbench.backends.emulator.opcodes.table import decode
from shflbench.backends.emulator.ptx import Register
from shflbench.errors import EmulatorError
from tests.backends.emulator.forms import instruction, integers, run


@pytest.mark.parametrize(("whole", "part", "count"), [("b32", "u16", 2), ("b64", "u32", 2), ("b64", "u16", 4)])
def test_packing_and_unpacking_start_with_the_low_bits(whole: str, part: str, count: int) -> None:
    parts = integers(part, 2) * (count // 2)
    bits = int(part[1:])
    (word,) = run(f"mov.{whole}", *parts)
    rows = zip(*(x.tolist() for x in parts), strict=True)
    assert word.tolist() == [sum(value << bits * place for place, value in enumerate(row)) for row in rows]
    if count == 2:
        low, high = run(f"mov.{whole}", word, results=2, unpack=True)
        assert (low.tolist(), high.tolist()) == (parts[0].tolist(), parts[1].tolist())


def test_generic_addresses_lie_in_the_window_of_their_space() -> None:
    inside = np.array([0, 4, 4096], np.uint64)
    (generic,) = run("cvta.shared.u64", inside)
    assert generic.tolist() == [WINDOWS["shared"] + x for x in inside.tolist()]
    assert run("cvta.to.shared.u64", generic)[0].tolist() == inside.tolist()
    assert run("isspacep.shared", generic)[0].all()
    assert not run("isspacep.local", generic)[0].any()


@pytest.mark.parametrize(
    "form", ["wmma.load.a.sync.aligned.row.m16n16k16.f16", "add.sideways.s32", "frobnicate.b32", "shl.f32"]
)
def test_an_unknown_instruction_is_named(form: str) -> None:
    with pytest.raises(EmulatorError, match=f"does not know the instruction `{form}`"):
        decode(instruction(form, (Register("%a"),) * 3))
