"""Wrong options and damaged files: one sentence each, with the exit code that the documentation names."""

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Command

KERNEL = "__global__ void copy(const float *in, float *out, int n) { if (threadIdx.x < n) out[0] = in[0]; }\n"
HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
CODE = "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<4>;\nBODY\nret;\n}\n"
NO_SECONDS = "`inf` is not a number of seconds; write it as 2 or 0.5"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--launch", "4y256"], "--launch `4y256` is not a launch"),
        (["--launch", "0x32"], "--launch `0x32` is not a launch"),
        (["--budget", "nan"], "Invalid value for '--budget': `nan` is not a number of millions; write it as 40 or 0.5"),
        (
            ["--time-limit", "inf"],
            "Invalid value for '--time-limit': `inf` is not a number of seconds; write it as 2 or 0.5",
        ),
        (["--launch", "1x2048"], "--launch `1x2048`: a block has at most 1024 threads, 64 of them along z"),
        (["--launch", "1:2x2x2x2"], "--launch `1:2x2x2x2` is not a launch"),
        (["--arg", "n=abc"], "--arg n: `abc` is neither a number nor a buffer"),
        (["--arg", "in=f32[-1]"], "--arg in: `-1` is not a number of elements, 1 to 67108864"),
        (["--arg", "in=f32[1e9]"], "--arg in: `1e9` is not a number of elements, 1 to 67108864"),
        (["--arg", "in=missing.npy"], "--arg in: missing.npy cannot be read: no such file or directory"),
        (["--arg", "in=objects.npy"], "--arg in: objects.npy cannot be read: it is no array of NumPy"),
        (["--arg", "in=cut.npy"], "--arg in: cut.npy cannot be read: it is no array of NumPy"),
        (["--arg", "in=huge.npy"], "--arg in: huge.npy cannot be read: it is no array of NumPy"),
        (["--arg", "n=1.5"], "--arg n: 1.5 is no integer, and its type is i32"),
        (["--shared", "-1"], "Invalid value for '--shared': -1 is not in the range x>=0"),
        (["-D", "1x"], "-D `1x` is not NAME or NAME=VALUE"),
        (["-D", "A=1\n#error"], "-D `A=1 #error` is not NAME or NAME=VALUE"),
        (["--format", "yaml"], "Invalid value for '--format': 'yaml' is not one of 'table', 'json', 'github', 'sarif'"),
    ],
)
def test_an_option_with_a_wrong_value_is_refused(shflbench: Command, words: list[str], message: str) -> None:
    Path("k.cu").write_text(KERNEL, encoding="utf-8")
    np.save("objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save("whole.npy", np.zeros(64, np.float32))
    whole = Path("whole.npy").read_bytes()
    Path("cut.npy").write_bytes(whole[:150])
    with Path("huge.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (10**13,)})
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert " ".join(outcome.err.splitlines()).startswith(f"error: {message}")


def test_shared_of_zero_is_refused_for_a_pattern(shflbench: Command) -> None:
    outcome = shflbench("check", "quick", "--shared", "0")
    assert (outcome.code, outcome.err.splitlines()[0]) == (
        2,
        "error: --shared applies to .cu, .cuh and .ptx files, and no target is one",
    )


@pytest.mark.parametrize(
    ("head", "body", "sentence"),
    [
        ("(.param .align 8 .b8 p[268435456])", "", "a kernel takes 268435456 bytes of parameters"),
        ("(.param .align 0 .b8 p[16])", "", "has an impossible size or alignment"),
        ("(.param .b0 p)", "", "is not a declaration that the emulator supports"),
        ("(.param .u64 p)\n.maxntid 0,0,0", "", "a kernel has .maxntid 0, 0, 0, and a block has 1 to 1024 threads"),
        ("(.param .u64 p)", ".shared .b8 s[4294967296];", "has an impossible size or alignment"),
        ("(.param .u64 p)", ".local .b8 s[268435456];", "bytes of local memory"),
        ("(.param .u64 p)", ".reg .b32 %x<999999999>;", "declares no register name"),
        (
            "(.param .u64 p)",
            "".join(f".reg .b32 %x{number}_<60000>;" for number in range(5)),
            "declares more than 262144 registers",
        ),
        ("(.param .u64 p)", "mov.b32 %r1, " + "(" * 3000 + "1" + ")" * 3000 + ";", "brackets nest deeper than 16"),
        ("(.param .u64 p)", "setp.eq.u32 %p1, " + "!" * 3000 + "%p1, 1;", "does not negate a register"),
        ("(.param .u64 p)", "setp.eq.u32 " + "|".join(["%p1"] * 3000) + ", 1;", "is not a pair of registers"),
        ("(.param .u64" + " " * 100_000 + "!p)", "", "is not a declaration"),
        ("(.param .u64 p)", "ret;\n}\n.entry k()\n{", "k is defined twice"),
        ("(.param .u64 p)", "\n" * 200_000 + "call f;", "k"),
        ("(.param .u64 p)", "\x1b[31mred;", r"`\x1b[31mred` is not an instruction"),
    ],
)
def test_ptx_that_no_gpu_could_load_is_not_checked(shflbench: Command, head: str, body: str, sentence: str) -> None:
    Path("k.ptx").write_text(f"{HEADER}.visible .entry k{head}\n{CODE.replace('BODY', body)}", encoding="utf-8")
    outcome = shflbench("check", "k.ptx")
    assert outcome.code == 5
    assert outcome.out.splitlines()[1].partition("  ")[2].strip().startswith("not checked")
    assert sentence in outcome.out
