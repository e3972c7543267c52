import json
import re
from pathlib import Path

import pytest

from shflbench.checker.report import EXHAUSTIVE
from tests.cli.check.conftest import CheckText
from tests.cli.gate.runs import process
from tests.conftest import Command

REVERSE = """\
__global__ void reverse(const float *in, float *out, int n) {
    __shared__ float s[256];
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = g < n ? in[g] : 0;
    BARRIER
    if (g < n) out[g] = s[blockDim.x - 1 - threadIdx.x];
}
"""
SOUND = REVERSE.replace("BARRIER", "__syncthreads();")
BROKEN = REVERSE.replace("BARRIER", "")
NVRTC = ("--compiler", "nvrtc")


def write(name: str, text: str) -> Path:
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


@pytest.mark.every_schedule
def test_a_sound_kernel_is_clean_and_says_what_was_chosen(shflbench: Command) -> None:
    outcome = shflbench("check", write("reverse.cu", SOUND), *NVRTC)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "kernel   verdict  why",
        "reverse  clean    no hazard in 5 launches (2x256, 1x32, 2x128, 2x80, 3x64)",
        "",
        "reverse: clean",
        "  chosen arguments, in launch 2x256: in = f32[512] or f32[447], out = f32[512] or f32[447], n = 512 or 447",
    ]
    assert outcome.err.startswith("1 kernel for sm_90 by NVRTC ")
    *_, explored, exhaustive = shflbench("check", "reverse.cu", *NVRTC, "-v").out.splitlines()
    assert explored == (
        "  explored: launches 2x256, 1x32, 2x128, 2x80, 3x64, with 2 sets of inputs; 3 schedules in 1x32 and 3x64, "
        "the others in lockstep"
    )
    assert exhaustive == f"  exhaustive: {EXHAUSTIVE}"


@pytest.mark.parametrize("compiler", [NVRTC, ()], ids=["nvrtc", "usual"])
def test_an_error_beside_the_signature_of_the_only_kernel_is_shown(
    compiler: tuple[str, ...], shflbench: Command
) -> None:
    text = "__device__ int f(int a) { return a; }\n__global__ void k(int* x, int n) { int i; int i = 3; x[i] = f(n) }\n"
    outcome = shflbench("check", write("beside.cu", text), *compiler)
    assert outcome.code == 5
    assert "has no kernel" not in outcome.out
    assert "beside.cu:2" in outcome.out


def test_json_says_of_each_launch_whether_it_shows_all_schedules(check_text: CheckText) -> None:
    def launches(text: str) -> list[bool]:
        return [
            item["exhaustive"] for item in check_text(text, "--launch", "2x64", "--launch", "3x32").kernel["launches"]
        ]

    assert launches(SOUND) == [True, True]
    assert launches(BROKEN) == [False, False]
    assert launches("__global__ void k(int *out, int n) { if (atomicAdd(out, 1) == n) out[1] = 1; }") == [False, False]


def test_a_clean_kernel_of_which_nothing_was_chosen_is_one_line_of_the_table(shflbench: Command) -> None:
    text = "__global__ void k(int n) { if (n < 0) __trap(); }"
    outcome = shflbench("check", write("k.cu", text), *NVRTC, "--launch", "1x32", "--arg", "n=3")
    assert len(outcome.out.splitlines()) == 2


@pytest.mark.every_schedule
def test_a_race_is_reported_with_lines_threads_bytes_and_history_and_exits_1(shflbench: Command) -> None:
    outcome = shflbench("check", write("reverse.cu", BROKEN), *NVRTC, "--launch", "2x64", "--arg", "n=128")
    assert outcome.code == 1
    race, difference, *inputs = outcome.out.splitlines()[4:]
    assert race == (
        "  RAW, WAR and uninitialized read: reverse.cu:6 (thread 0 of block 0) reads what reverse.cu:4 (thread 63 of "
        "block 0) wrote, with no barrier between (bytes 252–255 of `s` in shared memory; launch 2x64)"
    )
    assert re.fullmatch(
        r"  `out\[\d+\]` \(f32\) is \S+ under `half-warp first`, and \S+ in lockstep execution \(launch 2x64\)",
        difference,
    )
    assert inputs == [
        "  chosen arguments, in launch 2x64: in = f32[128], out = f32[128]",
        "  explored: launch 2x64, with 2 sets of inputs; 7 schedules",
    ]
    verbose = shflbench("check", "reverse.cu", *NVRTC, "--launch", "2x64", "--arg", "n=128", "-v").out
    assert "    thread 63 of block 0 wrote 4 bytes at reverse.cu:4\n    thread 0 of block 0 read 4 bytes at " in verbose


