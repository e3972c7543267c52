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


def path_of(content: bytes, suite: str = "quick") -> Path:
    return Path("runs") / suite / run_file.file_name(RUN, content)


def read(run: HistoryRun) -> HistoryRun:
    content = run_file.encode(run)
    return run_file.decode(run_file.pack(content), path_of(content))


def edited(change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the content of a run's file after a change."""
    content = json.loads(run_file.encode(RUN))
    change(content)
    return json.dumps(content).encode()


def problem(content: bytes) -> str:
    """Return what is wrong with a file of this content, whose name fits it."""
    with pytest.raises(ResultsError) as caught:
        run_file.decode(run_file.pack(content), path_of(content))
    return caught.value.message.partition(".json.gz")[2]


def test_a_run_comes_back_as_it_was_written() -> None:
    again = read(RUN)
    assert tuple(again.cases) == RUN.cases
    assert replace(again, cases=RUN.cases) == RUN
    assert read(again) == again


def test_the_same_run_gives_the_same_bytes() -> None:
    content = run_file.encode(RUN)
    assert content == run_file.encode(read(RUN))
    assert run_file.pack(content) == run_file.pack(content)


def test_the_name_of_a_file_has_the_start_and_the_hash_of_its_content() -> None:
    one, other = (run_file.file_name(run, run_file.encode(run)) for run in (RUN, replace(RUN, commit="abc")))
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
            lambda content: content["cases"]["time_us"].pop(),
            "its columns differ in length: case 2, status 2, time_us 1",
        ),
        (lambda content: content["cases"]["kernel"].__setitem__(0, 7), "`kernel` has an index without a kernel"),
        (lambda content: content["cases"]["time_us"].__setitem__(0, -1.0), "`time_us` has a number that is below 0"),
        (lambda content: content["cases"]["time_us"].__setitem__(0, "10"), "Expected `float | null`"),
        (lambda content: content["cases"]["status"].__setitem__(0, "fine"), "`status` is 'fine', not one of timed"),
        (lambda content: content["kernels"]["code"].pop(), "its columns differ in length: code 1"),
        (lambda content: content.update(schema=0), "`schema` is 0"),
        (lambda content: content.update(schema=2, cases={}), "has schema 2, and this shflbench reads schemas up to 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(change: Callable[[dict[str, Any]], object], sentence: str) -> None:
    assert sentence in problem(edited(change))


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"[" * 100_000, b"\xff", b'{"schema": 1'])
def test_anything_else_is_damaged(content: bytes) -> None:
    assert problem(content).startswith(" is damaged: ")


def test_a_truncated_file_is_damaged_wherever_it_ends() -> None:
    content = run_file.encode(RUN)
    packed = run_file.pack(content)
    for length in range(1, len(packed)):
        with pytest.raises(ResultsError, match="is damaged"):
            run_file.decode(packed[:length], path_of(content))


def test_a_changed_byte_is_noticed_wherever_it_is() -> None:
    content = run_file.encode(RUN)
    packed = run_file.pack(content)
    for place in range(len(packed)):
        changed = packed[:place] + bytes([packed[place] ^ 4]) + packed[place + 1 :]
        try:
            again = run_file.decode(changed, path_of(content))
        except ResultsError:
            continue
        assert run_file.encode(again) == content  # the header of gzip has a byte for the system


def test_marks_of_a_conflict_are_named() -> None:
    with pytest.raises(ResultsError, match="it has the marks of a conflict in git"):
        run_file.decode(b"<<<<<<< HEAD\nx\n=======\n", path_of(run_file.encode(RUN)))


def test_a_renamed_file_is_refused_with_its_right_name() -> None:
    content = run_file.encode(RUN)
    with pytest.raises(ResultsError, match=rf"was renamed or changed: the run in it is {path_of(content).name}"):
        run_file.decode(run_file.pack(content), Path("runs/quick") / NAME.format("0" * 12))


def test_a_file_in_the_folder_of_another_suite_is_refused() -> None:
    content = run_file.encode(RUN)
    with pytest.raises(ResultsError, match="lies in the wrong folder: the run in it is of suite quick"):
        run_file.decode(run_file.pack(content), path_of(content, "blocks"))


def test_a_file_that_unpacks_to_more_than_any_run_is_not_unpacked() -> None:
    with pytest.raises(ResultsError, match="it holds more than"):
        run_file.decode(gzip.compress(b"0" * (run_file.MOST_BYTES + 1)), path_of(b""))
