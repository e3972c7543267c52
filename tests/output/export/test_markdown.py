import re
from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Outcome
from shflbench.output.export.markdown import render
from tests.fakes.comparisons import across, many, quiet, rich, timed

GITHUB = 65_536  # characters of a comment
LEFT_OUT = re.compile(r"([\d,]+) more are omitted here\.")


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ") and "`" in line]


def test_the_heading_is_the_result() -> None:
    assert render(many(40, slower=2)).startswith("### shflbench: 2 slower of 40 cases\n")


def test_only_what_fails_the_gate_is_bold() -> None:
    text = render(rich())  # in which cases may be missing
    assert text.count("| **slower** |") == 2
    assert "| missing |" in text
    assert "**missing**" not in text


def test_cases_that_are_the_same_are_folded() -> None:
    shown, _, folded = render(many(40, slower=2)).partition("<details>")
    assert len(rows(shown)) == 2
    assert len(rows(folded.partition("</details>")[0])) == 38


def test_a_case_that_is_the_same_with_a_remark_is_shown() -> None:
    verdict = timed("neighbor/shfl/f32/26x1024/4096", 70.0, 0.0, remarks=("its shape changed",))
    (row,) = rows(render(replace(quiet(), verdicts=(verdict,))).partition("<details>")[0])
    assert "its shape changed" in row


@pytest.mark.parametrize("slower", [0, 1, 700, 2000])
def test_a_comment_of_two_thousand_cases_gives_the_number_of_omitted_ones(slower: int) -> None:
    text = render(many(2000, slower=slower))
    left_out = sum(int(number.replace(",", "")) for number in LEFT_OUT.findall(text))
    assert len(text) < GITHUB
    assert left_out > 0
    assert len(rows(text)) + left_out == 2000


def test_rows_are_omitted_only_without_room() -> None:
    assert len(render(many(2000, slower=1))) > 0.95 * GITHUB
    assert not LEFT_OUT.search(render(many(400, slower=40)))


def test_findings_are_kept_before_cases_that_are_the_same() -> None:
    shown, _, folded = render(many(2000, slower=300)).partition("<details>")
    assert len(rows(shown)) == 300
    assert LEFT_OUT.search(folded)


def test_a_thousand_notes_leave_room_for_the_verdicts() -> None:
    notes = tuple(f"the runs {number} and {number + 1} were made on two different GPUs" for number in range(1000))
    text = render(replace(many(40, slower=2), notes=notes))
    assert len(text) < GITHUB
    assert len(rows(text)) == 40
    assert LEFT_OUT.search(text)


def test_a_reason_of_a_hundred_thousand_characters_is_cut() -> None:
    lost = replace(rich().verdicts[0], outcome=Outcome.FAILED, ratio=None, sentence="error " * 20_000)
    text = render(replace(quiet(), verdicts=(lost,)))
    (row,) = rows(text)
    assert len(row) < 600
    assert "…" in row


def test_a_reason_cannot_end_its_cell_its_row_or_begin_a_tag() -> None:
    sentence = "expected a|b \\| got\n<details>\r\x1b[31mred\x1b[0m & more"
    lost = replace(rich().verdicts[0], outcome=Outcome.FAILED, ratio=None, sentence=sentence)
    (row,) = rows(render(replace(quiet(), verdicts=(lost,))))
    assert row.endswith("expected a\\|b \\\\\\| got &lt;details> red &amp; more |")


def test_warnings_and_notes_stand_below_with_the_source_of_the_noise() -> None:
    foot = render(rich()).partition("</details>")[2]
    assert "- **Warning:** the learned noise is not used: the processes of a side differ by 1.6× as much" in foot
    assert "- NVRTC was 13.0, now 13.1" in foot
    assert "- Noise: fitted to the spread between the processes of a side (0.035 µs and 0.023% of the time)" in foot


def test_a_report_without_verdicts_has_no_verdict() -> None:
    text = render(across())
    assert "- **No verdict:** the GPUs differ" in text
    assert len(rows(text)) == len(across().verdicts)
    assert not re.search("slower|faster|same|not-comparable|threshold", text)
