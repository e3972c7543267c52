"""Sources in other encodings than UTF-8, and files whose names have other letters or are unreadable."""

import os
from pathlib import Path

import pytest

from tests.cli.gate.runs import process

FAR = "__global__ void far(int* o) { o[threadIdx.x + 1000000] = 2; }\n"
MAIN = "int main() { int* o; cudaMalloc(&o, 128); near<<<1, 32>>>(o); far<<<1, 32>>>(o); }\n"
NEAR = "__global__ void near(int* o) { o[threadIdx.x] = 1; }\n"
NVRTC = ("--compiler", "nvrtc")


@pytest.mark.archs
@pytest.mark.parametrize(
    "comment", ["// я\n", "/* я */ ", '#define NAME "я" // я\n', '__device__ const char s[] = "я";\n']
)
def test_kernels_behind_a_letter_of_cp1251_that_ends_a_text_for_nvrtc_are_checked(comment: str, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_bytes((NEAR + comment + FAR + MAIN).encode("cp1251"))
    outcome = process("check", *NVRTC, "k.cu", cwd=tmp_path)
    assert outcome.code == 1
    line = 2 + comment.count("\n")
    assert f"  k.cu:{line} (thread 0 of block 0) writes memory out of bounds" in outcome.out


@pytest.mark.archs
def test_bench_runs_a_source_in_latin_1(tmp_path: Path) -> None:
    twice = NEAR.replace("near", "twice").replace("{", "{ /* répété */ ")
    main = MAIN.replace("far", "twice")
    (tmp_path / "k.cu").write_bytes((NEAR + twice + main).encode("latin-1"))
    outcome = process("bench", "k.cu", cwd=tmp_path, CUDA_VISIBLE_DEVICES="")
    assert outcome.code == 0
    assert "same as near" in outcome.err


@pytest.mark.archs
def test_findings_name_files_and_folders_with_letters_beyond_ascii(tmp_path: Path) -> None:
    folder = tmp_path / "naïve"
    folder.mkdir()
    (folder / "ü.cuh").write_text(FAR)
    (folder / "é.cu").write_text('#include "ü.cuh"\n' + NEAR + MAIN)
    outcome = process("check", *NVRTC, "naïve/é.cu", cwd=tmp_path, PYTHONUTF8="1")
    assert outcome.code == 1
    assert "  naïve/ü.cuh:1 (thread 0 of block 0) writes memory out of bounds" in outcome.out


@pytest.mark.archs
@pytest.mark.parametrize("command", ["check", "bench", "advise", "new copy --from"])
def test_a_name_that_is_not_utf_8_and_a_loop_of_links_are_refused_in_one_sentence(command: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xe9.cu")
    (tmp_path / name).write_text(NEAR)
    outcome = process(*command.split(), name, cwd=tmp_path)
    assert (outcome.code, "\\xe9.cu cannot be read: its name is not UTF-8" in outcome.err) == (3, True)
    (tmp_path / "loop.cu").symlink_to("loop.cu")
    outcome = process(*command.split(), "loop.cu", cwd=tmp_path)
    assert (outcome.code, "loop.cu cannot be read: Too many levels" in outcome.err) == (3, True)
