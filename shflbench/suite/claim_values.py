"""The types of single values in a claim of a suite file, for pydantic, with the sentence of each error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from shflbench.core.claims.errors import ExpressionError
from shflbench.core.claims.lexer import MAX_LENGTH
from shflbench.core.claims.parse import parse_condition, parse_quantity
from shflbench.suite.values import NOT_ALLOWED, ONE_LINE, says

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.core.claims.expression import Expression

BAD_EXPRESSION = "bad_expression"  # the type of these errors in pydantic; their context has the parts of the sentence
MAX_SENTENCE = 400  # characters; the longest claim here has 200
MAX_FIGURE = 100


def _parsed_by(parse: Callable[[str], Expression], example: str) -> BeforeValidator:
    """Refuse a text that is no expression, and return it on one line."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            allowed = f"an expression such as `{example}`"
            raise PydanticCustomError(NOT_ALLOWED, "{allowed}", {"allowed": allowed})
        try:
            parse(value)
        except ExpressionError as error:
            context = {"fault": error.fault, "remedy": error.remedy, "position": error.position}
            raise PydanticCustomError(BAD_EXPRESSION, "{fault}", context) from None
        return " ".join(value.split())

    return BeforeValidator(check)


ClaimId = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=40),
    says("at most 40 letters, digits and `._-`, a letter or digit first, such as `G12`"),
]
Sentence = Annotated[
    str, Field(pattern=ONE_LINE, max_length=MAX_SENTENCE), says(f"one line of at most {MAX_SENTENCE} characters")
]
Figure = Annotated[
    str, Field(pattern=ONE_LINE, max_length=MAX_FIGURE), says(f"one line of at most {MAX_FIGURE} characters")
]
_Expression = Annotated[str, Field(min_length=1, max_length=MAX_LENGTH)]
Condition = Annotated[_Expression, _parsed_by(parse_condition, "speedup(shfl, smem) > 1")]
Quantity = Annotated[_Expression, _parsed_by(parse_quantity, "speedup(shfl, smem)")]
QuantifierWord = Annotated[Literal["all", "always", "some"], says("all, always, some")]
Truth = Annotated[bool, Field(strict=True), says("true or false")]
