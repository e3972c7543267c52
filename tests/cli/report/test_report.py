import re
import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from shflbench.store import samples
from tests.conftest import Command
from tests.fakes.hostile_runs import REAL, plant
from tests.fakes.report_runs import run_of_day
from tests.output.export.html.pages import Parsed, real


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a small run in the folder of the test."""
    return run_of_day(tmp_path / "results" / "gtc2013" / "h200", 0)


def test_a_report_is_written_beside_the_results_and_its_path_is_printed(shflbench: Command, run: Path) -> None:
    outcome = shflbench("report", run)
    assert (outcome.code, outcome.out, outcome.err) == (0, "report.html\n", "")
    page = Parsed(Path("report.html").read_text(encoding="utf-8"))
    assert "Shuffle or shared memory: NVIDIA H200" in page.text
    assert "gtc2013, NVIDIA H200, 2026-10-01 08:00" in page.text


def test_a_folder_of_runs_a_title_and_another_file_can_be_given(shflbench: Command, run: Path) -> None:
    outcome = shflbench("report", run.parents[1], "-o", "pages/week.html", "--title", "Week 47 & <b>more</b>")
    assert (outcome.code, outcome.out) == (0, "pages/week.html\n")
    assert "<h1>Week 47 &amp; &lt;b&gt;more&lt;/b&gt;</h1>" in Path("pages/week.html").read_text(encoding="utf-8")


def test_claims_of_the_suite_have_their_verdicts(shflbench: Command) -> None:
    assert shflbench("report", real("moving-average")).code == 0
    page = Parsed(Path("report.html").read_text(encoding="utf-8"))
    verdicts = re.findall(r"\b(A\d\d)\s+(confirmed|refuted|depends|inconclusive|untestable)\b", page.text)
    assert len(dict(verdicts)) >= 2
    assert "tested claims about these patterns" in page.text


def test_the_samples_of_a_run_are_read_once(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Mock(wraps=samples.read_kept)
    monkeypatch.setattr(samples, "read_kept", read)
    assert shflbench("report", real("moving-average")).code == 0  # it has answers, and claims about times
    assert read.call_count == 1


def test_a_report_may_be_replaced_and_no_other_file(shflbench: Command, run: Path) -> None:
    assert shflbench("report", run).code == 0
    assert shflbench("report", run, "--title", "again").code == 0
    Path("notes.html").write_text("<html>my notes</html>", encoding="utf-8")
    outcome = shflbench("report", run, "--output", "notes.html")
    assert outcome.code == 2
    assert outcome.err == (
        "error: notes.html exists and is not a report\nName another file with --output, or remove this one\n"
    )
    assert Path("notes.html").read_text(encoding="utf-8") == "<html>my notes</html>"


def test_a_file_of_the_run_is_not_replaced(shflbench: Command, run: Path) -> None:
    before = (run / "results.csv").read_bytes()
    assert shflbench("report", run, "-o", run / "results.csv").code == 2
    assert (run / "results.csv").read_bytes() == before


def test_a_folder_is_no_place_for_a_report(shflbench: Command, run: Path) -> None:
    outcome = shflbench("report", run, "-o", "results")
    assert (outcome.code, outcome.err) == (
        2,
        "error: results is a folder\nName a file in it: --output results/report.html\n",
    )


def test_a_folder_without_a_run_is_an_error_in_one_sentence(shflbench: Command) -> None:
    Path("empty").mkdir()
    outcome = shflbench("report", "empty")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: empty holds no run: no run.json in it or below it\n")
    assert not Path("report.html").exists()


def test_a_damaged_archive_of_kernels_is_an_error_that_names_it(shflbench: Command, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(REAL, tmp_path / "run"))
    content = (folder / "kernels.zip").read_bytes()
    (folder / "kernels.zip").write_bytes(content[: len(content) // 2])
    outcome = shflbench("report", "run")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: run/kernels.zip is damaged: ")
    assert not Path("report.html").exists()


def test_a_hostile_run_becomes_a_page_or_an_error_and_reveals_no_file(shflbench: Command, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("what nobody may read", encoding="utf-8")
    folder = plant(REAL, tmp_path / "run", secret)
    outcome = shflbench("report", "run")
    assert outcome.code == 0
    assert "what nobody may read" not in Path("report.html").read_text(encoding="utf-8") + outcome.out + outcome.err
    (folder / "results.csv").unlink()
    (folder / "results.csv").symlink_to(secret)
    outcome = shflbench("report", "run")
    assert outcome.code == 3
    assert "what nobody may read" not in outcome.out + outcome.err
    assert len(outcome.err.splitlines()) <= 2
