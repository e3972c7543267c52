"""The cache of facts: a repeated call gives the same output without reading machine code again."""

from pathlib import Path

import pytest

from shflbench.cli.inspect import gather, stored_facts
from shflbench.cli.inspect.facts import KernelFacts, LoopFacts
from shflbench.compile.source_lines import LineStep
from tests.conftest import Command

LOOP = LoopFacts(
    4.0, 3.0, {"exchange": 1.0}, ("BREW",), 32.0, "exchange", {"exchange": 32.0}, ("issue",), ("loads hit L1",)
)
FACTS = KernelFacts(24, 4096, 16, 8, LOOP, "", {}, (LineStep("own/k.cu", 7),))
ONE_PASS = KernelFacts(
    24, 0, 0, 0, None, "no limit: makes one pass, without a timed loop", {"exchange": 5.0}, in_loops=3
)


@pytest.fixture
def cache(inspect: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001  (it sets the cache before this does)
    """Cache in a folder of this test."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def no_kernels(*_: object) -> None:
    raise AssertionError("kernels are compiled or read again")


def test_facts_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = stored_facts.file_of(tmp_path, ["1x1024", "a kernel"])
    stored_facts.write(path, [FACTS, ONE_PASS])
    assert stored_facts.read(path) == [FACTS, ONE_PASS]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("content", [b"", b"x\x9c", b"not zlib"])
def test_a_missing_or_damaged_file_gives_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "facts"
    assert stored_facts.read(path) is None
    path.write_bytes(content)
    assert stored_facts.read(path) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    stored_facts.write(tmp_path / "file" / "facts", [FACTS])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert stored_facts.read(tmp_path / "file" / "facts") is None


def test_other_settings_and_kernels_have_other_files(tmp_path: Path) -> None:
    settings = (["1x1024", "a"], ["1x512", "a"], ["1x1024", "a", "b"])
    assert len({stored_facts.file_of(tmp_path, parts) for parts in settings}) == len(settings)


def test_a_repeated_call_reads_no_kernels(inspect: Command, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = inspect("own.yaml", "--arch", "sm_90,sm_75")
    assert len(list(cache.glob(f"*/*.{stored_facts.ENDING}"))) == 2
    monkeypatch.setattr(gather, "compile_all", no_kernels)
    assert inspect("own.yaml", "--arch", "sm_75,sm_90").code == 0
    assert inspect("own.yaml", "--arch", "sm_90,sm_75") == first


def test_kernels_that_do_not_compile_are_tried_again(inspect: Command, cache: Path) -> None:
    words = ("pairs", "--dtype", "i32", "--variant", "initialized")
    assert [inspect(*words).code, inspect(*words).code] == [5, 5]
    assert list(cache.glob(f"*/*.{stored_facts.ENDING}")) == []
