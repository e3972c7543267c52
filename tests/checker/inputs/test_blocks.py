import pytest

from shflbench.checker.inputs.blocks import SuggestedBlock, suggested_block, suggested_blocks
from shflbench.core.dimensions import Dims
from shflbench.cuda_sources.kernel_file import LaunchBounds, NamedBlock
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse

X = frozenset({"threadIdx.x", "blockIdx.x"})
XY = frozenset({"threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y"})

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    .shared .align 4 .b8 s[SIZE];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r6, s;
    BODY
    ret;
}
"""
TAKEN_AWAY = """\
    shr.u32 %r10, %r1, 5;
    shl.b32 %r11, %r10, 5;
    sub.s32 %r12, %r1, %r11;
    shl.b32 %r7, %r12, 2;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r1;"""
STRIDE = """\
    shl.b32 %r7, %r2, 6;
    add.s32 %r8, %r7, %r1;
    mul.wide.u32 %rd2, %r8, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;"""
HALF = "\n    st.global.u32 [%rd3+128], %r1;"
SIZE_OF_BLOCK = "\n    mov.u32 %r5, %ntid.x;\n    mad.lo.s32 %r9, %r2, %r5, %r1;"
SHARED = """\
    shl.b32 %r7, %r1, 2;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r1;"""
IN_A_LOOP = """\
    .reg .pred %p<2>;
    mad.lo.s32 %r8, %r2, 128, %r1;
