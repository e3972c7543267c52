"""Choose what the host code runs with, so that it reaches its launches: command lines, and functions to begin with."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.cuda_sources.definitions import surrounding_parameters
from shflbench.cuda_sources.host.edge_runs import edge_launches, edges_of_runs
from shflbench.cuda_sources.host.entry_arguments import call_entry
from shflbench.cuda_sources.host.explicit_instances import entries
from shflbench.cuda_sources.host.machine import HostInput, HostState
from shflbench.cuda_sources.host.own_numbers import unequal_numbers, with_own_numbers
from shflbench.cuda_sources.host.ragged_blocks import ragged_launches
from shflbench.cuda_sources.host.run_usefulness import (
    blocks_of,
    is_moderate,
    is_valid,
    progress,
    score,
    threads_of,
    without_numbers,
)
from shflbench.cuda_sources.host.types import CHAR, pointer_to
from shflbench.cuda_sources.host.values import Cell, Memory, Pointer, Text
from shflbench.cuda_sources.kernel_file import ODD, TINY
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from shflbench.cuda_sources.host.contents import HostFunction
    from shflbench.cuda_sources.host.explicit_instances import HostEntry
    from shflbench.cuda_sources.host.interface import Reference
    from shflbench.cuda_sources.host.interpreter import Interpreter
    from shflbench.cuda_sources.host.machine import Performed

# Numbers that stand for what the program reads, of which the one with the most, and the most useful, launches is taken.
NUMBERS = (1024, 256, 64, 4096, 16, 16384, 2)
OF_FORMS = (7, 11, 64)  # for which a program may choose other blocks, or one buffer for input and output
SMALL = 8  # tried where a program accepts only the smallest of them
LIMITS = (None, 4096, 1024, 256, 64, 16)  # of the numbers of a usual command line
SMALL_LIMIT, UNEQUAL_LIMITS = 16, (4096, 1024, 256, 16)  # of its numbers, where one limit for all is refused
MOST_UNEQUAL = 64  # combinations of these
FURTHER = (ODD, 65_536)  # no multiple of a block; more than the threads of a launch whose loops step by the grid
MOST_LABELS = 12  # numbers that conditions ask for, each of which is tried
MOST_LABEL = 1 << 16  # a larger one is no size
MOST_WORDS = 16  # of a command line
_ADDRESS = 8  # bytes
_COMPARED = re.compile(r"\bargc\s*(?:[<>]=?|[!=]=)\s*(\d{1,2})")


def performed_launches(
    run: Interpreter, sites: Collection[int], words: Sequence[str] | None = None, usual: Sequence[str] = ()
) -> list[Performed]:
    """Return the launches of the host code; `sites` are the places that launch.

    `words` is the given command line, and `usual` the one that the program is usually called with. Without a given one,
    the launches of the program as it is started without words come first.
    """
    main = run.program.main
    result: list[Performed] = []
    if main is not None:
        of_usual = _of_usual(run, main, usual) if usual and words is None else []
        result = [*_without_words(run, main), *of_usual] if of_usual else list(_of_main(run, main, words))
    reached = {item.node.id for item in result}
    missing = set(sites) - {item.node.id for item in result if item.launch.grid is not None}
    for performed in _further(run, main, is_given=words is not None):
        if not missing:
            break
        further = [item for item in performed() if item.node.id in missing]
        new = [item for item in further if item.launch.grid is not None or item.node.id not in reached]
        result += new
        reached.update(item.node.id for item in new)
        missing.difference_update(item.node.id for item in new if item.launch.grid is not None)
    if words is None:
        result += _further_instances(run, main, result)
    if main is not None and main.parameters and words is None:
        # A grid of 0 may come from a file that the command line names.
        result = [item for item in result if 0 not in (item.launch.grid or ())]
    return list(_distinct(result))


def _further_instances(
    run: Interpreter, main: HostFunction | None, reached: Sequence[Performed]
) -> Iterator[Performed]:
    """Yield launches in further instances, at places in templates that are `reached`, of functions without calls."""
    known = {(item.node.id, item.kernel, item.template) for item in reached}
    in_templates = {item.node.id for item in reached if item.template and surrounding_parameters(item.node)}
    first = list(_first_functions(run)) if in_templates else []
    for function in first if main is not None or len(first) > 1 else ():
        for item in _of_function(run, function, forced=False):
            if item.node.id in in_templates and (item.node.id, item.kernel, item.template) not in known:
                yield item


def refuses(run: Interpreter, words: Sequence[str]) -> bool:
    """Whether a program that launches kernels performs no launch with this command line."""
    main = run.program.main
    return main is not None and run.launches(main.body) and not any(_of_main(run, main, words))


def _further(
    run: Interpreter, main: HostFunction | None, *, is_given: bool
) -> Iterator[Callable[[], Iterable[Performed]]]:
    """Yield further ways to reach launches: functions that nothing calls, with one number, then two; then by force."""
    first = list(_first_functions(run))
    yield from (partial(_of_function, run, function, forced=False) for function in first)
    yield from (partial(_of_unequal_numbers, run, function) for function in first)
    if main is not None and not is_given:
        yield from (partial(_of_choice, run, main, dict(choice)) for choice in _choices(run))
        yield partial(_of_main, run, main, None, forced=True)
    others = (*first, *(function for function in run.program.launching if function is not main))
    yield from (partial(_of_function, run, function, forced=True) for function in others)


def _choices(run: Interpreter) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield numbers of variables with which further launches would run, also those that runs with such numbers note."""
    place = 0
    while place < len(run.choices):
        yield run.choices[place]
        place += 1


