"""Long paragraphs and items of a page are wrapped, and everything else stays as it is."""

import pytest

from tools.docs.wrap import WIDTH, wrap_page

LONG = "a word " * 30


@pytest.mark.parametrize("text", [f"{LONG}\n", f"- {LONG}\n- short\n", f"  12. {LONG}\n\n{LONG}\n"])
def test_long_lines_become_short_ones_with_the_same_words(text: str) -> None:
    wrapped = wrap_page(text.replace(" \n", "\n"))
    assert max(map(len, wrapped.splitlines())) <= WIDTH
    assert wrapped.split() == text.split()


def test_lines_of_an_item_are_indented_as_its_first_word() -> None:
    assert [line[:5] for line in wrap_page(f"1. {LONG.strip()}").splitlines()] == ["1. a ", "   wo"]


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |",
        f"# {LONG.strip()}",
        f"<!-- {LONG} -->",
        f"```text\n{LONG.strip()}\n```\n",
        f"~~~\n```\n{LONG.strip()}\n~~~\n",
        f"![{LONG.strip()}](chart.svg)",
        f"{LONG.strip()}\\\nafter a hard break",
        "one\ntwo, as short as it was\n",
    ],
)
def test_what_cannot_be_broken_and_short_text_stay_as_they_are(text: str) -> None:
    assert wrap_page(text) == text


def test_code_is_never_broken_and_no_word_begins_another_block() -> None:
    code = "`shflbench tune reduce --gpu 0`"
    lines = wrap_page(f"{'x' * 110} {code} {'y' * 86} - {'z' * 30}").splitlines()
    assert any(line.startswith(code) for line in lines)
    assert not any(line.startswith("-") for line in lines)
