"""The arguments that the user says are one buffer: in any order, and through others."""

from pathlib import Path

import pytest

from tests.checker.dependent.chain_files import report_on
from tests.checker.dependent.enumeration import ACTORS, Action, Launch, Step

WRITER, IDLE, READER = (
    [Step(Action.WRITE, tuple(ACTORS))],
    [Step(Action.FENCE, tuple(ACTORS))],
    [Step(Action.READ, tuple(ACTORS))],
)
CHAIN: list[Launch] = [WRITER, IDLE, READER]
FIRST, MIDDLE, LAST = "launch0.arg0", "launch1.arg0", "launch2.arg0"


@pytest.mark.parametrize("first", [f"{FIRST}={MIDDLE}", f"{MIDDLE}={FIRST}"])
@pytest.mark.parametrize("second", [f"{LAST}={MIDDLE}", f"{MIDDLE}={LAST}"])
def test_arguments_that_are_one_with_a_third_are_one_in_any_order(first: str, second: str, tmp_path: Path) -> None:
    assert report_on(CHAIN, tmp_path, [first, second]).verdict == "broken"
    assert report_on(CHAIN, tmp_path, [second, first]).verdict == "broken"


def test_a_pair_may_be_stated_twice(tmp_path: Path) -> None:
    assert report_on([WRITER, READER], tmp_path, [f"{FIRST}={MIDDLE}", f"{MIDDLE}={FIRST}"]).verdict == "broken"


def test_arguments_of_two_pairs_are_two_buffers(tmp_path: Path) -> None:
    assert report_on(CHAIN, tmp_path, [f"{MIDDLE}={LAST}"]).verdict == "clean"
