"""Say what is wrong with a suite file, each problem in one sentence that starts with file:line:column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from shflbench.errors import SuiteError
from shflbench.suite.positions import Loc, key_position, value_at, value_position
from shflbench.suite.schema import SECTIONS
from shflbench.suite.values import NOT_ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import ValidationError

ADVICE = "`shflbench list` names patterns and variants, `shflbench schema` every key of a suite."


_NUMBER = re.compile(r"[-+]?[0-9.]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what was found, and what should be there instead."""

    loc: Loc
    found: str
    remedy: str  # "allowed: …" or "needed: …"
    at_key: bool = False  # the key itself is wrong or missing, not its value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?`, or nothing where no known word is near."""
    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def unknown(loc: Loc, kind: str, word: str, known: Iterable[str], *, at_key: bool = False) -> Problem:
    """Return the problem of a word that is none of the known ones."""
    known = list(known)
    remedy = f"allowed: {', '.join(known)}{did_you_mean(word, known)}"
    return Problem(loc, f"the unknown {kind} `{word}`", remedy, at_key)


def show(value: object) -> str:
    """Return a value of the file as a sentence names it."""
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list" if value else "an empty list"
        case bool():
            return f"`{value}`".lower()
        case str() if _NUMBER.fullmatch(value):
            return f"the text `{value}`"  # where a number is needed, the sentence would contradict itself
        case _:
            return f"`{value}`" if str(value).strip() else "empty text"


def from_pydantic(error: ValidationError, document: object) -> list[Problem]:
    """Return pydantic's findings about `document` as problems."""
    problems = []
    for detail in error.errors(include_url=False, include_input=False):
        loc, context = detail["loc"], detail.get("ctx", {})
        match detail["type"]:
            case "missing":
                problems.append(Problem(loc, f"no key `{loc[-1]}`", f"needed: {_meaning(loc)}", at_key=True))
            case "extra_forbidden" | "invalid_key":
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
    """Raise one SuiteError that tells all problems, one a line, in the order of the file."""
    placed = sorted((_place(document, problem), problem.found, problem.remedy) for problem in problems)
    lines = [f"{path}:{line}:{column}: found {found}; {remedy}" for (line, column), found, remedy in placed]
    raise SuiteError("\n".join(dict.fromkeys(lines)), ADVICE)


def _place(document: object, problem: Problem) -> tuple[int, int]:
    find = key_position if problem.at_key else value_position
    return find(document, problem.loc)
