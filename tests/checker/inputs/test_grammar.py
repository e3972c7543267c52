from pathlib import Path

import numpy as np
import pytest

from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.inputs.grammar import (
    ArrayValue,
    BufferValue,
    NullValue,
    NumberValue,
    parse_argument,
    parse_arguments,
)
from shflbench.errors import UsageError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1000", 1000),
        ("-3", -3),
        ("0x10", 16),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("true", 1),
        ("false", 0),
        ("inf", float("inf")),
    ],
)
def test_a_number_keeps_its_value(text: str, value: float) -> None:
    argument = parse_argument(f"n={text}")
    assert argument.name == "n"
    assert argument.value == NumberValue(value)


@pytest.mark.parametrize("name", ELEMENTS)
def test_every_type_makes_a_buffer(name: str) -> None:
    assert parse_argument(f"in={name}[7]").value == BufferValue(ELEMENTS[name], 7, "random")


@pytest.mark.parametrize(
    ("fill", "expected"), [("0", "0"), ("index", "index"), ("random", "random"), ("1,2, 3", (1, 2, 3))]
)
def test_a_fill_follows_a_colon(fill: str, expected: object) -> None:
    assert parse_argument(f"in=i32[8]:{fill}").value == BufferValue(ELEMENTS["i32"], 8, expected)  # type: ignore[arg-type]


def test_null_is_a_pointer() -> None:
    assert parse_argument("in=null").value == NullValue()


def test_a_file_of_numpy_gives_its_values(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    value = parse_argument(f"in={tmp_path / 'in.npy'}").value
    assert isinstance(value, ArrayValue)
    assert value.values.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n", "--arg `n` is not NAME=VALUE"),
        ("=3", "--arg `=3` is not NAME=VALUE"),
        ("n=", "--arg `n=` is not NAME=VALUE"),
        ("n=many", "--arg n: `many` is neither a number nor a buffer"),
        ("in=f23[4]", "--arg in: unknown type `f23`; allowed: f16, bf16, f32, "),
        ("in=f32[0]", "--arg in: `0` is not a number of elements, 1 to 67108864"),
        ("in=f32[-1]", "--arg in: `-1` is not a number of elements, 1 to 67108864"),
        ("in=f32[9999999999]", "--arg in: `9999999999` is not a number of elements"),
        ("in=f32[4]:rnd", "--arg in: `rnd` is no fill; allowed: random, index, 0 or numbers such as 1,2,3"),
        ("in=u8[4]:1,300", "--arg in: a value of the list does not fit u8"),
        ("in=none.npy", "--arg in: none.npy cannot be read: no such file or directory"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_argument(text)
    assert error.value.message.startswith(message)


def test_an_unknown_type_suggests_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean `f32`"):
        parse_argument("in=f33[4]")


def test_a_file_that_holds_no_array_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.npy").write_text("1 2 3", encoding="utf-8")
    with pytest.raises(UsageError, match="it is no array of NumPy"):
        parse_argument(f"in={tmp_path / 'in.npy'}")


def test_an_argument_is_given_once() -> None:
    with pytest.raises(UsageError, match="--arg gives `n` twice"):
        parse_arguments(["n=1", "n=2"])


def test_a_power_of_ten_is_an_integer() -> None:
    values = [parse_argument(f"n={text}").value for text in ("1e6", "1.5e3", "1e-3", "1e30")]
    assert [type(value.value) for value in values if isinstance(value, NumberValue)] == [int, int, float, float]
    assert parse_argument("in=f32[1e3]").value == BufferValue(ELEMENTS["f32"], 1000, "random")
