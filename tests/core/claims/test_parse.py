"""The meaning of expressions, and the messages about those that mean nothing."""

import pytest

from shflbench.core.claims.errors import ExpressionError
from shflbench.core.claims.expression import (
    Arithmetic,
    Both,
    Call,
    Constant,
    Either,
    Expression,
    Negative,
    Not,
    Relation,
)
from shflbench.core.claims.functions import FUNCTIONS, ValueKind
from shflbench.core.claims.parse import parse_condition, parse_expression, parse_quantity
from shflbench.core.claims.walk import calls

A, B, C = (Call("time", (name,)) for name in "abc")
ONE, TWO, THREE = (Constant(float(number)) for number in (1, 2, 3))
V, W, X = (Call("verified", (name,)) for name in "vwx")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("speedup(shfl, smem) > 1", Relation(">", Call("speedup", ("shfl", "smem")), ONE)),
        ("1 + 2 * 3", Arithmetic("+", ONE, Arithmetic("*", TWO, THREE))),
        ("(1 + 2) * 3", Arithmetic("*", Arithmetic("+", ONE, TWO), THREE)),
        ("1 - 2 - 3", Arithmetic("-", Arithmetic("-", ONE, TWO), THREE)),
        ("1 / 2 / 3", Arithmetic("/", Arithmetic("/", ONE, TWO), THREE)),
        ("-1 * 2", Arithmetic("*", Negative(ONE), TWO)),
        ("1--1", Arithmetic("-", ONE, Negative(ONE))),
        ("verified(v) or verified(w) and verified(x)", Either(V, Both(W, X))),
        ("(verified(v) or verified(w)) and verified(x)", Both(Either(V, W), X)),
        ("not verified(v) and verified(w)", Both(Not(V), W)),
        ("not 1 < 2", Not(Relation("<", ONE, TWO))),
        ("time(a) < 1 and time(b) >= 2", Both(Relation("<", A, ONE), Relation(">=", B, TWO))),
        ("time(a)-time(b)<=time(c)", Relation("<=", Arithmetic("-", A, B), C)),
        ("time(a) == 2 within 5%", Relation("==", A, TWO, 0.05)),
        ("time(a) != time(b) within .5%", Relation("!=", A, B, 0.005)),
        ("limit_by(v) == 'shared memory'", Relation("==", Call("limit_by", ("v",)), Constant("shared memory"))),
        ('limit_by(v) != "issue"', Relation("!=", Call("limit_by", ("v",)), Constant("issue"))),
        ("true or false", Either(Constant(value=True), Constant(value=False))),
        (" \n time ( a ) \t", A),
        ("1.5e3", Constant(1500.0)),
        (".25", Constant(0.25)),
        ("2.", TWO),
    ],
)
def test_an_expression_is_a_tree(text: str, tree: Expression) -> None:
    assert parse_expression(text) == tree


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("time(smem-syncwarp)", Call("time", ("smem-syncwarp",))),
        ("time(smem - syncwarp)", None),
        ("sass(shfl, SHFL)", Call("sass", ("shfl", "SHFL"))),
        ("device(sms)", Call("device", ("sms",))),
        ("time(local, index=worst)", Call("time", ("local",), (("index", "worst"),))),
        ("time(v, keep=0.5, width=16)", Call("time", ("v",), (("keep", "0.5"), ("width", "16")))),
        ("time(v, launch=26x1024)", Call("time", ("v",), (("launch", "26x1024"),))),
        ("time(v, launch='2*sms x 1024')", Call("time", ("v",), (("launch", "2*sms x 1024"),))),
        ("time('v', \"dtype\"='f32')", Call("time", ("v",), (("dtype", "f32"),))),
        ("time(not)", Call("time", ("not",))),  # a name between the parentheses is no keyword
    ],
)
def test_the_arguments_of_a_function_are_names(text: str, call: Call | None) -> None:
    if call is None:
        with pytest.raises(ExpressionError, match="needed: `,` or `\\)`, as in `time\\(V\\)`"):
            parse_expression(text)
    else:
        assert parse_expression(text) == call


