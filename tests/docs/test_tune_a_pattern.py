"""The page on tuning says what the rules of the tuner are."""

from pathlib import Path

from shflbench.advice.tuner.rules import (
    BEST_OF_KIND,
    BEST_OF_MECHANISM,
    PREDICTED_WITHIN,
    RUNGS,
    SURELY_NOT_FASTER,
    SURELY_SLOWER,
)

PAGE = " ".join((Path(__file__).parents[2] / "docs/how-to/tune-a-pattern.md").read_text(encoding="utf-8").split())
NUMBERS = {1: "one", 2: "two", 3: "three", 6: "six"}


def test_the_page_names_the_time_and_the_processes_of_each_rung() -> None:
    first, second, third = RUNGS
    seconds = f"{first.max_seconds}, {second.max_seconds} and {third.max_seconds} s per candidate"
    processes = [NUMBERS[one.processes] for one in (first, second, third)]
    assert f"{seconds}, in {processes[0]}, {processes[1]} and {processes[2]} processes" in PAGE


def test_the_page_names_how_much_slower_a_candidate_may_be() -> None:
    assert f"over {PREDICTED_WITHIN - 1:.0%} more cycles than the best" in PAGE
    assert f"surely slower by over {SURELY_SLOWER - 1:.0%}" in PAGE
    assert f"no other may be faster by over {1 - SURELY_NOT_FASTER:.1%}" in PAGE


def test_the_page_names_how_many_candidates_stay() -> None:
    _, second, third = RUNGS
    assert f"but for the best {NUMBERS[BEST_OF_KIND]} of each mechanism" in PAGE
    assert f"the second measures at most {NUMBERS[second.most]}, the third {NUMBERS[third.most]}" in PAGE
    assert f"the best {NUMBERS[BEST_OF_MECHANISM]} of each mechanism" in PAGE
