"""A kernel from stdin, which `check`, `bench` and `advise` take as `-`."""

import io
import json
import tempfile
from pathlib import Path
from typing import Any, Protocol

import pytest

from shflbench.core.files import MOST_SOURCE
from tests.conftest import Command, Outcome

RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
PAIR = """\
__global__ void smem(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void shfl(const int *in, int *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, in[threadIdx.x], 1);
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    smem<<<1, 64>>>(in, out);
    shfl<<<1, 64>>>(in, out);
}
"""
PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry empty() {
    ret;
}
"""


class Piped(Protocol):
    def __call__(self, content: str | bytes, *words: str) -> Outcome: ...


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def piped(shflbench: Command, kernel_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """Run a command with this on stdin, and assert that no temporary file is named or remains."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def call(content: str | bytes, *words: str) -> Outcome:
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        outcome = shflbench(*words)
        assert str(temporary) not in outcome.out + outcome.err
        assert list(temporary.glob("shflbench-stdin-*")) == []
        return outcome

    return call


CHECK = ("--compiler", "nvrtc", "--launch", "1x64")


@pytest.mark.parametrize("form", ["table", "json", "github", "sarif", "gcc", "junit", "markdown"])
def test_check_names_the_lines_of_stdin_in_each_format(piped: Piped, form: str) -> None:
    outcome = piped(RACY, "check", "-", *CHECK, "--format", form)
    assert outcome.code == 1
    assert "stdin.cu" in outcome.out


def test_compiler_names_a_line_of_stdin(piped: Piped) -> None:
    outcome = piped("__global__ void f(int *a) {\n    a[0] = missing;\n}\n", "check", "-", *CHECK, "--format", "gcc")
    assert (outcome.code, outcome.out) == (
        5,
        'stdin.cu:2:1: error: identifier "missing" is undefined [not-compiled]\n',
    )


def test_ptx_is_recognized_by_its_content(piped: Piped) -> None:
    (file,) = json.loads(piped(PTX, "check", "-", "--format", "json").out)["files"]
    assert (file["file"], [kernel["name"] for kernel in file["kernels"]]) == ("stdin.ptx", ["empty"])


def test_quoted_include_is_searched_in_the_current_folder(piped: Piped) -> None:
    Path("one.h").write_text("#define ONE 1\n", encoding="utf-8")
    text = '#include "one.h"\n__global__ void f(int *a) { a[threadIdx.x] = ONE; }\n'
    assert piped(text, "check", "-", *CHECK).code == 0


def test_stdin_is_one_of_several_files(piped: Piped) -> None:
    Path("racy.cu").write_text(RACY, encoding="utf-8")
    lines = piped(RACY, "check", "racy.cu", "-", *CHECK, "--format", "gcc").out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["racy.cu", "stdin.cu"]


def test_bench_compares_the_kernels_of_stdin(piped: Piped) -> None:
    outcome = piped(PAIR, "bench", "-", "--device", "emulator", "--output", "run", "--format", "json")
    assert outcome.code == 0, outcome.err
    document: dict[str, Any] = json.loads(outcome.out)
    assert document["files"] == ["stdin.cu"]
    assert [kernel["kernel"] for kernel in document["groups"][0]["kernels"]] == ["smem", "shfl"]
    assert all(b"shflbench-stdin-" not in file.read_bytes() for file in Path("run").iterdir())


def test_bench_compares_a_file_with_stdin(piped: Piped) -> None:
    Path("old.cu").write_text(PAIR, encoding="utf-8")
    outcome = piped(PAIR, "bench", "old.cu", "-", "--device", "emulator", "--output", "run", "--format", "json")
    assert json.loads(outcome.out)["files"] == ["old.cu", "stdin.cu"]


def test_bench_has_no_revision_of_stdin(piped: Piped) -> None:
    outcome = piped(PAIR, "bench", "-", "--against", "HEAD", "--output", "run")
    assert outcome.code == 2
    assert outcome.err.splitlines()[0] == "error: --against: stdin.cu is in no git repository"


def test_advise_on_stdin_names_lines_and_prints_a_patch(piped: Piped) -> None:
    outcome = piped(PAIR, "advise", "-")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("smem (stdin.cu:1): exchanges through shared memory")
    assert piped(PAIR, "advise", "-", "--patch").out.startswith("--- a/stdin.cu\n+++ b/stdin.cu\n")


@pytest.mark.parametrize("command", ["check", "bench", "advise"])
@pytest.mark.parametrize("content", ["", " \n\n"])
def test_empty_stdin_is_one_sentence(piped: Piped, command: str, content: str) -> None:
    outcome = piped(content, command, "-")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: `-` reads a kernel from stdin, and stdin is empty\n"
        f"Pipe a kernel into it, as in: shflbench {command} - < kernel.cu\n"
    )


@pytest.mark.parametrize(("stream", "what"), [(Terminal(), "a terminal"), (None, "closed")])
def test_stdin_that_has_no_kernel_is_one_sentence(
    shflbench: Command, monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None, what: str
) -> None:
    monkeypatch.setattr("sys.stdin", stream)
    outcome = shflbench("check", "-")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[0] == f"error: `-` reads a kernel from stdin, and stdin is {what}"


def test_stdin_is_read_once(piped: Piped) -> None:
    outcome = piped(RACY, "check", "-", "-")
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, "error: `-` is given 2 times, and stdin is one file")


def test_stdin_has_the_limit_of_a_file(piped: Piped) -> None:
    outcome = piped(b"/" * (MOST_SOURCE + 1), "check", "-")
    assert (outcome.code, outcome.err.splitlines()[0]) == (3, "error: stdin has more than 16 MiB")


def test_stdin_with_zero_bytes_is_no_text(piped: Piped) -> None:
    outcome = piped(b"\0" * 100, "check", "-")
    assert (outcome.code, outcome.err.splitlines()[0]) == (3, "error: stdin.cu is no text: it contains zero bytes")
