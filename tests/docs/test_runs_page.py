"""The page of the reference runs names the card of each, and those that are older than their suites."""

import hashlib
import json
import re
from pathlib import Path
from shutil import copytree

import pytest

from shflbench.store import read_info
from shflbench.suite import find_shipped
from tests.cli.gate.runs import process
from tools.docs.measured import ROOT
from tools.docs.runs_page import PAGE, ReferenceRun, reference_runs, render

FOLDERS = [path.parent for path in sorted((ROOT / "results").glob("*/nvidia-h?00/run.json"))]
COMPARED = ("exchanges", "occupancy")  # one that is listed, one that is not
OLDER = re.findall(r"^shflbench run (\S+) --output", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def run_in(folder: Path) -> ReferenceRun:
    """Return the run of a folder; to compare all of them with their suites takes seconds."""
    return next(run for run in reference_runs() if ROOT / run.folder == folder)


@pytest.mark.archs
def test_the_page_is_current() -> None:
    assert render() == PAGE.read_text(encoding="utf-8"), "run `make plots`"


def test_each_reference_run_stands_on_the_page_with_its_card_and_whether_its_commit_was_changed() -> None:
    assert len(reference_runs()) == len(FOLDERS) > 10
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| [")]
    for folder, line in zip(FOLDERS, lines, strict=True):
        info = read_info(folder)
        assert info.device is not None
        assert f"`{info.suite.name}`" in line
        assert f"`{info.device.uuid[:12]}`" in line
        assert ("with changes" in line) == bool(info.versions.git_dirty)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_a_run_is_listed_exactly_if_its_suite_defines_other_measurements(folder: Path) -> None:
    one = run_in(folder)
    assert (one.suite in OLDER) == (not one.is_current)
    if one.removed:
        assert not one.is_current


def test_the_page_names_the_runs_whose_gpu_was_not_quiet() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    said = re.findall(r"The runs? of ([^.]+?) records? an? \[(.+?)\]", text)
    named = {(suite, verdict) for suites, verdict in said for suite in re.findall(r"`(\S+?)`", suites)}
    assert named == {(one.suite, one.disturbance) for one in reference_runs() if one.disturbance}


@pytest.mark.archs
def test_the_page_names_the_runs_whose_kernels_have_no_launch_bounds() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    sentences = re.findall(r"measured kernels without launch bounds: those of (.+?)\.", text)
    named = {name for sentence in sentences for name in re.findall(r"`(\S+?)`", sentence)}
    assert named == {one.suite for one in reference_runs() if not one.has_bounds}


@pytest.mark.archs
@pytest.mark.parametrize("suite", COMPARED)
def test_compare_refuses_exactly_the_listed_runs_beside_runs_of_their_suite(tmp_path: Path, suite: str) -> None:
    """With `--allow suite` it compares the cases that both have, as the page says."""
    (one,) = (run for run in reference_runs() if run.suite == suite)
    folder = ROOT / one.folder
    new = copytree(folder, tmp_path / "new")
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    text = find_shipped()[one.suite].read_text(encoding="utf-8")
    record["suite"] |= {"text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    record["started"] = "2026-11-27T00:00:00Z"
    (new / "run.json").write_text(json.dumps(record), encoding="utf-8")
    outcome = process("compare", folder, "new", cwd=tmp_path)
    assert (outcome.code, "the suite was changed" in outcome.err) == ((3, True) if one.suite in OLDER else (0, False))
    assert process("compare", folder, "new", "--allow", "suite", cwd=tmp_path).code == 0
