"""The cache of facts: a repeated call gives the same output without reading machine code again."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.line_tables import LineStep
from shflbench.kernel_facts import facts_cache
from shflbench.kernel_facts.facts import KernelFacts, LoopFacts
from shflbench.kernel_facts.facts_cache import FactsCache
from shflbench.kernel_facts.residency import ResidentBlocks
from tests.cli.inspect.conftest import inspect as inspect  # noqa: PLC0414  (a fixture)
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


def entry(folder: Path, resident: str = "1x1024", keys: Sequence[str] = ("a", "b")) -> FactsCache:
    blocks, threads = resident.split("x")
    return FactsCache(folder, ResidentBlocks(int(blocks), int(threads)), keys)


def test_facts_are_read_as_they_were_written(tmp_path: Path) -> None:
    entry(tmp_path).write([FACTS, ONE_PASS])
    assert entry(tmp_path).read() == (FACTS, ONE_PASS)
    (file,) = tmp_path.rglob("*.*")
    assert file.suffix == f".{facts_cache.KIND}"


@pytest.mark.parametrize("content", [b"", b"x\x9c", b"not zlib"])
def test_a_missing_or_damaged_file_gives_nothing(tmp_path: Path, content: bytes) -> None:
    assert entry(tmp_path).read() is None
    entry(tmp_path).write([FACTS, ONE_PASS])
    (file,) = tmp_path.rglob("*.*")
    file.write_bytes(content)
    assert entry(tmp_path).read() is None


def test_facts_of_fewer_kernels_are_not_those_of_an_entry(tmp_path: Path) -> None:
    entry(tmp_path).write([FACTS])
    assert entry(tmp_path).read() is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    entry(tmp_path / "file" / "facts").write([FACTS, ONE_PASS])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert entry(tmp_path / "file" / "facts").read() is None


def test_other_settings_and_kernels_have_other_entries(tmp_path: Path) -> None:
    entry(tmp_path).write([FACTS, ONE_PASS])
    assert entry(tmp_path, resident="1x512").read() is None
    assert entry(tmp_path, keys=("a", "c")).read() is None


def test_a_repeated_call_reads_no_kernels(inspect: Command, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = inspect("own.yaml", "--arch", "sm_90,sm_75")
    assert len(list(cache.glob(f"*/*.{facts_cache.KIND}"))) == 2
    monkeypatch.setattr(Builder, "build_all", no_kernels)
    assert inspect("own.yaml", "--arch", "sm_75,sm_90").code == 0
    assert inspect("own.yaml", "--arch", "sm_90,sm_75") == first


def test_kernels_that_do_not_compile_are_tried_again(inspect: Command, cache: Path) -> None:
    words = ("pairs", "--dtype", "i32", "--variant", "initialized")
    assert [inspect(*words).code, inspect(*words).code] == [5, 5]
    assert list(cache.glob(f"*/*.{facts_cache.KIND}")) == []
