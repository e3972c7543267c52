import csv
import gzip
import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from shflbench.core.model import Sample
from shflbench.errors import ResultsError
from shflbench.store.columns import SAMPLE_COLUMNS
from shflbench.store.samples import encode, header, load, members, pack, read, read_kept
from tests.fakes.runs import measured

NAMES = [name for name in SAMPLE_COLUMNS if name != "seconds"]
FILE = Path("run/samples.csv.gz")
_, SAMPLES = measured(patterns=["neighbor"], dtypes=["f32"], samples=6)
SMEM = [sample for sample in SAMPLES if "/smem/" in sample.case_id]
SHFL = [sample for sample in SAMPLES if "/shfl/" in sample.case_id]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "samples.csv.gz"


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


def test_samples_come_back_as_a_table(path: Path) -> None:
    path.write_bytes(header() + encode(SMEM) + encode(SHFL))
    table = load(path, whole=True)
    assert list(table.columns) == list(SAMPLE_COLUMNS)
    assert table["time_us"].tolist() == [sample.time_us for sample in (*SMEM, *SHFL)]
    assert table["case_id"].unique().tolist() == [SMEM[0].case_id, SHFL[0].case_id]
    assert table["dropped"].dtype == bool


def test_a_member_cut_off_at_any_byte_is_left_out() -> None:
    start, last = header() + encode(SMEM), encode(SHFL)
    whole = "".join(members(start, FILE))
    for length in range(len(last)):
        assert "".join(members(start + last[:length], FILE)) == whole


def test_samples_come_back_as_they_were_taken(path: Path) -> None:
    blind = replace(SMEM[0], sm_clock_mhz=None, seconds=None, dropped=True, launches=8, process=3)
    exact = [replace(sample, sm_clock_mhz=1980.0, seconds=0.25) for sample in SMEM]
    path.write_bytes(header() + encode([*exact, blind]) + encode(SHFL)[:-5])
    assert read(path) == [*exact, blind]


def test_samples_of_an_older_run_do_not_know_their_moment(path: Path) -> None:
    path.write_bytes(pack(",".join(NAMES) + "\na,0,1,2,4096,1,70.0,1980.0,false\n"))
    (sample,) = read(path)
    assert (sample.case_id, sample.round, sample.time_us, sample.seconds) == ("a", 1, 70.0, None)
    table = load(path, whole=True)
    assert list(table.columns) == list(SAMPLE_COLUMNS)
    assert table["seconds"].isna().all()


@pytest.mark.parametrize("content", [b"case_id,process\n", header() + b"rubbish"])
def test_what_is_no_gzip_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for use in (partial(load, whole=True), read, partial(read_kept, whole=True)):
        with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged"):
            use(path)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged: not UTF-8"):
        list(members(gzip.compress(b"\xff\xfe"), FILE))


