"""Samples that a run wrote are read by pandas: with the same result, and the same errors, as line by line."""

import gzip
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from shflbench.errors import ResultsError
from shflbench.store import sample_arrays, samples
from shflbench.store.sample_arrays import read_arrays
from shflbench.store.samples import SAMPLES, KeptSamples, read_kept

REAL = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200" / "samples.csv.gz"
LINES = gzip.decompress(REAL.read_bytes()).decode().splitlines(keepends=True)[:2000]
HEADER, FIRST, *OTHERS = LINES
CASE, TIME = FIRST.split(",")[0], FIRST.split(",")[6]


def arrays(text: str, piece: int = 1000) -> object:
    """Read a text that is unpacked in pieces."""
    content = text.encode()
    pieces = [content[begin : begin + piece] for begin in range(0, len(content), piece)]
    return read_arrays(pieces, SAMPLES.required)


def both(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[KeptSamples, KeptSamples]:
    """Read a file by pandas, and line by line."""
    path.write_bytes(gzip.compress(text.encode()))
    with monkeypatch.context() as patch:
        patch.setattr(samples, "SMALL", 0)
        by_pandas = read_kept(path, whole=True)
        patch.setattr(sample_arrays, "read_arrays", lambda *_: None)
        return by_pandas, read_kept(path, whole=True)


def same(one: KeptSamples, other: KeptSamples) -> bool:
    names = [field.name for field in fields(KeptSamples) if field.name != "cases"]
    return one.cases == other.cases and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def replaced(old: str, new: str) -> str:
    """Return the text of the file, of which the first line of samples is changed."""
    text = HEADER + FIRST.replace(old, new, 1) + "".join(OTHERS)
    assert text != "".join(LINES)
    return text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TIME, TIME),
        (TIME, f"{TIME}00"),
        (TIME, "123456789012345"),
        (TIME, "7."),
        (TIME, ".5"),
        (",0,", ",007,"),
        (CASE, f"{CASE}+"),
        (f"{CASE},", ","),
    ],
)
def test_what_a_run_writes_is_read_alike_by_pandass(
    old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEADER + FIRST.replace(old, new, 1) + "".join(OTHERS)
    assert arrays(text) is not None
    assert same(*both(tmp_path / "samples.csv.gz", text, monkeypatch))


def test_pieces_may_be_of_any_size() -> None:
    text = HEADER + "".join([FIRST, *OTHERS] * 3)
    assert len(text) > 1 << 18  # which pandas reads at once
    few, many = arrays(text, len(text)), arrays(text)
    with_empty = read_arrays([b"", HEADER.encode(), b"", text.removeprefix(HEADER).encode(), b""], SAMPLES.required)
    assert few is not None
    assert repr(few) == repr(many) == repr(with_empty)


def test_a_damaged_member_is_named_by_pandas_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "SMALL", 0)
    first, second = (samples.pack(part) for part in (HEADER + FIRST, "".join(OTHERS)))
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(first + second[:200] + b"\xff" * 50 + second[250:])
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
        read_kept(path, whole=True)


def test_cases_of_which_all_samples_were_dropped_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line.replace(",false,", ",true,") if line.startswith(f"{CASE},") else line for line in LINES]
    by_pandas, by_line = both(tmp_path / "samples.csv.gz", "".join(lines), monkeypatch)
    assert same(by_pandas, by_line)
    assert by_pandas.cases
    assert CASE not in by_pandas.cases


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (",false,", ",no,", "dropped"),
        (",false,", ",falx,", "dropped"),
        (",false,", ",trua,", "dropped"),
        (",1,", ",0,", "launches"),
        (",1,", ",one,", "launches"),
        (",1,", ",1.5,", "launches"),
        (",1,", ",,", "launches"),
        (",1,", f",{'9' * 20},", "launches"),
        (",0,", ",-1,", "process"),
        (TIME, "nan", "time_us"),
        (TIME, "-1.0", "time_us"),
        (TIME, "0.0", "time_us"),
        (TIME, "1.2.3", "time_us"),
        (TIME, ".", "time_us"),
        (TIME, "", "time_us"),
        (TIME, "1e999", "time_us"),
        (",false,", ",false", "9 values"),
        (",false,", ",false,,", "11 values"),
        ("\n", ",\n\n", "11 values"),
    ],
)
def test_what_is_damaged_is_named_with_its_line(
    old: str, new: str, column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "SMALL", 0)
    text = replaced(old, new)
    assert arrays(text) is None
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ResultsError, match=rf"samples\.csv\.gz:2: {column}"):
        read_kept(path, whole=True)


@pytest.mark.parametrize(("more", "packages"), [(1, {"numpy"}), (0, {"numpy", "pandas"})])
def test_a_small_file_is_read_without_pandas(more: int, packages: set[str], tmp_path: Path) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress("".join(LINES).encode()))
    program = (
        "import sys; from pathlib import Path; from shflbench.store import samples;"
        f"samples.SMALL = {path.stat().st_size + more}; samples.read_kept(Path({str(path)!r}), whole=True);"
        "print(*sorted({'numpy', 'pandas'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(printed.split()) == packages


def test_what_other_programs_write_is_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = [
        replaced(",false,", ",False,"),
        replaced(",1,", ",1.0,"),
        replaced(TIME, f"{float(TIME):.10e}"),
        replaced(TIME, "1234567890123456"),
        replaced(FIRST, f'"{CASE}"{FIRST.removeprefix(CASE)}'),
        replaced(CASE, "größe"),
        replaced("\n", "\r\n"),
        replaced("\n", "\n\n"),
        HEADER.replace("case_id,process", "process,case_id") + FIRST.replace(f"{CASE},0", f"0,{CASE}"),
        "".join(LINES).rstrip("\n"),
        HEADER,
    ]
    for text in changed:
        by_pandas, by_line = both(tmp_path / "samples.csv.gz", text, monkeypatch)
        assert same(by_pandas, by_line)
        assert len(by_pandas.time_us) > 0 or text == HEADER


@pytest.mark.parametrize("text", ["", HEADER.rstrip(), HEADER.replace("time_us", "time") + FIRST, "x" * 5000])
def test_what_is_no_table_is_left_to_the_reader_of_lines(text: str) -> None:
    assert arrays(text) is None