def test_races_with_one_cause_are_one_finding_with_its_kinds(check_text: CheckText, shflbench: Command) -> None:
    text = "__global__ void k(int *bins) { bins[threadIdx.x % 2]++; }"
    report = check_text(text, "--launch", "1x64")
    assert report.sentence == "1 finding: RAW, WAR and WAW (first in launch 1x64)"
    assert set(report.kinds) == {"RAW", "WAR", "WAW", "WAW of equal values"}
    (finding,) = [
        line for line in shflbench("check", "k.cu", *NVRTC, "--launch", "1x64").out.splitlines() if ": k.cu:1" in line
    ]
    assert finding.startswith("  RAW, WAR and WAW: k.cu:1 (thread ")


def test_a_read_of_other_memory_on_the_line_of_a_race_is_a_finding_of_its_own(check_text: CheckText) -> None:
    text = """\
__global__ void k(int *out) {
    __shared__ int s[64], never[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x] + never[threadIdx.x];
    if (out == nullptr) never[threadIdx.x] = 1;
}
"""
    assert check_text(text, "--launch", "1x64").sentence.startswith("2 findings: ")


def test_a_block_that_does_not_fit_is_named_as_a_possible_cause(check_text: CheckText) -> None:
    text = """\
__global__ void k(const int *in, int *out, int n) {
    __shared__ int s[128];
    if (threadIdx.x < n) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = s[127 - threadIdx.x];
}
"""
    needs = check_text(text, "--launch", "1x32")
    assert needs.kernel["needs"] == ["n"]
    assert needs.sentence.endswith(
        "give --arg n=…, or another --launch if the kernel is written for another block size"
    )
    broken = check_text(text, "--launch", "1x32", "--arg", "n=32")
    assert broken.verdict == "broken"
    assert broken.sentence.endswith("; if the kernel is written for another block size, give another --launch")


def test_who_exits_and_who_waits_at_a_barrier_are_named(check_text: CheckText) -> None:
    text = """\
__global__ void k(int *out) {
    if (threadIdx.x >= 64)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}
"""
    (finding,) = check_text(text, "--launch", "1x128").kernel["findings"]
    assert finding["sentence"].startswith("thread 64 of block 0 (k.cu:")
    assert " exited before the barrier at k.cu:4, at which thread 0 of block 0 waits (" in finding["sentence"]


def test_threads_of_several_dimensions_are_named_by_their_coordinates(check_text: CheckText) -> None:
    text = "__global__ void k(int *out) { out[threadIdx.x] = threadIdx.y; }"
    report = check_text(text, "--launch", "1:4x2")
    assert report.kernel["findings"][0]["threads"] == [
        "thread (0, 1, 0) of block (0, 0, 0)",
        "thread (0, 0, 0) of block (0, 0, 0)",
    ]


@pytest.mark.archs
def test_the_arguments_reach_the_kernel(check_text: CheckText) -> None:
    text = "__global__ void k(const int *in, int *out, int n) { if (in[2] == 7 && n == 5) for (;;) out[0] += n; }"
    given = check_text(text, "--launch", "1x1", "--arg", "n=5", "--arg", "in=i32[3]:1,2,7", "--arg", "out=i32[1]:0")
    assert (given.code, given.verdict, given.kinds) == (1, "broken", ["endless loop"])
    assert check_text(text, "--launch", "1x1", "--arg", "n=6", "--arg", "in=i32[3]:1,2,7").verdict == "clean"


