from typing import Any

import numpy as np
import pytest

import shflbench
from shflbench.errors import UsageError
from tests.checker.python.recordings import line_of, triton

RANDOM = np.random.default_rng(5)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def test_vector_add_is_clean_and_adds() -> None:
    x, y = floats(600), floats(600)
    result = shflbench.check(triton("vector_add"), grid=3, args=[x, y, np.zeros_like(x), 600])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[2], x + y)


def test_softmax_is_clean_and_sums_to_one() -> None:
    x = floats(4, 100)
    args = {"x": x, "out": np.zeros_like(x), "columns": 100, "stride": 100}
    result = shflbench.check(triton("softmax_rows"), grid=(4,), args=args)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    assert result.verdict == "clean", result
    np.testing.assert_allclose(result.outputs["out"], powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)


def test_layer_norm_of_halves_is_clean_and_normalizes() -> None:
    x, weight, bias = floats(3, 200).astype(np.float16), floats(200), floats(200)
    result = shflbench.check(triton("layer_norm"), grid=3, args=[x, weight, bias, np.zeros_like(x), 200, 1e-5])
    wide = x.astype(np.float32)
    scaled = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    assert result.verdict == "clean", result
    np.testing.assert_allclose(result.outputs[3], scaled * weight + bias, rtol=2e-2, atol=2e-2)


def test_matmul_on_tensor_cores_is_clean_and_multiplies() -> None:
    a, b = floats(50, 40).astype(np.float16), floats(40, 60).astype(np.float16)
    result = shflbench.check(triton("matmul"), grid=(2, 2), args=[a, b, np.zeros((50, 60), np.float32), 50, 60, 40])
    assert result.verdict == "clean", result
    np.testing.assert_allclose(result.outputs[2], a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)


def test_histogram_with_atomics_is_clean_and_counts() -> None:
    x = RANDOM.integers(0, 64, 600).astype(np.int32)
    result = shflbench.check(triton("histogram"), grid=3, args=[x, np.zeros(64, np.int32), 600])
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[1], np.bincount(x, minlength=64))


def test_scan_is_clean_and_sums_prefixes() -> None:
    x = floats(3, 100)
    result = shflbench.check(triton("scan_rows"), grid=3, args=[x, np.zeros_like(x), 100])
    assert result.verdict == "clean", result
    np.testing.assert_allclose(result.outputs[1], x.cumsum(axis=1), rtol=1e-4, atol=1e-4)


def test_programs_that_store_their_sums_at_one_address_race() -> None:
    result = shflbench.check(triton("racy_total"), grid=3, args=[floats(300), np.zeros(1, np.float32), 300])
    assert result.verdict == "broken", result
    line = line_of("triton_kernels.py", "tl.store(total")
    assert (line, "WAW") in {(finding.line, finding.kind) for finding in result.findings}, result


def test_program_that_reads_what_the_next_one_overwrites_races() -> None:
    result = shflbench.check(triton("racy_blocks"), grid=3, args=[floats(300), floats(300), 300])
    assert result.verdict == "broken", result
    assert {finding.kind for finding in result.findings} & {"RAW", "WAR"}, result
    assert all(finding.file and finding.file.name == "triton_kernels.py" for finding in result.findings)


def test_number_larger_than_the_arrays_is_out_of_bounds() -> None:
    x = floats(600)
    result = shflbench.check(triton("vector_add"), grid=4, args=[x, x, np.zeros_like(x), 1000])
    assert result.verdict == "broken"
    assert [finding.kind for finding in result.findings] == ["out of bounds", "out of bounds"]
    assert "reads memory out of bounds (byte 2400 of the 2400 bytes of `x`" in result.text()
    assert "writes memory out of bounds (byte 2400 of the 2400 bytes of `out`" in result.text()


def test_constants_may_stand_among_the_arguments() -> None:
    x = floats(600)
    result = shflbench.check(triton("vector_add"), grid=3, args=[x, x, np.zeros_like(x), 600, 256])
    np.testing.assert_array_equal(result.outputs[2], x + x)
    named = {"x": x, "y": x, "out": np.zeros_like(x), "n": 600, "block": 256}
    assert shflbench.check(triton("vector_add"), grid=3, args=named).outputs.keys() == {"x", "y", "out"}


