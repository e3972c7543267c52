"""Check the arguments of a function, and make its call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.claims.errors import ExpressionError, nearest, quote
from shflbench.core.claims.expression import Call
from shflbench.core.claims.functions import DEVICE_PROPERTIES, ClaimFunction, Further
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.claims.lexer import Token

_ONCE = "allowed: each setting once"
_OPCODE = re.compile(r"[A-Z][A-Z0-9]{0,31}")


def make_call(
    function: ClaimFunction, name: Token, words: Sequence[Token], settings: Sequence[tuple[Token, Token]]
) -> Call:
    """Return the call of a function, at `name`; ExpressionError if it does not take these arguments."""
    if len(words) != len(function.arguments):
        needed = f"needed: {len(function.arguments)}, as in `{function.signature}`"
        given = count_noun(len(words), "argument")
        raise ExpressionError(name.position, f"found `{function.name}` with {given}", needed)
    match function.further:
        case Further.OPCODE:
            _check_opcode(words[-1])
        case Further.PROPERTY:
            _check_property(words[-1])
    seen: set[str] = set()
    for key, _ in settings:
        if not function.takes_settings:
            fault = f"found the setting {quote(key.text)} of `{function.name}`"
            raise ExpressionError(key.position, fault, f"allowed: `{function.signature}`, the same in every setting")
        if key.text in seen:
            raise ExpressionError(key.position, f"found the setting {quote(key.text)} a second time", _ONCE)
        seen.add(key.text)
    return Call(
        function.name,
        tuple(word.text for word in words),
        tuple((key.text, value.text) for key, value in settings),
        name.position,
    )


def _check_opcode(word: Token) -> None:
    if not _OPCODE.fullmatch(word.text):
        allowed = "allowed: upper-case letters and digits without modifiers, such as `SHFL` for `SHFL.IDX`"
        raise ExpressionError(word.position, f"found the opcode {quote(word.text)}", allowed)


def _check_property(word: Token) -> None:
    if word.text not in DEVICE_PROPERTIES:
        allowed = f"allowed: {', '.join(DEVICE_PROPERTIES)}{nearest(word.text, DEVICE_PROPERTIES)}"
        raise ExpressionError(word.position, f"unknown property {quote(word.text)} of the device", allowed)
