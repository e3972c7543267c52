"""The launches of a chain that have completed: by waits, by triggers after a wait, and not by an end alone."""

from dataclasses import dataclass

import pytest

from shflbench.checker.dependent.chain_order import completed_launches


@dataclass(frozen=True)
class FakeGridOrder:
    """How a launch waits and triggers."""

    waits: bool
    begins_next_after_wait: bool = False


PASSIVE, WAITS, PASSES_ON = (
    FakeGridOrder(waits=False),
    FakeGridOrder(waits=True),
    FakeGridOrder(waits=True, begins_next_after_wait=True),
)


@pytest.mark.parametrize(
    ("chain", "at_start", "after_wait"),
    [
        ([PASSIVE, WAITS], set(), {0}),
        ([PASSIVE, WAITS, WAITS], set(), {0, 1}),
        ([PASSIVE, PASSIVE, WAITS], set(), {1}),
        ([PASSIVE, PASSES_ON, WAITS], {0}, {0, 1}),
        ([PASSIVE, PASSES_ON, PASSIVE], {0}, {0, 1}),
        ([PASSIVE, WAITS, PASSIVE, WAITS], set(), {2}),
        ([PASSIVE, PASSES_ON, PASSIVE, WAITS], {0}, {0, 2}),
        ([PASSIVE, PASSES_ON, PASSES_ON, WAITS], {0, 1}, {0, 1, 2}),
    ],
)
def test_what_has_completed_before_the_last_launch(
    chain: list[FakeGridOrder], at_start: set[int], after_wait: set[int]
) -> None:
    last = completed_launches(chain)[-1]  # type: ignore[arg-type]
    assert (set(last.at_start), set(last.after_wait)) == (at_start, after_wait)
