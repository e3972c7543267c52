"""The names of a claim's settings in a sentence, without what all settings have in common (pure functions)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from shflbench.analysis.settings import common_factors, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.claims.setting import JudgedSetting

NAMED = 4  # settings on each side
VALUES = 6  # values of a factor
PATTERN, SUITE = "pattern", "suite"
PLAIN = frozenset({PATTERN, SUITE, "dtype"})  # factors whose values need no name


class SettingLabels:
    """The names of settings, without what all settings have in common."""

    def __init__(self, judged: Sequence[JudgedSetting]) -> None:
        """Find what the settings have in common, and which have the same name."""
        self.settings = {id(item): {SUITE: item.outcome.suite, **item.factors} for item in judged}
        self._keys = dict.fromkeys(key for setting in self.settings.values() for key in setting if key != SUITE)
        self._common = common_factors(self.settings.values())
        self._places: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for item in judged:
            self._places[self._without_suite(item)].add((item.outcome.suite, item.outcome.run))

    def full(self, item: JudgedSetting) -> str:
        """Return the name of one setting with its pattern: `reduce, f32, 26x1024, 4096 iterations`."""
        return ", ".join(filter(None, (item.outcome.pattern, item.outcome.setting))) + self._place(item)

    def several(self, items: Sequence[JudgedSetting]) -> str:
        """Return the names of about four settings, and the number of the others; of many, how many each pattern has."""
        labels = list(dict.fromkeys(self._short(item) for item in items))
        if len(labels) <= NAMED + 1:
            return "; ".join(labels)
        if PATTERN in self._common:
            return f"{'; '.join(labels[:NAMED])} and {len(labels) - NAMED} more"
        patterns = Counter(item.outcome.pattern for item in items).most_common()
        alike = all(count == 1 for _, count in patterns)
        named = [pattern if alike else f"{count} of {pattern}" for pattern, count in patterns]
        more = len(named) - VALUES
        others = f" and {more} more pattern{'s' if more > 1 else ''}" if more > 0 else ""
        return ", ".join(named[:VALUES]) + others

    def _short(self, item: JudgedSetting) -> str:
        label = self._without_suite(item)
        if not label:  # others have an option that it does not name
            label = ", ".join(f"no {key}" for key in self._keys if key not in item.factors)
        return label + self._place(item) if label else self._place(item).removeprefix(" in ") or item.outcome.suite

    def _place(self, item: JudgedSetting) -> str:
        """Return in which suite a setting is, or in which run, if others have the same name."""
        places = self._places[self._without_suite(item)]
        if len(places) < 2:  # noqa: PLR2004  (it is the only one)
            return ""
        suites = {suite for suite, _ in places}
        return f" in {item.outcome.suite if len(suites) == len(places) else item.outcome.run}"

    def _without_suite(self, item: JudgedSetting) -> str:
        parts = {key: value for key, value in item.factors.items() if key not in self._common}
        pattern = parts.pop(PATTERN, "")
        return ", ".join(filter(None, (pattern, words(parts))))


def separate(
    labels: SettingLabels,
    holds: Sequence[JudgedSetting],
    fails: Sequence[JudgedSetting],
    undecided: Sequence[JudgedSetting] = (),
) -> tuple[str, str]:
    """Return where a claim holds and where it fails: the values of one factor, where one decides it.

    One of them is empty where undecided settings have its values, too.
    """
    there, elsewhere, open_ = ([labels.settings[id(item)] for item in items] for items in (holds, fails, undecided))
    keys = dict.fromkeys(key for settings in (there, elsewhere) for setting in settings for key in setting)
    pairs = [(key, _values(key, there), _values(key, elsewhere)) for key in keys]
    deciding = [
        (len(one) + len(other), key, one, other)
        for key, one, other in pairs
        if one and other and not set(one) & set(other) and max(len(one), len(other)) <= VALUES
    ]
    if not deciding:
        return labels.several(holds), labels.several(fails)
    _, key, one, other = min(deciding)
    shared = {setting.get(key) for setting in open_}
    if shared & set(one) and shared & set(other):
        return labels.several(holds), labels.several(fails)
    there_only, elsewhere_only = ("" if shared & set(values) else _named(key, values) for values in (one, other))
    return there_only, elsewhere_only


def _values(key: str, settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the values of a factor; none if a setting does not have it."""
    values = {setting.get(key) for setting in settings}
    known = [value for value in values if value is not None]
    return sorted(known, key=_order) if None not in values else []


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def _named(key: str, values: Sequence[str]) -> str:
    text = ", ".join(values)
    return text if key in PLAIN else f"{key}={text}"
