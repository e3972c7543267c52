"""How a comparison is asked for: what matters, what is allowed, what is compared, and where the report goes."""

import json
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shflbench.analysis.compare import Metric
from shflbench.cli.compare.command import METRICS
from shflbench.cli.compare.options import ALLOWABLE, FORMATS
from shflbench.core.model import Status
from shflbench.store import read_info, read_run
from tests.cli.gate.runs import SHFL, SMEM, change_rows, lay, process, put_rows, without
from tests.conftest import Command
from tests.fakes.kept_runs import edit
from tests.fakes.runs import untimed

USAGE = "For usage, run: shflbench compare --help\n"
SLOWER = "1 slower of 4 cases\n"
SAME = "no change that matters in 4 cases\n"
AMOUNTS = "a percentage such as `1%`, from 0.001% to 100%, or a time such as `0.2us`, from 1 ns to 1 s"


@pytest.fixture(autouse=True)
def _two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs, `base` and `new`, where a case of 20 µs is 10% slower, in the current folder."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})


@pytest.mark.parametrize(
    ("thresholds", "result"),
    [
        ([], SLOWER),
        (["1%"], SLOWER),
        (["20%"], SAME),
        (["0.5us"], SLOWER),
        (["3us"], SAME),
        (["3 µs"], SAME),
        (["1%", "20%"], SAME),
        (["neighbor/shfl/*=20%"], SAME),
        (["*/shfl/*=20%", "neighbor/*=1%"], SLOWER),
        (["neighbor/*=1%", "*/shfl/*=20%"], SAME),
        ([f"{SHFL}=20%", "1%"], SAME),
        (["20%", f"{SHFL}=1%"], SLOWER),
    ],
    ids=str,
)
def test_threshold_says_which_changes_matter(shflbench: Command, thresholds: list[str], result: str) -> None:
    flags = [word for text in thresholds for word in ("--threshold", text)]
    outcome = shflbench("compare", "base", "new", *flags)
    assert (outcome.code, outcome.err) == (int(result == SLOWER), "")
    assert outcome.out.endswith(result)


@pytest.mark.parametrize("text", ["5", "five", "%", "-1%", "0%", "101%", "nan%", "1e1%", "1ms", "=1%", "x=", "x=1"])
def test_wrong_threshold_is_refused_and_named(shflbench: Command, text: str) -> None:
    outcome = shflbench("compare", "base", "new", "--threshold", "1%", "--threshold", text)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: Invalid value for '--threshold': `{text}` is not a threshold; write {AMOUNTS}; "
        f"for some cases `neighbor/*=2%`, where `*` matches any text in a case id\n{USAGE}"
    )


def test_threshold_of_no_case_is_a_warning(shflbench: Command) -> None:
    outcome = shflbench("compare", "base", "new", "--threshold", "nieghbor/*=20%")
    assert outcome.code == 1
    assert outcome.err == "warning: --threshold nieghbor/*=20% has no effect: no case matches `nieghbor/*`\n"


def let_suites_say(tmp_path: Path, text: str) -> None:
    for name in ("base", "new"):
        suite = read_info(tmp_path / name).suite
        edit(tmp_path / name, suite=replace(suite, text=f"{suite.text}{text}"))


def test_options_override_thresholds_of_the_suite(shflbench: Command, tmp_path: Path) -> None:
    let_suites_say(tmp_path, "compare: {threshold: 20%}\n")
    assert shflbench("compare", "base", "new").out.endswith(SAME)
    assert shflbench("compare", "base", "new", "--threshold", "1%").out.endswith(SLOWER)
    assert shflbench("compare", "base", "new", "--threshold", f"{SHFL}=1%").out.endswith(SLOWER)
    assert shflbench("compare", "base", "new", "--threshold", f"{SMEM}=1%").out.endswith(SAME)


def test_option_for_all_cases_overrides_the_suite_for_some(shflbench: Command, tmp_path: Path) -> None:
    let_suites_say(tmp_path, "compare: {cases: [{variant: shfl, threshold: 20%}]}\n")
    assert shflbench("compare", "base", "new").out.endswith(SAME)
    assert shflbench("compare", "base", "new", "--threshold", "1%").out.endswith(SLOWER)


@pytest.mark.parametrize(
    ("metric", "result"),
    [("time", SLOWER), ("ns_per_iteration", SLOWER), ("cycles_per_iteration", SLOWER), ("registers", SAME)],
)
def test_metric_says_what_is_compared(shflbench: Command, metric: str, result: str) -> None:
    flags = () if metric == "registers" else ("--threshold", "5%")
    outcome = shflbench("compare", "base", "new", "--metric", metric, *flags)
    assert (outcome.code, outcome.err) == (int(result == SLOWER), "")
    assert outcome.out.endswith(result)
    assert f"base {Metric(metric).unit}" in outcome.out or result == SAME


