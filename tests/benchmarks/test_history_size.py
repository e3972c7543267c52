from pathlib import Path

import pytest

from benchmarks.history_size import measure
from shflbench.store.history.folder import read_history


def test_a_simulated_history_is_read_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(tmp_path / "history", 12)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("12 runs of 430 cases in ")
    assert "1 series of 522 cases, 0 problems" in lines
    *simulated, recorded = read_history(tmp_path / "history").runs
    assert [len(run.cases) for run in simulated] == [430] * 12
    assert len(recorded.cases) == 522
    changed = [one.kernel != other.kernel for one, other in zip(simulated[0].cases, simulated[11].cases, strict=True)]
    assert sum(changed) == 5
