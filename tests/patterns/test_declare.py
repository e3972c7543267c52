from __future__ import annotations

import pytest

from shflbench.model import DTYPES, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

SHFL = Variant(name="shfl", mechanism=Mechanism.SHFL, summary="shuffle", per_iteration={"SHFL": PerWord(5), "BAR": 1})
SMEM = Variant(name="smem", mechanism=Mechanism.SMEM, summary="memory", baseline=True, shared=elements_per_thread(2))
PATTERN = Pattern(summary="", source="", buffers=(Input("values"), Output("result")), variants=(SHFL, SMEM))


@pytest.mark.parametrize(("dtype", "shuffles"), [("f32", 5), ("i32", 5), ("f64", 10), ("i64", 10)])
def test_shuffles_are_promised_for_each_32_bit_word(dtype: str, shuffles: int) -> None:
    assert SHFL.promised(DTYPES[dtype]) == {"SHFL": shuffles, "BAR": 1}


def test_variant_that_promises_nothing_is_only_shown() -> None:
    assert SMEM.promised(DTYPES["f32"]) is None


def test_shared_memory_follows_the_block_and_the_dtype() -> None:
    assert SMEM.shared(256, DTYPES["f64"]) == 256 * 2 * 8
    assert SHFL.shared(256, DTYPES["f64"]) == 0


def test_variants_are_found_by_name_and_the_baseline_by_its_mark() -> None:
    assert PATTERN.variant("shfl") is SHFL
    assert PATTERN.baseline is SMEM
    with pytest.raises(KeyError, match="shuffle"):
        PATTERN.variant("shuffle")
