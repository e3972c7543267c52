"""The list of phrases and names to replace finds what it names, and nothing in correct sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.language import check

REPOSITORY = Path(__file__).parents[2]
WRONG_PHRASES = [words for phrase in check.phrases() for words in phrase.wrong]
WRONG_NAMES = [(name, item.where) for item in check.identifiers() for name in sorted(item.names)]
CORRECT = """\
A functional unit executes one instruction per cycle.
Measure and compare with a stored run: `gate SUITE --against main`.
Rows are written in this order.
The compiler knows the trip count of the loop.
A round trip through JSON keeps every field.
Give each block 256 threads and a barrier.
The kernel launches a block per SM.
This run samples a clock before each round.
One shuffle moves a word from lane to lane.
Each process a user starts appears in nvidia-smi.
Return a launch for a case.
The block reserves shared memory in a second kernel.
A warp executes in lockstep only where the code synchronizes it.
The wildcard `*.yaml` matches every suite.
The driver amends the configuration.
Nobody untold the story.
The result depends on the element type.
Check the kernel against its declaration.
Hold the lock until the file is renamed.
The reference of the pattern is a NumPy function.
Take the right neighbor's value.
The interval covers 0.5% of the median.
Compute `7 % 2` and `threadIdx.x % 32`.
The format is "%s %d %%".
Resume the stopped run with `--resume`.
The thread that holds the element is lane 3.
Two sides of three processes each are enough.
Registers per thread, over all element types.
The variant runs at 4.7× the speed of smem.
Put the file down in the folder `results`.
The time is 16.19 ns per iteration.
Processes are started in a fixed order.
This GPU runs the suite for as many rounds as needed.
Source: Order Statistics, 3rd edition.
Readers accept `bent` in older runs.
The thickness of a line is the same as that of the next one.
"""


@pytest.mark.parametrize("words", WRONG_PHRASES)
def test_each_phrase_of_the_list_is_reported_where_it_stands(words: str) -> None:
    hits = list(check.find_phrases(f"First line.\n# {words}, and so on\n"))
    assert {hit.line for hit in hits} == {2}


@pytest.mark.parametrize(
    "text",
    [
        "256 threads\na block",
        "# 256 threads\n# a block",
        'f("256 threads "\n  "a block")',
        "// 256 threads\n// a block",
    ],
)
def test_a_phrase_is_reported_across_the_end_of_a_line(text: str) -> None:
    assert [hit.line for hit in check.find_phrases(text)] == [1]


@pytest.mark.parametrize(("name", "where"), WRONG_NAMES)
@pytest.mark.parametrize(
    "definition",
    ["{} = 1", "class {}: pass", "def f(x, {}): pass", "import x as {}", "a.{} = 1", "for {} in (): pass"],
)
def test_each_name_of_the_list_is_reported_where_it_is_defined(name: str, where: str, definition: str) -> None:
    path = where.replace("*", "module.py")
    assert [hit.words for hit in check.find_identifiers(definition.format(name), path)] == [name]
    assert list(check.find_identifiers("print(1)", path)) == []


def test_a_phrase_may_be_allowed_in_files_that_quote_it() -> None:
    assert list(check.find_phrases("1 %", "tests/core/test_thresholds.py")) == []
    assert list(check.find_phrases("1 %", "tests/test_layout.py")) != []


def test_the_name_of_a_module_is_checked_too() -> None:
    assert [hit.words for hit in check.find_identifiers("", "shflbench/cli/written.py")] == ["written"]


@pytest.mark.parametrize("word", ["What", "Which", "Who"])
def test_a_docstring_is_no_half_question(word: str) -> None:
    assert [hit.words for hit in check.find_questions(f'"""{word} a launch asks of memory."""\n')] == [word]
    assert list(check.find_questions('"""Whatever a launch asks of memory."""\n')) == []


def test_a_name_for_one_folder_is_free_elsewhere() -> None:
    assert list(check.find_identifiers("unit = 1", "shflbench/emulator/machine/state.py")) != []
    assert list(check.find_identifiers("unit = 1", "shflbench/output/plot/axes.py")) == []


@pytest.mark.parametrize("sentence", CORRECT.splitlines())
def test_nothing_is_reported_in_a_correct_sentence(sentence: str) -> None:
    assert list(check.find_phrases(sentence)) == []


@pytest.mark.archs
def test_the_repository_contains_no_phrase_and_no_name_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    texts = {name: check.text_of(name) for name in check.files([])}
    hits = [
        f"{name}:{hit.line}: {hit.words}: write {hit.instead}"
        for name in texts
        for hit in check.check(name, texts[name])
    ]
    assert hits == []


def test_what_is_recorded_or_frozen_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    read = set(check.files([]))
    assert {
        "README.md",
        "shflbench/core/model/runs.py",
        "shflbench/patterns/shflbench.cuh",
        "suites/gtc2013.yaml",
    } <= read
    frozen = (
        "results/",
        "plots/",
        "tests/data/",
        "shflbench/measure/sentinels/sentinels.cu",
        "benchmarks/compare_power.md",
    )
    assert [name for name in read if name.startswith(frozen)] == []
