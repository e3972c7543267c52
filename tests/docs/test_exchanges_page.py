"""The pages about the exchanges of today are current, and have each of their claims and patterns."""

import json
import re
from functools import cache

import pytest

from shflbench.store import read_run
from tests.conftest import Command
from tools.docs.claims_page import verdicts
from tools.docs.exchanges_page import (
    CLAIMS,
    FIRST,
    FOLDER,
    LETTER,
    NAMES,
    RUN,
    RUN_OF_CLUSTERS,
    fastest,
    links,
    pages,
    table,
)
from tools.docs.records.opponents import RECORD

ROW = re.compile(r"^\| (?P<id>X\d\d) \|", re.MULTILINE)
REPEAT = re.compile(r"^Repeat: `shflbench (?P<words>[^`]+)`$", re.MULTILINE)
SETTING = re.compile(r"^(?:Times in µs of a launch|Cycles per iteration) of `([^`]+)`", re.MULTILINE)
LATER = json.loads(RECORD.read_text(encoding="utf-8"))[0]["settings"]  # of an H100


TEXTS = {name: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in NAMES}
WRITTEN = re.compile(r"Written by `make plots` from tools/docs/exchanges/")
TOPICS = {name: text for name, text in TEXTS.items() if name not in {FIRST.stem, CLAIMS.stem}}


@pytest.mark.archs
@pytest.mark.expensive
def test_the_pages_are_current() -> None:
    assert {path.stem: text for path, text in pages().items()} == TEXTS, "run `make plots`"


def test_no_page_of_a_template_that_was_removed_remains() -> None:
    generated = {path.stem for path in FOLDER.glob("*.md") if WRITTEN.search(path.read_text(encoding="utf-8"))}
    assert generated == set(NAMES)


def test_the_first_page_leads_to_each_other_one() -> None:
    linked = re.findall(r"\]\(([a-z-]+)\.md\)", TEXTS[FIRST.stem])
    assert sorted(set(linked) & set(NAMES)) == sorted(set(NAMES) - {FIRST.stem})


@pytest.mark.archs
def test_each_claim_stands_on_the_page_once() -> None:
    judged = verdicts(LETTER, RUN.name).by_id
    assert ROW.findall("\n".join(TEXTS.values())) == ROW.findall(TEXTS[CLAIMS.stem]) == list(judged)
    assert [name for name, one in judged.items() if one.claim.holds and not one.settings] == []


def test_each_pattern_of_the_runs_has_a_table_and_a_link_to_its_page() -> None:
    patterns = {row.pattern for run in (RUN, RUN_OF_CLUSTERS) for row in read_run(run).rows}
    assert set(SETTING.findall("\n".join(TEXTS.values()))) == patterns
    listed = {}
    for page, cell in re.findall(r"^\| \[.*\]\(([a-z-]+)\.md\) \| (`.*) \|$", TEXTS[FIRST.stem], re.MULTILINE):
        listed[page] = set(re.findall(r"`([^`]+)`", cell))
    assert listed == {name: set(SETTING.findall(text)) for name, text in TOPICS.items()}


def test_each_figure_of_a_table_is_that_of_its_row() -> None:
    """Cycles per iteration, in italics those of the later suite, or times of a launch; never both in a table."""
    page = "\n".join(TEXTS.values())
    rows = {
        (row.pattern, row.dtype, row.launch, ", ".join(row.option_texts) or "–", row.variant): row
        for run in (RUN, RUN_OF_CLUSTERS)
        for row in read_run(run).rows
    }
    compared = 0
    for unit, pattern, dtype, head, lines in re.findall(
        r"^(Times in µs of a launch|Cycles per iteration) of `([^`]+)`, `([^`]+)`.*:"
        r"\n\n\| (.*) \|\n\|.*\n((?:\|.*\n)+)",
        page,
        re.MULTILINE,
    ):
        _, _, *variants, _ = head.split(" | ")
        for launch, options, *cells, _ in (line.strip("| ").split(" | ") for line in lines.splitlines()):
            place = (pattern, dtype, launch.split("`")[1], options)
            for variant, cell in zip(variants, cells, strict=True):
                if cell == "–":
                    continue
                if cell.startswith("*"):
                    named = " ".join((*place[:3], *options.replace("–", "").split(", "))).strip()
                    _, figure, measured_in = LATER[named][variant]
                    assert (measured_in == "µs") == unit.startswith("Times")
                    expected = f"*{figure:.1f}*" if measured_in == "µs" else f"*{figure:,.0f}*"
                elif unit.startswith("Times"):
                    assert rows[*place, variant].cycles_per_iteration is None
                    expected = f"{rows[*place, variant].time_us:.1f}"
                else:
                    expected = f"{rows[*place, variant].cycles_per_iteration:,.0f}"
                assert cell.partition(" (")[0] == expected, (place, variant)
                compared += 1
    assert compared > 500


@cache
def questions() -> dict[str, str]:
    """Return the texts that answer a question by heading: sections, or a page that has none."""
    found: dict[str, str] = {}
    for text in TOPICS.values():
        head, *sections = text.split("\n## ")
        parts = sections or [head.partition("\n# ")[2]]
        found.update((heading, body) for heading, _, body in (part.partition("\n\n") for part in parts))
    return found


def test_the_pages_answer_all_questions() -> None:
    """No two have the same heading, of which one would replace the other."""
    assert len(questions()) >= 18


def test_each_answer_says_who_asked_and_how_to_repeat_it() -> None:
    for heading, text in questions().items():
        assert "https://" in text.partition("\n\n")[0] or text.startswith("Our own question"), heading
        assert len(REPEAT.findall(text)) == 1, heading


def test_each_answer_stands_before_its_first_table() -> None:
    """The first paragraph has a factor of its own: whoever reads no further has the answer."""
    for heading, text in questions().items():
        assert re.search(r"\d×", text.partition("\n\n")[0]), heading


def test_the_command_of_each_answer_runs_cases(shflbench: Command) -> None:
    for heading, text in questions().items():
        (words,) = REPEAT.findall(text)
        listed = shflbench(*words.split(), "--device", "emulator", "--sms", "132", "--dry-run")
        assert listed.code == 0, heading
        assert {line.split("/")[0] for line in listed.out.splitlines() if "/" in line} == set(SETTING.findall(text))


@pytest.mark.parametrize("name", TOPICS)
def test_each_page_says_whose_figures_it_has(name: str) -> None:
    words = " ".join(TOPICS[name].split())
    suites = {command.split()[1] for command in REPEAT.findall(TOPICS[name])} & {"exchanges", "clusters"}
    assert {suite for suite in ("exchanges", "clusters") if f"Figures are of the suite `{suite}`" in words} == suites


def test_a_table_leaves_out_what_the_runs_lack_and_names_the_fastest_of_all_variants() -> None:
    shown = table("reduce i32", ["sms x 32", "sms x 33"], ["smem", "unknown", "smem-syncwarp"], ["width=32", "width=3"])
    _, _, head, _, *lines = shown.splitlines()
    assert head == "| launch | options | smem | smem-syncwarp | fastest |"
    assert [line.split(" | ")[0] for line in lines] == ["| `sms x 32`"]
    assert lines[0].endswith("| redux (also cg, cub) |")  # which is no column


def test_the_fastest_of_a_setting_is_in_code() -> None:
    assert fastest("reduce i32 sms x 32 width=32") == "`redux` (also `cg`, `cub`)"


def test_a_thread_is_a_link() -> None:
    assert (
        links("a/b#1", "c/d#2") == "[a/b 1](https://github.com/a/b/issues/1), [c/d 2](https://github.com/c/d/issues/2)"
    )
