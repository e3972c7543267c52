"""Moves, packing and unpacking, conversions of addresses, and what is said of unknown instructions."""

import numpy as np
import pytest

from shflbench.emulator.link import flat
from shflbench.emulator.opcodes.addresses import WINDOWS
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import Register
from shflbench.errors import EmulatorError
from tests.emulator.declared import each
from tests.emulator.forms import instruction, integers, run


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


@pytest.mark.parametrize(
    "form", each(("mov",), ("b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"))
)
def test_a_move_copies_every_bit(form: str) -> None:
    (a,) = integers(f"u{form[5:]}", 1)
    assert run(form, a)[0].tolist() == a.tolist()


@pytest.mark.parametrize("form", ["mov.pred"])
def test_a_move_copies_a_predicate(form: str) -> None:
    assert run(form, np.array([True, False, True]))[0].tolist() == [True, False, True]


OFFSETS = np.array([0, 4, 4096, (1 << 24) - 4], np.uint64)
# Global addresses are generic ones; this one belongs to no other space.
GLOBAL = np.array([0x7F00_0000_0000, 0x7F12_3456_7890], np.uint64)


@pytest.mark.parametrize("form", each(("cvta",), ("shared", "local", "const"), ("u64",)))
def test_generic_addresses_lie_in_the_window_of_their_space(form: str) -> None:
    window = WINDOWS[form.split(".")[1]]
    assert run(form, OFFSETS)[0].tolist() == [window + x for x in OFFSETS.tolist()]


@pytest.mark.parametrize("form", each(("cvta.to",), ("shared", "local", "const"), ("u64",)))
def test_addresses_in_a_space_start_at_its_window(form: str) -> None:
    window = np.uint64(WINDOWS[form.split(".")[2]])
    assert run(form, OFFSETS + window)[0].tolist() == OFFSETS.tolist()


@pytest.mark.parametrize("form", ["cvta.global.u64", "cvta.to.global.u64"])
def test_global_addresses_are_generic_ones(form: str) -> None:
    assert run(form, GLOBAL)[0].tolist() == GLOBAL.tolist()


@pytest.mark.parametrize("form", each(("isspacep",), ("global", "local")))
def test_an_address_is_in_one_space(form: str) -> None:
    for space in ("global", "shared", "local"):
        inside = GLOBAL if space == "global" else OFFSETS + np.uint64(WINDOWS[space])
        assert run(form, inside)[0].tolist() == [form.endswith(space)] * inside.size


@pytest.mark.parametrize("form", ["isspacep.shared"])
def test_an_address_is_in_shared_memory_as_the_rank_of_its_block_says(form: str) -> None:
    operands = (Register("%p"), Register("%a"))
    parts = flat.expansion(instruction(form, operands))  # type: ignore[attr-defined]  # where conftest.py records it
    assert parts is not None
    (step,) = parts.instructions
    assert step.operands[-1] == Register("%cluster_ctarank")
    for space in ("global", "shared", "local"):
        inside = GLOBAL if space == "global" else OFFSETS + np.uint64(WINDOWS[space])
        rank = np.zeros(inside.size, np.uint32)
        assert run(f"{step.opcode}.shared", inside, rank)[0].tolist() == [space == "shared"] * inside.size


@pytest.mark.parametrize("type_", ["u32", "u64"])
def test_an_address_names_the_rank_of_its_block(type_: str) -> None:
    window = WINDOWS["shared"] if type_ == "u64" else 0
    inside, ranks = (OFFSETS + np.uint64(window)).astype(type_.replace("u32", "u4").replace("u64", "u8")), OFFSETS % 16
    mapped = run(f"mapa.{type_}", inside, ranks.astype(np.uint32))[0]
    own = np.full(inside.size, 5, np.uint32)
    assert run(f"$getctarank.{type_}", mapped, own)[0].tolist() == ranks.tolist()
    assert run(f"$getctarank.{type_}", inside, own)[0].tolist() == own.tolist()
    again = run(f"mapa.{type_}", mapped, own)[0]
    assert run(f"$getctarank.{type_}", again, own)[0].tolist() == own.tolist()


def test_an_address_of_another_block_is_in_the_shared_memory_of_the_cluster_only() -> None:
    inside = OFFSETS + np.uint64(WINDOWS["shared"])
    mapped, own = run("mapa.u64", inside, np.full(inside.size, 3, np.uint32))[0], np.full(inside.size, 2, np.uint32)
    assert run("$isspacep.shared.cluster", mapped, own)[0].all()
    assert not run("$isspacep.shared.cta", mapped, own)[0].any()
    assert run("$isspacep.shared.cta", mapped, own + np.uint32(1))[0].all()


@pytest.mark.parametrize(
    "text",
    ["wgmma.fence.sync.aligned.b32", "add.sideways.s32", "frobnicate.b32", "slct.f32", "isspacep.const"],
)
def test_an_unknown_instruction_is_named(text: str) -> None:
    with pytest.raises(EmulatorError, match=f"does not support the instruction `{text}`"):
        decode(instruction(text, (Register("%a"),) * 3))
