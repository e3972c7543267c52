"""The times of `compare` are those that each run measured; the correction and the judged change stand beside them."""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from shflbench.analysis.compare import Metric
from shflbench.output.export.comparison_words import value
from tests.cli.gate.runs import process

ROOT = Path(__file__).parents[3]
BASE, NEW = (ROOT / "tests" / "data" / "fleet" / name for name in ("4-gpus/vm-0", "other-host"))
FOUND = "would have been reported as slower with 95% probability"


@dataclass(frozen=True)
class Report:
    """One comparison in all formats."""

    lines: list[str]
    markdown: str
    github: str
    junit: str
    record: Any

    @property
    def rows(self) -> list[list[str]]:
        """The cells of the table in the terminal."""
        return [re.split(" {2,}", line) for line in self.lines if re.match(r"(verdict|suspected|inconclusive) ", line)]

    @property
    def shown(self) -> Any:
        """The verdict on the first case that is inconclusive, which all formats print."""
        return next(one for one in self.record["verdicts"] if one["case_id"] == self.inconclusive[0][1])

    @property
    def inconclusive(self) -> list[list[str]]:
        """The rows of cases that may have changed."""
        return [row for row in self.rows if row[0] == "inconclusive"]

    def line(self, start: str) -> str:
        (line,) = [line for line in self.lines if line.startswith(start)]
        return line


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("report")
    forms = ("markdown", "github", "junit", "json")
    outcome = process(
        "compare", BASE, NEW, "--allow", "suite", *(f"--also={form}={form}" for form in forms), cwd=folder
    )
    assert outcome.code in {0, 1}  # two GPUs: some cases may be slower on one
    markdown, github, junit, record = ((folder / form).read_text(encoding="utf-8") for form in forms)
    return Report(outcome.out.splitlines(), markdown, github, junit, json.loads(record))


def measured_us(folder: Path) -> dict[str, float]:
    with (folder / "results.csv").open(encoding="utf-8") as file:
        return {row["case_id"]: float(row["time_us"]) for row in csv.DictReader(file) if row["time_us"]}


@pytest.mark.archs
def test_the_table_has_the_times_of_both_runs_the_correction_and_the_judged_change(report: Report) -> None:
    titles, *rows = report.rows
    assert titles == ["verdict", "case", "base µs", "new µs", "correction µs", "judged change", "threshold"]
    base, new = measured_us(BASE), measured_us(NEW)
    assert len(rows) > 5
    assert [row[2:4] for row in rows] == [[value(side[row[1]], Metric.TIME) for side in (base, new)] for row in rows]
    for _, case, before, after, correction, change, _ in rows:
        judged = 100 * (float(after) - float(before) + float(correction)) / float(before)
        assert judged == pytest.approx(float(change.partition("%")[0]), abs=0.15), case


def test_the_correction_is_explained_before_the_table_and_what_was_tested_after_it(report: Report) -> None:
    legend = report.line("correction: ")
    assert f"sentinels ran {report.record['offset_us']:.3f} µs slower on the new side, which is subtracted" in legend
    assert report.lines.index(legend) < report.lines.index(report.line("verdict "))
    assert FOUND in report.line("what could have been missed: ")
    assert report.line("tested: ").startswith(
        "tested: 430 cases; 1 process per side; "
        "smallest change that matters (threshold): 2%; designed for false alarms in at most 1% of such comparisons"
    )
    assert f"- {legend}\n" in report.markdown


def test_all_formats_have_the_measured_times_and_the_sentences(report: Report) -> None:
    _, case, base, new, correction, change, _ = report.inconclusive[0]
    sentence = f"{base} µs, now {new} µs, corrected by {correction} µs: {change.partition(' ')[0]}"
    verdict = report.shown
    test = ET.fromstring(report.junit).find(f".//testcase[@name='{case}']/skipped")  # noqa: S314  (of the command)
    assert test is not None
    assert sentence in (test.text or "")
    assert sentence in verdict["sentence"]
    assert sentence in report.github.replace("%25", "%")
    assert f"| `{case}` | {base} | {new} | {correction} | {change.partition(' ')[0]} (" in report.markdown
    for text in (report.markdown, report.junit, report.github.replace("%25", "%"), report.record["missed"]):
        assert FOUND in text


@pytest.mark.archs
def test_the_json_has_the_parts_of_the_correction(report: Report) -> None:
    base, new = measured_us(BASE), measured_us(NEW)
    timed = [verdict for verdict in report.record["verdicts"] if verdict["ratio"]]
    assert len(timed) == 430
    for verdict in timed:
        measured = base[verdict["case_id"]], new[verdict["case_id"]]
        parts = verdict["correction"]
        assert (verdict["measured_base"], verdict["measured_new"]) == measured
        assert parts["sentinels"] == pytest.approx(-report.record["offset_us"])
        assert parts["total"] == pytest.approx(parts["sentinels"] + parts["fastest_half"])
        assert measured[1] - measured[0] + parts["total"] == pytest.approx(verdict["new"] - verdict["base"])
