"""Thousands of broken suites: each loads, or is refused with a position; none stops or stalls the loader."""

import re
import time
from itertools import pairwise
from pathlib import Path

import pytest

from shflbench.errors import SuiteError
from shflbench.suite import load
from tests.conftest import Command
from tests.suite.conftest import Folder
from tests.suite.mutations import mutant, originals

FILES = 10_000
IN_EVERY_RUN = 200  # a second; the rest is for `make test-archs`
CHUNK = 500
STARTS = [0, IN_EVERY_RUN, *range(CHUNK, FILES + 1, CHUNK)]
CHUNKS = [
    pytest.param(range(first, end), id=f"{first}-{end - 1}", marks=() if first < IN_EVERY_RUN else pytest.mark.archs)
    for first, end in pairwise(STARTS)
]
EACH_FOR_THE_COMMAND = 20  # every how many-th file goes through the command line, too
MOST_SECONDS = 3.0  # of one file, on a slow machine; here the slowest takes 0.6
LONGEST = 3000  # characters of one sentence; all patterns by name are 300
START = (
    r"(?:found|not YAML:|unknown|missing key|the (?:folder|patterns?|variant)|no variant|this (?:entry|combination)"
    r"|`|\d+ more)"
)
SENTENCE = re.compile(rf"mutant\.yaml:(?P<line>\d+):(?P<column>\d+): {START}[^\n]+")
BREAK = re.compile(r"\r\n|[\r\n]")  # YAML 1.2.2, section 5.4
FILE = Path("mutant.yaml")


def refusal(data: bytes) -> str:
    """Return the error about a file with these bytes, empty if it loads."""
    FILE.write_bytes(data)
    begin = time.process_time()
    try:
        assert load(FILE).cases
    except SuiteError as error:
        return error.message
    finally:
        assert time.process_time() - begin < MOST_SECONDS
    return ""


def check(message: str, data: bytes) -> None:
    """Fail unless each line of the message names a position in the file, and is printable."""
    lines = BREAK.split(data.decode("utf-8-sig", errors="replace"))
    for sentence in message.split("\n"):
        said = SENTENCE.fullmatch(sentence)
        assert said is not None, sentence
        assert sentence.isprintable()
        assert len(sentence) <= LONGEST
        line, column = int(said["line"]), int(said["column"])
        assert 1 <= line <= len(lines) + 1, sentence  # a file that ends too early ends on the line after its last
        assert 1 <= column <= (len(lines[line - 1]) if line <= len(lines) else 0) + 2, sentence


@pytest.mark.archs
@pytest.mark.parametrize("numbers", CHUNKS)
def test_changed_suite_loads_or_is_refused_with_a_position(folder: Folder, numbers: range) -> None:
    del folder  # only for the patterns in it
    texts = originals()
    for number in numbers:
        changed = mutant(number, texts)
        try:
            message = refusal(changed.data)
            if message:
                check(message, changed.data)
        except Exception as error:
            error.add_note(f"mutant {number}: {', '.join(changed.changes)}")
            raise


@pytest.mark.parametrize("numbers", CHUNKS)
def test_changed_suite_gives_one_answer_of_the_command(shflbench: Command, numbers: range) -> None:
    texts = originals()
    for number in numbers[::EACH_FOR_THE_COMMAND]:
        changed = mutant(number, texts)
        message = refusal(changed.data)
        outcome = shflbench("validate", FILE)
        if message:
            assert (outcome.code, outcome.out) == (3, ""), number
            assert outcome.err.startswith(f"error: {message.rstrip('.')}\n"), number
        else:
            assert (outcome.code, outcome.err) == (0, ""), number
            assert re.fullmatch(r"mutant\.yaml: [1-9][\d,]* cases?\n", outcome.out), number


def test_mutants_are_the_same_each_time_and_differ() -> None:
    texts = originals()
    first = [mutant(number, texts) for number in range(50)]
    assert first == [mutant(number, texts) for number in range(50)]
    assert len({changed.data for changed in first}) > 45


@pytest.mark.archs
def test_mutants_reach_every_part_of_the_loader(folder: Folder) -> None:
    del folder
    texts = originals()
    parts = {
        "reader": "not UTF-8",
        "parser": "not YAML: ",
        "composer": "as a key",
        "schema": "unknown key",
        "words": "unknown variant",
        "expansion": "(already in experiment|key `launch`|matches no case|leaves no case|one of the dtypes)",
        "limits": "too (many|deep|large)",
        "none: it loads": r"\A\Z",
    }
    messages: list[str] = []
    while parts and len(messages) < FILES:
        messages.append(refusal(mutant(len(messages), texts).data))
        parts = {part: words for part, words in parts.items() if not re.search(words, messages[-1])}
    assert parts == {}, "parts that no mutant reaches"
    assert sum(message == "" for message in messages) >= len(messages) // 100
