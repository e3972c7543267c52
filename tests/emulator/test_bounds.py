"""Faults name the variable or buffer that an address is meant for, or the heap."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.program import PlacedVariable
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.machine.locate import faulty, locate
from shflbench.emulator.machine.memory import Fault, MemorySpace, set_bounds
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.state import buffer_space
from shflbench.emulator.machine.threads import scatter
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE, MODULE_BASE, WINDOW_BYTES, WINDOWS
from shflbench.emulator.opcodes.forms import Access
from tests.emulator.threads import THREADS, launch, operands


@pytest.mark.parametrize(
    ("shift", "byte"), [("sub.u64 %d7, %d6, 8;", -8), ("add.u64 %d7, %d6, 0x3fffffff8;", 0x3FFFFFFF8)]
)
def test_a_generic_address_far_from_shared_memory_is_one_of_its_variable(shift: str, byte: int) -> None:
    code = f"cvt.u64.u32 %d6, %r4; cvta.shared.u64 %d6, %d6; {shift} st.u32 [%d7], %r3;"
    (error,) = explore(launch(code, operands()), (LOCKSTEP,)).errors
    assert isinstance(error, KernelFault)
    assert (error.detail, error.buffer) == (f"byte {byte} of the 2048 bytes of `room`", None)


@pytest.mark.parametrize(("offset", "errors"), [(4, []), (0, ["byte -4 of the 2048 bytes of `room`"])])
@pytest.mark.parametrize("guard", ["", "@%p1 "])
def test_an_address_of_32_bits_wraps_around(guard: str, offset: int, errors: list[str]) -> None:
    below = "mad.lo.u32 %r6, %r3, 4, %r4; sub.u32 %r6, %r6, 4; setp.lt.u32 %p1, %r3, 3;"  # the first lies below `room`
    result = explore(launch(f"{below} {guard}st.shared.u32 [%r6+{offset}], %r3;", operands()), (LOCKSTEP,))
    assert [error.detail for error in result.errors if isinstance(error, KernelFault)] == errors
    assert len(result.errors) == len(errors)


def test_an_address_that_malloc_has_not_given_is_of_no_buffer() -> None:
    space = buffer_space([64], heap_bytes=1024)
    start = space.size - 1024
    space.allocations.append((start, start + 16))
    named = {64: ("byte 64 of the 64 bytes", 0), start + 16: ("byte 16 of the 16 bytes", 1)}
    for offset, (text, buffer) in named.items():
        with pytest.raises(Fault) as error:
            space.locate(np.array([space.base + offset]), None, 4, 4)
        assert error.value.why.startswith(text)
        assert error.value.buffer == buffer
    del space.allocations[1]
    with pytest.raises(Fault) as error:
        space.locate(np.array([space.base + start + 16]), None, 4, 4)
    assert (error.value.why.startswith("byte 16 of the heap"), error.value.buffer) == (True, None)


def test_the_faulty_threads_of_an_access_are_those_that_it_would_stop_one_by_one() -> None:
    item = launch("st.v2.u32 [%d1], {%r3, %r3};", operands())
    execute(item)
    state = item.machine.state
    assert state is not None
    ops = [op for block in item.program.blocks.values() for op in block.ops]
    op = next(op for op in ops if op.place is not None and isinstance(op.form, Access) and not op.place.space)
    starts = [0, MODULE_BASE, *(GLOBAL_BASE + edge for pair in state.buffers for edge in pair)]
    starts += [start + size for start in WINDOWS.values() for size in (0, 16, 2048, WINDOW_BYTES)]
    addresses = np.array([start + shift for start in starts for shift in (-8, -4, 0, 2, 8)])
    threads = np.arange(addresses.size) % THREADS

    def stops(position: int) -> bool:
        one = slice(position, position + 1)
        try:
            locate(state, op, scatter(threads[one]), addresses[one])
        except Fault:
            return True
        return False

    alone = [stops(position) for position in range(addresses.size)]
    assert faulty(state, op, scatter(threads), addresses).tolist() == alone
    assert 0 < sum(alone) < len(alone)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN1a1bE", "`a::b`"),
        ("_ZZ1kPiE1s", "`s`"),
        ("_ZZ1kPiE1s_0", "`s`"),
        ("_ZZ1kPiE7mailbox_$_1", "part 1 of `mailbox`"),
    ],
)
def test_messages_name_a_variable_as_the_source_does(symbol: str, name: str) -> None:
    space = MemorySpace("shared", 1, 16)
    set_bounds(space, [PlacedVariable(symbol, 0, 16)], 16)
    assert space.label(0) == name