def test_an_access_beyond_a_given_buffer_is_broken_and_one_beyond_a_chosen_buffer_makes_it_grow(
    check_text: CheckText,
) -> None:
    text = "__global__ void k(int *out) { out[threadIdx.x + 1000] = 1; }"
    given = check_text(text, "--launch", "1x32", "--arg", "out=i32[1031]")
    assert (given.verdict, given.kinds) == ("broken", ["out of bounds"])
    chosen = check_text(text, "--launch", "1x32")
    assert chosen.verdict == "clean"
    (argument,) = chosen.kernel["launches"][0]["arguments"]
    assert argument["origin"] == "chosen"
    assert 1032 <= int(argument["text"].removeprefix("out = i32[").removesuffix("]")) < 4096


def test_an_index_that_was_chosen_needs_arguments_and_strict_fails_on_it(check_text: CheckText) -> None:
    text = "__global__ void k(const int *to, int *out) { out[to[threadIdx.x]] += threadIdx.x; }"
    report = check_text(text, "--launch", "1x64")
    assert (report.code, report.verdict, report.kernel["needs"]) == (0, "needs arguments", ["to"])
    assert check_text(text, "--launch", "1x64", "--strict").code == 6
    assert check_text(text, "--launch", "1x64", "--arg", "to=i32[64]:index").verdict == "clean"


def test_lines_that_no_launch_reached_stand_beside_clean(check_text: CheckText) -> None:
    text = """\
__global__ void k(const int *in, int *out, int mode) {
    if (mode == 7) {
        out[threadIdx.x] = 3;
        __syncthreads();
        out[threadIdx.x + 1] = 5;
    }
    out[2 * threadIdx.x + 4096] = in[threadIdx.x];
}
"""
    report = check_text(text)
    assert (report.verdict, report.kernel["lines_never_run"]) == ("clean", [[3, 5]])
    assert "; not checked: lines 3–5, which never ran" in report.sentence
    assert "never ran" not in check_text(text, "--arg", "mode=7").sentence


def test_what_a_kernel_prints_is_shown_with_v(shflbench: Command) -> None:
    text = '#include <cstdio>\n__global__ void k() { if (threadIdx.x == 3) printf("thread %d\\n", threadIdx.x); }'
    path = write("k.cu", text)
    assert "printf" not in shflbench("check", path, *NVRTC, "--launch", "1x32").out
    assert "  printf: thread 3" in shflbench("check", path, *NVRTC, "--launch", "1x32", "-v").out.splitlines()


def test_kernels_are_chosen_by_name_and_the_worst_decides_the_exit_code(shflbench: Command) -> None:
    path = write("both.cu", SOUND + BROKEN.replace("reverse", "racy"))
    words = (*NVRTC, "--launch", "1x64", "--format", "json")
    both = shflbench("check", path, *words)
    assert [kernel["verdict"] for kernel in json.loads(both.out)["files"][0]["kernels"]] == ["clean", "broken"]
    assert both.code == 1
    assert shflbench("check", path, *words, "--kernel", "reverse").code == 0


def test_ptx_is_checked_as_it_is(shflbench: Command) -> None:
    ptx = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
    outcome = shflbench("check", write("k.ptx", ptx), "--launch", "1x32")
    assert outcome.code == 1
    assert "WAW: k.ptx:10 (thread 1 of block 0) overwrites what k.ptx:10 (thread 0 of block 0) wrote" in outcome.out


@pytest.mark.archs
def test_the_files_of_a_folder_are_checked(shflbench: Command) -> None:
    Path("kernels").mkdir()
    write("kernels/one.cu", SOUND)
    write("kernels/two.cu", SOUND.replace("reverse", "other"))
    outcome = shflbench("check", "kernels", *NVRTC, "--launch", "1x32")
    assert [line.split()[:3] for line in outcome.out.splitlines()[1:3]] == [
        ["kernels/one.cu:", "reverse", "clean"],
        ["kernels/two.cu:", "other", "clean"],
    ]


