import shutil
from pathlib import Path

import pandas as pd
import pytest

import shflbench
from shflbench.errors import ResultsError
from shflbench.store import Row, read_run
from tests.fakes.runs import compiled, info, write_run

RESULTS = Path(__file__).parents[2] / "results"
RUN = RESULTS / "quick" / "nvidia-h200"


def test_each_case_is_a_row_with_its_run_its_figures_and_its_limit() -> None:
    table = shflbench.load(RUN)
    rows = read_run(RUN).rows
    assert list(table["case_id"]) == [row.case_id for row in rows]
    assert set(table["run"]) == {str(RUN)}
    assert set(table["device"]) == {"NVIDIA H200"}
    first = table.iloc[0]
    assert first["options"] == "mode=idx"
    assert first["time_us"] == rows[0].time_us
    assert first["sass_per_iteration"] == rows[0].sass_per_iteration
    assert first["limit_us"] / first["time_us"] == pytest.approx(first["limit_fraction"], rel=1e-5)


def test_numbers_have_the_types_of_numbers_and_unknown_ones_are_missing() -> None:
    table = shflbench.load(RUN)
    kinds = {name: str(table.dtypes[name]) for name in ("time_us", "registers", "safe", "limit_us", "block")}
    assert kinds == {
        "time_us": "float64",
        "registers": "Int64",
        "safe": "bool",
        "limit_us": "float64",
        "block": "Int64",
    }
    assert isinstance(table["processes"].iloc[0], tuple)
    assert table["cycles_per_iteration"].isna().any()  # of kernels of one pass


def test_runs_below_a_folder_are_one_table(tmp_path: Path) -> None:
    for name in ("quick", "occupancy"):
        shutil.copytree(RESULTS / name / "nvidia-h200", tmp_path / name / "nvidia-h200")
    table = shflbench.load(tmp_path)
    assert set(table["suite"]) == {"quick", "occupancy"}
    assert len(table) == sum(len(read_run(RESULTS / name / "nvidia-h200").rows) for name in ("quick", "occupancy"))
    best = table[table["safe"]].sort_values("time_us").groupby(["pattern", "dtype", "options"]).first()
    assert best["time_us"].notna().all()


def test_run_without_limits_and_without_a_device_has_the_same_columns(tmp_path: Path) -> None:
    write_run(tmp_path / "run", compiled(read_run(RUN).rows), about=info(device=None))
    table = shflbench.load(tmp_path)
    assert list(table.columns) == list(shflbench.load(RUN).columns)
    assert table["device"].isna().all()
    assert table["limit_us"].isna().all()
    assert not table.empty


def test_folder_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as caught:
        shflbench.load(tmp_path)
    assert caught.value.message == f"{tmp_path} holds no run: no run.json in it or below it"


def test_every_column_of_a_row_is_there() -> None:
    assert set(Row.__slots__) <= set(shflbench.load(RUN).columns)
    assert isinstance(shflbench.load(str(RUN)), pd.DataFrame)
