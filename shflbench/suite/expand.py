"""Expand the axes of a suite file to its cases."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from shflbench.core.model import Case
from shflbench.errors import UsageError
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.suite.option_values import option_values
from shflbench.suite.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from shflbench.patterns.declare import Pattern
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.suite.positions import Loc
    from shflbench.suite.schema import Defaults, Experiment, Skip, SuiteFile

# Per suite, before `skip`: they take half a second to expand, and at 0.2 s each more than an hour to measure.
MAX_CASES = 20_000

Options = tuple[tuple[str, str], ...]


def expand(file: SuiteFile, patterns: Mapping[str, LoadedPattern]) -> tuple[list[Case], list[Problem]]:
    """Return the cases in the order of the file, and its problems.

    `patterns` are keyed by the word that names them in the file; all names have been checked.
    """
    first: dict[Case, int] = {}  # case → its experiment
    problems: list[Problem] = []
    total = 0
    for index, experiment in enumerate(file.experiments):
        loc = ("experiments", index)
        total += _count(experiment, file.defaults, patterns[experiment.pattern].declaration)
        if total > MAX_CASES:  # before they are expanded: a few lists can have a product of billions
            problems.append(Problem(loc, f"found {total:,} cases up to here", f"allowed: {MAX_CASES:,} per suite"))
            break
        cases, wrong = _expand_experiment(loc, experiment, file.defaults, patterns[experiment.pattern])
        problems += wrong
        repeated = [case for case in cases if case in first]
        if repeated:
            more = f" and {len(repeated) - 1} more" if len(repeated) > 1 else ""
            fault = f"found `{repeated[0].id}`{more}, already in experiment {first[repeated[0]] + 1}"
            problems.append(Problem(loc, fault, "allowed: each case once"))
        first |= {case: index for case in cases if case not in first}
    return list(first), problems


def by_group(cases: Iterable[Case]) -> list[Case]:
    """Return the cases without duplicates in the same order, but those of a group one after another."""
    groups: dict[str, dict[Case, None]] = {}
    for case in cases:
        groups.setdefault(case.group, {})[case] = None
    return [case for group in groups.values() for case in group]


def _expand_experiment(
    loc: Loc, experiment: Experiment, defaults: Defaults, pattern: LoadedPattern
) -> tuple[list[Case], list[Problem]]:
    launches = [launch for value in experiment.launch or defaults.launch for launch in value.launches()]
    if not launches:
        needed = "needed: launch shapes such as `26x1024`, here or under `defaults`"
        return [], [Problem((*loc, "launch"), "missing key `launch`", needed, at_key=True)]
    counts = experiment.iterations or defaults.iterations
    if pattern.declaration.one_pass:
        if experiment.iterations:
            reason = f"leave it out: each launch of `{pattern.name}` makes one pass over its data"
            return [], [Problem((*loc, "iterations"), "found the key `iterations`", reason, at_key=True)]
        counts = (1,)
    cases = [
        Case(pattern.name, variant, dtype, launch, count, options)
        for dtype in _dtypes(experiment, defaults, pattern.declaration)
        for launch in launches
        for options in _options(experiment, pattern.declaration)
        for count in counts
        for variant in _variants(experiment, defaults, pattern.declaration, dtype)
        if pattern.declaration.variant(variant).has(dtype, dict(options))
    ]
    if not cases:
        return [], [Problem(loc, "no variant has one of the dtypes", f"needed: {_choices(pattern.declaration)}")]
    cases, problems = _leave_out_skipped(loc, experiment.skip, cases)
    return cases, [*problems, *(Problem((*loc, key), *words) for key, words in _unfit(cases, pattern))]


def refuse(pattern: LoadedPattern, cases: Sequence[Case]) -> None:
    """Raise UsageError if the command line selected cases of a pattern that cannot be run."""
    for _, (fault, remedy) in _unfit(cases, pattern):
        raise UsageError(f"{fault}; {remedy}", "Change the options that select or replace cases of the suite.")


def _unfit(cases: Sequence[Case], pattern: LoadedPattern) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield why these cases of a pattern cannot be run: the axis, the fault, and the remedy."""
    reference = pattern.declaration.reference_variant
    for launch in dict.fromkeys(case.launch for case in cases):
        if allowed := pattern.declaration.unsupported_launch(launch):
            remedy = f"allowed: {allowed}, for which `{pattern.name}` is written"
            yield "launch", (f"found the launch `{launch.expression}`", remedy)
    groups = dict.fromkeys(case.group for case in cases)
    for case in cases:
        if case.variant == reference:
            groups.pop(case.group, None)
    if reference and groups:
        fault = f"`{next(iter(groups))}` lacks the variant `{reference}`"
        yield "variants", (fault, f"needed: `{reference}`, because its results are the reference")