@pytest.mark.usefixtures("one_core")
def test_a_kernel_that_one_of_several_files_has_is_checked_there(shflbench: Command) -> None:
    Path("kernels").mkdir()
    write("kernels/one.cu", SOUND)
    write("kernels/two.cu", SOUND.replace("reverse", "other"))
    outcome = shflbench("check", "kernels", *NVRTC, "--launch", "1x32", "--kernel", "other")
    table, _, _ = outcome.out.partition("\n\n")
    assert [line.split()[:3] for line in table.splitlines()[1:]] == [["other", "clean", "no"]]
    outcome = shflbench("check", "kernels", *NVRTC, "--kernel", "other", "--kernel", "third<int>")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: none of the 2 files has a kernel `third<int>`\n"


@pytest.mark.usefixtures("one_core")
def test_a_file_that_cannot_be_read_does_not_affect_the_others_of_its_folder(shflbench: Command) -> None:
    Path("kernels").mkdir()
    write("kernels/one.cu", BROKEN)
    write("kernels/two.ptx", "\0")
    outcome = shflbench("check", "kernels", *NVRTC, "--launch", "1x32")
    assert [line.split()[:3] for line in outcome.out.splitlines()[1:3]] == [
        ["kernels/one.cu:", "reverse", "broken"],
        ["kernels/two.ptx:", "two.ptx", "not"],
    ]
    assert "kernels/two.ptx is no text" in outcome.out
    assert outcome.code == 1


def test_a_kernel_that_waits_for_a_clock_is_not_checked(check_text: CheckText) -> None:
    text = "__global__ void k(int *o) { long long t = clock64(); while (clock64() - t < 1000000000) ; o[0] = 1; }"
    report = check_text(text, "--launch", "1x1")
    assert (report.code, report.verdict, report.kernel["findings"]) == (5, "not checked", [])
    assert report.sentence.startswith(
        "it waits for a clock for longer than the limit of instructions in launch 1x1 (k.cu:1)"
    )


@pytest.mark.archs
def test_no_launch_or_argument_ends_a_loop_without_an_exit(check_text: CheckText) -> None:
    text = "__global__ void k(volatile int *o) { while (1) o[threadIdx.x]++; }"
    report = check_text(text)
    assert (report.verdict, report.kinds) == ("broken", ["endless loop"])


def test_a_lone_template_argument_that_was_chosen_stands_beside_a_race(check_text: CheckText) -> None:
    text = "template <class T> __global__ void k(T *o) { o[0] = threadIdx.x; }"
    report = check_text(text, "--launch", "1x32", "--kernel", "k<float>")
    assert report.verdict == "broken"
    assert "chosen" not in report.sentence
    chosen = check_text(text, "--launch", "1x32")
    assert (chosen.verdict, chosen.kinds) == ("broken", ["WAW"])
    assert chosen.sentence.endswith("; for chosen T = float")


def test_a_source_that_does_not_compile_exits_5(shflbench: Command) -> None:
    outcome = shflbench("check", write("k.cu", "__global__ void k(int *out) { out[0] = missing; }"), *NVRTC)
    assert outcome.code == 5
    assert outcome.out.splitlines()[1].startswith("k.cu    not compiled  k.cu:1: ")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["missing.cu"], 3, "error: missing.cu cannot be read: No such file or directory"),
        (["k.cu", "--launch", "4"], 2, "error: --launch `4` is not a launch"),
        (["k.cu", "--arg", "n"], 2, "error: --arg `n` is not NAME=VALUE"),
        (["k.cu", "--arg", "m=3"], 2, "error: --arg: reverse has no parameter `m`; allowed: in, out, n"),
        (
            ["k.cu", "--kernel", "revers"],
            2,
            "error: k.cu has no kernel `revers`; it has reverse; did you mean `reverse`?",
        ),
        (
            ["k.cu", "--variant", "shfl"],
            2,
            "error: --variant applies to patterns and suites, and every target is a file",
        ),
        (["k.cu", "--sanitizer"], 2, "error: --sanitizer runs the kernels of patterns, and a target is a file"),
        (["k.cu", "--arch", "sm_20"], 4, "error: the limits of sm_20 are unknown to the emulator"),
        (["quick", "--launch", "1x32"], 2, "error: --launch applies to .cu, .cuh and .ptx files, and no target is one"),
        (["quick", "--arg", "n=3"], 2, "error: --arg applies to .cu, .cuh and .ptx files, and no target is one"),
    ],
)
def test_wrong_usage_is_one_sentence(shflbench: Command, words: list[str], code: int, message: str) -> None:
    write("k.cu", SOUND)
    outcome = shflbench("check", *words, *(NVRTC if words[0].endswith(".cu") else ()))
    assert (outcome.code, outcome.err.splitlines()[0]) == (code, message)


