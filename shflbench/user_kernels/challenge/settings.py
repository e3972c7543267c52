"""The launches at which a challenger is timed: those at which a shipped suite times the published variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.suite import find_shipped, load
from shflbench.suite.pattern_values import read_launch, require_launch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import Case, MeasureRules, Suite
    from shflbench.patterns.declare import Pattern
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern

FIRST, LAST = "opponents", "quick"  # suites: the published answers, and one launch of every pattern


@dataclass(frozen=True, slots=True)
class ChallengeLaunch:
    """A launch as an expression, and the iterations of the timed loop."""

    expression: str
    iterations: int


@dataclass(frozen=True, slots=True)
class ChallengeSettings:
    """The launches of a challenge, and how long they are measured."""

    launches: tuple[ChallengeLaunch, ...]
    rules: MeasureRules
    origin: str  # the suite that has them


def settings_of(challenged: ChallengedPattern, launches: Sequence[str]) -> ChallengeSettings:
    """Return the launches that the user names, or the published ones; UsageError for one that the pattern lacks."""
    published = _published(challenged)
    if not launches:
        return published
    iterations = {item.expression: item.iterations for item in published.launches}
    most = max(iterations.values())
    named = dict.fromkeys(_parsed(challenged.declared, challenged.name, text) for text in launches)
    chosen = tuple(ChallengeLaunch(text, iterations.get(text, most)) for text in named)
    return ChallengeSettings(chosen, published.rules, published.origin)


def _parsed(declared: Pattern, name: str, text: str) -> str:
    launch = read_launch(text)
    require_launch(name, declared, launch)
    return launch.expression


def _published(challenged: ChallengedPattern) -> ChallengeSettings:
    """Return the launches of the first suite that has the pattern, at best with this dtype and these options."""
    alike, others = [], []
    for suite in _suites():
        cases = [case for case in suite.cases if case.pattern == challenged.name]
        same = [case for case in cases if _has_setting(case, challenged)]
        alike += [(suite, same)] if same else []
        others += [(suite, cases)] if cases else []
        if cases and suite.name == FIRST:
            break
    suite, cases = (alike or others)[0]
    launches = {case.launch.expression: ChallengeLaunch(case.launch.expression, case.iterations) for case in cases}
    return ChallengeSettings(tuple(launches.values()), suite.rules, suite.name)


def _suites() -> Iterator[Suite]:
    known = find_shipped()
    for name in sorted(known, key=lambda name: (name == LAST, name != FIRST)):
        yield load(known[name])


def _has_setting(case: Case, challenged: ChallengedPattern) -> bool:
    options = {name: value for name, value in case.options if name not in LAUNCH_OPTIONS}
    return case.dtype == challenged.dtype.name and options == dict(challenged.options)
