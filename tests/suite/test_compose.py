"""Unsupported YAML, which stalls or breaks careless readers."""

import math

import pytest

from shflbench.suite.compose import MAX_DIGITS, MAX_VALUES, UnsupportedYamlError, compose, meaning
from shflbench.suite.positions import key_position, value_position
from tests.suite.conftest import Folder

KEYS = "allowed: keys such as `launch`"
WITHIN = "found the alias `*a` inside its own anchor; allowed: aliases of values that end before them"
NO_SUCH_YAML = "not YAML: after this, a directive names an unknown version of YAML"
TOO_MANY = f"found too many values; allowed: {MAX_VALUES}, where aliases count as the values that they expand to"


def refused(text: str) -> str:
    with pytest.raises(UnsupportedYamlError) as error:
        compose(text)
    return f"{error.value.position.line}:{error.value.position.column}: {error.value.sentence}"


def test_aliases_that_expand_to_billions_of_values_are_refused_at_the_first_excess() -> None:
    laughs = "".join(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]\n" for level in range(1, 10))
    assert refused(f"l0: &l0 [lol]\n{laughs}") == f"5:20: {TOO_MANY}"


def test_merged_aliases_are_counted_too() -> None:
    laughs = "".join(f"l{level}: &l{level} {{<<: [{', '.join([f'*l{level - 1}'] * 9)}]}}\n" for level in range(1, 10))
    assert refused(f"l0: &l0 {{lol: 1}}\n{laughs}").endswith(TOO_MANY)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: &a [b, *a]", f"1:11: {WITHIN}"),
        ("a: &a\n  <<: *a", f"2:7: {WITHIN}"),
        ("a: *b", "1:4: unknown alias `*b`; needed: `&b` before it"),
        ("a: [" + "1, " * MAX_VALUES + "]", f"1:{5 + 3 * (MAX_VALUES - 3)}: {TOO_MANY}"),
        ("1: a", f"1:1: found `1` as a key; {KEYS}"),
        ("a: {~: b}", f"1:5: found nothing as a key; {KEYS}"),
        ("a: {.nan: b}", f"1:5: found `.nan` as a key; {KEYS}"),
        ("{a: 1, a: 2}", "1:8: found the key `a` a second time; allowed: each key once"),
        ("{<<: {}, <<: {}}", "1:10: found the key `<<` a second time; allowed: each key once"),
        ("<<: 1", "1:5: found `1` after `<<`; allowed: a mapping, or a list of mappings"),
        ("<<: [{}, 1]", "1:5: found a list after `<<`; allowed: a mapping, or a list of mappings"),
        ("%YAML 1.1\n---\na: b", "2:1: found a directive; allowed: none, suites are YAML 1.2"),
        ("%TAG ! tag:x,2000:\n---\na: b", "2:1: found a directive; allowed: none, suites are YAML 1.2"),
        ("%YAML 1.3\n---\na: b", f"1:1: {NO_SUCH_YAML}"),
        ("a: b\n...\n%YAML 1.0\n--- c", f"2:4: {NO_SUCH_YAML}"),
        ('a: "\\ud83d"', "1:4: found the text `\\ud83d`, half of a surrogate pair; allowed: Unicode characters"),
        ("a: " + "9" * 5000, "1:4: found a number of 5000 characters; allowed: at most 100"),
        ("a: 0x" + "f" * 99, "1:4: found a number of 101 characters; allowed: at most 100"),
        ("[" * 20_000, "1:51: found too deep nesting; allowed: 50 levels"),
        ("a: " + "[\n" * 51, "51:1: found too deep nesting; allowed: 50 levels"),
        ("{a: " * 2_000, "1:201: found too deep nesting; allowed: 50 levels"),
        ("- " * 2_000, "1:101: found too deep nesting; allowed: 50 levels"),
        ("a: !x b", "1:4: found the tag `!x`; allowed: values without tags"),
    ],
)
def test_unsupported_yaml_is_refused_at_its_position(text: str, sentence: str) -> None:
    assert refused(text) == sentence


@pytest.mark.parametrize("text", ['a: 1\nb: "\\UFFFFFFFF"\n', 'a: 1\nb: "\\U00110000"\n'])
def test_nonexistent_character_is_reported_after_the_last_word(text: str) -> None:
    assert refused(text).startswith("2:2: not YAML: after this, a number or the code of a character is too large: ")


def test_version_of_yaml_that_is_not_a_number_is_refused(folder: Folder) -> None:
    sentence = (
        "demo.yaml:1:1: not YAML: after this, a number or the code of a character is too large: Exceeds the limit"
    )
    assert folder.refusal(f"%YAML 1.{'9' * 5000}\n---\na: b\n").startswith(sentence)


def test_values_keep_their_positions_and_merged_values_those_of_their_origin() -> None:
    document, position = compose("# one\na: &x {b: 1,\n  c: [2, 3]}\nd: {<<: *x, b: 4}\ne:\n")
    assert document == {"a": {"b": 1, "c": [2, 3]}, "d": {"b": 4, "c": [2, 3]}, "e": None}
    assert position == (2, 1)
    assert value_position(document, ("a", "c", 1)) == (3, 10)
    assert value_position(document, ("d", "c", 1)) == (3, 10)
    assert key_position(document, ("d", "c")) == (3, 3)
    assert value_position(document, ("d", "b")) == (4, 16)
    assert value_position(document, ("e",)) == (5, 1)  # an empty value is where its key is
    assert key_position(document, ("d", "absent")) == (4, 4)


def test_own_keys_take_precedence_over_merged_ones_and_the_first_merged_mapping_over_others() -> None:
    document, _ = compose("{a: 1, <<: [{a: 2, b: 2}, {b: 3, c: 3}]}")
    assert document == {"a": 1, "b": 2, "c": 3}


def test_quoted_words_are_text_and_keys_may_be_quoted() -> None:
    assert compose("'1': \"2\"\n'<<': 'true'\n")[0] == {"1": "2", "<<": "true"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "~"])
def test_empty_text_is_nothing(text: str) -> None:
    assert compose(text)[0] is None


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, None) for word in ("", "~", "null", "NULL")),
        *(("true", True), ("FALSE", False)),
        *(("0", 0), ("-1", -1), ("+7", 7), ("007", 7), ("0o17", 15), ("0x1F", 31)),
        *(("0.5", 0.5), (".5", 0.5), ("1.", 1.0), ("2e-2", 0.02), ("-1E3", -1000.0), ("1e999", math.inf)),
        *((".inf", math.inf), ("-.INF", -math.inf)),
    ],
)
def test_plain_words_have_the_values_of_the_core_schema(word: str, value: object) -> None:
    assert meaning(word) == value
    assert type(meaning(word)) is type(value)


@pytest.mark.parametrize(
    "word",
    [
        *("no", "on", "y", "tRue", "12:30:45", "1_000", "0b11", "2026-99-99", "2026-01-01T00:00:00Z", "0o8", "0x"),
        *(".", "-", "e5", "1e", "--1", "\u0663", "inf", "nan", "<<", "="),
    ],
)
def test_other_words_are_text(word: str) -> None:
    assert meaning(word) == word


def test_nan_is_a_number() -> None:
    assert math.isnan(float(meaning(".nan") or 0))


@pytest.mark.parametrize("word", ["1" * MAX_DIGITS, "0." + "1" * (MAX_DIGITS - 2)])
def test_the_digits_of_a_number_are_limited(word: str) -> None:
    assert meaning(word) == pytest.approx(float(word))
    with pytest.raises(ValueError, match="a number of 101 characters; allowed: at most 100"):
        meaning(word + "1")
