"""Several values of `--arg` as sets of arguments."""

import pytest

from shflbench.checker.inputs.argument_sets import parse_argument_sets
from shflbench.checker.inputs.grammar import BufferValue
from shflbench.errors import UsageError


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (["n=1e3"], [None]),
        (["n=1e3,2e3", "alpha=2"], [("n", "1000"), ("n", "2000")]),
        (["numRows=1,2", "m=3,4"], [("numrows-m", "1_3"), ("numrows-m", "2_4")]),
        (["in=f32[10],f32[20]"], [("in", "10"), ("in", "20")]),
        (["iterations=1,2"], [("arg-iterations", "1"), ("arg-iterations", "2")]),
    ],
)
def test_a_set_is_an_option_of_a_case(texts: list[str], options: list[tuple[str, str] | None]) -> None:
    assert [item.option for item in parse_argument_sets(texts)] == options


def test_commas_of_a_fill_stay_with_their_buffer() -> None:
    sets = parse_argument_sets(["in=i32[4]:1,2,i32[8]:3"])
    values = [item.arguments[0].value for item in sets]
    assert [value.fill for value in values if isinstance(value, BufferValue)] == [(1, 2), (3,)]


@pytest.mark.parametrize("text", ["n", "n=", "n=1,", "n=1,many", "in=null,null", "2=10,20"])
def test_what_gives_no_value_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--arg"):
        parse_argument_sets([text])