LOOP:
    mul.wide.u32 %rd2, %r8, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    add.s32 %r8, %r8, 4096;
    setp.lt.s32 %p1, %r8, 65536;
    @%p1 bra LOOP;"""
RESULTS = """\
    mad.lo.s32 %r8, %r2, 12, %r1;
    mad.lo.s32 %r9, %r4, 12, %r3;
    mad.lo.s32 %r10, %r9, 4096, %r8;
    mul.wide.u32 %rd2, %r10, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r11, [%rd3];
    shl.b32 %r12, %r3, 6;
    add.s32 %r13, %r6, %r12;
    shl.b32 %r7, %r1, 2;
    add.s32 %r14, %r13, %r7;
    st.shared.u32 [%r14], %r11;"""
PAIRS = """\
    shl.b32 %r7, %r1, 3;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8+4], %r1;"""
PLANE = """\
    mad.lo.s32 %r7, %r4, 8, %r3;
    mad.lo.s32 %r8, %r2, 16, %r1;"""
ROWS_OF_ONE = """\
    add.s32 %r7, %r4, %r3;
    mad.lo.s32 %r8, %r2, 64, %r1;"""
WINDOW = """\
    add.s32 %r7, %r2, %r1;"""
TILE = """\
    mad.lo.s32 %r7, %r3, 68, %r6;
    shl.b32 %r8, %r1, 2;
    add.s32 %r9, %r7, %r8;
    st.shared.u32 [%r9], %r1;"""
ROW = """\
    shl.b32 %r7, %r1, 2;
    mad.lo.s32 %r8, %r10, 256, %r7;
    add.s32 %r9, %r6, %r8;
    st.shared.u32 [%r9], %r1;"""


WARPS = """\
    shr.u32 %r10, %r1, 5;
    shl.b32 %r7, %r10, 2;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r1;"""
MASKED = """\
    shr.u32 %r10, %r1, 3;
    and.b32 %r7, %r10, 124;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r1;"""
REUSED = """\
    mov.u32 %r7, %r1;
    shr.u32 %r7, %r7, 5;
    shl.b32 %r7, %r7, 2;
    add.s32 %r7, %r6, %r7;
    st.shared.u32 [%r7], %r1;"""


def suggested(body: str, indexes: frozenset[str] = X, size: int = 512) -> SuggestedBlock | None:
    slicer = Slicer(link(parse(PTX.replace("BODY", body).replace("SIZE", str(size))), "k"))
    return suggested_block(slicer, indexes)


def test_the_index_of_the_block_times_a_constant_fixes_the_block() -> None:
    assert suggested(STRIDE) == SuggestedBlock((64, 1, 1), fixed=True)
    assert suggested(PLANE, XY) == SuggestedBlock((16, 8, 1), fixed=True)


def test_tiles_along_two_axes_may_have_fewer_threads_than_a_warp() -> None:
    small = PLANE.replace("r2, 16", "r2, 2").replace("r4, 8", "r4, 2")
    assert suggested(small, XY) == SuggestedBlock((2, 2, 1), fixed=True)
    assert suggested(STRIDE.replace("r2, 6", "r2, 2")) is None  # along one axis, 4 may be the elements of a thread


def test_the_index_of_the_block_itself_means_one_thread_along_its_axis() -> None:
    assert suggested(ROWS_OF_ONE, XY) == SuggestedBlock((64, 1, 1), fixed=True)
    assert suggested(WINDOW) is None  # elements near each other, where no other axis has a constant


def test_an_index_that_a_loop_changes_suggests_no_block() -> None:
    assert suggested(IN_A_LOOP) is None  # 128 may be twice the block, as where each thread adds two elements at once


def test_a_kernel_that_reads_the_size_of_its_block_may_have_another() -> None:
    assert suggested(STRIDE + SIZE_OF_BLOCK) == SuggestedBlock((64, 1, 1), fixed=False)


def test_a_thread_with_two_elements_halves_the_block() -> None:
    assert suggested(STRIDE + HALF) == SuggestedBlock((32, 1, 1), fixed=True)


@pytest.mark.parametrize(
    ("body", "size", "block"),
    [(SHARED, 512, 128), (PAIRS, 512, 64), (SHARED, 520, 128), (ROW, 512, 64)],
    ids=["an-element-per-thread", "two-elements-per-thread", "with-a-halo", "two-rows"],
)
def test_an_array_in_shared_memory_suggests_the_block_that_it_has_room_for(body: str, size: int, block: int) -> None:
    assert suggested(body, size=size) == SuggestedBlock((block, 1, 1), fixed=False, weak=True)


def test_the_padding_of_a_tile_is_no_part_of_the_block() -> None:
    assert suggested(TILE, XY, size=16 * 17 * 4) == SuggestedBlock((16, 16, 1), fixed=False, weak=True)


@pytest.mark.parametrize(
    ("further", "block"), [("", 16), ("\n    st.shared.u32 [%r14+48], %r1;", 12)], ids=["a-halo", "a-thread-per-result"]
)
def test_a_tile_with_a_halo_suggests_a_thread_per_element_if_each_stores_one(further: str, block: int) -> None:
    suggestion = suggested(RESULTS + further, XY, size=16 * 16 * 4)
    assert suggestion is not None
    assert suggestion.block == (block, block, 1)


@pytest.mark.parametrize("size", [64, 1 << 14], ids=["less-than-a-warp", "more-than-a-block"])
def test_an_array_that_fits_no_block_suggests_none(size: int) -> None:
    assert suggested(SHARED, size=size) is None


def test_the_number_of_a_lane_is_no_index_of_a_thread() -> None:
    assert suggested(TAKEN_AWAY, size=128) is None


def test_a_kernel_without_constants_suggests_no_block() -> None:
    assert suggested("    st.global.u32 [%rd1], %r1;") is None


@pytest.mark.parametrize(
    ("named", "indexes", "block"),
    [
        (NamedBlock(256, 0, 0, sure=True), X, (256, 1, 1)),
        (NamedBlock(16, 0, 0, sure=True), XY, (16, 16, 1)),
        (NamedBlock(32, 8, 0, sure=True), XY, (32, 8, 1)),
        (NamedBlock(256, 0, 0, sure=True), XY, (32, 8, 1)),
        (NamedBlock(8, 0, 0, sure=False), XY | {"threadIdx.z"}, (8, 8, 8)),
        (NamedBlock(60, 0, 0, sure=True), XY, None),
        (NamedBlock(60, 0, 0, sure=True), frozenset({"blockIdx.x"}), None),
    ],
)
def test_a_named_number_is_a_row_a_square_or_all_threads(
    named: NamedBlock, indexes: frozenset[str], block: Dims | None
) -> None:
    slicer = Slicer(link(parse(PTX.replace("BODY", "st.global.u32 [%rd1], %r1;").replace("SIZE", "512")), "k"))
    blocks = suggested_blocks(slicer, indexes, named, LaunchBounds())
    assert blocks == ([SuggestedBlock(block, fixed=False)] if block else [])


def test_a_sure_name_comes_before_the_constants_and_another_one_after_them() -> None:
    slicer = Slicer(link(parse(PTX.replace("BODY", STRIDE).replace("SIZE", "512")), "k"))
    by_constant = SuggestedBlock((64, 1, 1), fixed=True)
    for sure in (True, False):
        by_name = SuggestedBlock((96, 1, 1), fixed=True)
        expected = [by_name, by_constant] if sure else [by_constant, by_name]
        assert suggested_blocks(slicer, X, NamedBlock(96, 0, 0, sure=sure), LaunchBounds()) == expected
    same = suggested_blocks(slicer, X, NamedBlock(64, 0, 0, sure=True), LaunchBounds())
    assert same == [SuggestedBlock((64, 1, 1), fixed=True)]


def test_launch_bounds_suggest_a_block_where_nothing_else_does() -> None:
    slicer = Slicer(link(parse(PTX.replace("BODY", "st.global.u32 [%rd1], %r1;").replace("SIZE", "512")), "k"))
    bounds = LaunchBounds(max_threads=(192, 1, 1))
    assert suggested_blocks(slicer, X, None, bounds) == [SuggestedBlock((192, 1, 1), fixed=False)]
    assert suggested_blocks(slicer, X, None, LaunchBounds()) == []


def test_barriers_of_warps_alone_suggest_a_block_of_one_warp() -> None:
    store = "st.global.u32 [%rd1], %r1;"
    for barriers, blocks in (
        ("bar.warp.sync 0xffffffff;", [SuggestedBlock((32, 1, 1), fixed=False)]),
        ("bar.warp.sync 0xffffffff;\nbar.sync 0;", []),
        ("", []),
    ):
        slicer = Slicer(link(parse(PTX.replace("BODY", f"{barriers}\n{store}").replace("SIZE", "512")), "k"))
        assert suggested_blocks(slicer, X, None, LaunchBounds()) == blocks


@pytest.mark.parametrize("body", [WARPS, MASKED, REUSED], ids=["a-shift", "a-mask", "one-register"])
def test_an_array_with_an_element_per_warp_suggests_the_block_that_it_has_room_for(body: str) -> None:
    of_size = {
        size: suggested_blocks(
            Slicer(link(parse(PTX.replace("BODY", body).replace("SIZE", str(size))), "k")), X, None, LaunchBounds()
        )
        for size in (32, 128)
    }
    assert of_size[32] == [SuggestedBlock((256, 1, 1), fixed=False, weak=True)]
    assert of_size[128] == []  # elements for all warps that a block may have


def test_a_number_of_elements_is_no_block_of_less_than_a_warp() -> None:
    slicer = Slicer(link(parse(PTX.replace("BODY", SHARED).replace("SIZE", "512")), "k"))
    named = NamedBlock(4, 0, 0, sure=False)
    assert [item.block for item in suggested_blocks(slicer, X, named, LaunchBounds())] == [(128, 1, 1)]
