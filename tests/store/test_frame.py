import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import shflbench
from shflbench.errors import ResultsError
from shflbench.store import Row, read_run
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.frame import OF_CASE, OF_RUN
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


PROGRAM = """
import json, sys
import shflbench
early = [name for name in ("numpy", "pandas") if name in sys.modules]
cases = shflbench.load(*sys.argv[1:])
samples = shflbench.load_samples(sys.argv[1] + "/quick")
tables = {"cases": cases, "samples": samples}
tables |= {f"split {name}": shflbench.split_options(table) for name, table in tables.items()}
print(json.dumps({
    "early": early,
    "twice": {name: list(table.columns[table.columns.duplicated()]) for name, table in tables.items()},
    "queried": len(tables["split cases"].query("pattern == 'transpose' and option_words == 32 and limit_us > 0")),
    "reasons": cases.groupby("limit_reason", dropna=False).size().sum() - len(cases),
    "read": len(json.loads(cases.to_json(orient="records"))) - len(cases),
}, default=int))
"""


@pytest.mark.archs
def test_tables_of_all_committed_runs_have_each_column_once() -> None:
    command = [sys.executable, "-c", PROGRAM, str(RESULTS), str(RESULTS.parent / "tests" / "data" / "fleet" / "4-gpus")]
    printed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    queried = printed.pop("queried")
    nothing: list[str] = []
    twice = dict.fromkeys(("cases", "samples", "split cases", "split samples"), nothing)
    assert printed == {"early": nothing, "twice": twice, "reasons": 0, "read": 0}
    assert queried > 10


def test_options_are_columns_with_the_type_of_their_values() -> None:
    texts = {"a": "words=4;keep=0.5;way=load", "b": "words=32;keep=1", "c": "", "d": "words=8;way=007"}
    table = pd.DataFrame({"options": list(texts.values())}, index=list(texts))
    split = shflbench.split_options(table)
    assert list(table.columns) == ["options"]
    assert dict(split.dtypes.astype(str)) == {
        "options": str(table.dtypes["options"]),
        "option_words": "Int64",
        "option_keep": "Float64",
        "option_way": "object",
    }
    assert split["option_words"].to_list() == [4, 32, pd.NA, 8]
    assert split["option_keep"].to_list() == [0.5, 1.0, pd.NA, pd.NA]
    assert split["option_way"].to_list() == ["load", None, None, "007"]
    assert list(shflbench.split_options(table.loc[["c"]]).columns) == ["options"]
    assert shflbench.split_options(split).equals(split)


def test_each_sample_is_a_row_with_the_keys_of_its_case() -> None:
    run = read_run(RUN)
    samples, every = shflbench.load_samples(RUN), shflbench.load_samples(RUN, sentinels=True)
    assert list(samples.columns) == [*OF_RUN, "case_id", *OF_CASE, *list(SAMPLE_COLUMNS)[1:]]
    assert set(samples["case_id"]) == {row.case_id for row in run.rows if row.time_us}
    row = run.rows[0]
    of_row = samples[(samples.case_id == row.case_id) & (samples.iterations == row.iterations) & ~samples.dropped]
    assert of_row["time_us"].median() == pytest.approx(row.time_us, rel=0.01)  # that is of its rounds
    assert set(of_row["options"]) == {"mode=idx"}
    assert samples.notna().to_numpy().all()
    assert len(every) == len(run.samples())
    assert every[every["pattern"].isna()]["case_id"].str.startswith("sentinel/").all()
    rows = shflbench.load(RUN)
    assert len(samples.merge(rows, on=["run", "case_id"], suffixes=("", "_of_case"))) == len(samples)


def test_folder_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as caught:
        shflbench.load(tmp_path)
    assert caught.value.message == f"{tmp_path} holds no run: no run.json in it or below it"


def test_every_column_of_a_row_is_there() -> None:
    assert set(Row.__slots__) <= set(shflbench.load(RUN).columns)
    assert isinstance(shflbench.load(str(RUN)), pd.DataFrame)
