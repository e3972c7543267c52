"""`shflbench judge` on a machine without a GPU."""

import json
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.fakes.backend import unplug
from tests.user_kernels.judge.conftest import ROW_SUM, changed

TASK = """
import numpy as np

sizes = {"rows": [3], "n": [1, 65, 129]}
grid, block = 3, 64


def inputs(random, rows, n):
    return random.random(rows * n, np.float32), np.zeros(rows, np.float32), n


def reference(values, out, n):
    return values.reshape(-1, n).sum(axis=1)
"""
HOST = """
int main() {
    int n = 100, rows = 3;
    float *in, *out;
    cudaMalloc(&in, rows * n * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    row_sum<<<rows, 64>>>(in, out, n);
    return cudaDeviceSynchronize();
}
"""


@pytest.fixture(autouse=True)
def _files(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, one_core: None) -> None:
    del shflbench, one_core  # only for the folder and the machine
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    start_no_processes(monkeypatch)
    Path("right.cu").write_text(ROW_SUM, encoding="utf-8")
    Path("race.cu").write_text(changed(("__syncthreads();", "")), encoding="utf-8")
    Path("cut.cu").write_text(changed(("i < n;", "i < n - n % 2;")), encoding="utf-8")
    Path("task.py").write_text(TASK, encoding="utf-8")
    Path("reference.cu").write_text(ROW_SUM + HOST, encoding="utf-8")


def test_candidates_are_judged_by_a_task(shflbench: Command) -> None:
    outcome = shflbench("judge", "right.cu", "race.cu", "--reference", "task.py")
    assert outcome.code == 1
    right, race, *_ = outcome.out.splitlines()
    assert right == "right: accepted: compiles, checked, equal, honest"
    assert race.startswith("race: rejected: race: ")
    assert "race.cu:9" in race


def test_all_accepted_is_success(shflbench: Command) -> None:
    assert shflbench("judge", "right.cu", "--reference", "task.py").code == 0


def test_a_kernel_with_host_code_is_a_reference_at_each_size(shflbench: Command) -> None:
    outcome = shflbench("judge", "right.cu", "cut.cu", "--reference", "reference.cu", "--size", "n=1:130")
    assert outcome.code == 1
    right, cut, *_ = outcome.out.splitlines()
    assert right.startswith("right: accepted")
    assert cut.startswith("cut: rejected: wrong-result: ")


def test_json_says_the_same(shflbench: Command) -> None:
    outcome = shflbench("judge", "cut.cu", "--reference", "task.py", "--format", "json")
    record = json.loads(outcome.out)
    assert (outcome.code, record["decision"], record["candidates"][0]["reason"]) == (1, "rejected", "wrong-result")


def test_a_kept_failure_repeats(shflbench: Command) -> None:
    outcome = shflbench("judge", "cut.cu", "--reference", "task.py", "--failures", "kept")
    assert "  repeat: shflbench judge cut.cu --reference kept/cut/task.py\n" in outcome.out
    again = shflbench("judge", "cut.cu", "right.cu", "--reference", "kept/cut/task.py")
    assert again.out.startswith("cut: rejected: wrong-result: ")
    assert "right: accepted" in again.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.cu", "--reference", "task.py"], "missing.cu cannot be read"),
        (["right.cu", "--reference", "missing.py"], "missing.py cannot be read"),
        (["right.cu", "--reference", "task.py", "--size", "n=1:3"], "--size is for a reference in CUDA"),
        (["right.cu", "--reference", "reference.cu", "--size", "n=3:1"], "--size `n=3:1` is not NAME=LEAST:GREATEST"),
        (["right.cu", "--reference", "right.cu"], "row_sum of right.cu: "),
    ],
)
def test_bad_words_are_named(words: list[str], message: str, shflbench: Command) -> None:
    outcome = shflbench("judge", *words)
    assert message in outcome.err
    assert outcome.code in {2, 3}
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    "text", ["reference = 1\n", "import nothing_of_this_name\n", "sizes = 3\nreference = inputs = 1\n"]
)
def test_a_task_that_is_none_is_named(text: str, shflbench: Command) -> None:
    Path("bad.py").write_text(text, encoding="utf-8")
    outcome = shflbench("judge", "right.cu", "--reference", "bad.py")
    assert outcome.code in {2, 3}
    assert "bad.py" in outcome.err


def test_outputs_in_any_order_are_named(shflbench: Command) -> None:
    keep = """
extern "C" __global__ void keep(const float* in, float* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
"""
    Path("keep.cu").write_text(keep, encoding="utf-8")
    arguments = [
        "--launch",
        "3x64",
        *(f"--arg={text}" for text in ("in=f32[130]", "out=f32[130]", "count=i32[1]", "n=130")),
    ]
    outcome = shflbench("judge", "keep.cu", "--reference", "keep.cu", *arguments)
    assert outcome.code == 2
    assert "depend on the order of blocks" in outcome.err
    assert shflbench("judge", "keep.cu", "--reference", "keep.cu", "--any-order", "out", *arguments).code == 0
    outcome = shflbench("judge", "keep.cu", "--reference", "keep.cu", "--any-order", "n", *arguments)
    assert "the reference has no such buffer" in outcome.err
