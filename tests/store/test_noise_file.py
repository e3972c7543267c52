import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.errors import ResultsError
from shflbench.store.noise_file import ALARMS, CaseSpread, HeldOutCheck, LearnedNoise, find, read, write

CASE = "neighbor/shfl/f32/26x1024/4096"
LEARNED = LearnedNoise(
    a_us=0.036,
    b=2.4e-4,
    cases={CASE: CaseSpread(0.0013, 23)},
    held_out={1: HeldOutCheck(156, 0.08, 0.4), 2: HeldOutCheck(200, 0.01, 0.3), 3: HeldOutCheck(200, 0.0, 0.2)},
    processes=24,
    suites=("gtc2013", "quick"),
    first="2026-11-20T08:00:00Z",
    last="2026-11-21T08:00:00Z",
    device="NVIDIA H200",
    uuid="GPU-4883764f-ec8e-e20e-0aa4-20301d6d3c90",
    driver="580.159.04",
    sentinels="1",
    rule=1,
    settings={"precision": 0.005, "min_samples": 27.0},
)


def edited(folder: Path, *keys: str, value: Any) -> Path:
    """Write a file and replace the value under a path of keys."""
    path = write(folder, LEARNED)
    content = json.loads(path.read_text(encoding="utf-8"))
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = write(tmp_path / "baselines", LEARNED)
    assert path == tmp_path / "baselines/noise/nvidia-h200-4883764f.json"
    assert read(path) == LEARNED


def test_a_gpu_finds_its_own_file_and_no_other(tmp_path: Path) -> None:
    path = write(tmp_path, LEARNED)
    other = write(tmp_path, replace(LEARNED, uuid="GPU-11111111-2222-3333-4444-555555555555"))
    assert find(tmp_path, LEARNED.uuid) == path != other
    assert find(tmp_path, "GPU-22222222-2222-3333-4444-555555555555") is None
    assert find(tmp_path / "nowhere", LEARNED.uuid) is None


def test_what_is_learned_again_takes_the_place_of_the_old(tmp_path: Path) -> None:
    write(tmp_path, LEARNED)
    path = write(tmp_path, replace(LEARNED, a_us=0.05))
    assert read(path).a_us == 0.05
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_written_is_an_error_with_advice(tmp_path: Path) -> None:
    (tmp_path / "noise").write_text("in the way", encoding="utf-8")
    with pytest.raises(ResultsError, match="cannot be written") as caught:
        write(tmp_path, LEARNED)
    assert caught.value.advice


@pytest.mark.parametrize(
    ("keys", "value", "sentence"),
    [
        (("a_us",), 0, "`a_us` is 0, not above 0"),
        (("b",), "much", '`b` is "much", not a number'),
        (("b",), float("nan"), "`b` is NaN, not a number"),
        (("b",), 10**400, f"`b` is 1{59 * '0'}…, not a number"),
        (("b",), None, "`b` is null, not a number"),
        (("cases", CASE, "variance"), -1, "variance` is -1, not 0 or above"),
        (("cases", CASE, "freedom"), 0, "freedom` is 0, not 1 or above"),
        (("cases", CASE), 7, f"`cases.{CASE}` is 7, not an object"),
        (("held_out", "many"), {}, '`held_out.many` is "many", not an integer'),
        (("held_out", "1_0"), {}, '`held_out.1_0` is "1_0", not an integer'),
        (("held_out", "2", "alarmed"), None, "`held_out.2.alarmed` is null, not a number"),
        (("suites",), "gtc2013", '`suites` is "gtc2013", not a list'),
        (("settings", "precision"), [], "`settings.precision` is [], not a number"),
    ],
)
def test_a_wrong_value_is_named_with_its_file_and_key(
    tmp_path: Path, keys: tuple[str, ...], value: Any, sentence: str
) -> None:
    path = edited(tmp_path, *keys, value=value)
    with pytest.raises(ResultsError) as caught:
        read(path)
    assert caught.value.message.startswith(str(path))
    assert sentence in caught.value.message
    assert caught.value.advice


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, LEARNED)
    path.write_text('{"schema": 1, "cases": {}, "held_out": {}, "settings": {}}', encoding="utf-8")
    with pytest.raises(ResultsError, match="`a_us` is missing"):
        read(path)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="schema 2, and this shflbench reads schemas up to 1") as caught:
        read(edited(tmp_path, "schema", value=2))
    assert "newer version of shflbench" in caught.value.advice


@pytest.mark.parametrize("text", ["", "{", "[]", "\udce4"])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, LEARNED)
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ResultsError, match=path.name):
        read(path)


@pytest.mark.parametrize(
    ("alarmed", "fewest"),
    [
        ((0.0, 0.0, 0.0), 1),
        ((0.08, 0.01, 0.0), 2),
        ((0.0, 0.08, ALARMS), 3),
        ((0.0, 0.0, 0.021), None),
    ],
)
def test_it_is_good_for_as_many_processes_as_raised_no_alarms_from_there_on(
    alarmed: tuple[float, ...], fewest: int | None
) -> None:
    checks = {processes: HeldOutCheck(200, share, 0.2) for processes, share in enumerate(alarmed, 1)}
    assert replace(LEARNED, held_out=checks).fewest == fewest
