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


def stats(content: str) -> Callable[[], None]:
    """Write a file of pytest-benchmark with one benchmark."""
    return text(f'{{"machine_info": {{}}, "benchmarks": [{{"fullname": "a", "stats": {content}}}]}}', "0.json")


def packed(content: bytes) -> Callable[[], None]:
    def apply() -> None:
        text("")()
        (SIDE / "0.csv").unlink()
        (SIDE / "0.csv.gz").write_bytes(content)

    return apply


def json_is_huge() -> None:
    with JSON.open("r+b") as file:
        file.truncate(1 << 40)


PYTEST = '{"machine_info": {}, "benchmarks": '
TUNER = '{"device_name": "", "kernel_name": "k", "tune_params_keys": '
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
    (text(PYTEST + "[]}", "0.json"), "side/0.json has no benchmarks"),
    (text(PYTEST + '[{"fullname": "a"}]}', "0.json"), "side/0.json: `benchmarks[0].stats` is missing"),
    (stats('{"data": [1, true], "iterations": 1}'), "`benchmarks[0].stats.data[1]` is true, not a number"),
    (stats('{"data": [], "iterations": 1}'), "`benchmarks[0].stats.data` is nested, not a list of times"),
    (stats('{"data": [1, -1], "iterations": 1}'), "benchmarks[0].stats.data: sample 1 is -1e+06 µs, which is no time"),
    (stats(f'{{"data": [{10**400}], "iterations": 1}}'), "data` is nested, not a list of numbers that a double can"),
    (stats('{"data": [1], "iterations": 0}'), "`benchmarks[0].stats.iterations` is 0, not a number above 0"),
    (text('{"results": []}', "0.json"), "side/0.json has no results"),
    (text('{"results": [{"command": "a\\nb"}]}', "0.json"), "the name `a\\nb` has characters that cannot be printed"),
    (text('{"results": [{"command": "a", "times": {}}]}', "0.json"), "`results[0].times` is nested, not a list of"),
    (text(json.dumps({"results": [{"command": "a", "times": [1]}] * 2}), "0.json"), "results[1]: `a` is there twice"),
    (text(TUNER + '["x"], "cache": {', "0.json"), "side/0.json has no configurations"),
    (text(TUNER + '["x"], "cache": {"1": {"x": 1, "time": 1},\n"1"', "0.json"), "side/0.json:2:4: not JSON"),
    (text(TUNER + '["x"], "cache": {"1": 2}}', "0.json"), "`cache[1]` is 2, not an object"),
    (text(TUNER + '["x"], "cache": {"1": {"time": 1}}}', "0.json"), "`cache[1].x` is missing"),
    (text(TUNER + '["x"], "cache": {"1": {"x": 1, "time": -1}}}', "0.json"), "`cache[1].time` is -1, not a time"),
    (text(TUNER + json.dumps(["\x1b" + "x" * 600]) + ', "cache": {"1": {}}}', "0.json"), "cache[1].\\x1bxx"),
    (text(TUNER + '[1], "cache": {}}', "0.json"), "`tune_params_keys` is nested, not a list of names"),
    (text('{"results": [{"command": "a\\ud800", "times": [1]}]}', "0.json"), "`results[0].command` is "),
    (text("N,T (ms)\n"), "side/0.csv has no results"),
    (text("N,T (ms)\n1,2,3\n"), "side/0.csv:2: 3 values for 2 columns"),
    (text("N,T (ms)\n1,x\n"), "side/0.csv:2: 'x' is no number"),
    (text("N,T (ms)\n1,-2\n"), "side/0.csv:2: '-2' is no time"),
    (text("N,T (ms)\n1,2\n1,3\n"), "side/0.csv:3: `0/T/N=1` is there twice"),
    (text("N,T (GB/s)\n1,2\n"), "side/0.csv: the values are `GB/s`, which is no unit of time"),
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
