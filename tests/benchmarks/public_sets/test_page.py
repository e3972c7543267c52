"""The page, and its lists of files."""

from pathlib import Path

from benchmarks.public_sets.listings import differing_kinds, excluded, wrong
from benchmarks.public_sets.page import machine, page
from benchmarks.public_sets.sets import SETS
from benchmarks.public_sets.tables import SetOutcomes
from tests.benchmarks.public_sets.test_tables import SOUND, outcome, outcomes


def test_wrong_verdicts_are_listed_with_the_truth_and_the_reason(tmp_path: Path) -> None:
    lines = list(wrong([outcomes("nvcc"), outcomes("NVRTC")], tmp_path / "none.tsv"))
    assert len(lines) == 5
    assert (
        "- **bug called clean** faial/b.cu (nvcc and NVRTC). Truth: race: all threads write their number to p[0]. "
        "Report: `k`: reason Limit: none stated."
    ) in lines
    assert list(wrong([SetOutcomes(SETS["faial"], "nvcc", [outcome("a.cu", SOUND, "clean")], {})])) == ["None."]


def test_a_bug_called_clean_is_listed_with_the_limit_that_the_table_gives(tmp_path: Path) -> None:
    (tmp_path / "limits.tsv").write_text("set\tpath\tlimit\nfaial\tb.cu\tone launch is checked\n")
    [line] = [line for line in wrong([outcomes()], tmp_path / "limits.tsv") if "called clean" in line]
    assert line.endswith("Limit: one launch is checked")


def test_bugs_that_show_as_another_kind_are_listed() -> None:
    assert list(differing_kinds([outcomes()])) == [
        "- faial/c.cu (NVRTC). Truth: race: all threads write their number to p[0]. Findings: out of bounds."
    ]


def test_exclusions_are_counted_by_rule() -> None:
    assert list(excluded([outcomes(), outcomes("nvcc")])) == [
        "- Faial's examples (https://github.com/elliotsayes/faial at c29bf33): WMMA 1."
    ]


def test_the_page_names_the_compiler_and_the_machine(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name : EPYC 9654\n")
    assert machine(tmp_path / "cpuinfo").endswith("cores of EPYC 9654")
    text = page([outcomes()])
    assert "compiled with NVRTC 13.5." in text
    assert f"on {machine()}, two files at a time" in text
    assert "Races in Indigo" not in text
