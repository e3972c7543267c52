"""Many samples are read by pandas: with the same result, and the same errors, as line by line."""

import gzip
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from shflbench.errors import ResultsError
from shflbench.store import samples
from shflbench.store.many_samples import MANY, read_many
from shflbench.store.samples import INTEGERS, KeptSamples, read_kept

REAL = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200" / "samples.csv.gz"
LINES = gzip.decompress(REAL.read_bytes()).decode().splitlines(keepends=True)
HEADER, FIRST, *OTHERS = LINES[:2000]


def few_and_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[KeptSamples, KeptSamples]:
    monkeypatch.setattr(samples, "MANY", 10**12)
    few = read_kept(path, whole=True)
    monkeypatch.setattr(samples, "MANY", 0)
    return few, read_kept(path, whole=True)


def same(one: KeptSamples, other: KeptSamples) -> bool:
    arrays = [field.name for field in fields(KeptSamples) if field.name != "cases"]
    return one.cases == other.cases and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)


def test_a_real_run_is_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_many("".join(LINES), INTEGERS) is not None
    assert same(*few_and_many(REAL, monkeypatch))


def test_cases_of_which_all_samples_were_dropped_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case_id = FIRST.split(",")[0]
    lines = [line.replace(",false,", ",true,") if line.startswith(f"{case_id},") else line for line in LINES[:2000]]
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    few, many = few_and_many(path, monkeypatch)
    assert same(few, many)
    assert few.cases
    assert case_id not in few.cases


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",false,", ",no,"),
        (",false,", ",false"),
        (",false,", ",false,,"),
        (",1,", ",0,"),
        (",1,", ",one,"),
        (",1,", ",1.5,"),
        (",1,", ",99999999999999999999,"),
        (FIRST.split(",")[6], "nan"),
        (FIRST.split(",")[6], "-1.0"),
        (FIRST.split(",")[6], ""),
        (FIRST.split(",")[6], "1e999"),
    ],
)
def test_what_is_damaged_is_named_as_in_a_small_file(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEADER + FIRST.replace(old, new, 1) + "".join(OTHERS)
    assert text != "".join(LINES[:2000])
    assert read_many(text, INTEGERS) is None
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    messages = []
    for size in (10**12, 0):
        monkeypatch.setattr(samples, "MANY", size)
        with pytest.raises(ResultsError) as error:
            read_kept(path, whole=True)
        messages.append(error.value.message)
    assert messages[0] == messages[1]
    assert "samples.csv.gz:2: " in messages[0]


@pytest.mark.parametrize("text", ["", HEADER.rstrip(), f'{HEADER}"{FIRST}', HEADER.replace("time_us", "time") + FIRST])
def test_what_is_unusual_is_left_to_the_careful_reader(text: str) -> None:
    assert read_many(text, INTEGERS) is None


def test_a_usual_run_is_few() -> None:
    assert len("".join(LINES)) < MANY
