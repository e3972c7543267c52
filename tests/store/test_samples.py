from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.samples import encode, header, keep, load, members
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
    assert lines[0] == f"neighbor/smem/f32/26x1024/4096,0,0,0,4096,1,{SMEM[0].time_us},{SMEM[0].sm_clock_mhz:.7g},false"


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


def test_only_the_samples_of_the_kept_cases_stay(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(header() + encode(SMEM) + encode(SHFL) + encode(SHFL)[:-5])
    content = keep(path, {SMEM[0].case_id})
    assert gzip.decompress(content) == gzip.decompress(header() + encode(SMEM))


@pytest.mark.parametrize("content", [b"case_id,process\n", header() + b"rubbish"])
def test_what_is_no_gzip_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(content)
    for use in (load, lambda damaged: keep(damaged, {"a"})):
        with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
            use(path)


@pytest.mark.parametrize(
    "text", ["case_id,time_us\na,1\n", f"{','.join(SAMPLE_COLUMNS)}\na,0,0,0,1,1,fast,1980,false\n"]
)
def test_a_table_with_other_columns_or_values_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "samples.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
        load(path)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged: not UTF-8"):
        list(members(gzip.compress(b"\xff\xfe"), FILE))


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz cannot be read: No such file"):
        load(tmp_path / "samples.csv.gz")