def test_calls_know_their_positions() -> None:
    tree = parse_expression("time(a) < time(b)")
    assert isinstance(tree, Relation)
    assert isinstance(tree.right, Call)
    assert tree.right.position == 10


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "found the end; needed: a function such as `time(shfl)`, a number or an expression in parentheses"),
        ("spedup(a, b) > 1", 0, f"unknown function `spedup`; allowed: {', '.join(FUNCTIONS)}; did you mean `speedup`?"),
        ("1 < speedup", 4, "found `speedup` without arguments; needed: its arguments, `speedup(A, B)`"),
        ("1 < speedup(a)", 4, "found `speedup` with 1 argument; needed: 2, as in `speedup(A, B)`"),
        ("time(a, b)", 0, "found `time` with 2 arguments; needed: 1, as in `time(V)`"),
        ("time()", 0, "found `time` with 0 arguments; needed: 1, as in `time(V)`"),
        ("time(a,)", 7, "found `)`; needed: a name, as in `time(V)`"),
        ("time(a", 6, "found the end in the arguments of `time`; needed: `,` or `)`, as in `time(V)`"),
        ("time(index=worst, a)", 18, "found `a` after a setting; needed: first the arguments, `time(V)`"),
        ("time(a, index=)", 14, "found `)`; needed: a name, as in `time(V)`"),
        ("time(a, i=1, i=2)", 13, "found the setting `i` a second time; allowed: each setting once"),
        (
            "speedup(time(a), b)",
            12,
            (
                "found `(` in the arguments of a function; needed: names such as `shfl` and settings such as "
                "`index=worst`, in quotes if they have other characters"
            ),
        ),
        (
            "sass(a, SHFL.IDX)",
            8,
            (
                "found the opcode `SHFL.IDX`; allowed: upper-case letters and digits without modifiers, such as `SHFL` "
                "for `SHFL.IDX`"
            ),
        ),
        (
            "device(clock)",
            7,
            (
                "unknown property `clock` of the device; allowed: sms, threads_per_sm, max_shared_bytes, memory_bytes, "
                "clock_mhz, l2_bytes; did you mean `clock_mhz`?"
            ),
        ),
        (
            "device(sms, dtype=f32)",
            12,
            "found the setting `dtype` of `device`; allowed: `device(PROPERTY)`, the same in every setting",
        ),
        ("1 < 2 < 3", 6, "found `<`; allowed: one comparison at a time; join two by `and`"),
        ("time(a) > 50%", 12, "found `%`; allowed: `%` after `within`; write 50% as `0.5`"),
        ("time(a) = 1", 8, "found `=`; did you mean `==`?"),
        ("verified(a) && verified(b)", 12, "found `&&`; did you mean `and`?"),
        ("time(a) ≥ 1", 8, "found `≥`; did you mean `>=`?"),
        ("time(a) > 1 us", 12, "found `us`; needed: an operator such as `>` or `and`, or the end"),
        ("time(a) > 1us", 11, "found `us`; needed: an operator such as `>` or `and`, or the end"),
        ("time(a) > 1)", 11, "found `)`; needed: an operator such as `>` or `and`, or the end"),
        (
            "2 * (time(a) > 1",
            16,
            (
                "found the end, and the parenthesis at character 5 is open; needed: an operator such as `>` or `and`, "
                "or `)`"
            ),
        ),
        ("limit_by(a) == 'x", 15, "found a text without its closing quote; needed: '"),
        ("limit_by(a) == 1", 15, "found a number, compared with a text; needed: a text"),
        ("time(a) == 'x'", 11, "found a text, compared with a number; needed: a number"),
        ("limit_by(a) < 'x'", 0, "found texts beside `<`; allowed: `==` and `!=` of texts"),
        (
            "verified(a) == verified(b)",
            0,
            "found truth values beside `==`; needed: `and`, `or` and `not`, such as `a and not b`",
        ),
        (
            "time(a) and verified(b)",
            0,
            "found a number beside `and`; needed: a truth value such as `time(a) < time(b)`",
        ),
        ("verified(b) or 1", 15, "found a number beside `or`; needed: a truth value such as `time(a) < time(b)`"),
        ("not time(a)", 4, "found a number beside `not`; needed: a truth value such as `time(a) < time(b)`"),
        ("time(a) + limit_by(b)", 10, "found a text beside `+`; needed: a number"),
        ("-verified(b)", 1, "found a truth value beside `-`; needed: a number"),
        (
            "1 + not verified(b)",
            4,
            "found `not`; needed: a function such as `time(shfl)`, a number or an expression in parentheses",
        ),
        ("time(a) / 0.0", 10, "found a division by 0; needed: another number"),
        ("time(a) < 1 within 5%", 12, "found `within`; allowed: after `==` or `!=` of two numbers"),
        ("limit_by(a) == 'x' within 5%", 19, "found `within`; allowed: after `==` or `!=` of two numbers"),
        ("time(a) == 1 within 5", 20, "found `5` after `within`; needed: a percentage such as `5%`"),
        ("time(a) == 1 within 0%", 20, "found `0%`; allowed: above 0 and at most 100%"),
        ("time(a) == 1 within 101%", 20, "found `101%`; allowed: above 0 and at most 100%"),
        ("1e999", 0, "found the number `1e999`; allowed: finite numbers of at most 30 characters"),
        (
            "time(a) ? 1",
            8,
            "found `?`; allowed: functions, numbers, texts in quotes, and `and or not < <= > >= == != + - * / ( )`",
        ),
    ],
)
def test_an_error_says_where_it_is_and_what_is_allowed(text: str, position: int, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse_expression(text)
    assert str(error.value) == message
    assert error.value.position == position
    assert f"{error.value.fault}; {error.value.remedy}" == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speedup(a, b)", "found a number; needed: a condition, such as `speedup(shfl, smem) > 1`"),
        ("limit_by(a)", "found a text; needed: a condition, such as `speedup(shfl, smem) > 1`"),
        (
            "1 < 2",
            "found an expression that does not depend on results; needed: at least one function, such as `time(shfl)`",
        ),
    ],
)
def test_a_condition_is_true_or_false_and_depends_on_results(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse_condition(text)
    assert str(error.value) == message
    assert parse_condition("not verified(a)") == Not(Call("verified", ("a",)))


def test_a_quantity_is_a_number_or_a_text() -> None:
    assert parse_quantity("time(a) / 2") == Arithmetic("/", A, TWO)
    assert parse_quantity("limit_by(a)") == Call("limit_by", ("a",))
    with pytest.raises(ExpressionError, match="found a condition; needed: a quantity"):
        parse_quantity("time(a) > 1")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_called_as_its_signature_says(name: str) -> None:
    function = FUNCTIONS[name]
    signature = function.signature.replace("OPCODE", "SHFL").replace("PROPERTY", "sms")
    call = parse_expression(signature)
    assert isinstance(call, Call)
    assert (call.function, len(call.arguments)) == (name, len(function.arguments))
    conditions = {
        ValueKind.NUMBER: f"{signature} > 1",
        ValueKind.TEXT: f"{signature} == 'x'",
        ValueKind.TRUTH: signature,
    }
    assert list(calls(parse_condition(conditions[function.kind]))) == [call]
