import re
from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Comparison, Outcome
from shflbench.output.export.github import render
from tests.fakes.comparisons import across, many, quiet, rich, timed

# How the runner reads a command: actions/runner, src/Runner.Common/ActionCommand.cs
COMMAND = re.compile(r"::(?P<level>error|warning|notice) title=(?P<title>[^:,]*)::(?P<text>.*)")
ESCAPES = (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))


def read(comparison: Comparison) -> list[tuple[str, str, str]]:
    commands = [COMMAND.fullmatch(line) for line in render(comparison).splitlines()]
    assert all(commands)
    return [(each["level"], plain(each["title"]), plain(each["text"])) for each in commands if each]


def plain(text: str) -> str:
    for escape, character in ESCAPES:
        text = text.replace(escape, character)
    return text


def titles(comparison: Comparison, level: str) -> list[str]:
    return [title for at, title, _ in read(comparison) if at == level]


def test_findings_are_errors_and_the_worst_comes_first() -> None:
    assert titles(rich(), "error") == [
        "slower: neighbor/shfl/f32/26x1024/4096",
        "slower: reduce/shfl/f32/264x1024/4096",
        "failed: bitonic-sort/smem/i32/26x1024/512",
        "failed: filter/collective/i32/8*sms x 64/1",
    ]


def test_undecided_cases_are_warnings() -> None:
    about = {title.partition(":")[0] for title in titles(rich(), "warning")}
    assert about == {"shflbench", "suspected", "inconclusive", "not-comparable"}


def test_a_missing_case_is_an_error_unless_it_is_allowed() -> None:
    assert "missing: reduce/redux/i32/26x1024/4096" in titles(rich(), "notice")
    assert "missing: reduce/redux/i32/26x1024/4096" in titles(replace(rich(), allowed=frozenset()), "error")


def test_where_nothing_changed_one_notice_says_so() -> None:
    ((level, title, text),) = read(quiet())
    assert (level, title) == ("notice", "shflbench")
    assert text.startswith("no change that matters in 20 cases; 20 cases are the same: ")
    assert "what could have been missed: " in text
    assert "tested: 20 cases; 3 processes per side" in text


def test_a_report_without_verdicts_has_only_notices() -> None:
    assert {level for level, _, _ in read(across())} == {"notice"}


@pytest.mark.parametrize(("slower", "more"), [(10, ""), (11, "2 more"), (2000, "1991 more")])
def test_github_shows_ten_of_a_kind_so_the_tenth_says_how_many_more_there_are(slower: int, more: str) -> None:
    errors = [text for level, _, text in read(many(2000, slower=slower)) if level == "error"]
    assert len(errors) == 10
    assert errors[-1].startswith(more or "70.1 µs, now")


def test_what_would_end_a_property_or_a_line_is_escaped() -> None:
    case = "my:own,pattern/100%25/f32/26x1024/64"
    sentence = "it says:\r\n::error title=forged::50% of %0A, or more"
    lost = replace(timed(case, 70.0, 0.0), outcome=Outcome.FAILED, sentence=sentence)
    text = render(replace(quiet(), verdicts=(lost,)))
    assert text.splitlines()[0] == (
        "::error title=failed%3A my%3Aown%2Cpattern/100%2525/f32/26x1024/64"
        "::it says: ::error title=forged::50%25 of %250A, or more"
    )


def test_why_a_case_changed_stands_beside_the_change() -> None:
    (text,) = (text for _, title, text in read(rich()) if "reduce/shfl/f32/264x1024" in title)
    assert "666.6 µs, now 680.5 µs, corrected by -0.062 µs: +2.1%" in text
    assert "registers 32 → 40" in text
