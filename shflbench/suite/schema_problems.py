"""Turn pydantic's errors about a suite file into problems with positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.suite.claim_values import BAD_EXPRESSION
from shflbench.suite.positions import Loc, value_at
from shflbench.suite.problems import KEYS_ADVICE, Problem, not_allowed, unknown
from shflbench.suite.schema import SECTIONS
from shflbench.suite.values import NOT_ALLOWED

if TYPE_CHECKING:
    from pydantic import ValidationError


def from_pydantic(error: ValidationError, document: object) -> list[Problem]:
    """Return pydantic's errors about `document` as problems."""
    problems = []
    for detail in error.errors(include_url=False, include_input=False):
        loc, context = detail["loc"], detail.get("ctx", {})
        match detail["type"]:
            case kind if kind == BAD_EXPRESSION:
                problems.append(Problem(loc, context["fault"], context["remedy"], character=int(context["position"])))
            case "missing":
                fault = f"missing key `{loc[-1]}`"
                problems.append(Problem(loc, fault, f"needed: {_meaning(loc)}", at_key=True, advice=KEYS_ADVICE))
            case "extra_forbidden":
                keys = SECTIONS[_section(loc[:-1])].keys()
                problems.append(unknown(loc, "key", str(loc[-1]), keys, at_key=True))
            case "model_type":
                keys = SECTIONS[_section(loc)].keys()
                problems.append(not_allowed(loc, value_at(document, loc), f"a mapping with the keys {', '.join(keys)}"))
            case kind if kind == NOT_ALLOWED and "fault" in context:
                problems.append(Problem(loc, context["fault"], f"allowed: {context['allowed']}"))
            case kind:
                allowed = context["allowed"] if kind == NOT_ALLOWED else detail["msg"]
                problems.append(not_allowed(loc, value_at(document, loc), allowed))
    return problems


def _section(loc: Loc) -> str:
    """Return the name in SECTIONS of the mapping at `loc`."""
    return next((part for part in reversed(loc) if isinstance(part, str)), "")


def _meaning(loc: Loc) -> str:
    fields = SECTIONS[_section(loc[:-1])].model_fields
    return next(field.description or "" for name, field in fields.items() if loc[-1] in (name, field.alias))
