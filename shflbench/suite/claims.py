"""Turn the section `claims` of a suite into claims, and check what needs no cases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.claims.claim import Claim, Quantifier
from shflbench.core.claims.parse import parse_condition, parse_quantity
from shflbench.core.claims.walk import with_calls
from shflbench.core.launch import parse_grid, parse_launch
from shflbench.suite.option_values import option_values
from shflbench.suite.problems import Problem, not_allowed
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.core.claims.expression import Call
    from shflbench.suite.positions import Loc
    from shflbench.suite.schema import ClaimEntry, Where

# The keys of `where`, and of settings in expressions, besides options of patterns.
SETTING_KEYS = ("pattern", "dtype", "launch", "grid", "block", "iterations")
# The values of options of the launch in a case that does not name them; the carveout is then the driver's choice.
LAUNCH_DEFAULTS = {"extra_shared": "0", "l2": "warm"}


def claims_from(entries: Sequence[ClaimEntry]) -> tuple[Claim, ...]:
    """Return the claims of a section without problems."""
    return tuple(_claim(entry) for entry in entries)


def check_form(entries: Sequence[ClaimEntry]) -> Iterator[Problem]:
    """Yield the problems of the section that can be seen without the cases of the suite."""
    first: dict[str, int] = {}
    for index, entry in enumerate(entries):
        at = ("claims", index)
        if first.setdefault(entry.id, index) != index:
            fault = f"found {quote(entry.id)} a second time, already claim {first[entry.id] + 1}"
            yield Problem((*at, "id"), fault, "allowed: each id once")
        yield from _check_test(at, entry)
        for name, value in entry.where.options.items():
            for place, word in enumerate(option_values(value)):
                if not isinstance(word, str):
                    yield not_allowed((*at, "where", name, place), word, "a value of this option, or a list of values")
            if value == []:
                yield not_allowed((*at, "where", name), value, "at least one value")


def _check_test(at: Loc, entry: ClaimEntry) -> Iterator[Problem]:
    """Yield what contradicts that a claim is either tested or untestable."""
    if not entry.holds and not entry.untestable:
        needed = "needed: the condition to test, or `untestable` with the reason"
        yield Problem((*at, "holds"), "missing key `holds`", needed, at_key=True)
    if not entry.untestable:
        return
    for key in ("holds", "measure", "required"):
        if getattr(entry, key):
            fault = f"found the key `{key}` beside `untestable`"
            yield Problem((*at, key), fault, "allowed: one of them", at_key=True)


def where_of(where: Where) -> dict[str, tuple[str, ...]]:
    """Return the values that each key of `where` allows, as the canonical text of cases."""
    values = {
        "pattern": where.pattern,
        "dtype": where.dtype,
        "launch": tuple(launch.expression for value in where.launch for launch in value.launches()),
        "grid": tuple(grid.text for grid in where.grid),
        "block": tuple(block.text for block in where.block),
        "iterations": tuple(map(str, where.iterations)),
        **{name: tuple(map(str, option_values(value))) for name, value in where.options.items()},
    }
    return {key: texts for key, texts in values.items() if texts}


def canonical_setting(key: str, text: str) -> str:
    """Return the value of a setting as cases have it, `2*sms x 256` for `2*sms x256`; ValueError if it is none."""
    parsers: Mapping[str, Callable[[str], str]] = {
        "launch": lambda word: parse_launch(word).expression,
        "grid": lambda word: parse_grid(word).text,
    }
    return parsers[key](text) if key in parsers else text


def _claim(entry: ClaimEntry) -> Claim:
    return Claim(
        id=entry.id,
        says=entry.says,
        source=entry.source,
        figure=entry.figure,
        where=where_of(entry.where),
        holds=with_calls(parse_condition(entry.holds), _canonical) if entry.holds else None,
        text=entry.holds,
        measure=with_calls(parse_quantity(entry.measure), _canonical) if entry.measure else None,
        quantifier=Quantifier(entry.quantifier),
        required=entry.required,
        untestable=entry.untestable,
    )


def _canonical(call: Call) -> Call:
    return replace(call, settings=tuple((key, _canonical_or_same(key, text)) for key, text in call.settings))


def _canonical_or_same(key: str, text: str) -> str:
    try:
        return canonical_setting(key, text)
    except ValueError:  # in the stored suite of a run, where it is not checked: it matches no case
        return text
