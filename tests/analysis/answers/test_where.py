"""Few words for the settings in which something holds."""

from itertools import product

from shflbench.analysis.answers.where import where

GRID = [{"words": words, "way": way} for words, way in product(("2", "4", "8"), ("load", "store"))]


def apart(*part: int) -> str:
    return where([GRID[place] for place in part], [one for place, one in enumerate(GRID) if place not in part])


def test_one_factor_that_tells_the_settings_apart_is_named_with_its_values() -> None:
    assert apart(2, 3) == "words=4"
    assert apart(0, 2, 4) == "way=load"


def test_values_of_a_factor_are_joined_in_the_order_of_numbers() -> None:
    settings = [{"width": width} for width in ("32", "16", "8", "4")]
    assert where(settings[1:], settings[:1]) == "width=4 or 8 or 16"


def test_two_factors_are_named_where_one_does_not_do() -> None:
    assert apart(3) == "words=4, way=store"


def test_settings_of_several_kinds_have_a_clause_each() -> None:
    assert apart(0, 1, 3) == "words=2, or at words=4, way=store"


def test_an_option_that_a_setting_leaves_out_has_its_default() -> None:
    assert where([{"length": "8"}], [{"length": "8", "carveout": "0"}]) == "carveout=default"


def test_a_clause_never_holds_for_the_other_settings() -> None:
    part = [{"a": str(a), "b": str(b), "c": str(a ^ b)} for a in range(2) for b in range(2)]
    assert where(part[:1], part[1:]) == "a=0, b=0"


def test_settings_that_nothing_tells_apart_are_counted() -> None:
    same = {"words": "4"}
    assert where([same, same], [same]) == "2 more settings" or where([same, same], [same]).endswith("1 more setting")
