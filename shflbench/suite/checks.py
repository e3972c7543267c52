"""Check what the schema cannot: names that depend on the pattern, and settings that contradict one another."""

from __future__ import annotations

import stat
from functools import cache
from typing import TYPE_CHECKING

from shflbench.core.words import did_you_mean
from shflbench.errors import PatternError
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import LoadedPattern, builtin, load
from shflbench.printable import escape
from shflbench.suite.option_values import option_values
from shflbench.suite.pattern_names import did_you_mean_pattern
from shflbench.suite.problems import Problem, not_allowed, unknown
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Case
    from shflbench.patterns.declare import Pattern
    from shflbench.suite.positions import Loc
    from shflbench.suite.schema import Compare, Defaults, Experiment, Measure, Skip

FOLDER_NEEDED = "needed: a folder with pattern.py and kernels.cu, relative to the suite file"


def find_patterns(
    experiments: Mapping[int, Experiment], folder: Path
) -> tuple[dict[str, LoadedPattern], list[Problem]]:
    """Return the patterns by the word that names them in the file, and the problems of these words.

    `experiments` are keyed by their index in the file; `folder` is that of the file.
    """
    patterns: dict[str, LoadedPattern] = {}
    problems = []
    for index, experiment in experiments.items():
        outcome = _find_pattern(("experiments", index, "pattern"), experiment.pattern, folder, patterns)
        if isinstance(outcome, Problem):
            problems.append(outcome)
        else:
            patterns[experiment.pattern] = outcome
    return patterns, problems


def _find_pattern(loc: Loc, word: str, folder: Path, earlier: Mapping[str, LoadedPattern]) -> LoadedPattern | Problem:
    if word in earlier:
        return earlier[word]
    is_folder = "/" in word or word.startswith(".")
    if not is_folder and word not in _shipped():
        known = [*_shipped(), "or a folder such as `./my_exchange`"]
        return unknown(loc, "pattern", word, known, near=did_you_mean_pattern)
    pattern = _load_own(loc, word, folder) if is_folder else _load_shipped(word)
    if isinstance(pattern, Problem):
        return pattern
    for other, loaded in earlier.items():
        if loaded.name == pattern.name and loaded.folder != pattern.folder:
            return Problem(
                loc,
                f"the patterns {quote(word)} and {quote(other)} have the same name",
                "needed: folders with different names",
            )
    return pattern


