"""Split an expression into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from shflbench.core.claims.errors import ExpressionError, quote

MAX_LENGTH = 500  # characters; the longest claim here has 150
MAX_DIGITS = 30  # characters of one number

KEYWORDS = ("and", "or", "not", "true", "false", "within")


class TokenKind(Enum):
    """The kind of a token."""

    NUMBER = auto()
    TEXT = auto()  # in quotes, which are not part of the token's text
    WORD = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A part of an expression, and its position, counted from 0."""

    kind: TokenKind
    text: str
    position: int

    def is_sign(self, *signs: str) -> bool:
        """Return whether it is one of these signs."""
        return self.kind is TokenKind.SIGN and self.text in signs

    def is_word(self, word: str) -> bool:
        """Return whether it is this word."""
        return self.kind is TokenKind.WORD and self.text == word

    def __str__(self) -> str:
        """Return it as an error shows it."""
        match self.kind:
            case TokenKind.END:
                return "the end"
            case TokenKind.TEXT:
                return f"the text {quote(self.text)}"
        return quote(self.text)


_SPACE = re.compile(r"[ \t\n]*")
_TEXT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIGN = re.compile(r"<=|>=|==|!=|[-<>+*/()%]")
# The arguments of a call are words, in which `-` is no sign: `smem-syncwarp`, `index=worst`, `26x1024`.
_ARGUMENT = re.compile(r"[A-Za-z0-9_.+-]+")
_ARGUMENT_SIGN = re.compile(r"[,=)]")

_OTHER_SPELLINGS = {"=": "==", "&&": "and", "&": "and", "||": "or", "|": "or", "!": "not", "=<": "<=", "=>": ">="} | {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "÷": "/",
    "\u2212": "-",
}
_OTHER = re.compile("|".join(re.escape(spelling) for spelling in sorted(_OTHER_SPELLINGS, key=len, reverse=True)))


def tokens(text: str) -> list[Token]:
    """Return the tokens of an expression, the last of which is its end; ExpressionError if one is unknown."""
    if len(text) > MAX_LENGTH:
        allowed = f"allowed: at most {MAX_LENGTH} characters"
        raise ExpressionError(0, f"found an expression of {len(text)} characters", allowed)
    result: list[Token] = []
    in_call = False
    position = _skip(text, 0)
    while position < len(text):
        token, end = (_argument if in_call else _token)(text, position)
        opens_call = token.is_sign("(") and bool(result) and _is_name(result[-1])
        in_call = opens_call or (in_call and not token.is_sign(")"))
        result.append(token)
        position = _skip(text, end)
    return [*result, Token(TokenKind.END, "", len(text))]


def _is_name(token: Token) -> bool:
    return token.kind is TokenKind.WORD and token.text not in KEYWORDS


def _skip(text: str, position: int) -> int:
    """Return where the space at `position` ends."""
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _token(text: str, position: int) -> tuple[Token, int]:
    """Return the token at `position`, outside of a call, and where it ends."""
    if quoted := _TEXT.match(text, position):
        return _text(quoted, position)
    if number := _NUMBER.match(text, position):
        return Token(TokenKind.NUMBER, number[0], position), number.end()
    if name := _NAME.match(text, position):
        return Token(TokenKind.WORD, name[0], position), name.end()
    if sign := _SIGN.match(text, position):
        return Token(TokenKind.SIGN, sign[0], position), sign.end()
    raise _unknown(text, position)


def _argument(text: str, position: int) -> tuple[Token, int]:
    """Return the token at `position`, between the parentheses of a call, and where it ends."""
    if quoted := _TEXT.match(text, position):
        return _text(quoted, position)
    if word := _ARGUMENT.match(text, position):
        return Token(TokenKind.WORD, word[0], position), word.end()
    if sign := _ARGUMENT_SIGN.match(text, position):
        return Token(TokenKind.SIGN, sign[0], position), sign.end()
    if text[position] in "'\"":
        raise _unknown(text, position)
    needed = "needed: names such as `shfl` and settings such as `index=worst`, in quotes if they have other characters"
    raise ExpressionError(position, f"found {quote(text[position])} in the arguments of a function", needed)


def _text(quoted: re.Match[str], position: int) -> tuple[Token, int]:
    text = quoted[0][1:-1]
    if not text.isprintable():
        raise ExpressionError(position, f"found the text {quote(text)}", "allowed: texts without control characters")
    return Token(TokenKind.TEXT, text, position), quoted.end()


def _unknown(text: str, position: int) -> ExpressionError:
    """Return the error of a character that begins no token."""
    if other := _OTHER.match(text, position):
        return ExpressionError(position, f"found {quote(other[0])}", f"did you mean `{_OTHER_SPELLINGS[other[0]]}`?")
    if text[position] in "'\"":
        return ExpressionError(position, "found a text without its closing quote", f"needed: {text[position]}")
    allowed = "allowed: functions, numbers, texts in quotes, and `and or not < <= > >= == != + - * / ( )`"
    return ExpressionError(position, f"found {quote(text[position])}", allowed)
