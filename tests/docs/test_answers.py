"""The answers of the first page and their pages: each figure is recomputed from the records."""

import json
import re
from functools import cache
from typing import Any

import pytest

from shflbench.patterns.discover import builtin
from tests.docs.test_factors import FIRST_PAGE, Variants, later, runs
from tools.docs.answers import distance
from tools.docs.answers.answer import Answer, every_answer
from tools.docs.answers.pages import CHARTS, PAGES, index, render

FIGURES = {answer.name: answer for answer in every_answer()}
MOST_WORDS = 700  # of the first page, without its tables
NEAR = 1.01  # times that differ by less count as equal
COLUMNS = ((1, 2), (4, 5, 16, 8), (32,), (64,))
WORDS = {
    "shfl": "shuffles",
    "smem": "smem",
    "hybrid": "a mix",
    "global": "global memory",
    "local": "local memory",
    "register": "registers",
    "atomic": "atomics",
}
LIMITS = json.loads(distance.RECORD.read_text(encoding="utf-8"))
of_every_answer = pytest.mark.parametrize("answer", FIGURES.values(), ids=FIGURES)


def text_of(ratio: float) -> str:
    return f"{ratio:.{3 if abs(ratio - 1) < 0.005 else 2 if ratio < 1.2 else 1}f}×"


def at(answer: Answer, setting: str) -> Variants:
    return later("h200")[setting] if answer.suite == "opponents" else runs("h200")[answer.suite][setting]


def check_cell(answer: Answer, setting: str, cell: str) -> None:
    """Check a cell such as `shfl`° 1.2× `smem`: the fastest, whether its limit is far, and the speed over which."""
    variants = at(answer, setting)
    match = re.fullmatch(r"((?:`[\w-]+`(?:, )?)+)(?: \(`[\w-]+`\))*(°?) (\S+×) ([^()]+?)(?: at \d+)?", cell)
    assert match, cell
    names, mark, factor, words = match.groups()
    fastest, *equal_ones = re.findall(r"`([^`]+)`", names)
    own = {name: one.cost for name, one in variants.items() if not one.is_library}
    assert own[fastest] == min(own.values())
    leading = {variants[name].kind for name, cost in own.items() if cost <= NEAR * own[fastest]}
    assert [*{variants[name].kind: 0 for name in (fastest, *equal_ones)}] == [
        variants[name].kind for name in (fastest, *equal_ones)
    ]
    assert {variants[name].kind for name in (fastest, *equal_ones)} == leading
    if answer.against.startswith("best "):
        kind = answer.against.removeprefix("best ")
        assert words == WORDS[kind]
        assert factor == text_of(min(one.cost for one in variants.values() if one.kind == kind) / own[fastest])
    elif answer.against:
        assert words == answer.against_words
        assert factor == text_of(variants[answer.against].cost / own[fastest])
    else:
        others = {name: one for name, one in variants.items() if one.kind not in leading}
        least = min(one.cost for one in others.values())
        rivals = [name for name, one in others.items() if one.cost <= NEAR * least]
        assert factor in {text_of(others[name].cost / own[fastest]) for name in rivals}
        assert words in {WORDS.get(others[name].kind, f"`{name}`") for name in rivals}
    known = LIMITS.get(setting)
    assert bool(mark) == (known is not None and own[known[0]] > distance.FAR * known[1])


def lines() -> dict[str, list[str]]:
    """Return the cells of the lines of the first page by the answer that they link to."""
    found = re.findall(r"^\| \[[^\]]+\]\(answers/([\w-]+)\.md\) \| (.*) \|$", FIRST_PAGE, re.MULTILINE)
    return {name: cells.split(" | ") for name, cells in found}


def test_every_answer_has_a_line_and_a_page() -> None:
    assert list(lines()) == list(FIGURES)
    assert {path.stem for path in PAGES.glob("*.md")} == {*FIGURES, "index"}
    assert {path.stem for path in CHARTS.glob("*.svg")} == {name for name, one in FIGURES.items() if of_kinds(one)}


def of_kinds(answer: Answer) -> bool:
    """Whether several kinds were measured at several numbers of warps per SM."""
    kinds = [{one.kind for one in at(answer, setting).values()} for setting in answer.at.values()]
    return len(kinds) > 1 and len(set[str]().union(*kinds)) > 1