def test_more_registers_are_a_finding(shflbench: Command, tmp_path: Path) -> None:
    change_rows(tmp_path / "new", registers=40)
    outcome = shflbench("compare", "base", "new", "--metric", "registers")
    assert outcome.code == 1
    assert outcome.out.endswith("4 slower of 4 cases\n")


def test_what_changed_in_the_kernel_stands_beside_its_time(shflbench: Command, tmp_path: Path) -> None:
    change_rows(tmp_path / "new", registers=40, spill_bytes=8, occupancy=0.5, sass_per_iteration={"SHFL": 2.0})
    lines = shflbench("compare", "base", "new").out.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("slower"))
    assert lines[place + 1] == (
        "    likely cause: 8 instead of 0 bytes of spills per thread; occupancy 100% → 50% (registers 16 → 40); "
        "SHFL per iteration 1 → 2"
    )
    assert not lines[place + 2]


def test_change_that_does_not_explain_a_slower_case_is_listed_alone(shflbench: Command, tmp_path: Path) -> None:
    change_rows(tmp_path / "base", spill_bytes=8, occupancy=0.5, sass_per_iteration={"SHFL": 2.0})
    lines = shflbench("compare", "base", "new").out.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("slower"))
    assert lines[place + 1 : place + 5] == [
        "    spill bytes 8 → 0",
        "    occupancy 50% → 100%",
        "    SHFL per iteration 2 → 1",
        "",
    ]


def test_metrics_are_those_of_the_analysis() -> None:
    assert tuple(Metric) == METRICS


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            ("--metric", "registers", "--threshold", "1%"),
            "--metric registers takes no --threshold: every additional register counts",
        ),
        (("--metric", "ns_per_iteration", "--threshold", "1us"), "ns_per_iteration has no threshold in µs"),
    ],
    ids=str,
)
def test_contradicting_options_are_wrong_usage(shflbench: Command, flags: tuple[str, ...], sentence: str) -> None:
    outcome = shflbench("compare", "base", "new", *flags)
    assert (outcome.code, outcome.out) == (2, "")
    said, to_do = outcome.err.splitlines()
    assert said == f"error: {sentence}"
    assert to_do


@pytest.mark.parametrize("flag", ["--metric", "--format", "--allow"])
def test_unknown_choice_names_those_that_there_are(shflbench: Command, flag: str) -> None:
    outcome = shflbench("compare", "base", "new", flag, "speed")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"'{flag}': 'speed' is not one of '" in outcome.err


def test_missing_cases_pass_where_they_are_allowed(shflbench: Command, tmp_path: Path) -> None:
    lay(tmp_path / "fewer", seed=2, cases=without(SHFL))
    assert shflbench("compare", "base", "fewer").code == 1
    assert shflbench("compare", "base", "fewer", "--allow", "failed").code == 1
    allowed = shflbench("compare", "base", "fewer", "--allow", "missing", "--strict")
    assert allowed.code == 0
    assert allowed.out.endswith("1 missing of 4 cases\n")


def test_failed_cases_pass_where_they_are_allowed(shflbench: Command, tmp_path: Path) -> None:
    rows = read_run(tmp_path / "new").rows
    put_rows(
        tmp_path / "new", [untimed(row, Status.FAILED, "out of memory") if row.case_id == SHFL else row for row in rows]
    )
    refused = shflbench("compare", "base", "new", "--allow", "missing", "--allow", "suite")
    assert refused.code == 1
    assert "    failed (out of memory) on the new side\n" in refused.out
    assert shflbench("compare", "base", "new", "--allow", "failed").code == 0


def test_slower_cases_cannot_be_allowed(shflbench: Command) -> None:
    flags = [word for name in ALLOWABLE for word in ("--allow", name)]
    assert shflbench("compare", "base", "new", *flags).code == 1


COMPARE = ("compare", "base", "new")


def holds_finding(form: str, text: str) -> bool:
    """Whether a text is of this format and says that the one case is slower."""
    match form:
        case "json":
            return bool(json.loads(text)["counts"] == {"slower": 1, "same": 3})
        case "junit":
            failed = ET.fromstring(text).findall(".//testcase[failure]")  # noqa: S314  (our own)
            return [test.get("name") for test in failed] == [SHFL]
        case "markdown":
            return text.startswith("### shflbench: 1 slower of 4 cases\n") and f"| **slower** | `{SHFL}` |" in text
        case "github":
            return text.startswith(f"::error title=slower%3A {SHFL}::")
        case _:
            return text.endswith("\n1 slower of 4 cases\n")


@pytest.mark.parametrize("form", FORMATS)
def test_format_alone_is_on_stdout(shflbench: Command, form: str) -> None:
    outcome = shflbench(*COMPARE, "--format", form)
    assert (outcome.code, outcome.err) == (1, "")
    assert holds_finding(form, outcome.out)


