import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.checker.finding import Finding
from shflbench.checker.report import KernelReport
from shflbench.checker.runs.evidence import Expectation
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cli.check.records import as_json
from shflbench.core.model import Case, Launch
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.races.hazards import HazardKind
from shflbench.errors import ResultsError
from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
from shflbench.output.export.checks import CheckOutcome
from shflbench.store import check_report
from shflbench.store.check_report import HazardReport, KernelHazards, read_check_report

PLACE = SourceLine(Path("kernels.cu"), 3)
RACE = Finding(HazardKind.RAW, Level.ERROR, PLACE, PLACE, ("thread 1 of block 0", "thread 2 of block 0"), ("2x128",))
CASE = Case("neighbor", "smem-unsafe", "f32", Launch("2x128", 128, 2), 1, (("mode", "idx"),))


def kernel(variant: str = "smem-unsafe", revision: str = "", **changes: Any) -> SubjectReport:
    case = replace(CASE, variant=changes.pop("variant", variant), pattern=changes.pop("pattern", CASE.pattern))
    case = replace(case, dtype=changes.pop("dtype", case.dtype), options=changes.pop("options", case.options))
    expected = Expectation(safe=False, wrong=changes.pop("wrong", ()))
    report = KernelReport("k", "k", PLACE, KernelVerdict.UNSAFE, "1 finding", expectation=expected)
    return SubjectReport(case, safe=False, revision=revision, kernel=replace(report, **changes))


def write(path: Path, *kernels: SubjectReport) -> Path:
    path.write_text(as_json(CheckOutcome(kernels, (), "sm_90", 0)), encoding="utf-8")
    return path


def edited(path: Path, **changes: object) -> Path:
    """Write a report of one kernel with other values."""
    content = json.loads(write(path, kernel()).read_text(encoding="utf-8"))
    content["kernels"][0] |= changes
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def hazards(report: HazardReport, variant: str = "smem-unsafe", **options: str) -> KernelHazards | None:
    return report.of("neighbor", variant, "f32", options.items())


def test_report_names_the_revision_of_each_kernel_unless_it_is_older_than_revisions(tmp_path: Path) -> None:
    report = read_check_report(write(tmp_path / "check.json", kernel(revision="5b"), kernel("shfl")))
    assert [hazards(report, variant, mode="idx") for variant in ("smem-unsafe", "shfl")] == [
        KernelHazards(0, revision="5b"),
        KernelHazards(0),
    ]
    content = json.loads((tmp_path / "check.json").read_text(encoding="utf-8"))
    del content["kernels"][0]["revision"]
    (tmp_path / "older.json").write_text(json.dumps(content), encoding="utf-8")
    assert hazards(read_check_report(tmp_path / "older.json"), mode="idx") == KernelHazards(0)


def test_findings_wrong_schedules_and_errors_are_hazards(tmp_path: Path) -> None:
    stopped = ("it does not terminate",)
    report = read_check_report(
        write(
            tmp_path / "check.json",
            kernel(findings=(RACE, RACE), wrong=("warps at random",), errors=stopped),
            kernel("shfl", verdict=KernelVerdict.CLEAN, reason="right"),
        )
    )
    assert report.arch == "sm_90"
    assert report.patterns == {"neighbor"}
    assert hazards(report, mode="idx") == KernelHazards(4)
    assert hazards(report, "shfl", mode="idx") == KernelHazards(0)


def test_a_kernel_that_was_not_checked_is_unknown(tmp_path: Path) -> None:
    report = read_check_report(write(tmp_path / "check.json", kernel()))
    assert hazards(report, mode="up") is None
    assert hazards(report) is None


@pytest.mark.parametrize("verdict", [KernelVerdict.NOT_COMPILED, KernelVerdict.NOT_CHECKED, KernelVerdict.SKIPPED])
def test_a_kernel_that_did_not_run_has_no_result(tmp_path: Path, verdict: KernelVerdict) -> None:
    report = read_check_report(write(tmp_path / "check.json", kernel(verdict=verdict, reason="no header")))
    known = hazards(report, mode="idx")
    assert known
    assert known.not_run == f"{verdict}: no header"


def test_every_verdict_without_a_result_is_known() -> None:
    assert set(KernelVerdict) > check_report.NOT_RUN


def test_of_a_kernel_that_was_checked_twice_the_worse_result_counts(tmp_path: Path) -> None:
    both = write(tmp_path / "check.json", kernel(findings=(RACE,)), kernel(), kernel(findings=(RACE,)))
    assert hazards(read_check_report(both), mode="idx") == KernelHazards(1)


def test_a_report_about_other_patterns_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "check.json", kernel())
    assert read_check_report(path, {"reduce", "neighbor"}).patterns == {"neighbor"}
    with pytest.raises(ResultsError, match="is about kernels of other patterns: neighbor"):
        read_check_report(path, {"reduce"})


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"options": {"mode": 1}}, "`kernels.0.options.mode` is 1, not a text"),
        ({"findings": 3}, "`kernels.0.findings` is 3, not a list"),
        ({"variant": None}, "`kernels.0.variant` is null, not a text"),
        ({"errors": [["x"]]}, '`kernels.0.errors.0` is ["x"], not a text'),
    ],
)
def test_values_of_the_wrong_kind_are_named(tmp_path: Path, changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ResultsError) as caught:
        read_check_report(edited(tmp_path / "check.json", **changes))
    assert caught.value.message == f"{tmp_path / 'check.json'}: {sentence}"
    assert caught.value.advice == check_report.WHICH_FILE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"arch": "sm_90"}',
        '{"arch": "sm_90", "kernels": []}',
        "[" * 100_000,
        "9" * 100_000,
        "\x00",
    ],
)
def test_what_is_no_report_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "check.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=r"check\.json"):
        read_check_report(path)


def test_a_list_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / "check.json"
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(ResultsError) as caught:
        read_check_report(path)
    assert caught.value.message == f"{path}: the content is [1], not an object"


def test_a_file_without_end_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "check.json", kernel())
    monkeypatch.setattr(check_report, "MOST_REPORT_BYTES", 100)
    with pytest.raises(ResultsError, match="bytes, and a report has 100 at most"):
        read_check_report(path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ResultsError, match="is a FIFO, not a file"):
        read_check_report(tmp_path / "pipe")
    with pytest.raises(ResultsError, match="cannot be read"):
        read_check_report(tmp_path / "missing.json")


def test_names_in_a_report_are_text_alone(tmp_path: Path) -> None:
    report = read_check_report(edited(tmp_path / "check.json", pattern="../../etc/passwd", variant="<script>"))
    assert report.of("../../etc/passwd", "<script>", "f32", [("mode", "idx")]) == KernelHazards(0)
