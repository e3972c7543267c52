"""`pattern.json`: what was written is read, and anything else is one sentence."""

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shflbench.errors import PatternError
from shflbench.patterns.discover import ADVICE, STORED, is_pattern, load
from shflbench.patterns.stored_file import read_stored, stored_json
from tests.patterns.stored_pattern import PATTERN, SMALL, write

Edit = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize("pattern", [PATTERN, SMALL], ids=["large", "small"])
def test_a_pattern_that_was_written_is_read(pattern: Any, tmp_path: Path) -> None:
    folder = write(pattern, tmp_path)
    assert read_stored(folder / STORED) == pattern
    assert stored_json(read_stored(folder / STORED)) == stored_json(pattern)


def test_the_folder_is_a_pattern_that_another_process_can_load(tmp_path: Path) -> None:
    folder = write(PATTERN, tmp_path)
    loaded = load(folder)
    assert is_pattern(folder)
    assert not is_pattern(tmp_path)
    assert (loaded.name, loaded.declaration.reference_variant) == ("sums", "plain")
    assert pickle.loads(pickle.dumps(loaded)) == loaded  # noqa: S301  (its own)


def test_a_declaration_in_python_comes_first(tmp_path: Path) -> None:
    folder = write(SMALL, tmp_path)
    (folder / "pattern.py").write_text("1 / 0\n")
    with pytest.raises(PatternError, match=r"pattern\.py cannot be imported"):
        load(folder)


def refusal(folder: Path) -> str:
    """Return the sentence with which a folder is refused, after the path."""
    with pytest.raises(PatternError) as caught:
        load(folder)
    assert caught.value.advice == ADVICE[STORED]
    path, _, sentence = caught.value.message.partition(STORED)
    assert path == f"{folder}/"
    assert "\n" not in sentence
    return sentence


TEXTS = (b"PATTERN = 1", b"\xff\xfe", b"[" * 100_000, b'{"variants":' * 100_000, b"null", b"{}", b'{"source": "x"')


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_is_no_json_of_a_pattern_is_refused(text: bytes, tmp_path: Path) -> None:
    assert refusal(write(SMALL, tmp_path, text=text)).startswith(" is no pattern that `bench` wrote: ")


def nested(value: object) -> Edit:
    """Return an edit that gives the first variant a structure with this field."""
    return lambda data: data["variants"][0].update(arguments=[{"name": "p", "size": 8, "fields": [[0, value]]}])


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda data: data.pop("dtype"), "missing required field `dtype`"),
        (lambda data: data.update(dtype=3), "Expected `str`, got `int` - at `$.dtype`"),
        (lambda data: data.update(dtype="f99"), "unknown dtype `f99`"),
        (lambda data: data.update(relative_tolerance="1"), "Expected `float`, got `str`"),
        (lambda data: data.update(dimensions=10**30), "dimensions is 1000"),
        (lambda data: data.update(options={"at": ["1"]}), "the option `at` needs another name"),
        (lambda data: data.update(launch="all"), "the launch of `representative` is 'all'"),
        (lambda data: data.update(variants=[]), "0 variants have `baseline=True`"),
        (lambda data: data.update(buffers={}), "Expected `array`, got `object`"),
        (lambda data: data["buffers"][0].update(kind="Constant"), "Invalid enum value 'Constant'"),
        (lambda data: data["buffers"][0].update(dtype="u8"), "unknown dtype `u8`"),
        (lambda data: data["buffers"][0]["inputs"].update(kind="drawn"), "Invalid enum value 'drawn'"),
        (lambda data: data["buffers"][0].update(elements=60), "Expected `object`, got `int`"),
        (lambda data: data["buffers"][0]["elements"].update(values={"": 1.5}), "Expected `int`, got `float`"),
        (lambda data: data["buffers"][0]["elements"].update(values={"": -1}), "`x` has -1 elements"),
        (lambda data: data["buffers"][0]["elements"].update(values={"": 10**40}), "`x` has 1000"),
        (lambda data: data["buffers"][0]["elements"].update(values={}), "`x` has no value for each size"),
        (lambda data: data["buffers"][0]["elements"].update(option="n"), "`x` has no value for each size"),
        (lambda data: data["variants"][0].update(name="../plain"), "needs another name"),
        (lambda data: data["variants"][0].update(mechanism="magic"), "Invalid enum value 'magic'"),
        (lambda data: data["variants"][0].update(source="missing.cu"), "needs the file missing.cu, which does not"),
        (lambda data: data["variants"][0].update(arguments=["y"]), "takes the argument `y`, which is not declared"),
        (lambda data: data["variants"][0].update(arguments=[{"name": "p", "size": 0}]), "of 0 bytes"),
        (lambda data: data["variants"][0].update(cluster=[1, 2]), "Expected `array` of length 3"),
        (lambda data: data["variants"][0].update(shared={"x": {"values": {"": 1}}}), "Expected `int`, got `str`"),
        (lambda data: data["variants"][0].update(shared={"0": {"values": {"": -4}}}), "is -4, not an integer of bytes"),
        (lambda data: data["variants"][0].update(shared={"0": {"values": {}}}), "fails for f32: KeyError"),
        (nested({"name": "q", "size": 8}), "`q` is a structure in a structure"),
        (nested("z"), "takes the argument `z`, which is not declared"),
        (
            lambda data: data["variants"][0].update(later=[{"kernel": "k", "arguments": []}]),
            "missing required field `dims`",
        ),
        (
            lambda data: data["variants"][0].update(
                later=[{"kernel": "k", "arguments": ["x"], "dims": {"values": {"": [[0, 1, 1], [32, 1, 1]]}}}]
            ),
            "dims at 32 threads is ((0, 1, 1), (32, 1, 1))",
        ),
    ],
)
def test_a_wrong_value_is_one_sentence(edit: Edit, sentence: str, tmp_path: Path) -> None:
    data = json.loads(stored_json(SMALL))
    edit(data)
    assert sentence in refusal(write(SMALL, tmp_path, text=json.dumps(data).encode()))


def test_what_is_no_file_is_refused_unread(tmp_path: Path) -> None:
    folder = write(SMALL, tmp_path)
    (folder / STORED).unlink()
    os.mkfifo(folder / STORED)
    assert refusal(folder) == " is a FIFO, not a file"
