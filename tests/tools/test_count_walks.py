"""How often a value returns to a module that it has left."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from tools.count_walks import Walk, walk_of_base, walk_of_path


def module(name: str, code: str, **others: object) -> dict[str, Any]:
    """Return the names of a module of the package with this code."""
    names: dict[str, Any] = {"__name__": f"shflbench.{name}", **others}
    exec(code, names)  # noqa: S102  (a test writes it)
    return names


def followed(value: object, call: Callable[[object], object]) -> Walk:
    walk = Walk(value)
    sys.setprofile(walk.record)
    try:
        call(value)
    finally:
        sys.setprofile(None)
    return walk


def test_a_module_that_is_called_again_by_another_one_is_a_return() -> None:
    first = module("first", "def start(value): return end(value)\ndef again(value): return None")
    second = module("second", "def end(value): return [again(value), again(value)]", again=first["again"])
    first["end"] = second["end"]
    walk = followed(object(), first["start"])
    assert walk.modules == ["shflbench.first", "shflbench.second"]
    assert walk.returns == {("shflbench.second", "shflbench.first"): "again"}


def test_calls_without_the_value_are_no_steps() -> None:
    second = module("second", "def other(number): return number")
    first = module("first", "def start(value): return other(1)", other=second["other"])
    assert followed(object(), first["start"]).modules == ["shflbench.first"]


def test_what_is_made_of_the_value_is_followed() -> None:
    second = module("second", "class Made:\n  def __init__(self, value): pass\ndef use(made): return None")
    first = module("first", "def start(value): return use(Made(value))", Made=second["Made"])
    third = module("third", "def use(made): return None")
    first["use"] = third["use"]
    assert followed(object(), first["start"]).modules == ["shflbench.first", "shflbench.second", "shflbench.third"]


@pytest.mark.archs
def test_a_base_run_passes_the_stages_of_a_comparison() -> None:
    walk = walk_of_base()
    stages = ["sides", "pipeline", "comparability", "evidence"]
    places = [walk.modules.index(f"shflbench.analysis.compare.{stage}") for stage in stages]
    assert places == sorted(places)
    assert {called for _, called in walk.returns} <= set(walk.modules)


def test_a_path_passes_the_stages_of_a_check() -> None:
    walk = walk_of_path()
    stages = ["file_check", "file_reading", "linked_file", "kernel_check", "reporter"]
    places = [walk.modules.index(f"shflbench.checker.{stage}") for stage in stages]
    assert places == sorted(places)
