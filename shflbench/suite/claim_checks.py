"""Check claims against the cases of their suite: a claim that no case can test is a mistake."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from shflbench.core.claims.functions import FUNCTIONS
from shflbench.core.claims.parse import parse_condition, parse_quantity
from shflbench.core.claims.walk import calls
from shflbench.core.grouping import group_by
from shflbench.core.launch import split_launch
from shflbench.core.words import did_you_mean
from shflbench.suite.claims import LAUNCH_DEFAULTS, SETTING_KEYS, canonical_setting, where_of
from shflbench.suite.problems import Problem, unknown
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.core.claims.expression import Call
    from shflbench.core.model import Case
    from shflbench.suite.positions import Loc
    from shflbench.suite.schema import ClaimEntry

_MOST_SHOWN = 8  # values of a key in one sentence


def check_claims(entries: Sequence[ClaimEntry], cases: Sequence[Case]) -> Iterator[Problem]:
    """Yield the words of the section `claims` that match no case of the suite."""
    if not entries:
        return
    settings = _Settings(cases)
    for index, entry in enumerate(entries):
        yield from _check_claim(("claims", index), entry, settings)


class _Settings:
    """The settings of a suite, as sets of bits: a setting is a group of cases that differ in variant only."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.values: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))  # key → value → settings
        self.variants: dict[str, int] = defaultdict(int)  # variant → settings that have it
        groups = group_by(cases, lambda case: case.group)
        self.all = (1 << len(groups)) - 1
        for index, members in enumerate(groups.values()):
            for key, value in _setting(members[0]).items():
                self.values[key][value] |= 1 << index
            for case in members:
                self.variants[case.variant] |= 1 << index

    def matching(self, conditions: Mapping[str, Iterable[str]]) -> int:
        """Return the settings that have one of the values of each key."""
        allowed = (reduce(or_, (self.values[key][value] for value in texts), 0) for key, texts in conditions.items())
        return reduce(and_, allowed, self.all)

    def patterns(self, settings: int) -> list[str]:
        """Return the patterns of some settings."""
        return [name for name, of_pattern in self.values["pattern"].items() if of_pattern & settings]


def _setting(case: Case) -> dict[str, str]:
    """Return what sets the case's group apart, by the keys of `where`."""
    grid, block = split_launch(case.launch.expression)
    known = (case.pattern, case.dtype, case.launch.expression, grid.text, block.text, str(case.iterations))
    options = {name: value for name, value in case.options if name not in SETTING_KEYS}
    return dict(zip(SETTING_KEYS, known, strict=True)) | LAUNCH_DEFAULTS | options


def _check_claim(at: Loc, entry: ClaimEntry, settings: _Settings) -> Iterator[Problem]:
    where = where_of(entry.where)
    problems = list(_check_where((*at, "where"), where, settings))
    if not problems and not settings.matching(where):
        needed = "needed: a combination that the suite has"
        problems.append(Problem((*at, "where"), "this combination matches no case", needed))
    yield from problems
    if problems:
        return
    for key, text, parse in (("holds", entry.holds, parse_condition), ("measure", entry.measure, parse_quantity)):
        for call in calls(parse(text)) if text else ():
            if FUNCTIONS[call.function].variants:
                yield from _check_call((*at, key), call, where, settings)


def _check_where(at: Loc, where: Mapping[str, tuple[str, ...]], settings: _Settings) -> Iterator[Problem]:
    for key, texts in where.items():
        known = settings.values.get(key)
        if known is None:
            yield unknown((*at, key), "key", key, settings.values, at_key=True)
            continue
        for index, text in enumerate(texts):
            if text not in known:
                yield Problem((*at, key, index), f"{quote(text)} matches no case", _such_as(text, known))


def _check_call(at: Loc, call: Call, where: Mapping[str, tuple[str, ...]], settings: _Settings) -> Iterator[Problem]:
    """Yield the settings and variants of a call that the suite lacks."""
    changed = {}
    for key, text in call.settings:
        known = settings.values.get(key)
        if known is None:
            problem = unknown(at, "setting", key, settings.values)
            yield Problem(at, problem.fault, problem.remedy, character=call.position)
            return
        try:
            value = canonical_setting(key, text)
        except ValueError as error:
            yield Problem(at, f"found {quote(f'{key}={text}')}", f"allowed: {error}", character=call.position)
            return
        if value not in known:
            fault = f"{quote(f'{key}={text}')} matches no case"
            yield Problem(at, fault, _such_as(value, known), character=call.position)
            return
        changed[key] = (value,)
    target = settings.matching(_changed(where, changed))
    if not target:
        fault = f"{quote(', '.join(f'{key}={text}' for key, text in call.settings))} matches no case beside `where`"
        yield Problem(at, fault, "needed: a combination that the suite has", character=call.position)
        return
    for variant in call.arguments[: len(FUNCTIONS[call.function].variants)]:
        yield from _check_variant(at, call, variant, target, settings)


def _changed(where: Mapping[str, tuple[str, ...]], changed: Mapping[str, tuple[str]]) -> dict[str, tuple[str, ...]]:
    """Return what the settings of a call have to match: `where`, except for what the call changes."""
    if "pattern" in changed:
        return dict(changed)  # another pattern has other options
    if changed.keys() & {"launch", "grid", "block"}:
        where = {key: texts for key, texts in where.items() if key not in {"launch", "grid", "block"}}
    return {**where, **changed}


def _check_variant(at: Loc, call: Call, variant: str, target: int, settings: _Settings) -> Iterator[Problem]:
    patterns = settings.patterns(target)
    having = settings.patterns(target & settings.variants.get(variant, 0))
    if not having:
        known = [name for name, of_variant in settings.variants.items() if of_variant & target]
        problem = unknown(at, "variant", variant, known)
        yield Problem(at, problem.fault, problem.remedy, advice=problem.advice, character=call.position)
    elif others := [name for name in patterns if name not in having]:
        fault = f"the variant {quote(variant)} is not in {', '.join(map(quote, others))}, which `where` selects"
        needed = f"needed: a `where` with the patterns that have it: {', '.join(having)}"
        yield Problem(at, fault, needed, character=call.position)


def _such_as(text: str, known: Mapping[str, int]) -> str:
    shown = [*list(known)[:_MOST_SHOWN], *(["…"] if len(known) > _MOST_SHOWN else [])]
    return f"needed: a value of this suite: {', '.join(shown)}{did_you_mean(text, known)}"
