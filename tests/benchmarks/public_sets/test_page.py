"""The page, and its lists of files."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.public_sets.page import END, START, differing_kinds, excluded, page, record, with_tables, wrong
from benchmarks.public_sets.sets import SETS
from benchmarks.public_sets.tables import SetOutcomes
from shflbench.errors import ResultsError
from tests.benchmarks.public_sets.test_tables import SOUND, outcome, outcomes


def test_wrong_verdicts_are_listed_with_the_truth_and_the_reason(tmp_path: Path) -> None:
    lines = wrong([outcomes("nvcc"), outcomes("NVRTC")], tmp_path / "none.tsv").splitlines()
    assert len(lines) == 5
    assert (
        "- **bug called clean** faial/b.cu (nvcc and NVRTC, held-out). Truth: race: all threads write their number "
        "to p[0]. Report: `k`: reason. Limit: not stated."
    ) in lines
    assert wrong([SetOutcomes(SETS["faial"], "nvcc", [outcome("a.cu", SOUND, "clean")], {})]) == "None."


def test_a_bug_called_clean_is_listed_with_the_limit_that_the_table_gives(tmp_path: Path) -> None:
    (tmp_path / "limits.tsv").write_text("set\tpath\tlimit\nfaial\tb.cu\tone launch is checked\n")
    lines = wrong([outcomes()], tmp_path / "limits.tsv").splitlines()
    [line] = [line for line in lines if "called clean" in line]
    assert line.endswith("Limit: one launch is checked")


def test_a_file_of_the_record_names_its_machine_where_it_is_not_the_usual_one() -> None:
    first, second, *others = outcomes().outcomes
    moved = replace(second, result=replace(second.result, machine="another machine"))
    one = SetOutcomes(SETS["faial"], "nvcc", [first, moved, *others], {})
    (known,) = json.loads(record([one]))["sets"]
    whole = [{**known["usual"], **file} for file in known["files"]]
    assert [file["machine"] for file in whole] == [item.result.machine for item in one.outcomes]
    assert [file["path"] for file in known["files"] if "machine" in file] == [second.path]


def test_bugs_that_show_as_another_kind_are_listed() -> None:
    assert differing_kinds([outcomes()]) == (
        "- faial/c.cu (NVRTC). Truth: race: all threads write their number to p[0]. Findings: out of bounds."
    )


def test_exclusions_are_counted_by_rule() -> None:
    assert excluded([outcomes(), outcomes("nvcc")]) == (
        "- Faial's examples (https://github.com/elliotsayes/faial at c29bf33): WMMA 1."
    )


def test_the_page_names_the_compiler_and_the_machine() -> None:
    text = page([outcomes()])
    assert "Compilers: NVRTC 13.5." in text
    assert "| faial | tuning | NVRTC 13.5 | 2 cores |" in text
    assert "Races in Indigo" not in text
    assert "tuning part alone" not in text
    assert "tuning part alone" in page([SetOutcomes(SETS["faial"], "NVRTC", [outcome("c.cu", SOUND, "clean")], {})])


def test_verdicts_are_listed_by_how_they_are_wrong() -> None:
    sections = dict(part.partition("\n\n")[::2] for part in page([outcomes()]).split("\n## "))
    heads = ("Sound files called broken", "Bugs called clean", "Other files whose verdict is not right")
    names = [re.findall(r"faial/(\w)\.cu \(NVRTC", sections[head]) for head in heads]
    assert names == [["e"], ["b"], ["d", "f", "g"]]


def test_the_documentation_has_the_tables_of_nvrtc() -> None:
    text = with_tables(f"# Page\n\n{START}old{END}\n", [outcomes("nvcc"), outcomes("NVRTC")])
    assert text.startswith(f"# Page\n\n{START}\n| set |")
    assert "| faial | held-out | NVRTC | 3 |" in text
    assert "nvcc" not in text
    assert text.endswith(f"{END}\n")
    with pytest.raises(ResultsError):
        with_tables("# Page", [outcomes()])
