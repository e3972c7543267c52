from dataclasses import replace

import pytest

from shflbench.analysis.settings import common_factors, factors, one_pass, words
from tests.fakes.runs import compiled, measured


def test_a_case_without_a_timed_loop_is_recognized_by_its_empty_columns() -> None:
    loop = measured(patterns=["neighbor"], dtypes=["f32"])[0][0]
    once = measured(patterns=["struct-access"], dtypes=["f32"])[0][0]
    assert one_pass(once)
    assert one_pass(*compiled([once]))
    assert not one_pass(loop)
    assert not one_pass(replace(loop, iterations=1, ns_per_iteration=None))  # its loop was found in the SASS


def test_factors_are_everything_but_the_variant() -> None:
    row = measured(patterns=["neighbor"], dtypes=["f32"], options=["mode=xor;width=8"])[0][0]
    assert factors(row) == {
        "dtype": "f32",
        "grid": "26",
        "block": "1024",
        "iterations": "4096",
        "mode": "xor",
        "width": "8",
    }
    assert "iterations" not in factors(measured(patterns=["struct-access"], dtypes=["f32"])[0][0])
    tile = factors(replace(row, launch="8x4:16x16", grid=32, block=256))
    assert (tile["grid"], tile["block"]) == ("8x4", "16x16")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"dtype": "f32", "grid": "26", "block": "1024", "iterations": "4096", "mode": "xor"}, None),
        ({"grid": "2*sms", "block": "256"}, "2*sms x 256"),
        ({"grid": "8x4", "block": "16x16"}, "8x4:16x16"),
        ({"grid": "64", "block": "16x16"}, "64:16x16"),
        ({"block": "256"}, "256 threads per block"),
        ({"grid": "1"}, "1 block"),
        ({}, ""),
    ],
)
def test_a_part_of_a_setting_is_put_in_words(part: dict[str, str], text: str | None) -> None:
    assert words(part) == ("f32, 26x1024, 4096 iterations, mode=xor" if text is None else text)


def test_what_settings_share_is_equal_in_all_of_them() -> None:
    assert common_factors([{"a": "1", "b": "2"}, {"a": "1", "b": "3"}, {"a": "1"}]) == {"a": "1"}