def _dtypes(experiment: Experiment, defaults: Defaults, pattern: Pattern) -> list[str]:
    dtypes = experiment.dtypes or defaults.dtypes or pattern.dtypes
    return [dtype for dtype in dtypes if dtype in pattern.dtypes]


def _variants(experiment: Experiment, defaults: Defaults, pattern: Pattern, dtype: str) -> list[str]:
    shown = [variant.name for variant in pattern.variants]
    named = experiment.variants or defaults.variants or shown
    having = [name for name in named if name in shown or pattern.has_member(name)]
    return [name for name in having if dtype in (pattern.variant(name).dtypes or pattern.dtypes)]


def _count(experiment: Experiment, defaults: Defaults, pattern: Pattern) -> int:
    """Return how many cases the axes of the experiment have, before `skip` and variants leave some out."""
    counts = (1,) if pattern.one_pass else experiment.iterations or defaults.iterations
    return prod(
        (
            sum(value.count for value in experiment.launch or defaults.launch),
            len(counts),
            sum(
                len(_variants(experiment, defaults, pattern, dtype)) for dtype in _dtypes(experiment, defaults, pattern)
            ),
            *map(len, _option_axes(experiment, pattern)),
        )
    )


def _options(experiment: Experiment, pattern: Pattern) -> list[Options]:
    """Return every combination of the options."""
    return list(product(*_option_axes(experiment, pattern)))


def _option_axes(experiment: Experiment, pattern: Pattern) -> list[list[tuple[str, str]]]:
    """Return the values of each option; an option of the pattern that is not set has its first value."""
    axes = [
        [(name, str(value)) for value in option_values(experiment.options.get(name, values[0]))]
        for name, values in pattern.options.items()
    ]
    return axes + [
        [(name, str(value)) for value in option_values(experiment.options[name])]
        for name in LAUNCH_OPTIONS
        if name in experiment.options
    ]


def _choices(pattern: Pattern) -> str:
    """Return the variants with their dtypes, e.g. `smem (f32, i32), redux (i32)`."""
    return ", ".join(f"{variant.name} ({', '.join(variant.dtypes or pattern.dtypes)})" for variant in pattern.variants)


def _leave_out_skipped(loc: Loc, skips: Iterable[Skip], cases: list[Case]) -> tuple[list[Case], list[Problem]]:
    problems = []
    kept = cases
    for index, skip in enumerate(skips):
        matches = _matcher(skip)
        left_out = {case for case in cases if matches(case)}
        if not left_out:
            needed = "needed: a combination that the experiment has"
            problems.append(Problem((*loc, "skip", index), "this entry matches no case", needed))
        kept = [case for case in kept if case not in left_out]
    if not kept:
        fault = "`skip` leaves no case of the experiment"
        problems.append(Problem((*loc, "skip"), fault, "needed: at least one case", at_key=True))
    return kept, problems


def _matcher(skip: Skip) -> Callable[[Case], bool]:
    """Return a function that tests whether a case matches every key of `skip`."""
    launches = {launch for value in skip.launch for launch in value.launches()}
    options = {(name, frozenset(option_values(value))) for name, value in skip.options.items()}

    def matches(case: Case) -> bool:
        chosen = dict(case.options)
        return (
            (not skip.variant or case.variant in skip.variant)
            and (not skip.dtype or case.dtype in skip.dtype)
            and (not launches or case.launch in launches)
            and (not skip.iterations or case.iterations in skip.iterations)
            and all(chosen.get(name) in values for name, values in options)  # an option of the launch may be absent
        )

    return matches
