"""`shflbench bench` on files, options and folders that are valid and rare."""

import os
from pathlib import Path

import pytest

from shflbench.store import read_run
from shflbench.store.lock import sole_creator
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_equal_results import program
from tests.conftest import Command

PAIR = program("out[i] = x[i];", "float y = x[i]; out[i] = y;")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1251"])
def test_text_that_is_no_utf8_is_compared(bench: BenchCommand, shflbench: Command, encoding: str) -> None:
    bench("")  # for the machine
    word = "r\u00e9sum\u00e9" if encoding == "latin-1" else "\u0434\u043b"
    Path("other.cu").write_bytes(f"/* {word} */\n{PAIR}".encode(encoding))
    outcome = shflbench("bench", "other.cu", "--no-check", "--output", "other")
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in read_run(Path("other")).rows} == {"verified"}


def test_kernels_without_buffers_have_nothing_to_compare(bench: BenchCommand) -> None:
    outcome = bench("__global__ void f() {}\n__global__ void g() {}\nint main() { f<<<1, 32>>>(); g<<<1, 32>>>(); }\n")
    assert outcome.code == 0, outcome.err
    assert "not compared: results, because the kernels leave none in memory" in outcome.err


def test_tolerance_that_is_no_number_is_refused(bench: BenchCommand) -> None:
    outcome = bench(PAIR, "--rtol", "nan")
    assert outcome.code == 2
    assert "`nan` is not a share; write it as 0.001 or 1e-3" in outcome.err


@pytest.mark.parametrize(("body", "code"), [("out[i] = x[i];", 5), ("out[i] = x ? x[i] : 1;", 0)])
def test_null_pointer_is_passed(bench: BenchCommand, body: str, code: int) -> None:
    outcome = bench(program(body, body), "--no-check", "--arg", "x=null")
    assert outcome.code == code, outcome.err
    assert "x = null (given)" in outcome.err
    assert "the declaration gives" not in outcome.err


def test_cache_that_cannot_be_written_is_a_warning(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", os.devnull)
    outcome = bench(PAIR, "--no-check")
    assert outcome.code == 0, outcome.err
    assert "warning: the cache cannot be written (/dev/null/bench: Not a directory)" in outcome.err
    assert {row.status.value for row in read_run(Path("run")).rows} == {"verified"}


def test_folder_in_which_another_bench_starts_is_left_alone(bench: BenchCommand) -> None:
    with sole_creator(Path("run")):
        outcome = bench(PAIR, "--no-check")
        assert outcome.code == 3
        assert "run is being written by another shflbench process" in outcome.err
        assert list(Path("run").iterdir()) == []


def test_folder_with_a_run_is_refused_without_an_option_that_bench_lacks(bench: BenchCommand) -> None:
    assert bench(PAIR, "--no-check").code == 0
    outcome = bench(PAIR, "--no-check")
    assert outcome.code == 3
    assert "run already contains a run\nGive another folder by --output\n" in outcome.err
