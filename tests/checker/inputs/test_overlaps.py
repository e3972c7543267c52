"""The texts of `--pdl` and `--same`."""

import pytest

from shflbench.checker.inputs.overlaps import parse_chain, parse_same
from shflbench.errors import UsageError


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("first,second", ("first", "second")),
        (" first , second , third ", ("first", "second", "third")),
        ("sum<float, 256>,scale<float, (1, 2)>", ("sum<float, 256>", "scale<float, (1, 2)>")),
    ],
)
def test_kernels_are_divided_at_commas_outside_of_brackets(text: str, kernels: tuple[str, ...]) -> None:
    assert parse_chain(text) == kernels


@pytest.mark.parametrize("text", ["", "first", "first,", ",second", "first,,third"])
def test_a_text_without_two_kernels_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not name two kernels"):
        parse_chain(text)


def test_arguments_may_be_fields_of_kernels_in_namespaces() -> None:
    same = parse_same("a::first<float>.out = second.parameters.in")
    assert (str(same.first), str(same.second)) == ("a::first<float>.out", "second.parameters.in")


@pytest.mark.parametrize(
    "text", ["", "first.out", "first.out=", "out=in", "first.out=second.in=third.in", "first.=s.x"]
)
def test_a_text_without_two_arguments_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="does not name an argument of each of two kernels"):
        parse_same(text)
