"""Global memory of which only the pages that threads access take memory."""

import numpy as np
import pytest

from shflbench.emulator.machine import paged_memory as pages
from shflbench.emulator.machine.memory import Fault
from shflbench.emulator.machine.paged_memory import PAGE, PagedBuffer, PagedMemory, paged_memory
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE
from shflbench.errors import EmulatorError

CONTENTS = np.arange(2 * PAGE // 4, dtype=np.uint32)
LARGE = PagedBuffer(CONTENTS.view(np.uint8), 1 << 32)  # its contents repeat
SMALL = PagedBuffer(np.full(10, 7, np.uint8), 10)


@pytest.fixture
def memory() -> PagedMemory:
    space = paged_memory([LARGE, SMALL])
    space.set_contents([LARGE, SMALL])
    space.names = ["large", "small"]
    return space


def located(space: PagedMemory, *offsets: int, size: int = 4) -> np.ndarray:
    return space.locate(GLOBAL_BASE + np.array(offsets, np.int64), None, size, size)


def test_contents_repeat_up_to_the_end_of_a_buffer(memory: PagedMemory) -> None:
    places = [0, 4, 2 * PAGE + 4, PAGE + 8, (1 << 32) - 4]
    values = memory.view("u4")[located(memory, *places)]
    assert values.tolist() == [0, 1, 1, PAGE // 4 + 2, 2 * PAGE // 4 - 1]
    start = memory.allocations[1][0]
    assert memory.view("u1")[located(memory, start, start + 9, size=1)].tolist() == [7, 7]


def test_a_page_keeps_its_place_and_gets_its_contents_again(memory: PagedMemory) -> None:
    (first,) = located(memory, 1 << 20)
    memory.view("u4")[first] = 99
    assert located(memory, 3 << 20, 1 << 20)[1] == first
    assert memory.view("u4")[first] == 99
    assert memory.offset_of(4 * int(first) + 3) == (1 << 20) + 3
    memory.set_contents([LARGE, SMALL])
    assert memory.view("u4")[first] == 0


@pytest.mark.parametrize(("byte", "buffer"), [(1 << 32, "large"), (5 << 30, "large"), (-4, "large")])
def test_an_index_beyond_a_buffer_hits_no_other_one(memory: PagedMemory, byte: int, buffer: str) -> None:
    with pytest.raises(Fault, match=f"byte {byte} of the {1 << 32} bytes of `{buffer}`") as raised:
        located(memory, 0, byte)
    assert (raised.value.position, raised.value.low) == (1, byte)


def test_pages_that_do_not_fit_are_an_error(memory: PagedMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_PAGES", 3)
    space = paged_memory([LARGE])
    space.set_contents([LARGE])
    located(space, 0, PAGE, 7 * PAGE)
    with pytest.raises(EmulatorError, match="access more than 1024 bytes"):
        located(space, 9 * PAGE)
    located(memory, 9 * PAGE)


def test_a_launch_without_buffers_has_no_pages() -> None:
    space = paged_memory([])
    space.set_contents([])
    with pytest.raises(Fault):
        located(space, 0)
