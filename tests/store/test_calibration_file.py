import json
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store import calibration_file
from shflbench.store.calibration_file import CalibratedFigure, find, of_gpu, read, text, write
from tests.fakes.calibrations import EMPTY
from tests.fakes.runs import H200

CLOCKS = {1: 14.0, 2: 16.0, 4: 20.0, 8: 28.5, 16: 44.0, 32: 76.0}
MEASURED = replace(
    EMPTY,
    uuid="GPU-6b1e5a3c-0000-1111-2222-333333333333",
    figures={
        "shuffle": CalibratedFigure(0.999, 0.998, 1.0, "requests per clock per SM", 1.0),
        **{
            f"barrier_{warps}": CalibratedFigure(clocks, clocks - 0.1, clocks + 0.1, "clocks")
            for warps, clocks in CLOCKS.items()
        },
        "barrier_2x32": CalibratedFigure(133.0, 132.9, 133.1, "clocks"),
    },
    missing={"redux_add": "sm_75 has no such instruction"},
)


def test_written_calibration_is_read_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path, MEASURED)
    assert path == tmp_path / "calibration" / "nvidia-h200-6b1e5a3c.json"
    assert read(path) == MEASURED


def test_figure_without_a_number_of_processes_is_that_of_one(tmp_path: Path) -> None:
    content = json.loads(text(MEASURED))
    for figure in content["figures"].values():
        del figure["processes"]
    path = tmp_path / "older.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert {figure.processes for figure in read(path).figures.values()} == {1}


def test_calibration_of_a_gpu_is_found_by_its_uuid_and_not_by_that_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_file, "SHIPPED", tmp_path / "shipped")
    path = write(tmp_path, MEASURED)
    assert find(tmp_path, MEASURED.uuid, MEASURED.device) == path
    assert find(tmp_path, "GPU-00000000-0000-1111-2222-333333333333", MEASURED.device) is None


def test_shipped_calibration_of_the_model_is_used_where_a_gpu_has_none_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_file, "SHIPPED", tmp_path / "shipped")
    (tmp_path / "shipped").mkdir()
    shipped = tmp_path / "shipped" / "nvidia-h200.json"
    shipped.write_text(text(MEASURED), encoding="utf-8")
    assert find(tmp_path / "baselines", MEASURED.uuid, "NVIDIA H200") == shipped
    assert find(tmp_path / "baselines", MEASURED.uuid, "NVIDIA H100") is None


def test_file_that_the_user_gives_comes_first(tmp_path: Path) -> None:
    write(tmp_path, MEASURED)
    given = tmp_path / "given.json"
    given.write_text(text(replace(MEASURED, driver="999")), encoding="utf-8")
    device = replace(H200, uuid=MEASURED.uuid)
    assert of_gpu(device, tmp_path) == MEASURED
    assert of_gpu(device, tmp_path, given) == read(given)


def test_calibration_of_another_model_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, replace(MEASURED, device="NVIDIA L40S"))
    with pytest.raises(ResultsError, match="the figures are those of NVIDIA L40S, not of NVIDIA H200"):
        of_gpu(H200, tmp_path, path)


def test_gpu_without_a_file_has_no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration_file, "SHIPPED", tmp_path / "shipped")
    assert of_gpu(H200, tmp_path) is None


def test_shipped_calibrations_are_of_the_gpu_that_their_name_says() -> None:
    for path in calibration_file.SHIPPED.glob("*.json"):
        assert calibration_file.find_shipped(read(path).device) == path


def test_value_of_a_figure_that_was_not_measured_is_none() -> None:
    assert MEASURED.value("shuffle") == 0.999
    assert MEASURED.value("redux_add") is None


def test_barriers_lie_on_a_line_but_for_their_residuals() -> None:
    line = MEASURED.barrier_line
    assert line is not None
    assert line.per_warp == pytest.approx(2, abs=0.01)
    assert line.constant == pytest.approx(12, abs=0.2)
    assert list(line.residuals) == [1, 2, 4, 8, 16, 32]
    assert max(line.residuals, key=lambda warps: abs(line.residuals[warps])) == 8
    assert sum(line.residuals.values()) == pytest.approx(0, abs=1e-9)


def test_two_barriers_are_no_line() -> None:
    few = {name: MEASURED.figures[name] for name in ("barrier_1", "barrier_32", "barrier_2x32", "shuffle")}
    assert replace(MEASURED, figures=few).barrier_line is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sms": "132"}, '`sms` is "132", not an integer'),
        ({"figures": {"shuffle": 1}}, "`figures.shuffle` is 1, not an object"),
        ({"schema": 99}, "has schema 99, and this shflbench reads schemas up to 1"),
    ],
    ids=["kind", "figure", "newer"],
)
def test_damaged_file_is_named_with_its_key(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps({**json.loads(text(MEASURED)), **change}), encoding="utf-8")
    with pytest.raises(ResultsError) as caught:
        read(path)
    assert message in caught.value.message
    assert str(path) in caught.value.message


@pytest.mark.parametrize(
    "wrong",
    [(1.0, 1.1, 1.2), (float("nan"), 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, float("inf"))],
    ids=["outside", "nan", "zero", "infinite"],
)
def test_figure_that_is_no_positive_number_within_its_interval_is_refused(
    tmp_path: Path, wrong: tuple[float, float, float]
) -> None:
    path = tmp_path / "damaged.json"
    figures = {"shuffle": CalibratedFigure(*wrong, "requests per clock per SM")}
    path.write_text(text(replace(MEASURED, figures=figures)), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"`figures\.shuffle`"):
        read(path)


def test_cut_off_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text(MEASURED)[:300], encoding="utf-8")
    with pytest.raises(ResultsError, match="not JSON"):
        read(path)
