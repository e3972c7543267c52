"""Read an expression by a grammar of our own: nothing of it is ever executed.

either      = both { "or" both }
both        = negation { "and" negation }
negation    = "not" negation | comparison
comparison  = sum [ ("<" | "<=" | ">" | ">=") sum | ("==" | "!=") sum [ "within" NUMBER "%" ] ]
sum         = product { ("+" | "-") product }
product     = factor { ("*" | "/") factor }
factor      = "-" factor | NUMBER | TEXT | "true" | "false" | call | "(" either ")"
call        = NAME "(" [ argument { "," argument } ] ")"
argument    = name | name "=" name, where a name is a WORD or a TEXT
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

from shflbench.core.claims.calls import make_call
from shflbench.core.claims.errors import ExpressionError, nearest, quote
from shflbench.core.claims.expression import Arithmetic, Both, Constant, Either, Negative, Not, Relation
from shflbench.core.claims.functions import FUNCTIONS, ValueKind
from shflbench.core.claims.lexer import KEYWORDS, MAX_DIGITS, Token, TokenKind, tokens
from shflbench.core.claims.parts import Part, check_comparison, what_may_follow
from shflbench.core.claims.walk import calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.core.claims.expression import ArithmeticSign, ComparisonSign, Expression

MAX_DEPTH = 20  # of parentheses and signs inside one another; claims need 3
MAX_OPERANDS = 100  # so that a tree is at most as deep
MAX_TOLERANCE = 100  # percent

_NEEDED = "needed: a function such as `time(shfl)`, a number or an expression in parentheses"


def parse_expression(text: str) -> Expression:
    """Return the expression that `text` describes; ExpressionError says what is wrong, where, and what is allowed."""
    return _ExpressionParser(text).whole().expression


def parse_condition(text: str) -> Expression:
    """Return an expression of results that is true or false; ExpressionError if `text` is none."""
    part = _of_results(text)
    if part.kind is not ValueKind.TRUTH:
        needed = "needed: a condition, such as `speedup(shfl, smem) > 1`"
        raise ExpressionError(part.position, f"found a {part.kind}", needed)
    return part.expression


def parse_quantity(text: str) -> Expression:
    """Return an expression of results that is a number or a text; ExpressionError if `text` is none."""
    part = _of_results(text)
    if part.kind is ValueKind.TRUTH:
        needed = "needed: a quantity, such as `speedup(shfl, smem)`"
        raise ExpressionError(part.position, "found a condition", needed)
    return part.expression


def _of_results(text: str) -> Part:
    part = _ExpressionParser(text).whole()
    if not any(calls(part.expression)):
        needed = "needed: at least one function, such as `time(shfl)`"
        raise ExpressionError(part.position, "found an expression that does not depend on results", needed)
    return part


class _ExpressionParser:
    """Reads the tokens of one expression from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._next = 0
        self._depth = 0
        self._operands = 0

    def whole(self) -> Part:
        """Return the expression; ExpressionError if something follows it."""
        part = self._either()
        if self._token.kind is not TokenKind.END:
            raise ExpressionError(self._token.position, f"found {self._token}", what_may_follow(part, self._token))
        return part

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        """Return the next token, and move to the one after it."""
        token = self._token
        self._next += token.kind is not TokenKind.END
        return token

    def _either(self) -> Part:
        part = self._both()
        while self._token.is_word("or"):
            part = self._logic(part, Either, self._both)
        return part

    def _both(self) -> Part:
        part = self._negation()
        while self._token.is_word("and"):
            part = self._logic(part, Both, self._negation)
        return part

    def _logic(self, first: Part, node: type[Both | Either], read_second: Callable[[], Part]) -> Part:
        operator = self._take().text
        second = read_second()
        for side in (first, second):
            side.must_be(ValueKind.TRUTH, operator)
        return Part(node(first.expression, second.expression), ValueKind.TRUTH, first.position)

    def _negation(self) -> Part:
        if not self._token.is_word("not"):
            return self._comparison()
        token = self._enter()
        operand = self._negation()
        operand.must_be(ValueKind.TRUTH, "not")
        self._depth -= 1
        return Part(Not(operand.expression), ValueKind.TRUTH, token.position)

    def _comparison(self) -> Part:
        first = self._sum()
        if not self._token.is_sign("<", "<=", ">", ">=", "==", "!="):
            return first
        sign = cast("ComparisonSign", self._take().text)
        second = self._sum()
        check_comparison(first, sign, second)
        tolerance = self._tolerance(first, sign) if self._token.is_word("within") else 0.0
        return Part(Relation(sign, first.expression, second.expression, tolerance), ValueKind.TRUTH, first.position)

    def _tolerance(self, first: Part, sign: str) -> float:
        """Return the fraction that `within 5%` means."""
        word = self._take()
        if sign not in {"==", "!="} or first.kind is not ValueKind.NUMBER:
            allowed = "allowed: after `==` or `!=` of two numbers"
            raise ExpressionError(word.position, f"found {word}", allowed)
        number, percent = self._take(), self._take()
        if number.kind is not TokenKind.NUMBER or not percent.is_sign("%"):
            raise ExpressionError(
                number.position, f"found {number} after `within`", "needed: a percentage such as `5%`"
            )
        value = _number(number)
        if not 0 < value <= MAX_TOLERANCE:
            allowed = f"allowed: above 0 and at most {MAX_TOLERANCE}%"
            raise ExpressionError(number.position, f"found {quote(number.text + '%')}", allowed)
        return value / 100

    def _sum(self) -> Part:
        return self._arithmetic(("+", "-"), self._product)

    def _product(self) -> Part:
        return self._arithmetic(("*", "/"), self._factor)

    def _arithmetic(self, signs: tuple[str, str], read: Callable[[], Part]) -> Part:
        first = read()
        while self._token.is_sign(*signs):
            sign = cast("ArithmeticSign", self._take().text)
            second = read()
            for side in (first, second):
                side.must_be(ValueKind.NUMBER, sign)
            if sign == "/" and second.expression == Constant(0.0):
                raise ExpressionError(second.position, "found a division by 0", "needed: another number")
            first = Part(Arithmetic(sign, first.expression, second.expression), ValueKind.NUMBER, first.position)
        return first

    def _factor(self) -> Part:
        token = self._token
        if token.is_sign("-"):
            self._enter()
            operand = self._factor()
            operand.must_be(ValueKind.NUMBER, "-")
            self._depth -= 1
            return Part(Negative(operand.expression), ValueKind.NUMBER, token.position)
        if token.is_sign("("):
            return self._parentheses()
        return self._operand()

    def _parentheses(self) -> Part:
        opening = self._enter()
        part = self._either()
        if not self._token.is_sign(")"):
            fault = f"found {self._token}, and the parenthesis at character {opening.position + 1} is open"
            raise ExpressionError(self._token.position, fault, what_may_follow(part, self._token, "`)`"))
        self._take()
        self._depth -= 1
        return Part(part.expression, part.kind, opening.position)

    def _enter(self) -> Token:
        """Take the token that begins an inner expression."""
        token = self._take()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(token.position, "found too deep nesting", f"allowed: {MAX_DEPTH} levels")
        return token

    def _operand(self) -> Part:
        token = self._take()
        self._operands += 1
        if self._operands > MAX_OPERANDS:
            allowed = f"allowed: {MAX_OPERANDS} numbers, texts and functions"
            raise ExpressionError(token.position, "found too many parts", allowed)
        match token.kind:
            case TokenKind.NUMBER:
                return Part(Constant(_number(token)), ValueKind.NUMBER, token.position)
            case TokenKind.TEXT:
                return Part(Constant(token.text), ValueKind.TEXT, token.position)
            case TokenKind.WORD if token.text in {"true", "false"}:
                return Part(Constant(token.text == "true"), ValueKind.TRUTH, token.position)
            case TokenKind.WORD if token.text not in KEYWORDS:
                return self._call(token)
        raise ExpressionError(token.position, f"found {token}", _NEEDED)

    def _call(self, name: Token) -> Part:
        function = FUNCTIONS.get(name.text)
        if function is None:
            allowed = f"allowed: {', '.join(FUNCTIONS)}{nearest(name.text, FUNCTIONS)}"
            raise ExpressionError(name.position, f"unknown function {quote(name.text)}", allowed)
        if not self._token.is_sign("("):
            needed = f"needed: its arguments, `{function.signature}`"
            raise ExpressionError(name.position, f"found {name} without arguments", needed)
        self._take()
        words, settings = self._arguments(name, function.signature)
        return Part(make_call(function, name, words, settings), function.kind, name.position)

    def _arguments(self, name: Token, signature: str) -> tuple[list[Token], list[tuple[Token, Token]]]:
        """Return the arguments of a call, and the settings that follow them."""
        words: list[Token] = []
        settings: list[tuple[Token, Token]] = []
        while not (self._token.is_sign(")") and not words and not settings):
            word = self._word(signature)
            if self._token.is_sign("="):
                self._take()
                settings.append((word, self._word(signature)))
            elif settings:
                fault = f"found {quote(word.text)} after a setting"
                raise ExpressionError(word.position, fault, f"needed: first the arguments, `{signature}`")
            else:
                words.append(word)
            if not self._token.is_sign(","):
                break
            self._take()
        if not self._token.is_sign(")"):
            fault = f"found {self._token} in the arguments of `{name.text}`"
            raise ExpressionError(self._token.position, fault, f"needed: `,` or `)`, as in `{signature}`")
        self._take()
        return words, settings

    def _word(self, signature: str) -> Token:
        token = self._take()
        if token.kind in {TokenKind.WORD, TokenKind.TEXT} and token.text.strip():
            return token
        raise ExpressionError(token.position, f"found {token}", f"needed: a name, as in `{signature}`")


def _number(token: Token) -> float:
    allowed = f"allowed: finite numbers of at most {MAX_DIGITS} characters"
    if len(token.text) > MAX_DIGITS or not math.isfinite(value := float(token.text)):
        raise ExpressionError(token.position, f"found the number {quote(token.text)}", allowed)
    return value
