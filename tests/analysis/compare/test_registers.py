from dataclasses import replace

import pytest

from shflbench.analysis.compare import ChangeVerdict, Metric, Outcome, Reason, Settings, Side, compare
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store import Row
from tests.fakes.runs import compiled, info, untimed
from tests.fakes.sides import side
from tests.fakes.simulated import Simulated, spread

BASE, NEW = (side(Simulated(cases=spread(2), processes=1, seed=seed)) for seed in (1, 2))
FIRST, SECOND = BASE.rows


def with_rows(known: Side, *rows: Row) -> Side:
    """Return the side with these rows instead of its own."""
    (run,) = known.runs
    return Side((replace(run, rows=rows),), {row.case_id: row for row in rows}, known.kernels, known.name)


def verdicts(base: Side, new: Side) -> dict[str, ChangeVerdict]:
    comparison = compare(base, new, Settings(metric=Metric.REGISTERS))
    assert (comparison.metric, comparison.noise) == (Metric.REGISTERS, None)
    return {verdict.case_id: verdict for verdict in comparison.verdicts}


@pytest.mark.parametrize(
    ("registers", "outcome", "sentence"),
    [
        (16, Outcome.SAME, "16 registers"),
        (17, Outcome.SLOWER, "16 registers, now 17"),
        (15, Outcome.FASTER, "16 registers, now 15"),
    ],
)
def test_one_register_more_counts(registers: int, outcome: Outcome, sentence: str) -> None:
    changed = with_rows(NEW, replace(NEW.rows[FIRST], registers=registers), NEW.rows[SECOND])
    found = verdicts(BASE, changed)
    assert (found[FIRST].outcome, found[FIRST].sentence) == (outcome, sentence)
    ratio = found[FIRST].ratio
    assert ratio is not None
    assert ratio.value == registers / 16
    assert found[SECOND].outcome is Outcome.SAME


def test_more_registers_are_shown_with_the_other_changes_of_the_kernel() -> None:
    spilt = replace(NEW.rows[FIRST], registers=32, spill_bytes=8)
    assert verdicts(BASE, with_rows(NEW, spilt))[FIRST].why == ("registers 16 → 32", "spill bytes 0 → 8")


def test_kernels_are_compared_without_a_gpu_even_with_those_of_a_run_that_had_one() -> None:
    (run,) = NEW.runs
    rows = compiled(NEW.rows.values())
    bare = replace(run, rows=tuple(rows), info=replace(info(device=None, backend="none"), finished="later"))
    new = Side((bare,), {row.case_id: row for row in rows}, {}, "new")
    assert {verdict.outcome for verdict in verdicts(BASE, new).values()} == {Outcome.SAME}
    with pytest.raises(ResultsError, match="the backends differ"):
        compare(BASE, new)


def test_another_architecture_has_other_registers() -> None:
    (run,) = NEW.runs
    other = replace(NEW, runs=(replace(run, info=replace(run.info, arch="sm_100")),))
    with pytest.raises(ResultsError, match=r"the architectures differ \(sm_90, sm_100\)"):
        verdicts(BASE, other)


def test_a_kernel_that_fails_is_a_finding_whatever_its_registers() -> None:
    for status, reason in ((Status.FAILED, Reason.CASE_FAILED), (Status.INCORRECT, Reason.INCORRECT_RESULT)):
        broken = replace(untimed(NEW.rows[FIRST], status, "lane 3"), registers=16)
        found = verdicts(BASE, with_rows(NEW, broken))
        assert (found[FIRST].outcome, found[FIRST].reason) == (Outcome.FAILED, reason)
        assert found[SECOND].outcome is Outcome.MISSING
        assert verdicts(with_rows(BASE, broken), with_rows(NEW, broken))[FIRST].outcome is Outcome.SAME


def test_unknown_registers_are_not_compared() -> None:
    unknown = with_rows(NEW, replace(NEW.rows[FIRST], registers=None))
    for found in (verdicts(BASE, unknown), verdicts(unknown, BASE)):
        assert (found[FIRST].outcome, found[FIRST].reason) == (Outcome.NOT_COMPARABLE, Reason.NO_VALUE)
    assert verdicts(with_rows(BASE, BASE.rows[FIRST]), NEW)[SECOND].outcome is Outcome.NEW


def test_a_kernel_without_registers_has_no_ratio() -> None:
    none = with_rows(BASE, replace(BASE.rows[FIRST], registers=0))
    found = verdicts(none, NEW)[FIRST]
    assert (found.outcome, found.ratio) == (Outcome.SLOWER, None)