@of_every_answer
def test_a_line_names_the_fastest_and_its_speed_relative_to_another(answer: Answer) -> None:
    cells = lines()[answer.name]
    if not answer.has_loop:
        check_cell(answer, answer.at["launch"], cells[1])
        return
    shown = 0
    for warps, cell in zip(COLUMNS, cells[1:5], strict=True):
        places = [answer.at[number] for number in warps if number in answer.at]
        assert bool(places) == (cell != "–")
        if places:
            shown += 1
            check_cell(answer, places[-1], cell)
    assert shown


@of_every_answer
def test_a_page_is_current(answer: Answer) -> None:
    assert render(answer) == (PAGES / f"{answer.name}.md").read_text(encoding="utf-8"), "run `make plots`"


def test_the_list_of_answers_is_current() -> None:
    assert index() == (PAGES / "index.md").read_text(encoding="utf-8"), "run `make plots`"


@of_every_answer
def test_every_figure_of_the_texts_comes_from_a_run(answer: Answer) -> None:
    """Numbers before a unit of time or a × are never written by hand."""
    for text in (
        answer.short,
        answer.write,
        answer.gain,
        answer.why,
        answer.except_when,
        answer.before,
        *answer.exceptions,
    ):
        assert re.findall(r"\d(?:\.\d+)?(?:×| cycles| µs)(?! `)", text) == [], text


@of_every_answer
def test_variants_and_patterns_that_a_text_names_exist(answer: Answer) -> None:
    measured = {name for setting in (*later("h200"), *_of_suites()) for name in _variants(setting)} | set(builtin())
    for text in (answer.write, answer.gain, *answer.exceptions):
        names = re.findall(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`", re.sub(r"\{\{.*?\}\}", "", text))
        assert set(names) <= measured, text


@cache
def _of_suites() -> dict[str, Variants]:
    return {name: one for suite in ("clusters", "exchanges") for name, one in runs("h200")[suite].items()}


def _variants(setting: str) -> Variants:
    return later("h200").get(setting) or _of_suites()[setting]


def test_the_first_page_is_short_without_its_tables() -> None:
    assert (
        len([word for line in FIRST_PAGE.splitlines() if not line.startswith("|") for word in line.split()])
        <= MOST_WORDS
    )


def test_what_the_first_page_says_of_the_other_gpu_is_right() -> None:
    settings = [setting for one in FIGURES.values() if one.has_loop for setting in one.at.values()]
    other = later("h100")
    compared = agree = 0
    for setting in settings:
        fastest = min((one.cost, name) for name, one in later("h200")[setting].items() if not one.is_library)[1]
        own = {name: one.cost for name, one in other.get(setting, {}).items() if not one.is_library}
        if fastest in own:  # measured there
            compared += 1
            agree += own[fastest] <= NEAR * min(own.values())
    assert f"fastest or within 1% at {agree} of {compared} settings" in " ".join(FIRST_PAGE.split())


def test_a_page_says_where_it_is_open_and_who_is_still_faster() -> None:
    text = (PAGES / "sum-of-floats.md").read_text(encoding="utf-8")
    assert "| 8 | " in text
    assert "**Open**: with 8 warps per SM" in text
    assert "Still faster by over 3% at `reduce f32 sms x 256 width=32`" in text


@pytest.mark.parametrize("answer", every_answer(), ids=lambda answer: answer.name)
def test_a_page_is_open_only_where_a_place_is(answer: Answer) -> None:
    is_open = any(place.distance.is_open for place in answer.places())
    assert ("**Open**: with " in (PAGES / f"{answer.name}.md").read_text(encoding="utf-8")) is is_open


def test_a_rival_is_chosen_among_variants_that_are_named() -> None:
    named = [one for one in FIGURES.values() if one.against and not one.against.startswith("best ")]
    assert named
    for one in named:
        assert all(one.against in at(one, setting) for setting in one.at.values()), one.name


def test_a_place_without_another_kind_needs_a_named_rival() -> None:
    answer: Any = FIGURES["handoff"]
    place = next(answer.places())
    assert place.variants.next_side is None or place.rival.variant == "syncthreads"
