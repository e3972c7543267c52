from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.samples import encode, header, load, members, pack, read
from tests.fakes.runs import measured

FILE = Path("run/samples.csv.gz")
_, SAMPLES = measured(patterns=["neighbor"], dtypes=["f32"], samples=6)
SMEM = [sample for sample in SAMPLES if "/smem/" in sample.case_id]
SHFL = [sample for sample in SAMPLES if "/shfl/" in sample.case_id]


def test_the_file_is_gzip_that_every_tool_reads() -> None:
    text = gzip.decompress(header() + encode(SMEM) + encode(SHFL)).decode()
    first, *lines = text.splitlines()
    assert first == ",".join(SAMPLE_COLUMNS)
    assert len(lines) == len(SMEM) + len(SHFL)
    numbers = f"{SMEM[0].time_us},{SMEM[0].sm_clock_mhz:.7g}"
    assert lines[0] == f"neighbor/smem/f32/26x1024/4096,0,0,0,4096,1,{numbers},false,0.0"


def test_the_same_samples_give_the_same_bytes() -> None:
    assert encode(SMEM) == encode(SMEM)
    assert header()[4:8] == bytes(4)  # the time stamp of RFC 1952


def test_samples_come_back_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(header() + encode(SMEM) + encode(SHFL))
    table = load(path)
    assert list(table.columns) == list(SAMPLE_COLUMNS)
    assert table["time_us"].tolist() == [sample.time_us for sample in (*SMEM, *SHFL)]
    assert table["case_id"].unique().tolist() == [SMEM[0].case_id, SHFL[0].case_id]
    assert table["dropped"].dtype == bool


def test_a_member_cut_off_at_any_byte_is_left_out() -> None:
    start, last = header() + encode(SMEM), encode(SHFL)
    whole = "".join(members(start, FILE))
    for length in range(len(last)):
        assert "".join(members(start + last[:length], FILE)) == whole


def test_samples_come_back_as_they_were_taken(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv.gz"
    blind = replace(SMEM[0], sm_clock_mhz=None, seconds=None, dropped=True, launches=8, process=3)
    exact = [replace(sample, sm_clock_mhz=1980.0, seconds=0.25) for sample in SMEM]
    path.write_bytes(header() + encode([*exact, blind]) + encode(SHFL)[:-5])
    assert read(path) == [*exact, blind]


def test_samples_of_an_older_run_do_not_know_their_moment(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv.gz"
    names = [name for name in SAMPLE_COLUMNS if name != "seconds"]
    path.write_bytes(pack(",".join(names) + "\na,0,1,2,4096,1,70.0,1980.0,false\n"))
    (sample,) = read(path)
    assert (sample.case_id, sample.round, sample.time_us, sample.seconds) == ("a", 1, 70.0, None)
    table = load(path)
    assert list(table.columns) == list(SAMPLE_COLUMNS)
    assert table["seconds"].isna().all()


@pytest.mark.parametrize("content", [b"case_id,process\n", header() + b"rubbish"])
def test_what_is_no_gzip_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(content)
    for use in (load, read):
        with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
            use(path)


@pytest.mark.parametrize(
    "text", ["case_id,time_us\na,1\n", f"{','.join(SAMPLE_COLUMNS)}\na,0,0,0,1,1,fast,1980,false,0\n"]
)
def test_a_table_with_other_columns_or_values_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    for use in (load, read):
        with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
            use(path)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged: not UTF-8"):
        list(members(gzip.compress(b"\xff\xfe"), FILE))


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz cannot be read: No such file"):
        load(tmp_path / "samples.csv.gz")
