"""Texts of results from outside reach no terminal as they are: only the styles of shflbench do."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shflbench.cli.console import Console
from shflbench.printable import is_plain
from tests.cli.advise.results import RESULTS, Cells, part_of, set_in_record
from tests.cli.terminal import read_terminal

CONTROLS = "\x1b[8m\x1b]0;title\x07\x9b8m\x08\x7f\u202e\u2066\u200b\u3164\u4e2d"
ESCAPED = r"\x1b[8m\x1b]0;title\x07\x9b8m\x08\x7f\u202e\u2066\u200b\u3164中"
STYLES = re.compile(r"\x1b\[(?:1|3[123]|0)m")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run in which one variant is incorrect, with control characters in names, title and device."""

    def change(row: Cells) -> None:
        row["variant"] += CONTROLS
        if row["variant"].startswith("smem\x1b"):
            row.update(status="incorrect", reason=f"expected 1{CONTROLS}", matched="1")

    folder = part_of("quick", tmp_path / "run", lambda row: row["pattern"] == "neighbor", change)
    shutil.copy(RESULTS / "quick/nvidia-h200/samples.csv.gz", folder)
    set_in_record(folder, lambda record: record["suite"].update(title=CONTROLS))
    set_in_record(folder, lambda record: record["device"].update(name=f"GPU{CONTROLS}\r\n  shfl  1.00  verified"))
    set_in_record(folder, lambda record: record["noise"].update(verdict="busy", sentence=f"noisy{CONTROLS}"))
    return folder


def printed(*words: str | Path, folder: Path) -> tuple[int, list[str]]:
    """Return the exit code of a command and the lines that a terminal gets on stdout and stderr, without styles."""
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "PYTHONWARNINGS"}}
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "shflbench", *map(str, words)]
    process = subprocess.Popen(
        command, stdout=terminal, stderr=terminal, cwd=folder, env={**environment, "TERM": "xterm"}
    )
    os.close(terminal)
    text = read_terminal(controller).decode()
    os.close(controller)
    assert STYLES.search(text) or "error" not in text
    return process.wait(), STYLES.sub("", text).replace("\r\n", "\n").splitlines()


@pytest.mark.archs
def test_a_terminal_gets_only_own_styles(run: Path) -> None:
    code, lines = printed("show", run, folder=run.parent)
    assert code == 0
    assert all(map(is_plain, lines))
    assert sum(f"INCORRECT, 1 of 8 inputs matched: expected 1{ESCAPED}" in line for line in lines) == 1
    assert lines[0].startswith(f"{run}: suite quick, GPU{ESCAPED}\\r\\n  shfl  1.00  verified, driver")
    assert lines[1] == f"busy: noisy{ESCAPED}"
    verdicts = [match for line in lines[1:] if (match := re.search(r"  (?:verified|INCORRECT)(?:[;,]|$)", line))]
    starts = {match.start() for match in verdicts}
    assert len(starts) == 1, "an escape must not move the columns behind it"
    missing = f"no{CONTROLS}"
    code, lines = printed("show", run, "--variant", missing, folder=run.parent)
    assert (code, all(map(is_plain, lines))) == (2, True)
    assert f"error: no case has the variant `no{ESCAPED}`" in "".join(lines)


@pytest.mark.archs
def test_charts_of_such_a_run_are_drawn_without_warnings(run: Path) -> None:
    code, lines = printed("plot", run, "--format", "svg", "--format", "png", folder=run.parent)
    assert code == 0
    assert all(line.startswith("plots/quick/run/") and is_plain(line) for line in lines)
    charts = sorted(run.parent.glob("plots/**/*.svg"))
    assert charts
    for chart in charts:
        texts = list(ET.fromstring(chart.read_bytes()).itertext())  # noqa: S314  (our own file)
        assert all(is_plain(text.replace("\n", "")) for text in texts)
        assert any(r"GPU\x1b[8m" in text for text in texts)
        assert any("中" in text for text in texts)


def test_json_has_the_texts_exactly(run: Path) -> None:
    command = [sys.executable, "-m", "shflbench", "show", str(run), "--format", "json"]
    out = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    assert all(map(is_plain, out.splitlines()))
    (record,) = json.loads(out)
    assert record["device"] == f"GPU{CONTROLS}\r\n  shfl  1.00  verified"
    assert record["cases"][0]["variant"].endswith(CONTROLS)


def test_a_pipe_gets_the_path_as_it_is(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = Path(os.fsdecode(b"\xff\x1b[8m"))
    Console().path(path)
    assert capfdbinary.readouterr().out == b"\xff\x1b[8m\n"