def _load_own(loc: Loc, word: str, folder: Path) -> LoadedPattern | Problem:
    target = folder / word
    try:
        is_folder = stat.S_ISDIR(target.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        is_folder = False
    except OSError as error:  # a name that is too long, or circular links
        return Problem(loc, f"the folder {quote(word)} cannot be opened: {escape(str(error.strerror))}", FOLDER_NEEDED)
    if not is_folder:
        return Problem(loc, f"the folder {quote(word)} does not exist", FOLDER_NEEDED)
    try:
        return load(target.resolve())
    except PatternError as error:
        fault = f"the pattern {quote(word)} cannot be used: {escape(error.message)}"
        return Problem(loc, fault, advice=error.advice)


@cache
def _shipped() -> dict[str, Path]:
    return builtin()


@cache
def _load_shipped(name: str) -> LoadedPattern:
    """Load a pattern that comes with shflbench, once: checking it takes milliseconds, and many experiments name it."""
    return load(_shipped()[name])


def check_experiment(loc: Loc, experiment: Experiment, pattern: Pattern) -> Iterator[Problem]:
    """Yield the problems of the names in the experiment at `loc`."""
    variants = [variant.name for variant in pattern.variants]
    yield from _check_options(loc, experiment, pattern)
    yield from _check_words((*loc, "variants"), "variant", experiment.variants, variants, pattern.has_member)
    yield from _check_words((*loc, "dtypes"), "dtype", experiment.dtypes, pattern.dtypes)
    yield from _check_repeats(loc, experiment)
    for index, skip in enumerate(experiment.skip):
        at = (*loc, "skip", index)
        yield from _check_options(at, skip, pattern)
        yield from _check_words((*at, "variant"), "variant", skip.variant, variants, pattern.has_member)
        yield from _check_words((*at, "dtype"), "dtype", skip.dtype, pattern.dtypes)


def check_defaults(defaults: Defaults, patterns: Sequence[Pattern]) -> Iterator[Problem]:
    """Yield the problems of the names in `defaults`: one of the file's patterns must have each."""
    variants: dict[str, None] = {}
    dtypes: dict[str, None] = {}
    for pattern in patterns:
        variants |= dict.fromkeys(variant.name for variant in pattern.variants)
        dtypes |= dict.fromkeys(pattern.dtypes)

    def is_member(name: str) -> bool:
        return any(pattern.has_member(name) for pattern in patterns)

    yield from _check_words(("defaults", "variants"), "variant", defaults.variants, variants, is_member)
    yield from _check_words(("defaults", "dtypes"), "dtype", defaults.dtypes, dtypes)
    yield from _check_repeats(("defaults",), defaults)


def check_rules(measure: Measure) -> Iterator[Problem]:
    """Yield the contradiction of two sample limits in the section `measure`, at a key that is written there.

    `max_seconds` may be smaller than `min_seconds`: `max_seconds` limits the time that the GPU spends on a case, and
    `min_seconds` is the time over which its rounds are spread, during which other cases are sampled, too.
    """
    if measure.min_samples <= measure.max_samples:
        return
    if "max_samples" in measure.model_fields_set:
        remedy = f"allowed: at least `min_samples`, which is {measure.min_samples}"
        yield Problem(("measure", "max_samples"), f"found `{measure.max_samples}`", remedy)
    else:
        remedy = f"allowed: at most `max_samples`, which is {measure.max_samples}"
        yield Problem(("measure", "min_samples"), f"found `{measure.min_samples}`", remedy)


def check_compare(compare: Compare, cases: Sequence[Case]) -> Iterator[Problem]:
    """Yield the words of the section `compare` for which an entry matches no case of the suite."""
    ids = [case.id for case in cases]
    patterns = dict.fromkeys(case.pattern for case in cases)
    for index, entry in enumerate(compare.thresholds.some):
        at = ("compare", "cases", index)
        variants = dict.fromkeys(case.variant for case in cases if entry.pattern in {"", case.pattern})
        if entry.pattern and entry.pattern not in patterns:
            yield unknown((*at, "pattern"), "pattern", entry.pattern, patterns)
        elif entry.variant and entry.variant not in variants:
            yield unknown((*at, "variant"), "variant", entry.variant, variants)
        elif not any(map(entry.holds_for, ids)):
            nearest = did_you_mean(entry.case, [f"{pattern}/*" for pattern in patterns])
            needed = f"needed: ids of this suite, such as {quote(ids[0])}, where `*` matches anything{nearest}"
            yield Problem((*at, "case"), f"{quote(entry.case)} matches no case", needed)


def _check_options(loc: Loc, section: Experiment | Skip, pattern: Pattern) -> Iterator[Problem]:
    for name, value in section.options.items():
        if name in pattern.options:
            yield from _check_option((*loc, name), name, value, pattern.options[name])
        elif name in LAUNCH_OPTIONS:
            values, _ = LAUNCH_OPTIONS[name]
            if isinstance(values, range):
                yield from _check_numbers((*loc, name), value, values)
            else:
                yield from _check_option((*loc, name), name, value, values)
        else:
            known = [*section.keys(), *pattern.options, *LAUNCH_OPTIONS]
            yield unknown((*loc, name), "key", name, known, at_key=True)


def _check_option(loc: Loc, name: str, value: object, words: Sequence[str]) -> Iterator[Problem]:
    if value == []:
        yield not_allowed(loc, value, ", ".join(words))
    yield from _check_words(loc, name, option_values(value), words)


def _check_numbers(loc: Loc, value: object, among: range) -> Iterator[Problem]:
    allowed = f"integers from {among.start} to {among.stop - 1}, at least one and each once"
    values = value if isinstance(value, list) else [value]
    if not values:
        yield not_allowed(loc, value, allowed)
    seen = set()
    for index, number in enumerate(values):
        if not isinstance(number, int) or isinstance(number, bool) or number not in among:
            yield not_allowed((*loc, index), number, allowed)
        elif number in seen:
            yield _repeated((*loc, index), str(number))
        else:
            seen.add(number)


def _check_words(
    loc: Loc,
    kind: str,
    words: Iterable[object],
    known: Iterable[str],
    is_member: Callable[[str], bool] = lambda _: False,
) -> Iterator[Problem]:
    """Yield the problems of words; members of families are allowed, and too many to be listed."""
    known = list(known)
    seen = set()
    for index, word in enumerate(words):
        if not isinstance(word, str):
            yield not_allowed((*loc, index), word, ", ".join(known))
        elif word not in known and not is_member(word):
            yield unknown((*loc, index), kind, word, known)
        elif word in seen:
            yield _repeated((*loc, index), word)
        else:
            seen.add(word)


def _check_repeats(loc: Loc, section: Experiment | Defaults) -> Iterator[Problem]:
    """Yield the launches and iterations that stand twice on an axis; `26x1024` and `26 x 1024` are the same launch."""
    launches = [[launch.expression for launch in value.launches()] for value in section.launch]
    iterations = [[str(value)] for value in section.iterations]
    for name, axis in (("launch", launches), ("iterations", iterations)):
        seen = set()
        for index, words in enumerate(axis):
            for word in words:
                if word in seen:
                    yield _repeated((*loc, name, index), word)
                seen.add(word)


def _repeated(loc: Loc, word: str) -> Problem:
    return Problem(loc, f"found {quote(word)} a second time", "allowed: each value once")
