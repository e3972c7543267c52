"""Report what is wrong with a suite file, one sentence per problem, which starts with file:line:column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from shflbench.core.words import did_you_mean
from shflbench.errors import SuiteError
from shflbench.suite.positions import Loc, Position, character_position, key_position, value_position
from shflbench.suite.quotes import quote, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

KEYS_ADVICE = "`shflbench schema suite` prints every key of a suite."
_NAMES_ADVICE = "`shflbench list` shows the patterns, with their variants, dtypes and options."

MAX_REPORTED = 30  # problems of one file; further ones are often of the same kind, and are only counted


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it is, what it is, and what should stand there instead."""

    loc: Loc
    fault: str
    remedy: str = ""  # "allowed: …" or "needed: …"
    at_key: bool = False  # the key itself is wrong or missing, not its value
    advice: str = ""  # which command shows more
    character: int | None = None  # of the text at `loc`, counted from 0, where the mistake is

    @property
    def sentence(self) -> str:
        """The fault and its remedy."""
        return "; ".join(filter(None, (self.fault, self.remedy)))


def not_allowed(loc: Loc, value: object, allowed: str) -> Problem:
    """Return the problem of a value that is not one of the allowed ones."""
    return Problem(loc, f"found {show(value)}", f"allowed: {allowed}")


def unknown(  # noqa: PLR0913  (what is said of it)
    loc: Loc,
    kind: str,
    word: str,
    known: Iterable[str],
    *,
    at_key: bool = False,
    near: Callable[[str, Iterable[str]], str] = did_you_mean,
) -> Problem:
    """Return the problem of a word that is not one of the known ones; `near` suggests one of them."""
    known = tuple(known)
    remedy = f"allowed: {', '.join(known)}{near(word, known)}"
    return Problem(loc, f"unknown {kind} {quote(word)}", remedy, at_key, KEYS_ADVICE if at_key else _NAMES_ADVICE)


def first_sentence(document: object, problems: Iterable[Problem]) -> str:
    """Return the first problem in the order of the document, in one sentence with its position."""
    (line, column), sentence = min((_position(document, problem), problem.sentence) for problem in problems)
    return f"line {line}, column {column}: {sentence}"


def stop(path: Path, document: object, problems: Iterable[Problem]) -> NoReturn:
    """Raise one SuiteError that reports the first MAX_REPORTED problems, one per line, in the order of the file."""
    # Two uses of one anchor have the same problems at the same places.
    by_place = {(_position(document, problem), problem.sentence): problem for problem in problems}
    places = sorted(by_place)
    lines = [f"{path}:{line}:{column}: {sentence}" for (line, column), sentence in places[:MAX_REPORTED]]
    if more := len(places) - len(lines):
        line, column = places[MAX_REPORTED][0]
        lines.append(f"{path}:{line}:{column}: {more} more from here on; fix those above first")
    advice = dict.fromkeys(by_place[place].advice for place in places[:MAX_REPORTED])
    raise SuiteError("\n".join(lines), " ".join(filter(None, advice)))


def _position(document: object, problem: Problem) -> Position:
    if problem.character is not None:
        return character_position(document, problem.loc, problem.character)
    find = key_position if problem.at_key else value_position
    return find(document, problem.loc)
