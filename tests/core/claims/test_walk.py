"""Expressions written as text mean the same again; their calls are visited in order."""

from dataclasses import replace
from random import Random

import pytest

from shflbench.core.claims.expression import (
    Arithmetic,
    ArithmeticSign,
    Both,
    Call,
    ComparisonSign,
    Constant,
    Either,
    Expression,
    Negative,
    Not,
    Relation,
)
from shflbench.core.claims.parse import parse_expression
from shflbench.core.claims.walk import calls, expression_text, with_calls

TREES = 300


def random_number(rng: Random, depth: int) -> Expression:
    kind = rng.randrange(5) if depth else rng.randrange(2)
    if kind == 0:
        return Constant(float(rng.choice((0.5, 1, 1e-9, 1234567, 3.14159265358979, 1e25))))
    if kind == 1:
        names = tuple(rng.choices(("smem", "smem-syncwarp", "a b", "x'y"), k=1))
        return Call(
            "time", names, rng.choice(((), (("launch", "2*sms x 256"),), (("index", "worst"), ("keep", "0.5"))))
        )
    if kind == 2:
        return Negative(random_number(rng, depth - 1))
    signs: tuple[ArithmeticSign, ...] = ("+", "-", "*", "/")
    sign = rng.choice(signs)
    return Arithmetic(sign, random_number(rng, depth - 1), random_number(rng, depth - 1))


def random_condition(rng: Random, depth: int) -> Expression:
    kind = rng.randrange(5) if depth else 0
    if kind == 1:
        return Not(random_condition(rng, depth - 1))
    if kind in {2, 3}:
        node = rng.choice((Both, Either))
        return node(random_condition(rng, depth - 1), random_condition(rng, depth - 1))
    if kind == 4:
        return Relation("==", Call("limit_by", ("v",)), Constant(rng.choice(("issue", "it's", 'a "b"'))))
    signs: tuple[ComparisonSign, ...] = ("<", "<=", ">", ">=", "==", "!=")
    sign = rng.choice(signs)
    tolerance = rng.choice((0.0, 0.05, 0.125)) if sign in {"==", "!="} else 0.0
    return Relation(sign, random_number(rng, 2), random_number(rng, 2), tolerance)


def test_the_text_of_a_tree_is_parsed_to_the_same_tree() -> None:
    for seed in range(TREES):
        tree = random_condition(Random(seed), depth=4)  # noqa: S311  (a test's, not a secret's)
        text = expression_text(tree)
        if len(text) > 500:
            continue
        assert parse_expression(text) == tree, text


@pytest.mark.parametrize(
    "text",
    [
        "speedup(shfl, smem) > 1",
        "time(local, index=worst) / time(local, index=uniform) >= 14",
        "time(a) == 2 within 5% or not (verified(a) and verified(b))",
        "1 - (2 - time(a)) < -3 * (time(b) + 4)",
        "limit_by(v) == 'shared memory'",
        "time(v, launch='2*sms x 256') > 0.5",
    ],
)
def test_the_text_has_no_parentheses_that_it_does_not_need(text: str) -> None:
    assert expression_text(parse_expression(text)) == text
    assert expression_text(parse_expression(f"({text})")) == text


def test_calls_are_visited_from_left_to_right() -> None:
    tree = parse_expression("not (time(a) > -p90(b) + 1) and verified(c) or sass(d, SHFL) == 1")
    assert [call.arguments[0] for call in calls(tree)] == ["a", "b", "c", "d"]


def test_calls_are_replaced_wherever_they_are() -> None:
    tree = parse_expression("not (time(a) > -p90(b) + 1) and verified(c)")
    changed = with_calls(tree, lambda call: replace(call, arguments=(call.arguments[0].upper(),)))
    assert changed == parse_expression("not (time(A) > -p90(B) + 1) and verified(C)")