def test_every_format_can_be_written_to_a_file_too(shflbench: Command, tmp_path: Path) -> None:
    flags = [word for form in FORMATS for word in ("--also", f"{form}=reports/{form}")]
    outcome = shflbench(*COMPARE, *flags)
    assert outcome.code == 1
    assert outcome.out == shflbench(*COMPARE).out
    assert outcome.err == "".join(f"written: reports/{form}\n" for form in FORMATS)
    for form in FORMATS:
        assert (tmp_path / f"reports/{form}").read_text(encoding="utf-8") == shflbench(*COMPARE, "--format", form).out


def test_ci_job_gets_everything_at_once(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("## tests\n\n")
    outcome = process(
        *(*COMPARE, "--format", "github", "--also", "junit=report.xml", "--also", "json=report.json"),
        cwd=tmp_path,
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"),
        LC_ALL="C",
        PYTHONUTF8="0",
        PYTHONCOERCECLOCALE="0",
    )
    assert (outcome.code, outcome.err) == (1, "written: report.xml\nwritten: report.json\n")
    assert holds_finding("github", outcome.out)
    assert holds_finding("junit", (tmp_path / "report.xml").read_text(encoding="utf-8"))
    assert holds_finding("json", (tmp_path / "report.json").read_text(encoding="utf-8"))
    before, summary = (tmp_path / "summary.md").read_text(encoding="utf-8").split("## tests\n\n")
    assert before == ""
    assert holds_finding("markdown", summary)


def test_summary_is_written_for_annotations_alone(
    shflbench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    shflbench(*COMPARE, "--format", "markdown")
    assert not (tmp_path / "summary.md").exists()


def test_summary_that_cannot_be_written_is_named(
    shflbench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    outcome = shflbench(*COMPARE, "--format", "github")
    assert outcome.code == 3
    assert outcome.err == (
        f"error: GITHUB_STEP_SUMMARY names {tmp_path}, which cannot be written: is a directory\n"
        "Unset it, or use another --format\n"
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [("base", "is a directory"), ("base/run.json/report.xml", "file exists"), ("/proc/none", "no such")],
)
def test_file_that_cannot_be_written_is_named_after_the_report(shflbench: Command, path: str, why: str) -> None:
    outcome = shflbench(*COMPARE, "--also", f"junit={path}")
    assert outcome.code == 3
    assert outcome.out.endswith("1 slower of 4 cases\n")
    said, to_do = outcome.err.splitlines()
    assert said.startswith(f"error: {path} cannot be written: {why}")
    assert to_do == "Make its folder writable, or name another file with --also"


def test_report_goes_through_links_and_pipes_and_does_not_replace_them(shflbench: Command, tmp_path: Path) -> None:
    """As root, `--also json=/dev/null` must not make a file of it."""
    (tmp_path / "link.json").symlink_to(tmp_path / "report.json")
    assert shflbench(*COMPARE, "--also", "json=link.json").code == 1
    assert (tmp_path / "link.json").is_symlink()
    assert holds_finding("json", (tmp_path / "report.json").read_text(encoding="utf-8"))

    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert shflbench(*COMPARE, "--also", "table=pipe").code == 1
    assert holds_finding("table", os.read(reader, 65_536).decode())
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("text", ["json", "json=", "=report.json", "xml=report.xml", "report.json"])
def test_file_without_a_format_is_wrong_usage(shflbench: Command, text: str) -> None:
    outcome = shflbench(*COMPARE, "--also", text)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: Invalid value for '--also': `{text}` is not FORMAT=FILE, such as junit=report.xml; "
        f"formats: table, json, markdown, junit, github\n{USAGE}"
    )


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<?xml"), ("charts/a.png", b"\x89PNG"), ("a.PDF", b"%PDF")])
def test_ending_chooses_the_format_of_the_plot(shflbench: Command, tmp_path: Path, name: str, begins: bytes) -> None:
    outcome = shflbench(*COMPARE, "--plot", name)
    assert (outcome.code, outcome.err) == (1, f"drawn: {name}\n")
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["chart", "chart.gif", "svg", ".svg"])
def test_plot_without_a_known_ending_is_wrong_usage(shflbench: Command, name: str) -> None:
    outcome = shflbench(*COMPARE, "--plot", name)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: {name} has no suffix that names a format\nGive a file that ends in .svg, .png or .pdf\n"
    )


def test_plot_that_cannot_be_written_is_named(shflbench: Command) -> None:
    outcome = shflbench(*COMPARE, "--plot", "base/run.json/chart.svg")
    assert outcome.code == 3
    assert outcome.err.startswith("error: base/run.json/chart.svg cannot be written: ")
