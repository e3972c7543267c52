from collections.abc import Mapping
from dataclasses import replace

import pytest

from shflbench.core.model import DTYPES, Dtype, Mechanism, Target
from shflbench.patterns.declare import (
    LAUNCH_OPTIONS,
    InOut,
    Input,
    Output,
    Pattern,
    PerWord,
    Scalar,
    Variant,
    elements_per_thread,
)
from tests.cases import setting


def counted(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int | PerWord] | None:
    """Expect one shuffle per word and step, and nothing for halves."""
    return None if dtype.size == 2 else {"SHFL": PerWord(int(options["steps"]))}


SHFL = Variant(name="shfl", mechanism=Mechanism.SHFL, summary="shuffle", per_iteration={"SHFL": PerWord(5), "BAR": 1})
SMEM = Variant(name="smem", mechanism=Mechanism.SMEM, summary="memory", baseline=True, shared=elements_per_thread(2))
STEPS = Variant(
    name="steps",
    mechanism=Mechanism.SHFL,
    summary="as many shuffles as the option says",
    dtypes=("f32", "f64"),
    only={"mode": ("up", "down"), "steps": ("1", "3")},
    may_fold={"steps": ("1",)},
    per_iteration=counted,
    arguments=("iterations", "result", "limit", "values"),
)
PATTERN = Pattern(
    summary="",
    source="",
    buffers=(Input("values"), InOut("count"), Output("result")),
    scalars=(Scalar("limit", lambda at: at.threads),),
    variants=(SHFL, SMEM, STEPS),
    options={"mode": ("idx", "up", "down"), "steps": ("1", "3")},
)


@pytest.mark.parametrize(
    ("dtype", "shuffles"), [("f16", 5), ("i8", 5), ("f32", 5), ("i32", 5), ("f64", 10), ("i64", 10), ("f32x4", 20)]
)
def test_shuffles_are_expected_per_32_bit_word(dtype: str, shuffles: int) -> None:
    assert SHFL.expected_counts(DTYPES[dtype], {}) == {"SHFL": shuffles, "BAR": 1}


def test_expected_counts_may_depend_on_dtype_and_options() -> None:
    assert STEPS.expected_counts(DTYPES["f32"], {"steps": "3"}) == {"SHFL": 3}
    assert STEPS.expected_counts(DTYPES["f64"], {"steps": "3"}) == {"SHFL": 6}
    assert STEPS.expected_counts(DTYPES["f16"], {"steps": "3"}) is None


def test_kernels_of_a_static_block_are_compiled_for_it_as_for_an_option() -> None:
    options = {"steps": "3"}
    assert PATTERN.constants(options, 256) == options
    assert replace(PATTERN, static_block=True).constants(options, 256) == {"steps": "3", "block": "256"}


def test_variant_without_expected_counts_is_not_checked() -> None:
    assert SMEM.expected_counts(DTYPES["f32"], {}) is None


def test_shared_memory_follows_the_block_and_the_dtype() -> None:
    assert SMEM.shared(setting("f64", "1x256")) == 256 * 2 * 8
    assert SMEM.shared(setting("f32x4", "1x256")) == 256 * 2 * 16
    assert SHFL.shared(setting("f64", "1x256")) == 0


def test_variants_have_names_and_one_is_the_baseline() -> None:
    assert PATTERN.variant("shfl") is SHFL
    assert PATTERN.baseline is SMEM
    with pytest.raises(KeyError, match="shuffle"):
        PATTERN.variant("shuffle")


@pytest.mark.parametrize(
    ("dtype", "mode", "steps", "has"),
    [
        ("f32", "up", "1", True),
        ("f64", "down", "3", True),
        ("i32", "up", "1", False),
        ("f32", "idx", "1", False),
    ],
)
def test_variant_supports_its_dtypes_and_option_values(dtype: str, mode: str, steps: str, *, has: bool) -> None:
    options = {"mode": mode, "steps": steps}
    assert STEPS.has(dtype, options) is has
    assert SMEM.has(dtype, options)


def test_mechanism_may_be_folded_for_the_declared_values() -> None:
    assert STEPS.folds({"mode": "up", "steps": "1"})
    assert not STEPS.folds({"mode": "up", "steps": "3"})
    assert not SMEM.folds({"mode": "up", "steps": "1"})


def test_each_value_of_an_option_is_tried_beside_the_defaults_of_the_others() -> None:
    assert PATTERN.option_choices == (
        {"mode": "idx", "steps": "1"},
        {"mode": "up", "steps": "1"},
        {"mode": "down", "steps": "1"},
        {"mode": "idx", "steps": "3"},
    )


def test_arguments_are_buffers_scalars_and_iterations_unless_the_variant_names_them() -> None:
    assert PATTERN.arguments(SMEM) == ("values", "count", "result", "limit", "iterations")
    assert PATTERN.arguments(STEPS) == ("iterations", "result", "limit", "values")


def test_kernel_of_one_pass_takes_no_iterations() -> None:
    once = Pattern(summary="", source="", buffers=PATTERN.buffers, variants=(SMEM,), one_pass=True)
    assert once.arguments(SMEM) == ("values", "count", "result")


def test_setting_counts_threads_and_warps_and_reads_whole_options() -> None:
    at = setting("i32", "26x96", {"words": "16"})
    assert (at.threads, at.warps, at.whole("words")) == (26 * 96, 26 * 3, 16)


def test_buffer_has_elements_per_thread_or_as_many_as_its_function_returns() -> None:
    at = setting("f32", "2x64", {"words": "3"})
    assert Input("a").count(at) == 128
    assert InOut("a", per_thread=4).count(at) == 512
    assert Output("a", elements=lambda at: at.warps * at.whole("words")).count(at) == 12


def test_options_of_the_launch_have_whole_numbers_or_words_and_a_meaning() -> None:
    assert {name: (values[0], values[-1]) for name, (values, _) in LAUNCH_OPTIONS.items()} == {
        "extra_shared": (0, 2**20 - 1),
        "carveout": (0, 100),
        "l2": ("warm", "cold"),
    }
    assert all(meaning for _, meaning in LAUNCH_OPTIONS.values())


@pytest.mark.parametrize(
    ("cccl", "reason"),
    [
        ((3, 4), ""),
        ((3, 10), ""),
        ((4, 0), ""),
        ((3, 3), "batched needs CCCL 3.4 or newer, and this is 3.3"),
        ((2, 8), "batched needs CCCL 3.4 or newer, and this is 2.8"),
        ((0, 0), "batched needs CCCL 3.4 or newer, and there is none"),
    ],
)
def test_variant_may_need_a_version_of_cccl(cccl: tuple[int, int], reason: str) -> None:
    variant = Variant(name="batched", mechanism=Mechanism.LIBRARY, summary="", needs_cccl=(3, 4))
    assert variant.unsupported_reason(Target("sm_90", cccl)) == reason
