"""A run that somebody else wrote is shown as text, or refused: nothing in it is executed, and no other file is read."""

import builtins
import csv
import io
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.store import SuiteText, read_info
from tests.conftest import Command

ROOT = Path(__file__).parents[3]
SUITE = """\
schema: 1
name: theirs
experiments: {{pattern: {pattern}}}
claims:
  - {{id: fast, says: "{says}", holds: 'speedup(shfl, smem) > 2', where: {{pattern: reduce}}, source: "{says}"}}
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    shutil.copytree(ROOT / "results/quick/nvidia-h200", folder, ignore=shutil.ignore_patterns("samples.csv.gz"))
    path = folder / "results.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(head + "".join(line for line in lines if line.startswith("reduce/")), encoding="utf-8")
    return folder


def store(folder: Path, pattern: str = "reduce", says: str = "it is faster", path: str = "theirs.yaml") -> None:
    """Store a suite in the run, as if it had been of that suite."""
    suite = SuiteText("theirs", "", path, SUITE.format(pattern=pattern, says=says))
    (folder / "run.json").write_text(replace(read_info(folder), suite=suite).to_json(), encoding="utf-8")


def test_no_path_in_a_run_is_opened_and_no_pattern_is_imported(
    shflbench: Command, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for name in ("pattern.py", "kernels.cu", "secret.yaml"):
        (theirs / name).write_text("raise SystemExit('it was executed')\n", encoding="utf-8")
    store(run, pattern=str(theirs), path=str(theirs / "secret.yaml"))
    opened: list[str] = []
    for module in (builtins, io):
        monkeypatch.setattr(module, "open", record(module.open, opened))
    monkeypatch.setattr(os, "open", record(os.open, opened))
    outcome = shflbench("claims", run)
    assert outcome.code == 0
    assert "fast  confirmed" in outcome.out
    assert any(str(run) in name for name in opened)
    assert [name for name in opened if str(theirs) in name] == []


def record(call: Callable[..., Any], opened: list[str]) -> Callable[..., Any]:
    """Return `open` with a list of what it opened."""

    def recorded(file: object, *arguments: object, **options: object) -> Any:
        opened.append(str(file))
        return call(file, *arguments, **options)

    return recorded


def test_text_of_a_claim_is_no_markup_on_the_page(shflbench: Command, run: Path) -> None:
    store(run, says="<script>x()</script> | ![a](http://b)")
    outcome = shflbench("claims", run, "--format", "markdown")
    assert outcome.code == 0
    assert "| fast | &lt;script>x()&lt;/script> \\| !\\[a\\](http://b) |" in outcome.out


def test_texts_of_a_run_do_not_control_the_terminal(shflbench: Command, run: Path) -> None:
    store(run)
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    record["device"]["name"] = "\x1b[31mGPU\x1b[2J\x07\u202e"
    (run / "run.json").write_text(json.dumps(record), encoding="utf-8")
    path = run / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("width=32", "width=\x1b[31m32\x07"), encoding="utf-8")
    for form in ("table", "json", "markdown"):
        outcome = shflbench("claims", run, "--format", form)
        assert outcome.code == 0
        assert "fast" in outcome.out
        assert not {"\x1b", "\x07", "\u202e"} & set(outcome.out)


def test_claim_with_control_characters_is_refused(shflbench: Command, run: Path) -> None:
    store(run, says="\\e[2Jit is faster")
    outcome = shflbench("claims", run)
    assert (outcome.code, outcome.out) == (3, "")
    assert "\x1b" not in outcome.err


@pytest.mark.parametrize("value", ["1e308", "1e-308", "nan", "inf", "-1", "1" * 5000, "=cmd()"])
def test_impossible_values_end_in_a_verdict_or_an_error(shflbench: Command, run: Path, value: str) -> None:
    store(run)
    path = run / "results.csv"
    text = path.read_text(encoding="utf-8")
    time = next(row["time_us"] for row in csv.DictReader(text.splitlines()) if row["status"] == "timed")
    path.write_text(text.replace(f",{time},", f",{value},"), encoding="utf-8")
    outcome = shflbench("claims", run, "--format", "json")
    assert outcome.code in {0, 3}
    assert "itself failed" not in outcome.err
    if outcome.code == 0:
        json.loads(outcome.out)
    else:
        assert outcome.err.startswith("error: ")


@pytest.mark.parametrize("holds", ["__import__('os').system('true') == 0", "(" * 5000, "time(shfl) " + "+ 1 " * 5000])
def test_expression_is_never_evaluated_as_a_program(shflbench: Command, run: Path, holds: str) -> None:
    text = SUITE.format(pattern="reduce", says="x").replace("'speedup(shfl, smem) > 2'", json.dumps(holds))
    suite = SuiteText("theirs", "", "theirs.yaml", text)
    (run / "run.json").write_text(replace(read_info(run), suite=suite).to_json(), encoding="utf-8")
    outcome = shflbench("claims", run)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(f"error: {run}: the stored suite has invalid claims: ")
    assert len(outcome.err) < 1000
