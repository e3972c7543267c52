"""`shflbench limits` of a committed run, whose file knows memory requests."""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store import read_run
from shflbench.store.limits_file import CaseLimit, read_limits, write_limits
from tests.conftest import Command, Outcome
from tests.fakes.kept_runs import contents

GTC2013 = Path(__file__).parents[3] / "results" / "gtc2013" / "nvidia-h200"
CASES = "transpose/", "/f32/104x256/4096/words=32"  # how ids begin and end
SMEM = "smem".join(CASES)  # whose limit follows from its bank conflicts


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Copy a run of which the cases of one group are left."""
    folder = tmp_path / "run"
    shutil.copytree(GTC2013, folder)
    for name in ("results.csv", "limits.csv"):
        path = folder / name
        path.write_text(of_group(path.read_text(encoding="utf-8")), encoding="utf-8")
    path = folder / "samples.csv.gz"
    path.write_bytes(gzip.compress(of_group(gzip.decompress(path.read_bytes()).decode()).encode()))
    return folder


def of_group(table: str) -> str:
    """Return the header of a table and the lines of the group."""
    head, *lines = table.splitlines(keepends=True)
    return head + "".join(line for line in lines if line.startswith(CASES[0]) and f"{CASES[1]}," in line)


def printed(outcome: Outcome) -> dict[str, CaseLimit]:
    (record,) = json.loads(outcome.out)
    return {case["case_id"]: CaseLimit(**case) for case in record["cases"]}


@pytest.mark.archs
def test_what_the_file_has_is_printed_and_nothing_is_written(run: Path, shflbench: Command) -> None:
    before, recorded = contents(run), read_limits(run)
    advice = shflbench("advise", "transpose", run, "--option", "words=32").out
    (row,) = [row for row in read_run(run).rows if (row.variant, row.options) == ("smem", (("words", "32"),))]
    assert re.search(rf"^smem +smem +{row.time_us:.2f} +5\.2× +(99|100)% +exchange$", advice, re.MULTILINE)
    outcome = shflbench("limits", run)
    assert contents(run) == before
    assert (outcome.code, outcome.err) == (0, "")
    times = {row.variant: row.time_us for row in read_run(run).rows}
    for line in outcome.out.partition("\n\n")[2].splitlines()[4:12]:
        variant, time, limit, share, by, ceiling, ceiling_share, ceiling_by, predicted = line.split()
        known = recorded[variant.join(CASES)]
        values = (times[variant], known.limit_us, known.ceiling_us, known.model_us)
        assert [time, limit, ceiling, predicted] == [f"{value:.2f}" for value in values]
        assert (share, by) == (f"{known.limit_fraction:.1%}", known.limit_by)
        assert (ceiling_share, ceiling_by) == (f"{(known.ceiling_us or 0) / (values[0] or 1):.1%}", known.ceiling_by)
    saving = shflbench("limits", run, "--save", "--format", "json")
    assert printed(saving) == recorded
    assert saving.err == f"{run / 'limits.csv'} has these values already\n"
    assert contents(run) == before
    assert shflbench("advise", "transpose", run, "--option", "words=32").out == advice


@pytest.mark.archs
def test_saving_adds_what_the_file_lacks_and_keeps_what_it_has(run: Path, shflbench: Command) -> None:
    recorded = read_limits(run)
    shfl, padded = ("shfl".join(CASES), "smem-padded".join(CASES))
    partial = recorded | {shfl: replace(recorded[shfl], model_us=None, ceiling_us=None, ceiling_by=None)}
    del partial[SMEM]
    wrong = replace(recorded[padded], limit_us=1.0)  # not that of the time: the case was timed again
    write_limits(run, (partial | {padded: wrong}).values())
    outcome = shflbench("limits", run, "--save", "--format", "json")
    assert outcome.code == 0
    saved = read_limits(run)
    assert list(saved) == list(recorded)
    assert saved[shfl].ceiling_us == pytest.approx(recorded[shfl].ceiling_us, rel=0.01)  # by another calibration
    assert saved[shfl].model_us
    assert (saved[SMEM].limit_us or 0) < (recorded[SMEM].limit_us or 0)  # without its memory requests
    assert (saved[padded].limit_us or 0) > 100.0
    same = recorded.keys() - {shfl, SMEM, padded}
    assert {case_id: saved[case_id] for case_id in same} == {case_id: recorded[case_id] for case_id in same}
