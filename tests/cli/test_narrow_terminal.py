"""Tables fit a terminal of 80 columns, case ids stay whole, and pipes get a row per case."""

from pathlib import Path

import pytest

from benchmarks.compare_power.batch import load
from benchmarks.compare_power.runs import write
from shflbench.store import read_run
from tests.cli.terminal import in_process_on_terminal, on_terminal
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
RUNS = sorted(file.parent for file in (ROOT / "results").glob("*/*/run.json"))
COLUMNS = 80


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two recorded runs of one process each."""
    folder = tmp_path_factory.mktemp("sides")
    (batch,) = load([ROOT / "tests/data/compare/h200-1.npz"])
    first, second = batch.processes(0)[:2]
    return write(folder / "base", batch, [first]), write(folder / "new", batch, [second])


@pytest.mark.parametrize("words", [("list",), ("list", "variants"), ("list", "patterns"), ("list", "patterns", "scan")])
def test_lists_fit(words: tuple[str, ...]) -> None:
    lines = on_terminal(*words, columns=COLUMNS)
    assert len(lines) > 20
    assert [line for line in lines if len(line) > COLUMNS and not line.endswith(".yaml")] == []  # a path stays whole


def test_a_process_on_a_terminal_prints_the_same(sides: tuple[Path, Path]) -> None:
    lines = in_process_on_terminal("compare", *sides, columns=COLUMNS)
    assert lines == on_terminal("compare", *sides, columns=COLUMNS)
    assert lines != on_terminal("compare", *sides, columns=200)


def test_a_variant_is_named_with_its_pattern_on_one_line() -> None:
    lines = on_terminal("list", "variants", columns=COLUMNS)
    assert any(line.split() == ["neighbor", "shfl"] for line in lines)


def test_a_file_has_one_whole_row_per_case_also_when_a_terminal_is_attached(
    sides: tuple[Path, Path], tmp_path: Path
) -> None:
    on_terminal("compare", *sides, "--output", tmp_path / "report.txt", columns=COLUMNS)
    lines = (tmp_path / "report.txt").read_text(encoding="utf-8").splitlines()
    assert all(line.endswith("%") for line in lines if line.startswith("inconclusive  "))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.parent.name)
def test_runs_fit(run: Path) -> None:
    text = "\n".join(on_terminal("show", run, columns=COLUMNS))
    tables = [line for part in text.split("\n\n")[1:-1] for line in part.splitlines()]
    assert len(tables) > len(read_run(run).rows)
    assert [line for line in tables if len(line) > COLUMNS] == []


def test_comparisons_fit_with_whole_case_ids_and_their_figures_below(sides: tuple[Path, Path]) -> None:
    lines = on_terminal("compare", *sides, columns=COLUMNS)
    assert [line for line in lines if len(line) > COLUMNS and "/" not in line] == []
    ids = {row.case_id for row in read_run(sides[0]).rows}
    named = [number for number, line in enumerate(lines) if line.startswith("inconclusive  ")]
    assert len(named) > 10
    assert {lines[number].split()[1] for number in named} <= ids
    assert all("%" in lines[number + 1] for number in named)


def test_a_wide_terminal_has_one_row_per_case(sides: tuple[Path, Path]) -> None:
    lines = on_terminal("compare", *sides, columns=200)
    assert all("%" in line for line in lines if line.startswith("inconclusive  "))


def test_pipes_get_one_whole_row_per_case(sides: tuple[Path, Path], shflbench: Command) -> None:
    lines = shflbench("compare", *sides).out.splitlines()
    rows = [line for line in lines if line.startswith("inconclusive  ")]
    assert len(rows) > 10
    assert all(line.endswith("%") for line in rows)
    shown = shflbench("show", RUNS[0]).out.splitlines()
    assert len([line for line in shown if " ± " in line]) == len(read_run(RUNS[0]).rows)
