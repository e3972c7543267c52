"""Where a comparison goes: stdout, files, charts, and the summary of a job on GitHub."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shflbench.cli.report_file import FORMATS
from tests.cli.gate_runs import SHFL, lay, process
from tests.conftest import Command

COMPARE = ("compare", "base", "new")
USAGE = "`shflbench compare --help` says what it takes\n"


@pytest.fixture(autouse=True)
def _two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs, `base` and `new`, where one case is slower, in the current folder."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})


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
        "Unset it, or leave out --format github\n"
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
    assert to_do == "Make its folder writable, or name a file elsewhere with --also"


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


@pytest.mark.parametrize("text", ["json", "json=", "=report.json", "xml=report.xml", "report.json", ""])
def test_file_without_a_format_is_wrong_usage(shflbench: Command, text: str) -> None:
    outcome = shflbench(*COMPARE, "--also", text)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: Invalid value for '--also': `{text}` names no format and file; write it like junit=report.xml; "
        f"formats are table, json, markdown, junit, github\n{USAGE}"
    )


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<?xml"), ("charts/a.png", b"\x89PNG"), ("a.PDF", b"%PDF")])
def test_plot_is_drawn_as_its_ending_says(shflbench: Command, tmp_path: Path, name: str, begins: bytes) -> None:
    outcome = shflbench(*COMPARE, "--plot", name)
    assert (outcome.code, outcome.err) == (1, f"drawn: {name}\n")
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["chart", "chart.gif", "svg", ".svg"])
def test_plot_without_a_known_ending_is_wrong_usage(shflbench: Command, name: str) -> None:
    outcome = shflbench(*COMPARE, "--plot", name)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (f"error: the name {name} does not say how to draw\nLet it end in .svg, .png or .pdf\n")


def test_plot_that_cannot_be_written_is_named(shflbench: Command) -> None:
    outcome = shflbench(*COMPARE, "--plot", "base/run.json/chart.svg")
    assert outcome.code == 3
    assert outcome.err.startswith("error: base/run.json/chart.svg cannot be written: ")