def _of_choice(run: Interpreter, main: HostFunction, chosen: Mapping[str, int]) -> Iterator[Performed]:
    """Yield the launches of the program with other numbers in variables that begin with a constant."""
    inputs = (HostInput(count=count, chosen=chosen) for count in _counts(run, main))
    best = max((_main(run, main, given, forced=False) for given in inputs), key=progress)
    for item in best.performed:
        yield replace(item, launch=replace(item.launch, origin=Origin.FORCED))


def _first_functions(run: Interpreter) -> Iterator[HostFunction]:
    """Yield the functions that launch kernels, themselves or through others, and that nothing in the files calls."""
    for function in run.program.may_launch:
        name = function.name
        if name != "main" and run.launches(function.body) and not run.program.is_called(name):
            yield function


def _distinct(performed: Sequence[Performed]) -> Iterator[Performed]:
    """Yield some of the different launches of each place: the first ones, one in the middle, and the last."""
    places: dict[object, dict[object, Performed]] = {}
    for item in performed:
        launch = item.launch
        key = (launch.grid, launch.block, launch.shared_bytes, launch.arguments)
        places.setdefault((item.node.id, item.kernel, item.template, launch.assumed), {}).setdefault(key, item)
    for different in places.values():
        every = list(different.values())
        kept = dict.fromkeys((0, 1, len(every) // 2, len(every) - 1))
        yield from (every[number] for number in sorted(kept) if number < len(every))


def _of_main(
    run: Interpreter, main: HostFunction, words: Sequence[str] | None, *, forced: bool = False
) -> Iterator[Performed]:
    if words is not None:
        yield from _main(run, main, HostInput(words=tuple(words)), forced=forced).performed
        return
    counts = _counts(run, main)
    states = [_main(run, main, HostInput(count=count), forced=forced) for count in counts]
    best = max(states, key=progress)  # of equal ones, that with the fewest words
    if not forced and best is not states[0]:
        yield from _certain(states[0])
    if best.given.used or forced:
        run_with = partial(_of_number, run, main, best)
        states = _by_use(run_with)
        performed = list(_of_states(states, run_with))
        yield from performed
        if not forced:
            yield from edges_of_runs(performed, run_with)
        yield from with_own_numbers(states[0], performed, lambda numbers: _of_numbers(run, main, states[0], numbers))
        return
    yield from best.performed
    yield from _with_optional_words(run, main, best, [count for count in counts if count > best.given.count])


def _without_words(run: Interpreter, main: HostFunction) -> list[Performed]:
    """Return the launches of the program as it is started without words."""
    return _certain(_main(run, main, HostInput(count=1), forced=False))


def _certain(state: HostState) -> list[Performed]:
    """Return the launches of a run; none if it takes numbers for words that it does not get, or performs none."""
    is_certain = not state.given.used and any(map(is_valid, state.performed))
    return state.performed if is_certain else []


def _of_number(run: Interpreter, main: HostFunction, known: HostState, number: int) -> HostState:
    """Return a run of the program like one that is known, with another number."""
    given = HostInput(count=known.given.count, number=number)
    return known if known.given.number == number else _main(run, main, given, forced=known.forced)


def _of_numbers(run: Interpreter, main: HostFunction, known: HostState, numbers: Mapping[str, int]) -> HostState:
    """Return a run of the program like one that is known, with numbers of their own for some words."""
    given = HostInput(count=known.given.count, number=known.given.number, single=numbers)
    return _main(run, main, given, forced=known.forced)


def _with_optional_words(
    run: Interpreter, main: HostFunction, default: HostState, counts: Sequence[int]
) -> Iterator[Performed]:
    """Yield launches with further numbers in words that the program runs without, too: `argc > 1 ? … : 1024`.

    There are as many words as the program takes and performs all its launches with, which are in blocks of whole warps,
    or of the same size.
    """
    known = {without_numbers(item) for item in default.performed}
    whole: list[Performed] = []
    run_with = partial(_of_optional_words, run, main, default, counts)
    for number in (NUMBERS[0], *FURTHER):
        if number > ODD and any(_reaches(item, number) for item in default.performed):
            continue
        valid = run_with(number)
        whole = whole or valid
        if number in FURTHER:
            yield from (item for item in valid if is_moderate(item) and without_numbers(item) not in known)
    yield from _of_other_forms(default, (whole, *(run_with(number) for number in OF_FORMS)))
    yield from edge_launches(whole, run_with)


def _of_other_forms(default: HostState, runs: Iterable[Sequence[Performed]]) -> Iterator[Performed]:
    """Yield the launches with other blocks than those of the program without words, or with buffers in other places."""
    known = {_form(item) for item in default.performed}
    for item in chain.from_iterable(runs):
        if is_moderate(item) and _form(item) not in known:
            known.add(_form(item))
            yield item


def _form(item: Performed) -> tuple[object, ...]:
    """Return the kernel of a launch, its block, and which of its arguments point to the same buffer."""
    buffers = tuple(value.buffer.number for value in item.launch.values if value.buffer is not None)
    return item.node.id, item.kernel, item.launch.block, buffers


def _of_optional_words(
    run: Interpreter, main: HostFunction, default: HostState, counts: Sequence[int], number: int
) -> list[Performed]:
    """Return the launches with a number in as many of the words as the program takes; none if it performs others."""
    places = {item.node.id for item in default.performed if is_valid(item)}
    blocks = {item.launch.block for item in default.performed}
    for count in reversed(counts):
        state = _main(run, main, HostInput(count=count, number=number), forced=False)
        whole = [item for item in state.performed if threads_of(item) % WARP == 0 or item.launch.block in blocks]
        valid = [item for item in whole if is_valid(item)]
        if state.given.used and places <= {item.node.id for item in valid}:
            return valid
    return []


def _reaches(item: Performed, number: int) -> bool:
    """Whether a launch has as many threads as a number, or gets a number as large."""
    values = [argument.value for argument in item.launch.arguments if isinstance(argument.value, int)]
    return max(blocks_of(item) * threads_of(item), *values, 0) >= number


def _of_usual(run: Interpreter, main: HostFunction, words: Sequence[str]) -> list[Performed]:
    """Return the launches with the usual command line, and with smaller numbers in it.

    Numbers above a limit are the limit, of which the first is taken with which no launch is larger than needed, and one
    that is no multiple of a block. If all are too large, the sizes are constants, and the usual numbers as good.
    """
    states: list[HostState] = []
    for given in {item.words: item for item in (_limited(words, limit) for limit in LIMITS)}.values():
        states.append(_main(run, main, given, forced=False))
        valid = [item for item in states[-1].performed if is_valid(item)]
        if not valid:
            states.pop()
        if not valid or _is_small(states[-1]):
            break
    if not states:
        return []
    if not _is_small(states[-1]):
        states += _of_unequal_limits(run, main, words, states[0])
    best = min(states, key=lambda state: (not _is_small(state), _largest(state)))
    odd = _limited(words, ODD)
    odd.number = ODD  # of what the program reads elsewhere
    is_new = {**odd.used, **dict.fromkeys(best.given.used, ODD)} != best.given.used
    further = _main(run, main, odd, forced=False).performed if is_new else []
    edges = edge_launches(
        best.performed, lambda number: _main(run, main, _limited(words, number), forced=False).performed
    )
    return [*best.performed, *(item for item in further if is_valid(item) and is_moderate(item)), *edges]


def _of_unequal_limits(
    run: Interpreter, main: HostFunction, words: Sequence[str], usual: HostState
) -> Iterator[HostState]:
    """Yield runs with a limit of its own for each large number whose launches are as many, until they are small.

    A program may accept no numbers below one limit, as when it asks for more rows than the square of their columns.
    """
    large = [place for place, word in enumerate(words) if _is_above(word, SMALL_LIMIT)]
    known = score(usual)[0]
    for limits in islice(product(UNEQUAL_LIMITS, repeat=len(large)), MOST_UNEQUAL) if len(large) > 1 else ():
        given = _limited(words, None)
        for place, limit in zip(large, limits, strict=True):
            if limit and _is_above(words[place], limit):
                given.used[f"argv[{place + 1}]"] = limit
        given.words = tuple(str(given.used.get(f"argv[{place}]", word)) for place, word in enumerate(words, 1))
        state = _main(run, main, given, forced=False)
        if score(state)[0] >= known:
            yield state
            if _is_small(state):
                return


def _is_small(state: HostState) -> bool:
    """Whether no launch of a run is larger than needed."""
    return all(is_moderate(item) for item in state.performed if is_valid(item))


def _largest(state: HostState) -> int:
    """Return the bytes of the largest buffer of a launch."""
    arguments = [argument for item in state.performed for argument in item.launch.arguments]
    return max((argument.buffer.size or 0 for argument in arguments if argument.buffer is not None), default=0)


def _limited(words: Sequence[str], limit: int | None) -> HostInput:
    """Return a command line in which no number is above a limit."""
    large = {f"argv[{place}]": limit for place, word in enumerate(words, 1) if limit and _is_above(word, limit)}
    names = [f"argv[{place}]" for place in range(1, len(words) + 1)]
    return HostInput(tuple(str(large.get(name, word)) for name, word in zip(names, words, strict=True)), used=large)


def _is_above(word: str, limit: int) -> bool:
    return word.isdecimal() and int(word) > limit


def _counts(run: Interpreter, main: HostFunction) -> list[int]:
    """Return the numbers of words that a program may expect, itself included: `main` may hand them on."""
    bodies = run.program.texts_of_words if len(main.parameters) > 1 else ()
    compared = {int(text) for body in bodies for text in _COMPARED.findall(body)}
    return sorted(
        {1, *(near for count in compared for near in (count - 1, count, count + 1) if 0 < near <= MOST_WORDS)}
    )


def _of_function(run: Interpreter, function: HostFunction, *, forced: bool) -> Iterator[Performed]:
    """Yield the launches of a function that nothing calls, in each instance, with numbers in place of parameters."""
    for entry in entries(run, function):
        run_with = partial(_run_entry, run, entry, forced=forced)
        performed = list(_with_numbers(run_with))
        if any("." in name for item in performed for name, _ in item.launch.assumed):
            performed += [item for item in run_with(TINY).performed if is_valid(item)]
        performed += [*edges_of_runs(performed, run_with), *ragged_launches(performed, run_with)]
        # A grid of 0 follows from values that a caller gives.
        yield from (item for item in performed if 0 not in (item.launch.grid or ()))


def _of_unequal_numbers(run: Interpreter, function: HostFunction) -> Iterator[Performed]:
    """Yield the launches of a function that nothing calls with one number that differs from its others.

    A function may choose a kernel for few rows and many columns.
    """
    for entry in entries(run, function):
        names = _run_entry(run, entry, SMALL_LIMIT, forced=False).given.used
        for number, single in unequal_numbers(names):
            state = _run_entry(run, entry, number, forced=False, single=single)
            yield from (item for item in state.performed if is_valid(item) and is_moderate(item))


def _run_entry(
    run: Interpreter, entry: HostEntry, number: int, *, forced: bool, single: Mapping[str, int] | None = None
) -> HostState:
    """Return a run of a function that nothing calls, with a number for those of its caller but each `single` one."""
    given = HostInput(number=number, single=single or {})
    return run.run(lambda: call_entry(run, entry, given), given, forced=forced)


def _with_numbers(run_with: Callable[[int], HostState]) -> Iterator[Performed]:
    """Yield the launches with the two numbers that give the most, and those with further numbers."""
    yield from _of_states(_by_use(run_with), run_with)


def _by_use(run_with: Callable[[int], HostState]) -> list[HostState]:
    """Return runs with one number in all places, those that give the most first.

    Small numbers run first: a loop that takes too long with one of them is not followed with larger ones.
    """
    states = [run_with(NUMBERS[0])]
    if states[0].given.used:
        by_number = {number: run_with(number) for number in sorted(NUMBERS[1:])}
        states += [by_number[number] for number in NUMBERS[1:]]
        if max(states, key=score).given.number == min(NUMBERS):
            states.append(run_with(SMALL))
    return sorted(states, key=score, reverse=True)


def _of_states(states: Sequence[HostState], run_with: Callable[[int], HostState]) -> Iterator[Performed]:
    """Yield the launches of the two best runs, and those with further numbers."""
    best, *others = states
    of_labels = [item for state in _of_labels(states, run_with) for item in state.performed if is_valid(item)]
    yield from _smaller(of_labels, best.performed)
    yield from best.performed
    yield from (item for state in others[:1] for item in state.performed if is_valid(item) and is_moderate(item))
    yield from _unreached(of_labels, best.performed)
    if best.given.used:
        for number in FURTHER:
            yield from (item for item in run_with(number).performed if is_valid(item) and is_moderate(item))


def _of_labels(states: Sequence[HostState], run_with: Callable[[int], HostState]) -> list[HostState]:
    """Return runs with the numbers that conditions around launches ask for: the labels of a `switch`."""
    tried = {state.given.number: state for state in states}
    labels = {label for state in states for label in state.labels if 0 < label <= MOST_LABEL}
    is_of_input = any(state.given.used for state in states)
    return [tried.get(label) or run_with(label) for label in sorted(labels)[:MOST_LABELS]] if is_of_input else []


def _place(item: Performed) -> tuple[object, ...]:
    """Return what is equal of launches that differ in the numbers which they pass."""
    return (item.node.id, item.kernel, item.template, item.launch.grid, item.launch.block)


def _smaller(items: Sequence[Performed], known: Sequence[Performed]) -> list[Performed]:
    """Return launches that are like those `known`, and pass smaller numbers: the kernel does less in them."""
    numbers = {_place(item): max((number for _, number in item.launch.assumed), default=0) for item in known}
    return [
        item
        for item in items
        if max((number for _, number in item.launch.assumed), default=0) < numbers.get(_place(item), 0)
    ]


def _unreached(items: Sequence[Performed], known: Sequence[Performed]) -> list[Performed]:
    """Return launches in places that no one of those `known` has."""
    reached = {(item.node.id, item.kernel, item.template) for item in known if is_valid(item)}
    return [item for item in items if (item.node.id, item.kernel, item.template) not in reached]


def _main(run: Interpreter, main: HostFunction, given: HostInput, *, forced: bool) -> HostState:
    words = [Text("program"), *(Text(word) for word in given.words or ())]
    count = len(words)
    if given.words is None:  # a program that does not ask for `argc` reads words all the same
        words += [Text(None, place) for place in range(1, MOST_WORDS)]
        count = given.count
    listed: list[object] = [*words] if given.words is None else [*words, 0]  # a null pointer ends the given ones
    memory = Memory(None, objects={_ADDRESS * place: word for place, word in enumerate(listed)})
    arguments: list[Reference] = [Cell(count), Cell(Pointer(memory, 0, pointer_to(CHAR)))]
    return run.run(lambda: run.call(main, arguments, ()), given, forced=forced, is_whole=True)