@pytest.mark.parametrize("text", ["", "}{", "\0\1", ".version 8.0\n.target sm_80\n.entry k(", "x" * 5000])
@pytest.mark.parametrize("name", ["k.cu", "k.ptx"])
def test_damaged_files_end_in_one_sentence(shflbench: Command, name: str, text: str) -> None:
    outcome = shflbench("check", write(name, text), *NVRTC)
    assert outcome.code in {3, 5}
    assert "Traceback" not in outcome.out + outcome.err
    assert "itself failed" not in outcome.err


def test_an_access_before_a_buffer_names_it_and_a_race_behind_it_names_the_fault(check_text: CheckText) -> None:
    text = """\
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[(int)threadIdx.x - 1];
    out[threadIdx.x] = s[63 - threadIdx.x];
}
"""
    report = check_text(text, "--launch", "1x64", "--arg", "in=i32[64]", "--arg", "out=i32[64]")
    bounds, race = report.kernel["findings"][:2]
    assert bounds["sentence"] == (
        "k.cu:3 (thread 0 of block 0) reads memory out of bounds (byte -4 of the 256 bytes of `in`; launch 1x64)"
    )
    assert (race["kind"], race["after_fault"]["line"]) == ("RAW", 3)
    assert race["sentence"].endswith("; after the fault at k.cu:3)")


def test_an_instruction_of_a_library_that_is_not_supported_is_named_by_the_line_that_uses_it(
    check_text: CheckText,
) -> None:
    text = "__global__ void k(cudaSurfaceObject_t s, float *o) {\n    o[0] = surf1Dread<float>(s, 0);\n}"
    report = check_text(text)
    assert (report.verdict, report.code) == ("not checked", 5)
    assert report.sentence.endswith(" (k.cu:2)")


@pytest.mark.archs
def test_lines_are_named_in_a_folder_whose_name_has_a_space(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "k.cu").write_text(
        "__global__ void k(cudaSurfaceObject_t s, float *o) { o[0] = surf1Dread<float>(s, 0); }"
    )
    outcome = process("check", "k.cu", "--compiler", "nvrtc", cwd=folder)
    assert (outcome.code, " (k.cu:1)\n" in outcome.out, "a folder/" in outcome.out) == (5, True, False)


def test_file_without_kernels_is_skipped_where_that_is_allowed(shflbench: Command) -> None:
    write("header.cuh", "__device__ inline int twice(int x) { return 2 * x; }\n")
    write("empty.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n")
    assert shflbench("check", "header.cuh", *NVRTC).code == 5
    outcome = shflbench("check", "header.cuh", *NVRTC, "--allow-no-kernels", "--format", "json")
    (file,) = json.loads(outcome.out)["files"]
    assert (outcome.code, [kernel["verdict"] for kernel in file["kernels"]]) == (0, ["skipped"])
    assert shflbench("check", "empty.ptx", "--allow-no-kernels").code == 0


def test_file_that_does_not_compile_is_not_skipped(shflbench: Command) -> None:
    write("rejected.cu", "__global__ void f() { missing(); }\n")
    assert shflbench("check", "rejected.cu", *NVRTC, "--allow-no-kernels").code == 5
