"""The interval of the new side decides about an absolute limit, whatever the verdict on the change is."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import Settings, Side, compare
from shflbench.analysis.compare.comparison import LimitState
from shflbench.core.time_limits import TimeLimits
from shflbench.errors import UsageError
from shflbench.store import Run, read_run
from tests.cli.gate.runs import SMEM, lay


def with_interval(run: Run, low: float | None, high: float | None) -> Run:
    """Return a run whose case of 300 µs has another interval."""
    rows = [replace(row, time_low_us=low, time_high_us=high) if row.case_id == SMEM else row for row in run.rows]
    return replace(run, rows=tuple(rows))


@pytest.mark.parametrize(
    ("low", "high", "state", "exit_codes"),
    [
        (250.0, 310.0, LimitState.WITHIN, (0, 0)),
        (250.0, 310.1, LimitState.UNCERTAIN, (0, 6)),
        (310.0, 340.0, LimitState.UNCERTAIN, (0, 6)),
        (310.1, 340.0, LimitState.OVER, (1, 1)),
        (None, None, LimitState.UNCERTAIN, (0, 6)),
    ],
)
def test_the_whole_interval_must_be_on_one_side(
    tmp_path: Path, low: float | None, high: float | None, state: LimitState, exit_codes: tuple[int, int]
) -> None:
    base = Side.of([read_run(lay(tmp_path / "base"))])
    new = Side.of([with_interval(read_run(lay(tmp_path / "new", seed=2)), low, high)])
    comparison = compare(base, new, Settings(limits=TimeLimits.parse([f"{SMEM}=310us"])))
    checks = {verdict.case_id: verdict.limit for verdict in comparison.verdicts if verdict.limit}
    assert list(checks) == [SMEM]
    assert (checks[SMEM].state, checks[SMEM].low_us, checks[SMEM].high_us) == (state, low, high)
    assert (comparison.exit_code(), comparison.exit_code(strict=True)) == exit_codes


def test_a_report_without_verdicts_takes_no_limit(tmp_path: Path) -> None:
    side = Side.of([read_run(lay(tmp_path / "base"))])
    other = Side.of([read_run(lay(tmp_path / "new", seed=2))])
    with pytest.raises(UsageError, match="a report without verdicts has no limit"):
        compare(side, other, Settings(across=True, limits=TimeLimits.parse(["1ms"])))
