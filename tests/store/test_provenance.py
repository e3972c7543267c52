from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shflbench.errors import ResultsError
from shflbench.store import RunInfo
from shflbench.store.columns import SCHEMA
from tests.fakes.runs import info

if TYPE_CHECKING:
    from shflbench.store.fields import Json

FILE = Path("run/run.json")


def edited(*keys: str, value: object) -> str:
    """Return the JSON of a run with one value replaced."""
    content = json.loads(info().to_json())
    part: Any = content
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    "about",
    [
        info(),
        info(device=None, backend="none"),
        replace(
            info(), finished="2026-11-20T08:00:30Z", resumed=("2026-11-20T08:00:10Z",), notes=("clock not steady",)
        ),
    ],
    ids=["gpu", "no-gpu", "finished"],
)
def test_a_run_comes_back_as_it_was_written(about: RunInfo) -> None:
    assert RunInfo.from_json(about.to_json(), FILE) == about


def test_the_suite_is_kept_verbatim_with_its_hash() -> None:
    suite = json.loads(info().to_json())["suite"]
    assert suite["text"].startswith("schema: 1\nname: gtc2013\n")
    assert suite["sha256"] == "699598fc5e03fc0d5c2ee2558a0aea53ff4ec849c42af16060adcf6f72f4820a"


def test_every_setting_is_kept_verbatim() -> None:
    settings: dict[str, Json] = {
        "overrides": {"variants": ["shfl"], "iterations": []},
        "precision": 0.002,
        "device": "auto",
    }
    about = replace(info(), settings=settings)
    assert RunInfo.from_json(about.to_json(), FILE).settings == settings


def test_a_newer_schema_is_refused_with_the_way_out() -> None:
    with pytest.raises(ResultsError, match=rf"run\.json has schema {SCHEMA + 1}") as caught:
        RunInfo.from_json(edited("schema", value=SCHEMA + 1), FILE)
    assert "pip install --upgrade shflbench" in caught.value.advice


@pytest.mark.parametrize("key", [key for key in json.loads(info().to_json()) if key != "schema"])
def test_a_missing_key_is_named(key: str) -> None:
    content = json.loads(info().to_json())
    del content[key]
    with pytest.raises(ResultsError) as caught:
        RunInfo.from_json(json.dumps(content), FILE)
    assert caught.value.message == f"{FILE}: `{key}` is missing"


@pytest.mark.parametrize(
    ("keys", "value", "sentence"),
    [
        (("schema",), "1", '`schema` is "1", not a whole number'),
        (("device", "sms"), True, "`device.sms` is true, not a whole number"),
        (("suite", "name"), 3, "`suite.name` is 3, not a text"),
        (("suite", "name"), "../x", "`suite.name` is '../x', not the name of a suite"),
        (("suite", "text"), "\ud800", "the suite's text does not match its hash: the file was edited"),
        (("suite",), [], "`suite` is [], not an object"),
        (("argv",), ["run", 1], '`argv` is ["run", 1], not a list of texts'),
        (("argv",), "run", '`argv` is "run", not a list of texts'),
        (("versions", "git_dirty"), "no", '`versions.git_dirty` is "no", not true, false or null'),
        (("finished",), 0, "`finished` is 0, not a text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(keys: tuple[str, ...], value: object, sentence: str) -> None:
    with pytest.raises(ResultsError) as caught:
        RunInfo.from_json(edited(*keys, value=value), FILE)
    assert caught.value.message == f"{FILE}: {sentence}"


def test_an_edited_suite_text_is_noticed() -> None:
    with pytest.raises(ResultsError, match="does not match its hash"):
        RunInfo.from_json(edited("suite", "text", value="schema: 1\n"), FILE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [('{"schema": 1,', r"run\.json:1:14: not JSON"), ("[1]", "not a JSON object"), ("run", "not JSON")]
    + [(character * 100_000, r"run\.json is damaged: ") for character in "[9"],
    ids=["cut off", "list", "word", "brackets", "digits"],
)
def test_broken_json_names_the_file_and_place(text: str, sentence: str) -> None:
    with pytest.raises(ResultsError, match=sentence):
        RunInfo.from_json(text, FILE)
