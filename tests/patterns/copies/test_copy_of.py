from collections.abc import Iterator
from itertools import product

import pytest

from shflbench.patterns.copies import copy_of
from shflbench.patterns.discover import builtin, load
from tests.patterns.copies.folders import copies_of

BOUNDS = "// Timed in kernels with __launch_bounds__(threads per block, blocks per SM) of their launch.\n"
SHUFFLED = f"""\
{BOUNDS}namespace reduce_shfl {{

// Returns the sum of the warp's 32 values to all lanes.
// All 32 lanes of the warp must call it.
__device__ inline float warp_sum(float x) {{
    float sum = x;
    for (int distance = 32 / 2; distance > 0; distance /= 2) {{
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }}
    return sum;
}}

}}
"""


def choices(pattern: str) -> Iterator[tuple[str, str, dict[str, str], bool]]:
    """Yield each variant with each dtype and each combination of options, and whether it is safe and exists."""
    declared = load(builtin()[pattern]).declaration
    for dtype, values in product(declared.dtypes, product(*declared.options.values())):
        options = dict(zip(declared.options, values, strict=True))
        for variant in declared.variants:
            yield variant.name, dtype, options, variant.safe and variant.has(dtype, options)


def test_a_warp_sum_is_a_function_without_a_benchmark() -> None:
    assert copy_of("reduce", "shfl", "f32", {"width": "32"}) == SHUFFLED


def test_vectors_are_shuffled_member_by_member() -> None:
    text = copy_of("reduce", "shfl", "f32x2", {"width": "32"}) or ""
    assert [line.strip() for line in text.splitlines() if "_shfl_" in line] == [
        "sum.x += __shfl_xor_sync(0xffffffffu, sum.x, distance);",
        "sum.y += __shfl_xor_sync(0xffffffffu, sum.y, distance);",
    ]


def test_a_type_from_a_header_of_cuda_includes_the_header() -> None:
    text = copy_of("reduce", "shfl", "bf16", {"width": "8"}) or ""
    before = f"#include <cuda_bf16.h>\n\n{BOUNDS}namespace reduce_shfl {{\n\n"
    assert text.startswith(f"{before}// Returns the sum of each group of 8 adjacent lanes")


def test_options_of_the_launch_do_not_change_the_code() -> None:
    assert copy_of("reduce", "shfl", "f32", {"width": "32", "l2": "cold"}) == SHUFFLED


def test_an_option_that_the_pattern_does_not_have_changes_nothing() -> None:
    options = {"payload": "value"}
    text = copy_of("bitonic-sort", "cub", "f32", options) or ""
    assert "values[] = {value};" in text
    assert copy_of("bitonic-sort", "cub", "f32", {**options, "value": "}; planted();", "T": "planted"}) == text


@pytest.mark.parametrize(
    ("pattern", "variant", "dtype", "options"),
    [
        ("my-pattern", "shfl", "f32", {}),
        ("../patterns/reduce", "shfl", "f32", {"width": "32"}),
        ("template", "shfl", "f32", {}),
        ("reduce", "smem-unsafe", "f32", {"width": "32"}),
        ("reduce", "redux", "f32", {"width": "32"}),
        ("reduce", "shfl", "f8", {"width": "32"}),
        ("reduce", "shfl", "f32", {"width": "7"}),
        ("reduce", "shfl", "f32", {}),
    ],
)
def test_without_code_to_recommend_there_is_none(
    pattern: str, variant: str, dtype: str, options: dict[str, str]
) -> None:
    assert copy_of(pattern, variant, dtype, options) is None


@pytest.mark.parametrize("pattern", builtin())
def test_each_safe_variant_has_code_for_all_that_it_supports_and_no_other_variant_has_any(pattern: str) -> None:
    wrong = [
        (variant, dtype, options)
        for variant, dtype, options, expected in choices(pattern)
        if bool(copy_of(pattern, variant, dtype, options)) != expected
    ]
    assert not wrong


@pytest.mark.parametrize("pattern", builtin())
def test_code_is_complete_and_fits_a_page(pattern: str) -> None:
    marks = ("{T}", "{U}", "{.}", "//!", "//:", "shflbench", '#include "', "\t")
    for copies in copies_of(pattern):
        for text in copies.texts.values():
            assert not [mark for mark in (*marks, *(f"{{{name}}}" for name in copies.options)) if mark in text]
            assert max(map(len, text.splitlines())) <= 120
            assert text.isascii()
            assert text.startswith(("// Timed", "#include", "#ifndef"))
