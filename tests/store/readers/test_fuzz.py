"""Thousands of damaged files of other tools: each side is read, or refused in a sentence; none stalls the reader."""

import math
import re
import shutil
import time
from itertools import pairwise
from pathlib import Path

import pytest

from shflbench.analysis.compare import Side
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.readers import is_foreign, read_recording, run_of
from tests.conftest import Command
from tests.store.readers.mutations import Files, files_of, lay, mutant, originals

FILES = 6000
IN_EVERY_RUN = 80  # in less than a second; the rest is for `make test-archs`
CHUNK = 500
STARTS = [0, IN_EVERY_RUN, *range(CHUNK, FILES + 1, CHUNK)]
CHUNKS = [
    pytest.param(range(first, end), id=f"{first}-{end - 1}", marks=() if first < IN_EVERY_RUN else pytest.mark.archs)
    for first, end in pairwise(STARTS)
]
EACH_FOR_THE_COMMAND = 10  # every how many-th side goes through the command line, too
MOST_SECONDS = 3.0  # of one side, on a slow machine
LONGEST = 600  # characters of a sentence
SENTENCE = re.compile(r"side(?:/\S+)?(?::\d+)*[: ].+")


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, ...]:
    return originals(tmp_path_factory.mktemp("originals"))


def refusal(side: Path) -> str:
    """Return why a side is refused, empty if it is read; what is read must be sane."""
    begin = time.process_time()
    try:
        run = run_of(read_recording(side))
    except ResultsError as error:
        return error.message if error.advice else "no advice"
    finally:
        assert time.process_time() - begin < MOST_SECONDS
    assert run.rows
    for row in run.rows:
        times = (row.time_us, row.time_low_us, row.time_high_us, row.sm_clock_mhz)
        assert all(math.isfinite(value) and value > 0 for value in times if value is not None)
        assert (row.time_us is None) >= (row.status is not Status.TIMED)
    assert Side.of([run]).info().name == str(side)
    return ""


@pytest.mark.parametrize("numbers", CHUNKS)
def test_changed_files_are_read_or_refused_in_a_sentence(
    shflbench: Command, sides: tuple[Files, ...], numbers: range
) -> None:
    lay(sides[0], Path("base"))
    for number in numbers:
        changed = mutant(number, sides)
        side = lay(changed.files, Path("side"))
        try:
            message = refusal(side)
            if message:
                assert SENTENCE.fullmatch(message), message
                assert message.isprintable()
                assert len(message) <= LONGEST
            if number % EACH_FOR_THE_COMMAND == 0:
                outcome = shflbench("compare", "base", "side")
                assert outcome.code in ((3,) if message else (0, 1, 3)), outcome.err
                if message and is_foreign(side):
                    assert (outcome.out, outcome.err.count("error: ")) == ("", 1)
                    assert outcome.err.startswith(f"error: {message.rstrip('.')}\n")
        except Exception as error:
            error.add_note(f"mutant {number}: {', '.join(changed.changes)}")
            raise
        shutil.rmtree(side)


def test_mutants_are_the_same_each_time_and_reach_every_reader(sides: tuple[Files, ...], tmp_path: Path) -> None:
    assert [mutant(number, sides) for number in range(20)] == [mutant(number, sides) for number in range(20)]
    parts = {
        "content": "is empty|is damaged",
        "format": "in no known format",
        "JSON": "not JSON: ",
        "nodes": r"`benchmarks\[",
        "names": "the name ",
        "samples": r"\.bin has |no number of samples|outside of the folder",
        "times": "is no time|not a time",
        "CSV": r"\.csv:\d+: ",
        "none: it is read": r"\A\Z",
    }
    messages: list[str] = []
    for number in range(FILES):
        side = lay(mutant(number, sides).files, tmp_path / "side")
        messages.append(refusal(side))
        shutil.rmtree(side)
        parts = {part: words for part, words in parts.items() if not re.search(words, messages[-1])}
        if not parts:
            break
    assert parts == {}, "parts that no mutant reaches"
    assert sum(message == "" for message in messages) >= len(messages) // 20


def test_originals_are_read(sides: tuple[Files, ...], tmp_path: Path) -> None:
    for number, files in enumerate(sides):
        assert refusal(lay(files, tmp_path / str(number))) == ""
        assert files_of(tmp_path / str(number)) == files
