"""Say what is wrong with a suite file, each problem in one sentence that starts with file:line:column."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from shflbench.errors import SuiteError
from shflbench.suite.positions import Loc, Position, key_position, value_at, value_position
from shflbench.suite.quotes import MOST_SHOWN, quote, show
from shflbench.suite.schema import SECTIONS
from shflbench.suite.values import NOT_ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import ValidationError

ADVICE = "`shflbench list` names patterns and variants, `shflbench schema` every key of a suite."

MOST_TOLD = 30  # problems of one file; further ones are often of the same kind, and are counted only


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what was found, and what should be there instead."""

    loc: Loc
    fault: str
    remedy: str  # "allowed: …" or "needed: …"
    at_key: bool = False  # the key itself is wrong or missing, not its value
    word: str = ""  # a word that is none of those in `known`, one of which may be meant
    known: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was found and what should be there, with the nearest known word."""
        return f"found {self.fault}; {self.remedy}{did_you_mean(self.word, self.known)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?`, or nothing where no known word is near."""
    near = get_close_matches(word, list(known), n=1) if len(word) <= MOST_SHOWN else []
    return f"; did you mean `{near[0]}`?" if near else ""


def unknown(loc: Loc, kind: str, word: str, known: Iterable[str], *, at_key: bool = False) -> Problem:
    """Return the problem of a word that is none of the known ones."""
    known = tuple(known)
    return Problem(loc, f"the unknown {kind} {quote(word)}", f"allowed: {', '.join(known)}", at_key, word, known)


def from_pydantic(error: ValidationError, document: object) -> list[Problem]:
    """Return pydantic's findings about `document` as problems."""
    problems = []
    for detail in error.errors(include_url=False, include_input=False):
        loc, context = detail["loc"], detail.get("ctx", {})
        match detail["type"]:
            case "missing":
                problems.append(Problem(loc, f"no key `{loc[-1]}`", f"needed: {_meaning(loc)}", at_key=True))
            case "extra_forbidden":
                keys = SECTIONS[_section(loc[:-1])].keys()
                problems.append(unknown(loc, "key", str(loc[-1]), keys, at_key=True))
            case "model_type":
                keys = SECTIONS[_section(loc)].keys()
                allowed = f"allowed: a mapping with the keys {', '.join(keys)}"
                problems.append(Problem(loc, show(value_at(document, loc)), allowed))
            case kind:
                allowed = context["allowed"] if kind == NOT_ALLOWED else detail["msg"]
                problems.append(Problem(loc, show(value_at(document, loc)), f"allowed: {allowed}"))
    return problems


def _section(loc: Loc) -> str:
    """Return the name in SECTIONS of the mapping at `loc`."""
    return next((part for part in reversed(loc) if isinstance(part, str)), "")


def _meaning(loc: Loc) -> str:
    fields = SECTIONS[_section(loc[:-1])].model_fields
    return next(field.description or "" for name, field in fields.items() if loc[-1] in (name, field.alias))


def stop(path: Path, document: object, problems: Iterable[Problem]) -> NoReturn:
    """Raise one SuiteError that tells the first MOST_TOLD problems, one a line, in the order of the file."""
    # Two uses of one anchor have the same problems at the same places.
    placed = {(_position(document, problem), problem.fault, problem.remedy): problem for problem in problems}
    first = sorted(placed)[:MOST_TOLD]
    lines = [f"{path}:{key[0].line}:{key[0].column}: {placed[key].sentence}" for key in first]
    if more := len(placed) - len(first):
        position = sorted(placed)[MOST_TOLD][0]
        lines.append(
            f"{path}:{position.line}:{position.column}: found {more} more; they are told once those above are mended"
        )
    raise SuiteError("\n".join(lines), ADVICE)


def _position(document: object, problem: Problem) -> Position:
    find = key_position if problem.at_key else value_position
    return find(document, problem.loc)
