from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NoReturn

import pytest

from shflbench.core.model import Kernel, Mechanism
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.cache import KernelCache, key
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain
from tests.cuda.compile.conftest import Build
from tests.cuda.compile.planted import ROTATE, case, planted

SOURCE = Source("own/kernels.cu", "text", {"a.cuh": "one", "b.cuh": "two"}, "own_shfl<float>")


@pytest.fixture
def kernel(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    """Return a kernel with all that one can have, violations included."""
    return build(planted(tmp_path_factory.mktemp("source"), ROTATE, per_iteration={"SHFL": 2}))


def refuse(*_: object) -> NoReturn:
    raise AssertionError("compiled again")


def test_cached_kernel_is_returned_without_compiling(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = planted(tmp_path / "source", ROTATE, per_iteration={"SHFL": 2})
    first = Builder(toolchain, "sm_90", tmp_path / "cache").build(pattern, case())
    assert first.violations == ("the loop has 1 SHFL per iteration, not the declared 2",)
    monkeypatch.setattr("shflbench.cuda.compile.nvrtc.compile_unit", refuse)
    assert Builder(toolchain, "sm_90", tmp_path / "cache").build(pattern, case()) == first


def test_kernel_without_machine_code_is_returned_unchanged(tmp_path: Path, kernel: Kernel) -> None:
    blind = replace(kernel, sass=None, loop=None, violations=())
    KernelCache(tmp_path).put("ab12", blind)
    assert KernelCache(tmp_path).get("ab12") == blind


@pytest.mark.parametrize(
    "part", ["source", "header", "architecture", "unroll", "expectation", "option", "dtype", "compiler"]
)
def test_kernel_is_compiled_again_when_any_part_of_it_changes(
    blind_toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "own.cuh").write_text("// nothing\n", encoding="utf-8")
    own = partial(planted, tmp_path / "source", includes='#include "own.cuh"\n', options={"mode": ("idx", "up")})
    Builder(blind_toolchain, "sm_90", tmp_path / "cache").build(own(), case())
    monkeypatch.setattr("shflbench.cuda.compile.nvrtc.compile_unit", refuse)
    pattern, arch, wanted, compiler = own(), "sm_90", case(), blind_toolchain
    Builder(compiler, arch, tmp_path / "cache").build(pattern, wanted)  # nothing changed: found
    match part:
        case "source":
            pattern = own(f"{ROTATE} ")
        case "header":
            (tmp_path / "source" / "own.cuh").write_text("// something\n", encoding="utf-8")
        case "architecture":
            arch = "sm_80"
        case "unroll":
            pattern = own(unroll=8)
        case "expectation":
            pattern = own(mechanism=Mechanism.LIBRARY)
        case "option":
            wanted = replace(wanted, options=(("mode", "up"),))
        case "dtype":
            wanted = case("f64")
        case "compiler":
            compiler = replace(blind_toolchain, identity="nvrtc 99.0")
    with pytest.raises(AssertionError, match="compiled again"):
        Builder(compiler, arch, tmp_path / "cache").build(pattern, wanted)


def test_key_depends_on_every_part() -> None:
    keys = {
        key(SOURCE, "sm_90", "nvrtc", "expected"),
        key(replace(SOURCE, text="other"), "sm_90", "nvrtc", "expected"),
        key(replace(SOURCE, name="other"), "sm_90", "nvrtc", "expected"),
        key(replace(SOURCE, expression="other"), "sm_90", "nvrtc", "expected"),
        key(replace(SOURCE, headers={"a.cuh": "one", "b.cuh": "2"}), "sm_90", "nvrtc", "expected"),
        key(replace(SOURCE, headers={"a.cuh": "one", "c.cuh": "two"}), "sm_90", "nvrtc", "expected"),
        key(SOURCE, "sm_80", "nvrtc", "expected"),
        key(SOURCE, "sm_90", "other", "expected"),
        key(SOURCE, "sm_90", "nvrtc", "other"),
    }
    assert len(keys) == 9


def test_damaged_file_counts_as_missing(tmp_path: Path, kernel: Kernel) -> None:
    cache = KernelCache(tmp_path)
    cache.put("ab12", kernel)
    (path,) = tmp_path.rglob("*.kernel")
    whole = path.read_bytes()
    misses = 0
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        found = cache.get("ab12")
        assert found in (None, kernel)  # a date, say, may change
        misses += found is None
    assert misses > len(whole) / 7 * 0.8
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert cache.get("ab12") is None
    cache.put("ab12", kernel)
    assert cache.get("ab12") == kernel


def test_folder_that_cannot_be_written_is_named_and_only_disables_the_cache(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    (tmp_path / "taken").touch()
    builder = Builder(toolchain, "sm_90", tmp_path / "taken" / "kernels")
    assert builder.build(planted(tmp_path / "source"), case()).violations == ()
    assert builder.cache.problem == f"compiled kernels cannot be cached in {tmp_path}/taken/kernels: Not a directory"


def test_nothing_is_cached_without_a_folder(kernel: Kernel) -> None:
    cache = KernelCache(None)
    cache.put("ab12", kernel)
    assert cache.get("ab12") is None
    assert cache.problem == ""


def hammer(folder: Path, kernel: Kernel) -> int:
    """Keep and read the same kernel again and again; return how often it was not there or another one."""
    cache = KernelCache(folder)
    wrong = 0
    for _ in range(40):
        cache.put("ab12", kernel)
        wrong += cache.get("ab12") != kernel
    return wrong + bool(cache.problem)


@pytest.mark.archs
def test_two_processes_share_a_folder(tmp_path: Path, kernel: Kernel) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(hammer, [tmp_path] * 2, [kernel] * 2)) == [0, 0]
    assert sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file()) == [".cubin", ".kernel"]


def test_same_kernel_is_the_same_file(tmp_path: Path, kernel: Kernel) -> None:
    for folder in ("one", "two"):
        KernelCache(tmp_path / folder).put("ab12", kernel)
    one, two = (path.read_bytes() for path in sorted(tmp_path.rglob("*.kernel")))
    assert one == two
