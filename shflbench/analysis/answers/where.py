"""Say in few words in which settings something holds that does not hold in others."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Factors = Mapping[str, str]  # name → value, of one setting
    Clause = tuple[tuple[str, str | None], ...]  # factors with their values, which hold together

MOST_FACTORS = 2  # in one clause
MOST_CLAUSES = 4  # before the rest of the settings is only counted
MOST_NAMES = 12  # no pattern has more; results of others may
NAMED = 1  # settings, where no clause covers any
UNSET = "default"  # the value of an option that a setting does not name


def where(part: Sequence[Factors], others: Sequence[Factors]) -> str:
    """Return what distinguishes the settings of `part` from the others: `words=4 or 8, or at block=32, way=load`.

    Each clause holds in some of `part` and in none of the others; of all clauses, those that cover most come first.
    """
    clauses, rest = _cover(part, others)
    texts = []
    for names, alike in group_by(clauses, lambda clause: tuple(name for name, _ in clause)).items():
        if len(names) == 1:
            values = sorted({clause[0][1] or UNSET for clause in alike}, key=_in_order)
            texts.append(f"{names[0]}={' or '.join(values)}")
        else:
            texts += [", ".join(f"{name}={value or UNSET}" for name, value in clause) for clause in alike]
    varied = _varied([*part, *others])
    named = rest[:NAMED] if not clauses else []
    texts += [", ".join(f"{name}={factors[name]}" for name in varied if name in factors) for factors in named]
    if more := len(rest) - len(named):
        texts.append(f"{more} more setting{'s' if more > 1 else ''}")
    *first, last = texts
    return f"{', or at '.join(first)} and {last}" if first and more else ", or at ".join(texts)


def _cover(part: Sequence[Factors], others: Sequence[Factors]) -> tuple[list[Clause], list[Factors]]:
    """Return clauses that hold in none of the others, and the settings of `part` that they do not cover."""
    names = _varied([*part, *others])
    clauses: list[Clause] = []
    rest = list(part)
    for count in range(1, MOST_FACTORS + 1):
        foreign = {clause for factors in others for clause in _clauses(factors, names, count)}
        while rest and len(clauses) < MOST_CLAUSES:
            known = [clause for factors in rest for clause in _clauses(factors, names, count) if clause not in foreign]
            if not known:
                break
            best = Counter(known).most_common(1)[0][0]  # of several, the first
            clauses.append(best)
            rest = [factors for factors in rest if best not in _clauses(factors, names, count)]
    return clauses, rest


def _clauses(factors: Factors, names: Sequence[str], count: int) -> list[Clause]:
    return [tuple((name, factors.get(name)) for name in chosen) for chosen in combinations(names, count)]


def _varied(settings: Sequence[Factors]) -> list[str]:
    """Return the names of the factors in which settings differ, in the order of the first setting."""
    names = dict.fromkeys(name for factors in settings for name in factors)
    varied = [name for name in names if len({factors.get(name) for factors in settings}) > 1]
    return varied[:MOST_NAMES]


def _in_order(value: str) -> tuple[float, str]:
    """Return a key by which numbers sort by size, before words."""
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value
