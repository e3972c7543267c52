"""The verdicts on random chains of small launches are those of a second reading of the model, without the checker."""

import random
from pathlib import Path

import pytest

from tests.checker.dependent.chain_files import level_between
from tests.checker.dependent.enumeration import ACTORS, Action, Launch, Step, verdict

CELLS = 2
CHAINS = 30  # per number of launches


def random_launch(source: random.Random) -> Launch:
    """Return up to six steps, most of them of some actors."""
    steps = []
    for _ in range(source.randint(1, 6)):
        action = source.choice(list(Action))
        kinds = [tuple(ACTORS), tuple(actor for actor in ACTORS if actor[1] == 0), (source.choice(ACTORS),)]
        steps.append(Step(action, source.choice(kinds), source.randrange(CELLS)))
    return steps


@pytest.mark.archs
@pytest.mark.parametrize("launches", [2, 3])
def test_random_chains_get_the_verdict_of_the_model(launches: int, tmp_path: Path) -> None:
    source = random.Random(launches)  # noqa: S311  (a test input, the same in each run)
    chains = [[random_launch(source) for _ in range(launches)] for _ in range(CHAINS)]
    expected = [verdict(chain) for chain in chains]
    assert min(map(expected.count, ("clean", "broken"))) > CHAINS / 10
    wrong = [
        (chain, right, got)
        for chain, right in zip(chains, expected, strict=True)
        if (got := level_between(chain, tmp_path)) != right
    ]
    assert wrong == []


@pytest.mark.parametrize(("first", "right"), [(["read"], "clean"), (["trigger", "read"], "broken")])
def test_reads_of_blocks_without_a_trigger_are_over_in_every_later_launch(
    first: list[str], right: str, tmp_path: Path
) -> None:
    steps = [first, ["trigger", "wait"], ["write", "wait"]]
    chain = [[Step(Action(action), tuple(ACTORS)) for action in launch] for launch in steps]
    assert (verdict(chain), level_between(chain, tmp_path)) == (right, right)


def test_all_launches_of_a_chain_that_the_user_names_are_looked_at(tmp_path: Path) -> None:
    actions = [Action.WRITE, *[Action.TRIGGER] * 4, Action.READ]
    chain = [[Step(action, tuple(ACTORS))] for action in actions]
    assert (verdict(chain), level_between(chain, tmp_path)) == ("broken", "broken")
