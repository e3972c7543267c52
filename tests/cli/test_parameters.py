from dataclasses import dataclass

import pytest

from shflbench.cli.parameters import group_of


@dataclass(frozen=True, slots=True)
class Sizes:
    name: str
    rows: int = 1
    names: tuple[str, ...] = ()


def test_a_group_has_the_parameters_that_its_fields_are_called_as() -> None:
    assert group_of(Sizes, {"rows": 4, "names": ("a", "b"), "other": True}, name="x") == Sizes("x", 4, ("a", "b"))


def test_a_field_without_an_option_keeps_its_default() -> None:
    assert group_of(Sizes, {"name": "x"}) == Sizes("x")


def test_a_given_value_replaces_that_of_an_option() -> None:
    assert group_of(Sizes, {"name": "x", "rows": 4}, rows=5) == Sizes("x", 5)


def test_a_field_without_an_option_and_a_default_is_an_error() -> None:
    with pytest.raises(TypeError, match="name"):
        group_of(Sizes, {"rows": 4})
