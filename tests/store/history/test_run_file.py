import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.errors import ResultsError
from shflbench.store.history import run_file
from shflbench.store.history.record import CaseColumns, HistoryRun
from tests.fakes.histories import history_run

RUN = history_run(0, {"a": 10.0, "b": None})
NAME = "20260101000000-{}.json.gz"


def path_of(packed: bytes, suite: str = "quick") -> Path:
    return Path("runs") / suite / run_file.file_name(RUN, packed)


def read(run: HistoryRun) -> HistoryRun:
    packed = run_file.pack_run(run)
    return run_file.decode(packed, path_of(packed))


def edited(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the content of a run's file after a change."""
    content = json.loads(gzip.decompress(run_file.pack_run(RUN)))
    change(content)
    rest = {key: content.pop(key) for key in ("kernels", "cases") if key in content}
    first, second = json.dumps(content).encode(), json.dumps(rest).encode()
    return run_file.pack(first.removesuffix(b"}")) + run_file.pack(b"," + second.removeprefix(b"{"))


def problem(packed: bytes) -> str:
    """Return what is wrong with a file of this content, whose name fits it."""
    with pytest.raises(ResultsError) as caught:
        run_file.decode(packed, path_of(packed))
    return caught.value.message.partition(".json.gz")[2]


def test_a_run_comes_back_as_it_was_written() -> None:
    again = read(RUN)
    assert tuple(again.cases) == RUN.cases
    assert replace(again, cases=RUN.cases) == RUN
    assert read(again) == again


def test_the_same_run_gives_the_same_bytes() -> None:
    assert run_file.pack_run(RUN) == run_file.pack_run(read(RUN))


def test_any_gzip_reads_a_file_as_one_object() -> None:
    content = json.loads(gzip.decompress(run_file.pack_run(RUN)))
    assert list(content)[-3:] == ["times", "kernels", "cases"]
    assert content["times"] == {"time_us": [10.0, None], "error": [0.001, None]}


def test_the_name_of_a_file_has_the_start_and_the_hash_of_its_content() -> None:
    one, other = (run_file.file_name(run, run_file.pack_run(run)) for run in (RUN, replace(RUN, commit="abc")))
    assert one.startswith("20260101000000-")
    assert one.removesuffix(run_file.ENDING)[:15] == other[:15]
    assert one != other


def test_cases_are_columns_and_single_cases() -> None:
    columns = read(RUN).cases
    assert isinstance(columns, CaseColumns)
    assert CaseColumns.of(RUN.cases) == columns
    assert columns[1] == RUN.cases[1]
    assert tuple(columns[:1]) == RUN.cases[:1]


def test_runs_share_the_columns_that_they_have_in_common() -> None:
    one, other = (CaseColumns.of(read(run).cases) for run in (RUN, replace(RUN, commit="abc")))
    assert one.case is other.case
    assert one.kernel is other.kernel


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: content.pop("machine"), "`machine`"),
        (lambda content: content.update(started="yesterday"), "`started` is 'yesterday', not a time in UTC"),
        (lambda content: content.update(suite="../quick"), "`suite` is '../quick', not the name of a suite"),
        (
            lambda content: content["times"]["time_us"].pop(),
            "its columns differ in length: case 2, time_us 1",
        ),
        (lambda content: content["cases"]["kernel"].__setitem__(0, 7), "`kernel` has an index without a kernel"),
        (lambda content: content["times"]["time_us"].__setitem__(0, -1.0), "`time_us` has a number that is below 0"),
        (lambda content: content["times"]["time_us"].__setitem__(0, "10"), "Expected `float | null`"),
        (lambda content: content["cases"]["status"].__setitem__(0, "fine"), "`status` is 'fine', not one of timed"),
        (lambda content: content["kernels"]["code"].pop(), "its columns differ in length: code 1"),
        (lambda content: content.update(schema=0), "`schema` is 0"),
        (lambda content: content["cases"]["case"].pop(), "its columns differ in length: case 1, status 2"),
        (lambda content: content.pop("kernels"), "`kernels`"),
        (lambda content: content.update(schema=2, times={}), "has schema 2, and this shflbench reads schemas up to 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(change: Callable[[dict[str, Any]], object], sentence: str) -> None:
    assert sentence in problem(edited(change))


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"[" * 100_000, b"\xff", b'{"schema": 1'])
def test_anything_else_is_damaged(content: bytes) -> None:
    first = run_file.pack_run(RUN)[:-100]
    for packed in (run_file.pack(content), run_file.pack(content) * 2, first + run_file.pack(content)):
        assert problem(packed).startswith(" is damaged: ")


def test_a_truncated_file_is_damaged_wherever_it_ends() -> None:
    packed = run_file.pack_run(RUN)
    for length in range(1, len(packed)):
        with pytest.raises(ResultsError, match="is damaged"):
            run_file.decode(packed[:length], path_of(packed))


def test_a_changed_byte_is_noticed_wherever_it_is() -> None:
    packed = run_file.pack_run(RUN)
    for place in range(len(packed)):
        changed = packed[:place] + bytes([packed[place] ^ 4]) + packed[place + 1 :]
        with pytest.raises(ResultsError):
            run_file.decode(changed, path_of(packed))


def test_marks_of_a_conflict_are_named() -> None:
    with pytest.raises(ResultsError, match="it has the marks of a conflict in git"):
        run_file.decode(b"<<<<<<< HEAD\nx\n=======\n", path_of(run_file.pack_run(RUN)))


def test_a_renamed_file_is_refused_with_its_right_name() -> None:
    packed = run_file.pack_run(RUN)
    with pytest.raises(ResultsError, match=rf"was renamed or changed: the run in it is {path_of(packed).name}"):
        run_file.decode(packed, Path("runs/quick") / NAME.format("0" * 12))


def test_a_file_in_the_folder_of_another_suite_is_refused() -> None:
    packed = run_file.pack_run(RUN)
    with pytest.raises(ResultsError, match="lies in the wrong folder: the run in it is of suite quick"):
        run_file.decode(packed, path_of(packed, "blocks"))


def test_a_file_that_unpacks_to_more_than_any_run_is_not_unpacked() -> None:
    with pytest.raises(ResultsError, match="it holds more than"):
        run_file.decode(gzip.compress(b"0" * (run_file.MOST_BYTES + 1)), path_of(b""))
