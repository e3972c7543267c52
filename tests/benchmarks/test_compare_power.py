from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.compare_power import __main__ as compare_power
from benchmarks.compare_power.__main__ import RECORDED, WITH_CONTEXTS, main
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.page import page
from benchmarks.compare_power.suite import suite
from benchmarks.compare_power.tally import Evidence, gather, requirements
from shflbench.errors import ResultsError
from shflbench.store import read_run
from tests.conftest import Command
from tests.fakes.recorded_runs import write

FIRST = min(RECORDED.glob("*.npz"))
PAGE = Path(__file__).parents[2] / "benchmarks" / "compare_power.md"
FEW = 0.004  # of the usual draws
SLOW = "reduce/smem/f32/26x1024/100/width=32"  # 49 µs


@pytest.fixture(scope="module")
def both() -> list[Batch]:
    """The first batch, loaded as if it were two."""
    batch, again = load([FIRST, FIRST])
    again.name = "again"
    return [batch, again]


@pytest.fixture(scope="module")
def batch(both: list[Batch]) -> Batch:
    return both[0]


@pytest.fixture(scope="module")
def evidence(both: list[Batch]) -> Evidence:
    """The first batch against itself."""
    return gather(both, FEW)


@pytest.fixture
def drawn(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], float]]:
    """What was requested of a program that always comes to the same evidence."""
    requested = []

    def gathered(batches: Sequence[Batch], scale: float) -> Evidence:
        requested.append(([each.name for each in batches], scale))
        return evidence

    monkeypatch.setattr(compare_power, "gather", gathered)
    return requested


@pytest.mark.archs
def test_page_has_a_line_for_every_requirement(evidence: Evidence) -> None:
    lines = page(evidence).splitlines()
    found = [line for line in lines if line.startswith(("- met: ", "- **missed**: "))]
    unknown = [line for line in lines if line.startswith("- not measured, too few processes: fine: ")]
    assert len(unknown) == 1
    assert len(found) + 1 == len(list(requirements(evidence))) == 9


@pytest.mark.archs
def test_tables_of_the_page_are_complete(evidence: Evidence) -> None:
    text = page(evidence)
    for block in text.split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("| "):
            assert len(lines) > 2
            assert len({line.count(" | ") for line in lines}) == 1
    assert "| `h200-1`, `again` | 0.0 h, the same GPU | default: 3 processes per side, 1% |" in text
    assert "2 batches on 1 GPU." in text
    assert "{" not in text


@pytest.mark.archs
def test_same_recordings_give_the_same_evidence(batch: Batch) -> None:
    first, second = (gather([batch], FEW / 4) for _ in range(2))
    assert page(first) == page(second)
    assert "There is one batch: nothing to compare across." in page(first)


@pytest.mark.archs
def test_requirement_that_is_missed_is_exit_code_1(
    evidence: Evidence, drawn: list[tuple[list[str], float]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.md"
    code = main([str(FIRST), "--draws", "0.5", "--record", str(kept)])
    assert code == (0 if all(requirement.met for requirement in requirements(evidence)) else 1)
    assert drawn == [([FIRST.stem], 0.5)]
    assert capsys.readouterr().out == kept.read_text(encoding="utf-8") + "\n" == page(evidence) + "\n"


def test_without_names_every_recording_of_the_repository_is_taken(drawn: list[tuple[list[str], float]]) -> None:
    main([])
    assert drawn == [(sorted(path.stem for path in RECORDED.glob("*.npz")), 1.0)]


def test_an_error_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ResultsError, match=r"none\.npz cannot be read as a recording"):
        main([str(tmp_path / "none.npz")])
    monkeypatch.setattr(compare_power, "RECORDED", tmp_path)
    with pytest.raises(ResultsError, match="has no recording"):
        main([])
    with pytest.raises(SystemExit, match="2"):
        main(["--draws", "0"])
    assert "--draws must be above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "folders", "contexts"),
    [
        ("compare_power.md", [RECORDED], {"1"}),
        ("compare_power_contexts.md", [WITH_CONTEXTS], {"9"}),
        ("compare_rules.md", [RECORDED, WITH_CONTEXTS], {"1", "9"}),
    ],
)
def test_committed_page_is_of_the_committed_recordings(name: str, folders: list[Path], contexts: set[str]) -> None:
    text = PAGE.with_name(name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `") and " NVIDIA " in line]
    recorded = [path.stem for folder in folders for path in sorted(folder.glob("*.npz"))]
    assert [line.split("`")[1] for line in lines] == recorded
    assert {line.split(" | ")[6] for line in lines} == contexts


def test_written_run_has_the_recorded_processes_and_the_suite_without_copies(batch: Batch, tmp_path: Path) -> None:
    processes = batch.processes(5)[:2]
    run = read_run(write(tmp_path / "run", batch, processes, 5))
    assert run.info.suite.text == suite((), 1)
    assert run.info.finished
    assert len(run.rows) == 54
    assert {row.processes for row in run.rows} == {(0, 1)}
    times = {row.case_id: row.time_us or 0.0 for row in run.rows}
    assert times[SLOW] / batch.times_us[SLOW] == pytest.approx(1.05, abs=0.005)


def test_run_in_which_one_case_is_slower_cannot_name_another(batch: Batch, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no-such-case"):
        write(tmp_path / "run", batch, batch.processes(5)[:1], 5, ["no-such-case"])


def test_command_finds_the_one_slowed_case_of_recorded_processes(
    shflbench: Command, batch: Batch, tmp_path: Path
) -> None:
    base = write(tmp_path / "base", batch, batch.processes(0)[:1])
    new = write(tmp_path / "new", batch, batch.processes(10)[:1], 10, [SLOW])
    compared = shflbench("compare", base, new)
    assert compared.code == 1
    (slower,) = [line for line in compared.out.splitlines() if line.startswith("slower")]
    assert SLOW in slower


def test_command_passes_unchanged_recorded_processes(shflbench: Command, batch: Batch, tmp_path: Path) -> None:
    first, second = batch.processes(0)[:2]
    sides = write(tmp_path / "base", batch, [first]), write(tmp_path / "new", batch, [second])
    assert shflbench("compare", *sides).code == 0
