from functools import cache
from itertools import pairwise

import pytest

from shflbench.backends.emulator.explore import Exploration, explore
from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.measure.verify import difference
from tests import kernels

EVERY = [name for name in kernels.with_one_dtype() if name.startswith(("neighbor/", "reduce/"))]
SAFE = [name for name in EVERY if kernels.variant_of(name).safe]
UNSAFE = [name for name in EVERY if not kernels.variant_of(name).safe]


def trips(name: str) -> int:
    return 2 * kernels.subjects()[name].pattern.declaration.unroll + 1


@cache
def report(name: str) -> Exploration:
    """Return what all schedules show; each kernel is explored once."""
    return explore(kernels.launch(name, kernels.kernel(name), trips(name))[0])


def wrong_policies(name: str) -> list[str]:
    _, workload = kernels.launch(name, kernels.kernel(name), 1)
    return [item.policy for item in report(name).results if difference(workload, item.outputs, 0, trips(name))]


@pytest.mark.parametrize("name", SAFE)
def test_safe_kernels_are_right_and_clean_under_every_schedule(name: str) -> None:
    assert report(name).errors == ()
    assert report(name).hazards == ()
    assert wrong_policies(name) == []


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_kernels_are_right_in_lock_step_and_wrong_under_every_order_of_lanes(name: str) -> None:
    lanes = ["half-warp first", "odd lanes first", "lanes in order", "lanes at random"]
    assert wrong_policies(name) == lanes


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_kernels_are_flagged_at_the_line_of_the_exchange(name: str) -> None:
    pattern, variant = kernels.subjects()[name].pattern, kernels.variant_of(name)
    source = (pattern.folder / variant.source).read_text().splitlines()
    start = next(
        number for number, line in enumerate(source) if f"void {pattern.name}_{variant.name}".replace("-", "_") in line
    )
    end = next(number for number in range(start, len(source)) if source[number] == "}")
    uses = {number + 1 for number in range(start, end) if "slots[" in source[number]}
    races = [item for item in report(name).breaking if item.other is not None]
    assert {item.kind for item in races} == {HazardKind.RAW, HazardKind.WAR}
    for item in races:
        for location in item.locations:
            assert location is not None
            assert location.outermost.file.endswith(variant.source)
            assert location.outermost.line in uses


def test_the_random_schedules_depend_on_the_seed_alone() -> None:
    (deck,) = (name for name in UNSAFE if "/smem-deck/" in name)
    launch, _ = kernels.launch(deck, kernels.kernel(deck), 5)
    runs = [explore(launch, seed=seed).results for seed in (1, 1, 2)]
    random = [[item.outputs[0].tobytes() for item in results if item.policy == "lanes at random"] for results in runs]
    assert [first == second for first, second in pairwise(random)] == [True, False]
