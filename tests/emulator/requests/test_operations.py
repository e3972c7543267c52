"""The barriers and shuffles of a few blocks, and what their atomics say of a launch."""

import pytest

from shflbench.core.model import AtomicAddress, LaunchCounts, WarpOperation
from tests.emulator.requests.test_footprint import GRID, count

BARRIER, WARP_BARRIER, SHUFFLE = WarpOperation
LOOP = "mov.u32 %r9, 0; AGAIN: setp.ge.u32 %p1, %r9, 3; @%p1 bra DONE; BODY add.u32 %r9, %r9, 1; bra AGAIN; DONE:"
ADD = "red.global.add.u32 [ADDRESS], %r8;"


def operations(code: str) -> dict[WarpOperation, float]:
    return {item.kind: item.requests for item in count(code).requests.operations}


def test_a_block_without_them_has_none() -> None:
    assert operations("") == {}


def test_barriers_and_shuffles_are_those_of_all_warps_per_block() -> None:
    body = "bar.sync 0; bar.warp.sync 0xffffffff; shfl.sync.idx.b32 %r10, %r1, 0, 31, 0xffffffff;"
    assert operations(LOOP.replace("BODY", body)) == {BARRIER: 3, WARP_BARRIER: 3, SHUFFLE: 3}


def test_a_shuffle_of_half_a_warp_is_half_of_one() -> None:
    half = "setp.lt.u32 %p2, %r3, 16; @!%p2 bra OTHER; shfl.sync.idx.b32 %r10, %r1, 0, 31, 0xffff; OTHER:"
    assert operations(half) == {SHUFFLE: 0.5}


def atomics(address: str) -> LaunchCounts:
    return count("", ADD.replace("ADDRESS", address))


def test_atomics_of_all_blocks_on_one_address_are_those_of_the_launch() -> None:
    assert atomics("%d2").atomics == (AtomicAddress("one.cu", 1, lanes=32 * GRID, requests=GRID),)


def test_atomics_of_each_block_on_its_own_addresses_do_not_add_up() -> None:
    assert atomics("%d4").atomics == (AtomicAddress("one.cu", 1, lanes=1, requests=1),)


@pytest.mark.parametrize("write", ["st.global.u32 [%d4], %r8;"])
def test_a_store_is_no_atomic(write: str) -> None:
    assert count("", write).atomics == ()
