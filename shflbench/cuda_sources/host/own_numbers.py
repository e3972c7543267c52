"""Give the numbers of a command line values of their own: rows and columns, or words of which each has other limits."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.run_usefulness import is_moderate, is_valid, progress, score, without_numbers
from shflbench.cuda_sources.kernel_file import ODD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.host.machine import HostState, Performed

    Run = Callable[[Mapping[str, int]], HostState]  # the program, with these numbers

MOST_NAMES = 5  # numbers that are varied
NUMBERS = (1024, 256, 64, 16, 8, 4, 2, 1)  # of which a program that refuses equal ones may accept some
FEW = (1024, 64, 8, 2)
MOST_TRIED = 64  # combinations of them
SINGLE = {16: (1024, ODD), 1024: (16,)}  # for all parameters of a function but one, and for that one
SMALL = 8  # numbers that are all a program accepts in all places: others may be larger


def with_own_numbers(best: HostState, known: Sequence[Performed], run: Run) -> Iterator[Performed]:
    """Yield launches in which the numbers of the program differ, unless they are like those with equal ones.

    `best` is the run with one number in all places that performs the most launches, and `known` are all launches.
    """
    names = list(best.given.used)[:MOST_NAMES]
    if len(names) < 2:  # noqa: PLR2004  (one number differs from no other)
        return
    if not score(best)[0] or best.given.number <= SMALL:
        best = _accepted(best, names, run)
        yield from (item for item in best.performed if is_valid(item))
    seen = {without_numbers(item) for item in known}
    for numbers in _unequal({name: best.given.used[name] for name in names}):
        state = run(numbers)
        if score(state)[0] < score(best)[0]:  # the program refuses them
            continue
        useful = (item for item in state.performed if is_valid(item) and is_moderate(item))
        yield from (item for item in useful if without_numbers(item) not in seen)


def unequal_numbers(names: Iterable[str]) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield a number for the parameters of a function, and another one for one of them: a larger, or a smaller one."""
    parameters = [name for name in names if "." not in name][:MOST_NAMES]
    for others, numbers in SINGLE.items() if len(parameters) > 1 else ():
        yield from ((others, {name: number}) for name, number in product(parameters, numbers))


def _unequal(sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield numbers near those that a program accepts: no two equal, then one that is no multiple of a block."""
    if len(set(sizes.values())) > 1:
        return
    yield {name: max(1, size >> place) for place, (name, size) in enumerate(sizes.items())}
    for name, size in sizes.items():
        yield {**sizes, name: size * 3 // 5 | 1}


def _accepted(best: HostState, names: Sequence[str], run: Run) -> HostState:
    """Return a run with numbers that the program accepts, found one after the other or all at once; else `best`."""
    numbers = dict(best.given.used)
    for name in names:
        best = max(best, *(run({**numbers, name: number}) for number in NUMBERS), key=progress)
        numbers = {**numbers, **best.given.single}
    if score(best)[0]:
        return best
    every = islice(product(NUMBERS if len(names) == 2 else FEW, repeat=len(names)), MOST_TRIED)  # noqa: PLR2004
    return max(best, *(run(dict(zip(names, values, strict=True))) for values in every), key=progress)
