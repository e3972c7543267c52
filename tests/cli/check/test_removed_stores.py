"""Stores that the compiler removes: a race on them is gone from the program, and still stands in the source."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_kernels
from shflbench.checker.file_reading import read_file as read
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.cuda_sources.kernel_file import KernelFile
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels
from tests.cli.check.conftest import CheckText

ONE_PLACE = "__global__ void foo() {\n    __shared__ int a[16];\n    a[INDEX] = threadIdx.x;\n}\n"
RACY = ONE_PLACE.replace("INDEX", "0")
SOUND = ONE_PLACE.replace("a[16]", "a[128]").replace("INDEX", "threadIdx.x")
LAUNCH = ("--launch", "2x64")


def test_a_race_on_a_removed_store_is_broken_and_says_that_the_program_does_not_have_it(check_text: CheckText) -> None:
    report = check_text(RACY, *LAUNCH)
    assert (report.code, report.verdict, report.kinds) == (1, "broken", ["WAW"])
    assert report.sentence == "1 finding: WAW at line 3 of the source, in code that the compiler removed"
    (finding,) = report.kernel["findings"]
    assert finding["store_removed"]
    assert "; the compiler removed this code (" in finding["sentence"]


def test_a_removed_store_out_of_bounds_is_broken(check_text: CheckText) -> None:
    report = check_text(ONE_PLACE.replace("INDEX", "threadIdx.x"), *LAUNCH)
    assert (report.verdict, report.kinds) == ("broken", ["out of bounds"])


def test_a_removed_store_without_a_fault_leaves_the_verdict(check_text: CheckText) -> None:
    report = check_text(SOUND, *LAUNCH)
    assert (report.verdict, report.kinds) == ("clean", [])
    assert "removed" not in report.sentence


def test_equal_values_in_a_removed_store_are_doubtful(check_text: CheckText) -> None:
    report = check_text(RACY.replace("threadIdx.x;", "7;"), *LAUNCH)
    assert (report.verdict, report.kinds) == ("doubtful", ["WAW of equal values"])


@pytest.fixture
def sound_file(tmp_path: Path) -> KernelFile:
    path = tmp_path / "sound.cu"
    path.write_text(SOUND, encoding="utf-8")
    return read(path, FileOptions(compilers=Compilers(kernels.tools())))


def test_the_note_says_that_the_store_was_checked(sound_file: KernelFile) -> None:
    (note,) = check_kernels(sound_file, FileOptions()).notes
    assert (
        note.text
        == "the compiler removed or merged the store of line 3; it was checked in a build without optimization"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("mov.u32", "unknown.u32"), (".version", ".nothing")],
    ids=["an-unknown-instruction", "no-ptx"],
)
def test_a_store_that_cannot_be_judged_is_named_beside_clean(sound_file: KernelFile, old: str, new: str) -> None:
    file = replace(sound_file, unoptimized_ptx=sound_file.unoptimized_ptx.replace(old, new))
    report = check_kernels(file, FileOptions())
    (kernel,) = report.kernels
    assert kernel.verdict == "clean"
    assert "the compiler removed stores of line 3, which were not judged: " in kernel.sentence
    assert report.notes == sound_file.notes


# Whether the padding of a structure is set does not matter; whether its members are does.
STRUCTURES = """\
struct Pair { char first; int second; };
__global__ void unset(Pair *out) {
    Pair pair;
    out[threadIdx.x] = pair;
}
__global__ void in_shared(float *out) {
    __shared__ short unset[64];
    __shared__ float sum[64];
    sum[threadIdx.x] = out[threadIdx.x] + unset[threadIdx.x];
}
__global__ void padded() {
    __shared__ Pair pairs[64];
    Pair pair;
    pair.first = 1;
    pair.second = 2;
    pairs[threadIdx.x] = pair;
}
"""


def test_uninitialized_values_in_removed_stores_count_but_not_padding(tmp_path: Path) -> None:
    path = tmp_path / "structures.cu"
    path.write_text(STRUCTURES, encoding="utf-8")
    file = read(path, FileOptions(compilers=Compilers(kernels.tools())))
    reports = check_kernels(file, FileOptions(given=LaunchOptions(launches=(parse_shape("2x64"),)))).kernels
    verdicts = {
        report.name: (report.verdict, [finding.place and finding.place.line for finding in report.findings])
        for report in reports
    }
    assert verdicts["unset"] == ("broken", [4, 4])
    assert verdicts["in_shared"] == ("doubtful", [9])
    assert verdicts["padded"] == ("clean", [])


# A dead store to an array of 128 elements, by a thread each.
LAUNCHED = """\
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void foo(float *out) {
    __shared__ int a[128];
    a[threadIdx.x] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
int main(int argc, char **argv) {
    float *out;
    cudaMalloc(&out, 1 << 16);
    int threads = THREADS;
    foo<<<4, threads>>>(out);
}
"""


@pytest.mark.parametrize(
    ("threads", "verdict", "why"),
    [
        ("128", "clean", "no hazard in 1 launch (4x128)"),
        ("256", "broken", "1 finding: out of bounds at line 5 of the source, in code that the compiler removed"),
        (
            "atoi(argv[1])",
            "clean",
            "the compiler removed stores of line 5, which were not judged: the host code specifies the block of no",
        ),
        ("unknown()", "clean", "no hazard in "),  # at chosen launches, of which 2x128 has the block of the array
    ],
)
def test_a_removed_store_counts_in_blocks_that_the_file_launches(
    check_text: CheckText, threads: str, verdict: str, why: str
) -> None:
    report = check_text(LAUNCHED.replace("THREADS", threads))
    assert report.verdict == verdict
    assert why in report.sentence