def test_grid_may_be_a_function_of_the_arguments() -> None:
    x = floats(600)
    args = {"x": x, "y": x, "out": np.zeros_like(x), "n": 600}
    result = shflbench.check(triton("vector_add"), grid=lambda meta: (-(-meta["n"] // 256),), args=args)
    assert "3x128" in result.sentence


def test_result_says_what_the_kernel_was_compiled_for() -> None:
    x = floats(600)
    result = shflbench.check(triton("vector_add"), grid=3, args=[x, x, np.zeros_like(x), 600])
    assert result.notes == ("compiled by Triton for sm_80",)


def test_memory_that_the_launcher_adds_is_as_large_as_the_metadata_say() -> None:
    kernel = triton("vector_add", global_scratch_size=512)
    x = floats(600)
    assert shflbench.check(kernel, grid=3, args=[x, x, np.zeros_like(x), 600]).verdict == "clean"


def test_ptx_of_triton_alone_takes_its_arguments_without_hidden_pointers() -> None:
    x = floats(600)
    ptx = triton("vector_add").asm["ptx"]
    result = shflbench.check(ptx, launch=(3, 128), args=[x, x, np.zeros_like(x), 600])
    assert result.verdict == "clean"
    np.testing.assert_array_equal(result.outputs[2], x + x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"launch": (3, 128)}, "a kernel of Triton knows its number of threads"),
        ({"grid": (1, 2, 3, 4)}, "grid (1, 2, 3, 4) is neither a number nor a tuple of up to three numbers"),
        ({"grid": 3, "args": {"m": 1}}, "vector_add has no argument `m`"),
        ({"grid": 3, "args": [1, 2]}, "argument x is 1, and the kernel takes an array"),
        ({"grid": 3, "args": {"n": [1]}}, "argument n is of type list"),
        ({"grid": 3, "args": [np.zeros(600)]}, "argument x is an array of float64, and the kernel takes f32"),
        ({"grid": 3, "args": {"n": np.zeros(600)}}, "argument n is an array, and the kernel takes a number"),
        ({"grid": 3, "args": [None] * 6}, "6 arguments are given, and vector_add takes 4: x, y, out, n"),
    ],
)
def test_arguments_that_do_not_fit_are_errors_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        shflbench.check(triton("vector_add"), **arguments)
    assert caught.value.message.startswith(message)


REPLICATED = """\
//
// Generated by LLVM NVPTX Back-End
//
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry store(
    .param .u64 .ptr .global .align 1 store_param_0,
    .param .u64 .ptr .global .align 1 store_param_1
)
.reqntid 64
{
    .reg .b32 %r<6>;
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    shl.b32 %r3, %r2, 2;
    mov.b32 %r4, global_smem;
    add.s32 %r5, %r4, %r3;
    st.shared.b32 [%r5], 7;
    ret;
}
"""


SECOND_STORE = "    st.shared.b32 [%r5], 7;\n    ret;"


@pytest.mark.parametrize(
    ("ptx", "verdict"),
    [
        (REPLICATED, "clean"),  # the lanes of a warp store one word: Triton writes reductions so
        (REPLICATED.replace("%r1, 5", "%r1, 6"), "clean"),  # both warps do: Triton spreads small tensors so
        (REPLICATED.replace("%r1, 5", "%r1, 6").replace("    ret;", SECOND_STORE), "doubtful"),  # by two stores
        (REPLICATED.replace("LLVM NVPTX Back-End", "hand"), "doubtful"),  # the store is not Triton's
        (REPLICATED.replace("[%r5], 7", "[%r5], %r1"), "broken"),  # the lanes store different values
    ],
)
def test_equal_values_of_one_store_are_no_doubt_where_triton_stores_them(ptx: str, verdict: str) -> None:
    assert shflbench.check(ptx, launch=(1, 64), args=[], shared_bytes=8).verdict == verdict


def test_kernel_for_sm_90_with_wgmma_is_not_checked_and_says_what_to_do() -> None:
    kernel = triton("vector_add")
    ptx = kernel.asm["ptx"].replace("sm_80", "sm_90a").replace("\tret;", "\twgmma.fence.sync.aligned;\n\tret;")
    kernel.asm["ptx"], kernel.metadata.target.arch = ptx, 90
    x = floats(600)
    result = shflbench.check(kernel, grid=3, args=[x, x, np.zeros_like(x), 600])
    assert result.verdict == "not checked"
    assert "`wgmma.fence.sync.aligned" in result.sentence
    assert "for sm_80" in result.sentence
