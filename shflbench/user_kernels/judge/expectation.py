"""The contents of memory that a launch must leave, by running the reference, and which results it only overwrites."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shflbench.errors import UsageError
from shflbench.user_kernels.judge.judge_input import POISON, JudgeInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

Arrays: TypeAlias = "Mapping[int, NDArray[Any]]"  # after a launch, by the positions of the arguments
RunReference: TypeAlias = "Callable[[JudgeInput], Arrays | str]"  # or why it cannot run, as a clause

OTHER_POISON = 0x3C
TRIED = 3  # inputs by which it is decided which results are overwritten only


@dataclass(frozen=True, slots=True)
class StartContents:
    """What a task says of the contents of arguments before a launch, by their positions."""

    prefilled: tuple[int, ...] = ()  # results that are as `inputs` gives them
    workspace: tuple[int, ...] = ()  # arguments that hold anything, before and after


NOTHING_SAID = StartContents()


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedResults:
    """An input, and the contents of the results after a launch with it."""

    input: JudgeInput
    results: Arrays
    given: JudgeInput | None = None  # the input with the results as they were given, where `input` has them overwritten

    @property
    def as_given(self) -> ExpectedResults:
        """The same with the results as they were given."""
        return self if self.given is None else replace(self, input=self.given)


@dataclass(frozen=True, slots=True, eq=False)
class Expectations:
    """All inputs with what is expected of them, and those that the reference does not take, with the reason."""

    expected: tuple[ExpectedResults, ...]
    skipped: Mapping[str, str]
    overwritten: tuple[int, ...] = ()  # the positions of results whose contents before a launch do not matter

    @property
    def results(self) -> tuple[int, ...]:
        """The positions of the results."""
        return tuple(self.expected[0].results)


def expectations(
    run: RunReference, inputs: Sequence[JudgeInput], outputs: tuple[int, ...], contents: StartContents = NOTHING_SAID
) -> Expectations:
    """Run the reference for each input, with bytes that mean nothing in the results that it only overwrites.

    Those that are prefilled are as they were given, because candidates may add to them.
    UsageError if it takes no input, or if it changes no argument.
    """
    first: dict[str, Arrays] = {}
    skipped: dict[str, str] = {}
    for item in inputs:
        arrays = run(item)
        if isinstance(arrays, str):
            skipped[item.name] = arrays
        else:
            first[item.name] = arrays
    taken = [item for item in inputs if item.name in first]
    if not taken:
        name, reason = next(iter(skipped.items()), ("", "there is no input"))
        raise UsageError(f"the reference does not run for {name}: {reason}", "Correct it, or pass other inputs.")
    results = outputs or _changed(taken, first)
    if not results:
        raise UsageError("the reference changes no argument", "Pass outputs=…, the positions of the results.")
    meaningless = (*_overwritten(run, taken[:TRIED], results), *contents.workspace)
    overwritten = tuple(place for place in dict.fromkeys(meaningless) if place not in contents.prefilled)
    expected = []
    for item in taken:
        ready = item.with_results(overwritten)
        arrays = run(ready)
        if isinstance(arrays, str):
            skipped[item.name] = arrays
        else:
            expected.append(ExpectedResults(ready, {place: arrays[place] for place in results}, item))
    return Expectations(tuple(expected), skipped, overwritten)


def _changed(inputs: Sequence[JudgeInput], after: Mapping[str, Arrays]) -> tuple[int, ...]:
    """Return the positions of the arrays that the reference changes for some input."""
    places = {
        place
        for item in inputs
        for place, array in after[item.name].items()
        if array.tobytes() != item.arguments[place].tobytes()
    }
    return tuple(sorted(places))


def _overwritten(run: RunReference, inputs: Sequence[JudgeInput], results: tuple[int, ...]) -> tuple[int, ...]:
    """Return the results whose contents before a launch do not matter: no element depends on them."""
    kept: set[int] = set()
    for item in inputs:
        one, two = run(item.with_results(results)), run(item.with_results(results, OTHER_POISON))
        if isinstance(one, str) or isinstance(two, str):
            return ()
        for place in results:
            bits = [array.ravel(order="K").view(np.uint8) for array in (one[place], two[place])]
            is_untouched = (bits[0] == POISON) & (bits[1] == OTHER_POISON)
            if (bits[0] != bits[1])[~is_untouched].any():
                kept.add(place)
    return tuple(place for place in results if place not in kept)
