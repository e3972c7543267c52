"""Buffers of chosen size grow in few runs, and one of which only parts take memory grows by its whole size."""

from types import SimpleNamespace

import numpy as np
import pytest

from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES, ArgumentSpec
from shflbench.checker.runs.growth import FAST, LARGE, BufferGrowth
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.machine.faults import FaultKind, KernelFault

KIB = 1 << 10


def grown(whole: int, held: int, needed: int) -> int | None:
    """Return the size to which a buffer grows, of whose bytes so many are held; None if it does not."""
    contents = np.zeros(held, np.uint8)
    buffer = ArgumentBuffer("a", contents, "", Origin.CHOSEN, Origin.CHOSEN, whole=whole if whole > held else 0)
    arguments = Arguments((), (), (buffer,), (), 0, Origin.CHOSEN)
    fault = KernelFault("", kind=FaultKind.OUT_OF_BOUNDS, buffer=0, low=whole, high=needed)
    growth = BufferGrowth(SimpleNamespace(pointers={}), None)  # type: ignore[arg-type]
    spec = growth.of_fault(ArgumentSpec(), fault, arguments)
    return None if spec is None else spec.least_bytes["a"]


def test_a_small_buffer_doubles_and_a_large_one_grows_faster() -> None:
    assert grown(4 * KIB, 4 * KIB, 5 * KIB) == 8 * KIB
    assert grown(LARGE, LARGE, LARGE + 4) == FAST * LARGE


def test_a_buffer_is_as_large_as_an_access_needs() -> None:
    assert grown(4 * KIB, 4 * KIB, 100 * KIB) == 100 * KIB


def test_a_large_buffer_doubles_where_more_is_too_much() -> None:
    assert grown(MOST_TOTAL_BYTES // 4, MOST_TOTAL_BYTES // 4, MOST_TOTAL_BYTES // 4 + 4) == MOST_TOTAL_BYTES // 2


@pytest.mark.parametrize("held", [256 * KIB, 8 << 20])
def test_a_buffer_with_pages_grows_by_its_whole_size(held: int) -> None:
    assert grown(8 << 20, held, (8 << 20) + 4) == MOST_TOTAL_BYTES


def test_a_buffer_of_the_largest_size_does_not_grow() -> None:
    assert grown(MOST_TOTAL_BYTES, 256 * KIB, MOST_TOTAL_BYTES + 4) is None
