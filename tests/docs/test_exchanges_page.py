"""The page about the exchanges of today is current, and has each of their claims and patterns."""

import json
import re

import pytest

from benchmarks.opponents import RECORD
from shflbench.store import read_run
from tests.conftest import Command
from tools.docs.claims_page import verdicts
from tools.docs.exchanges_page import LETTER, PAGE, RUN, RUN_OF_CLUSTERS, links, render, table

ROW = re.compile(r"^\| (?P<id>X\d\d) \|", re.MULTILINE)
REPEAT = re.compile(r"^Repeat: `shflbench (?P<words>[^`]+)`$", re.MULTILINE)
SETTING = re.compile(r"^(?:Times in µs of a launch|Cycles per iteration) of `([^`]+)`", re.MULTILINE)
LATER = json.loads(RECORD.read_text(encoding="utf-8"))[0]["settings"]  # of an H100


@pytest.mark.expensive
def test_the_page_is_current() -> None:
    assert render() == PAGE.read_text(encoding="utf-8"), "run `make plots`"


def test_each_claim_stands_on_the_page_once() -> None:
    judged = verdicts(LETTER, RUN.name).by_id
    assert ROW.findall(PAGE.read_text(encoding="utf-8")) == list(judged)
    assert [name for name, one in judged.items() if one.claim.holds and not one.settings] == []


def test_each_pattern_of_the_runs_has_a_table() -> None:
    patterns = {row.pattern for run in (RUN, RUN_OF_CLUSTERS) for row in read_run(run).rows}
    assert set(SETTING.findall(PAGE.read_text(encoding="utf-8"))) == patterns


def test_each_figure_of_a_table_is_that_of_its_row() -> None:
    """Cycles per iteration, in italics those of the later suite, or times of a launch; never both in a table."""
    page = PAGE.read_text(encoding="utf-8")
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


def sections() -> dict[str, str]:
    """Return the sections of the page by heading, but for that of the claims."""
    _, *texts = PAGE.read_text(encoding="utf-8").split("\n## ")
    found = dict(text.split("\n", 1) for text in texts)
    del found["Published figures"]
    return found


def test_each_section_says_who_asked_and_how_to_repeat_it() -> None:
    for heading, text in sections().items():
        assert "https://" in text or "Our own question" in text, heading
        assert len(REPEAT.findall(text)) == 1, heading


def test_the_command_of_each_section_runs_cases(shflbench: Command) -> None:
    for heading, text in sections().items():
        (words,) = REPEAT.findall(text)
        listed = shflbench(*words.split(), "--device", "emulator", "--sms", "132", "--dry-run")
        assert listed.code == 0, heading
        assert {line.split("/")[0] for line in listed.out.splitlines() if "/" in line} == set(SETTING.findall(text))


def test_a_table_leaves_out_what_the_runs_lack_and_names_the_fastest_of_all_variants() -> None:
    shown = table("reduce i32", ["sms x 32", "sms x 33"], ["smem", "unknown", "smem-syncwarp"], ["width=32", "width=3"])
    _, _, head, _, *lines = shown.splitlines()
    assert head == "| launch | options | smem | smem-syncwarp | fastest |"
    assert [line.split(" | ")[0] for line in lines] == ["| `sms x 32`"]
    assert lines[0].endswith("| redux (also cg, cub) |")  # which is no column


def test_a_thread_is_a_link() -> None:
    assert (
        links("a/b#1", "c/d#2") == "[a/b 1](https://github.com/a/b/issues/1), [c/d 2](https://github.com/c/d/issues/2)"
    )
