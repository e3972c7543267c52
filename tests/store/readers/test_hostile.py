"""Files that somebody made to read other files, to fill the memory or to wait forever: one sentence, exit 3."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.readers import content, read_recording
from tests.conftest import Command
from tests.store.readers.foreign_files import write_csv, write_nvbench
from tests.store.readers.mutations import files_of, with_links

CASES = {"copy/T=F32": 50.0}
SIDE = Path("side")
JSON = SIDE / "0.json"
TIMES = SIDE / "0.json-bin" / "0.bin"
TAG = "nv/json/bin:nv/cold/sample_times"


def samples_field(name: str, value: str) -> Callable[[], None]:
    """Let the JSON say something else about the file of the sample times."""

    def apply() -> None:
        root = json.loads(JSON.read_text())
        summaries = root["benchmarks"][0]["states"][0]["summaries"]
        (data,) = (summary["data"] for summary in summaries if summary["tag"] == TAG)
        next(field for field in data if field["name"] == name)["value"] = value
        JSON.write_text(json.dumps(root))

    return apply


def folder_is_a_link() -> None:
    files = files_of(SIDE)
    for path in sorted(SIDE.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    with_links(files, SIDE)


def file_is_a_link() -> None:
    TIMES.unlink()
    TIMES.symlink_to("/proc/self/environ")


def file_is_a_fifo() -> None:
    TIMES.unlink()
    os.mkfifo(TIMES)


def file_is_sparse() -> None:
    samples_field("size", str(1 << 28))()
    with TIMES.open("r+b") as file:
        file.truncate(1 << 30)


def text(content: str, name: str = "0.csv") -> Callable[[], None]:
    def apply() -> None:
        for path in sorted(SIDE.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (SIDE / name).write_text(content, encoding="utf-8")

    return apply


def packed(content: bytes) -> Callable[[], None]:
    def apply() -> None:
        text("")()
        (SIDE / "0.csv").unlink()
        (SIDE / "0.csv.gz").write_bytes(content)

    return apply


def json_is_huge() -> None:
    with JSON.open("r+b") as file:
        file.truncate(1 << 40)


HEAD = "case,process,time_us\n"
GOOGLE = {"name": "a", "run_name": "a", "run_type": "iteration", "iterations": 1, "real_time": 1.0, "time_unit": "us"}
TWICE = {"context": {}, "benchmarks": [{**GOOGLE, "repetition_index": 0}] * 2}

OUTSIDE = "side/0.json: `benchmarks[0].states[0].summaries[6].data[0]` names a file outside of the folder of the JSON"
DAMAGE: list[tuple[Callable[[], object], str]] = [
    (samples_field("filename", "/etc/passwd"), OUTSIDE),
    (samples_field("filename", "../other/0.bin"), OUTSIDE),
    (samples_field("filename", "0.json-bin/../../0.bin"), OUTSIDE),
    (samples_field("filename", "..\\0.bin"), OUTSIDE),
    (folder_is_a_link, OUTSIDE),
    (file_is_a_link, OUTSIDE),
    (file_is_a_fifo, "side/0.json-bin/0.bin is a FIFO, not a file"),
    (TIMES.unlink, "side/0.json-bin/0.bin cannot be read: No such file or directory"),
    (samples_field("size", "250000000"), "side/0.json: benchmarks[0].states[0].summaries[6]: `size` is no number of"),
    (samples_field("size", "9" * 40), "`benchmarks[0].states[0].summaries[6].data[1].value` is"),
    (samples_field("size", "-1"), "`size` is no number of samples"),
    (samples_field("size", "401"), "side/0.json-bin/0.bin has 1,600 bytes, but 401 samples by its JSON"),
    (file_is_sparse, "`size` is no number of samples"),
    (lambda: TIMES.write_bytes(b"\0\0\xc0\x7f" * 400), "sample 0 is nan µs, which is no time"),
    (lambda: TIMES.write_bytes(b"\0\0\x80\xbf" * 400), "sample 0 is -1e+06 µs, which is no time"),
    (json_is_huge, "side/0.json has 1,099,511,627,776 bytes, more than the limit of 67,108,864"),
    (text('{"devices": [], "benchmarks": ' + "[" * 100_000, "0.json"), "side/0.json is damaged: "),
    (text('{"devices": [' + "1" * 5000 + "]}", "0.json"), "side/0.json is damaged: "),
    (text(json.dumps(TWICE), "0.json"), "repetition 0 of `a` is there twice"),
    (text('{"context": {}, "benchmarks": null}', "0.json"), "side/0.json has no benchmarks"),
    (text('{"devices": [], "benchmarks": []}', "0.json"), "side/0.json has no states"),
    (text(HEAD), "side/0.csv has no samples"),
    (text(HEAD + "scan,0,-1\n"), "side/0.csv:2: time_us is '-1', not a time in µs"),
    (text(HEAD + "scan,0,1\nscan,0\n"), "side/0.csv:3: 2 values for 3 columns"),
    (text(HEAD + "sentinel/x,0,1\n"), "side/0.csv: line 2: the name `sentinel/x` starts with `sentinel/`"),
    (text(HEAD + "a\x1bb,0,1\n"), "side/0.csv: line 2: the name `a\\x1bb` has characters that cannot be printed"),
    (text("case,process,time_us,tIme\n"), "side/0.csv:1: unknown column `tIme`"),
    (text("case,time_us\n"), "side/0.csv:1: the column process is missing"),
    (text("case,process,time_us,started\na,0,1,noon\n"), "side/0.csv:2: started is 'noon', not a time such as"),
    (packed(gzip.compress(HEAD.encode())[:-6]), "side/0.csv.gz is damaged: its end is missing"),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE, ids=[str(number) for number in range(len(DAMAGE))])
def test_hostile_files_are_refused_in_a_sentence(
    shflbench: Command, damage: Callable[[], object], sentence: str
) -> None:
    write_nvbench(JSON, CASES)
    write_csv(Path("base.csv"), CASES)
    damage()
    for words in (("compare", "base.csv", "side"), ("compare", "side", "base.csv"), ("convert", "side", "-o", "run")):
        outcome = shflbench(*words)
        assert (outcome.code, outcome.out) == (3, ""), outcome.err
        said, advice = outcome.err.splitlines()
        assert said.startswith("error: side/")
        assert sentence in said
        assert advice
    assert not Path("run").exists()


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MOST_FOREIGN_BYTES", 10_000)
    bomb = gzip.compress(HEAD.encode()) + gzip.compress(b"scan,0,1\n" * 500) + gzip.compress(bytes(1 << 20))
    assert len(bomb) < 10_000
    (tmp_path / "0.csv.gz").write_bytes(bomb)
    with pytest.raises(ResultsError, match="unpacks to more than 10,000 bytes"):
        read_recording(tmp_path)


def test_two_states_of_one_name_are_refused(tmp_path: Path) -> None:
    path = write_nvbench(tmp_path / "0.json", CASES)
    root = json.loads(path.read_text())
    root["benchmarks"] *= 2
    path.write_text(json.dumps(root))
    with pytest.raises(ResultsError, match="`copy/T=F32` is there twice"):
        read_recording(path)


def test_a_newer_format_of_nvbench_is_refused(tmp_path: Path) -> None:
    path = write_nvbench(tmp_path / "0.json", CASES)
    path.write_text(path.read_text().replace('"major": 1', '"major": 2'))
    with pytest.raises(ResultsError, match="has version 2 of NVBench's JSON, and this shflbench reads 1"):
        read_recording(path)
