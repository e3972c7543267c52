"""`shflbench check --format gcc`: lines that editors read as those of gcc."""

import re
from pathlib import Path

import pytest

from tests.conftest import Command

# The pattern of the problem matcher `$gcc` in Visual Studio Code (microsoft/vscode-cpptools, Extension/package.json).
MATCHER = re.compile(r"^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$")


GCC = ("--format", "gcc")


def test_problem_matcher_reads_file_line_severity_and_message_of_each_finding(check: Command) -> None:
    outcome = check("kernels/racy.cu", *GCC)
    assert outcome.code == 1
    race, guess = [match.groups() for match in map(MATCHER.fullmatch, outcome.out.splitlines()) if match]
    assert race[:4] == ("kernels/racy.cu", "4", "1", "error")
    assert race[4].startswith("shift: RAW, WAR and uninitialized read: ")
    assert race[4].endswith("; launch 1x64) [raw]")
    assert guess[:4] == ("kernels/racy.cu", "6", "1", "warning")
    assert guess[4].startswith("count: RAW, WAR and WAW: ")
    assert guess[4].endswith("; to decide, give --arg to=… [raw]")
    assert len(outcome.out.splitlines()) == 2


def test_stderr_has_only_the_summary(check: Command) -> None:
    assert (
        check("kernels/racy.cu", *GCC).err
        == "3 kernels for sm_90 by NVRTC 13.5: 1 clean, 1 broken, 1 needs arguments.\n"
    )


def test_line_that_the_compiler_rejects_is_the_place(check: Command) -> None:
    outcome = check("kernels/rejected.cu", *GCC)
    assert outcome.code == 5
    assert outcome.out == 'kernels/rejected.cu:2:1: error: identifier "missing" is undefined [not-compiled]\n'


def test_path_outside_the_current_folder_is_whole(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path("kernels/rejected.cu").absolute()
    Path("other").mkdir()
    monkeypatch.chdir("other")
    assert check(file, *GCC).out.startswith(f"{file}:2:1: error: ")


def test_clean_file_prints_nothing(check: Command) -> None:
    Path("clean.cu").write_text("__global__ void sound(int *out) { out[threadIdx.x] = 1; }\n", encoding="utf-8")
    outcome = check("clean.cu", *GCC)
    assert (outcome.code, outcome.out) == (0, "")
