import json
from pathlib import Path

import pytest

from tests.cli.check.conftest import CheckText
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


def test_a_sound_kernel_is_clean_and_says_what_was_derived(shflbench: Command) -> None:
    outcome = shflbench("check", write("reverse.cu", SOUND), *NVRTC)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "kernel   verdict  why",
        "reverse  clean    no hazard in 5 launches (2x256, 1x32, 2x128, 2x80, 3x64)",
        "",
        "reverse: clean",
        "  derived at 2x256: in = f32[512], out = f32[512], n = 512",
    ]
    assert outcome.err.startswith("1 kernel for sm_90 by NVRTC ")
    assert shflbench("check", "reverse.cu", *NVRTC, "-v").out.splitlines()[-1] == (
        "  explored: 2x256, 1x32, 2x128, 2x80, 3x64; 2 seeds; up to 7 schedules at 1x32, 3x64, lockstep elsewhere"
    )


def test_a_clean_kernel_of_which_nothing_was_derived_is_one_line_of_the_table(shflbench: Command) -> None:
    text = "__global__ void k(int n) { if (n < 0) __trap(); }"
    outcome = shflbench("check", write("k.cu", text), *NVRTC, "--launch", "1x32", "--arg", "n=3")
    assert len(outcome.out.splitlines()) == 2


def test_a_race_is_reported_with_lines_threads_bytes_and_history_and_exits_1(shflbench: Command) -> None:
    outcome = shflbench("check", write("reverse.cu", BROKEN), *NVRTC, "--launch", "2x64", "--arg", "n=128")
    assert outcome.code == 1
    first, *_ = details = outcome.out.splitlines()[4:]
    assert first == (
        "  RAW: reverse.cu:6 reads what reverse.cu:4 wrote, with no barrier between "
        "(bytes 252–255 of `s` in shared memory; thread 0 of block 0 and thread 63 of block 0; at 2x64)"
    )
    assert "    thread 63 of block 0 wrote 4 bytes at reverse.cu:4" in details[1]
    assert "    thread 0 of block 0 read 4 bytes at reverse.cu:6" in details[2]
    assert details[-2:] == [
        "  derived at 2x64: in = f32[128], out = f32[128]",
        "  explored: 2x64; 2 seeds; up to 7 schedules",
    ]


def test_threads_of_several_dimensions_are_named_by_their_coordinates(check_text: CheckText) -> None:
    text = "__global__ void k(int *out) { out[threadIdx.x] = threadIdx.y; }"
    report = check_text(text, "--launch", "1:4x2")
    assert report.kernel["findings"][0]["threads"] == [
        "thread (0, 1, 0) of block (0, 0, 0)",
        "thread (0, 0, 0) of block (0, 0, 0)",
    ]


def test_the_arguments_reach_the_kernel(check_text: CheckText) -> None:
    text = "__global__ void k(const int *in, int *out, int n) { if (in[2] == 7 && n == 5) for (;;) out[0] += n; }"
    given = check_text(text, "--launch", "1x1", "--arg", "n=5", "--arg", "in=i32[3]:1,2,7", "--arg", "out=i32[1]:0")
    assert (given.code, given.verdict, given.kinds) == (1, "broken", ["endless loop"])
    assert check_text(text, "--launch", "1x1", "--arg", "n=6", "--arg", "in=i32[3]:1,2,7").verdict == "clean"


def test_an_access_beyond_a_given_buffer_is_broken_and_one_beyond_a_derived_buffer_makes_it_grow(
    check_text: CheckText,
) -> None:
    text = "__global__ void k(int *out) { out[threadIdx.x + 1000] = 1; }"
    given = check_text(text, "--launch", "1x32", "--arg", "out=i32[1031]")
    assert (given.verdict, given.kinds) == ("broken", ["out of bounds"])
    derived = check_text(text, "--launch", "1x32")
    assert derived.verdict == "clean"
    (argument,) = derived.kernel["launches"][0]["arguments"]
    assert argument["origin"] == "derived"
    assert 1032 <= int(argument["text"].removeprefix("out = i32[").removesuffix("]")) < 4096


def test_an_index_that_was_derived_needs_arguments_and_strict_fails_on_it(check_text: CheckText) -> None:
    text = "__global__ void k(const int *to, int *out) { out[to[threadIdx.x]] = threadIdx.x; }"
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
    assert report.sentence.endswith("; lines 3–5 never ran")
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
    assert "  WAW: k.ptx:10 overwrites what k.ptx:10 wrote" in outcome.out


def test_the_files_of_a_folder_are_checked(shflbench: Command) -> None:
    Path("kernels").mkdir()
    write("kernels/one.cu", SOUND)
    write("kernels/two.cu", SOUND.replace("reverse", "other"))
    outcome = shflbench("check", "kernels", *NVRTC, "--launch", "1x32")
    assert [line.split()[:3] for line in outcome.out.splitlines()[1:3]] == [
        ["kernels/one.cu:", "reverse", "clean"],
        ["kernels/two.cu:", "other", "clean"],
    ]


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
    assert report.sentence.startswith("it waits for a clock longer than the limit of instructions at 1x1 (k.cu:1)")


def test_no_launch_or_argument_ends_a_loop_without_an_exit(check_text: CheckText) -> None:
    text = "__global__ void k(volatile int *o) { while (1) o[threadIdx.x]++; }"
    report = check_text(text)
    assert (report.verdict, report.kinds) == ("broken", ["endless loop"])


def test_a_lone_template_argument_that_was_derived_stands_beside_a_race(check_text: CheckText) -> None:
    text = "template <class T> __global__ void k(T *o) { o[0] = threadIdx.x; }"
    report = check_text(text, "--launch", "1x32", "--kernel", "k<float>")
    assert report.verdict == "broken"
    assert "derived" not in report.sentence
    derived = check_text(text, "--launch", "1x32")
    assert (derived.verdict, derived.kinds) == ("broken", ["WAW"])
    assert derived.sentence.endswith("; with T = float, which is derived")


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
            "error: --kernel: k.cu has no kernel `revers`; it has reverse; did you mean `reverse`?",
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
