"""The page about the exchanges of today is current, and has each of their claims and patterns."""

import re

import pytest

from shflbench.store import read_run
from tests.conftest import Command
from tools.docs.claims_page import verdicts
from tools.docs.exchanges_page import LETTER, PAGE, RUN, RUN_OF_CLUSTERS, links, render, table

ROW = re.compile(r"^\| (?P<id>X\d\d) \|", re.MULTILINE)
REPEAT = re.compile(r"^Repeat: `shflbench (?P<words>[^`]+)`$", re.MULTILINE)
SETTING = re.compile(r"^Times in µs of `([^`]+)`", re.MULTILINE)


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


def test_the_heading_of_a_table_has_the_iterations_of_every_line() -> None:
    """As the runs have them: `1,024 iterations`, or those of each launch."""
    page = PAGE.read_text(encoding="utf-8")
    rows = [row for run in (RUN, RUN_OF_CLUSTERS) for row in read_run(run).rows]
    for pattern, dtype, heading, lines in re.findall(
        r"^Times in µs of `([^`]+)`, `([^`]+)`(.*):\n\n\|.*\n\|.*\n((?:\|.*\n)+)", page, re.MULTILINE
    ):
        for launch in {line.split("`")[1] for line in lines.splitlines()}:
            ran = {row.iterations for row in rows if (row.pattern, row.dtype, row.launch) == (pattern, dtype, launch)}
            (iterations,) = ran
            several = re.search(rf"([\d,]+) in (?:`[^`]+`, )*`{re.escape(launch)}`", heading)
            one = several or re.search(r", ([\d,]+) iterations", heading)
            assert (one[1] if one else "1") == f"{iterations:,}", (pattern, dtype, launch)


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


def test_a_table_leaves_out_what_the_runs_lack_and_names_the_fastest_of_its_own_variants() -> None:
    shown = table("reduce i32", ["sms x 32", "sms x 33"], ["smem", "unknown", "smem-syncwarp"], ["width=32", "width=3"])
    _, _, head, _, *lines = shown.splitlines()
    assert head == "| launch | options | smem | smem-syncwarp | fastest |"
    assert [line.split(" | ")[0] for line in lines] == ["| `sms x 32`"]
    assert lines[0].endswith("| smem-syncwarp |")  # of all variants, another one


def test_a_thread_is_a_link() -> None:
    assert (
        links("a/b#1", "c/d#2") == "[a/b 1](https://github.com/a/b/issues/1), [c/d 2](https://github.com/c/d/issues/2)"
    )