def test_samples_that_unpack_to_more_than_any_run_has_are_refused_before_they_are_unpacked(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.store.samples.MOST_SAMPLE_BYTES", 1000)
    bomb = gzip.compress(bytes(4 << 20), 1)
    for content in (bomb, pack("x" * 600) + pack("x" * 600), pack("x" * 999) + bomb[:-9]):
        path.write_bytes(content)
        for use in (partial(load, whole=True), read, partial(read_kept, whole=False)):
            tracemalloc.start()
            with pytest.raises(ResultsError, match=r"samples\.csv\.gz unpacks to more than 1,000 bytes of samples"):
                use(path)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 1 << 20
    path.write_bytes(pack("x" * 400) + pack("x" * 600))
    assert sum(map(len, members(path.read_bytes(), path))) == 1000


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz cannot be read: No such file"):
        load(tmp_path / "samples.csv.gz", whole=False)


def write_samples(path: Path, *taken: Sample, cut: int = 0) -> Path:
    """Write samples to a file, a member for each, and cut the end off."""
    content = header() + b"".join(encode([sample]) for sample in taken)
    path.write_bytes(content[: len(content) - cut])
    return path


def test_kept_samples_are_sorted_by_case_iterations_process_and_round(tmp_path: Path) -> None:
    one = replace(SMEM[0], launches=8)
    places = [("b", 8, 1, 0), ("a", 8, 0, 1), ("a", 8, 0, 0), ("b", 4, 2, 1), ("b", 8, 0, 3), ("a", 8, 0, 1)]
    taken = [
        replace(one, case_id=name, iterations=count, process=process, round=number, time_us=float(place + 1))
        for place, (name, count, process, number) in enumerate(places)
    ]
    found = read_kept(write_samples(tmp_path / "samples.csv.gz", *taken), whole=True)
    assert found.cases == ("b", "a")
    names = [found.cases[place] for place in found.case]
    known = list(zip(names, *(each.tolist() for each in (found.iterations, found.process, found.round)), strict=True))
    assert known == [("b", 4, 2, 1), ("b", 8, 0, 3), ("b", 8, 1, 0), ("a", 8, 0, 0), ("a", 8, 0, 1), ("a", 8, 0, 1)]
    assert found.time_us.tolist() == [4.0, 5.0, 1.0, 3.0, 2.0, 6.0]  # within a round as in the file
    assert set(found.launches.tolist()) == {8}


def test_kept_samples_are_those_that_were_not_dropped(tmp_path: Path) -> None:
    throttled = replace(SMEM[1], dropped=True, time_us=9e9)
    path = write_samples(tmp_path / "samples.csv.gz", SMEM[0], throttled, SHFL[0])
    assert read_kept(path, whole=True).time_us.tolist() == [SMEM[0].time_us, SHFL[0].time_us]
    only = read_kept(write_samples(tmp_path / "dropped.csv.gz", throttled), whole=True)
    assert (only.cases, len(only.time_us)) == ((), 0)


def test_kept_samples_of_an_older_run_need_no_moment(path: Path) -> None:
    path.write_bytes(pack(f"{','.join(NAMES)}\na,0,1,2,4096,1,70.0,1980.0,false\n"))
    found = read_kept(path, whole=True)
    assert (found.cases, found.round.tolist(), found.time_us.tolist()) == (("a",), [1], [70.0])


def test_the_end_of_the_file_may_be_missing_only_where_nobody_says_it_is_whole(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "samples.csv.gz", SMEM[0], SHFL[0], cut=1)
    assert (
        read_kept(path, whole=False).time_us.tolist()
        == load(path, whole=False)["time_us"].tolist()
        == [SMEM[0].time_us]
    )
    for use in (load, read_kept):
        with pytest.raises(ResultsError, match=r"samples\.csv\.gz is damaged: its end is missing"):
            use(path, whole=True)


LINE = "a,0,1,2,4096,1,70.0,1980.0,false"


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("", "1: the column case_id is missing"),
        (",".join(NAMES[:-1]), "1: the column dropped is missing"),
        (f"{','.join(NAMES)}\n{LINE}\na,0,1,2", "3: 4 values for 9 columns"),
        (f"{','.join(NAMES)}\n{LINE},1", "2: 10 values for 9 columns"),
        (f"{','.join(NAMES)}\n{LINE.replace('false', 'no')}", "2: dropped is 'no', not true or false"),
        (f"{','.join(NAMES)}\n{LINE}\n{LINE.replace('70.0', '0.0')}", "3: time_us is '0.0', not a time in µs"),
        (f"{','.join(NAMES)}\n{LINE.replace('70.0', '-7')}", "2: time_us is '-7', not a time in µs"),
        (f"{','.join(NAMES)}\n{LINE.replace('70.0', 'nan')}", "2: time_us is 'nan', not a time in µs"),
        (f"{','.join(NAMES)}\n{LINE.replace('70.0', 'inf')}", "2: time_us is 'inf', not a time in µs"),
        (f"{','.join(NAMES)}\n{LINE.replace('70.0', '')}", "2: time_us is '', not a time in µs"),
        (f"{','.join(NAMES)}\n{LINE.replace('4096', '')}", "2: iterations is '', not an integer, 1 or above"),
        (f"{','.join(NAMES)}\n{LINE.replace('4096', '0')}", "2: iterations is '0', not an integer, 1 or above"),
        (f"{','.join(NAMES)}\n{LINE.replace('4096', '4096.5')}", "2: iterations is '4096.5', not an integer"),
        (f"{','.join(NAMES)}\n{LINE.replace('4096', '9' * 30)}", "not an integer, 1 or above"),
        (f"{','.join(NAMES)}\n{LINE.replace('4096', '9' * 9999)}", "9…', not an integer, 1 or above"),
        (f'{",".join(NAMES)}\n"{LINE}\n{LINE}', "2: a quotation mark is out of place"),
    ],
)
def test_what_is_no_table_of_samples_is_one_sentence(path: Path, lines: str, what: str) -> None:
    path.write_bytes(pack(lines))
    for use in (load, read_kept):
        with pytest.raises(ResultsError, match=rf"samples\.csv\.gz:\d.*{what.partition(' ')[2]}") as caught:
            use(path, whole=True)
        assert f"samples.csv.gz:{what}" in caught.value.message or "9" * 9 in caught.value.message
        assert "\n" not in caught.value.message


def test_samples_that_pandas_saved_again_are_read(path: Path) -> None:
    odd = replace(SHFL[0], sm_clock_mhz=None, seconds=None, dropped=True)
    before = write_samples(path, *SMEM, odd)
    expected, kept = read(before), read_kept(before, whole=True)
    table = load(before, whole=True)
    assert '"' not in table.to_csv()
    table["round"] = table["round"].astype(float)  # as pandas does where a cell of the column is empty
    table.to_csv(path, compression="gzip", quoting=csv.QUOTE_ALL, lineterminator="\r\n", float_format="%.10e")
    assert gzip.decompress(path.read_bytes()).splitlines()[-1].endswith(b'"True",""')
    assert read(path) == expected
    assert read_kept(path, whole=True).time_us.tolist() == kept.time_us.tolist()
