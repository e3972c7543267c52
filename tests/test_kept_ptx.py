"""Tests compile a file once for all of their folders, unless the result depends on the folder in which NVRTC runs."""

from pathlib import Path
from tempfile import gettempdir

import pytest

from shflbench.cuda.compile.nvrtc import PtxResult, PtxUnit
from shflbench.cuda.compile.ptx_process import SHARED, PtxProcess
from shflbench.cuda.compile.toolchain import Toolchain
from tests import kernels
from tests.kept_ptx import keep_results


def compile_in(folders: list[Path], line_table: str) -> tuple[list[str | None], int]:
    """Return the PTX of a file in each of the folders, and how often it was compiled."""
    compiled = []

    def compile_ptx(_process: PtxProcess, unit: PtxUnit, _toolchain: Toolchain, _timeout_s: float | None) -> PtxResult:
        compiled.append(unit.name)
        return PtxResult(line_table.format(file=unit.name), (), (), "")

    kept = keep_results(compile_ptx)
    units = [PtxUnit(b"text", str(folder / "k.cu"), {}, (), ()) for folder in folders]
    return [kept(SHARED, unit, kernels.tools(), None).ptx for unit in units], len(compiled)


def test_a_file_is_compiled_once_and_named_as_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "CACHE", tmp_path / "cache")
    folders = [tmp_path / "one", tmp_path / "other"]
    assert compile_in(folders, "{file}") == ([f"{folder}/k.cu" for folder in folders], 1)


def test_what_depends_on_the_working_folder_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "CACHE", tmp_path / "cache")
    assert compile_in([tmp_path / "one"] * 2, f"{gettempdir()}/header.h")[1] == 2
