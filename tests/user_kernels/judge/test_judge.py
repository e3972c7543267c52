"""Verdicts on candidates without a GPU."""

from pathlib import Path

import numpy as np
import pytest

from shflbench.errors import UsageError
from shflbench.user_kernels.judge.result import JudgeResult
from tests.user_kernels.judge.conftest import ROW_SUM, Judge, changed

CANDIDATES = {
    "race": (changed(("__syncthreads();", "")), "race"),
    "bounds": (changed(("i < n;", "i <= n;")), "bounds"),
    "barrier": (changed(("__syncthreads();", "if (threadIdx.x < 32) __syncthreads();")), "barrier"),
    "uninitialized": (changed(("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)")), "uninitialized"),
    "one-pass": (changed(("i += blockDim.x", "i += 1 << 20")), "wrong-result"),
    "last-element": (changed(("i < n;", "i < n - (n > 100);")), "wrong-result"),
    "unwritten": (changed(("if (threadIdx.x == 0) out", "if (threadIdx.x == 0 && n != 65) out")), "unwritten"),
    "no-kernel": ("int main() { return 0; }\n", "not-compiled"),
    "syntax": (changed(("float sum", "flot sum")), "not-compiled"),
    "include": (f'#include "/etc/passwd"\n{ROW_SUM}', "include-outside"),
    "clock": (changed(("float sum = 0", "float sum = clock64() < 0")), "reads-clock"),
    "other-parameters": (changed((", int n)", ", int n, int m)")), "other-parameters"),
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_a_wrong_candidate_is_rejected_for_its_fault(name: str, judge: Judge) -> None:
    source, code = CANDIDATES[name]
    (verdict,) = judge(source).verdicts
    assert (verdict.decision, verdict.reason and verdict.reason.code) == ("rejected", code), verdict.sentence


def test_a_right_candidate_is_accepted_and_the_result_says_that_nothing_was_timed(judge: Judge) -> None:
    result = judge({"row-sum": ROW_SUM})
    assert result.decision == "accepted"
    assert result["row-sum"].inputs == len(result.inputs)
    assert "rows = 3, n = 65" in result.inputs
    assert "Nothing was timed" in result.text()
    assert repr(result) == "<JudgeResult: row-sum accepted>"


def test_reasons_come_in_the_order_of_the_questions(judge: Judge) -> None:
    both = changed(("__syncthreads();", ""), ("i < n;", "i < n - (n > 100);"))
    (verdict,) = judge(both).verdicts
    assert [str(reason.question) for reason in verdict.reasons] == ["checked", "equal"]
    assert verdict.reasons[0].place == "kernel.cu:9"
    (early,) = judge(both, stop_early=True).verdicts
    assert len(early.reasons) == 1


def test_a_kernel_is_a_reference(judge: Judge) -> None:
    result = judge({"same": ROW_SUM, "wrong": changed(("warps[0] + warps[1]", "warps[0]"))}, reference=ROW_SUM)
    assert [str(verdict.decision) for verdict in result.verdicts] == ["accepted", "rejected"]


def test_results_that_the_reference_reads_keep_their_contents(judge: Judge) -> None:
    def add(values: np.ndarray, out: np.ndarray, n: int) -> None:
        out += values.reshape(-1, n).sum(axis=1, dtype=np.float64).astype(np.float32)

    adds = changed(("out[blockIdx.x] = ", "out[blockIdx.x] += "))
    result = judge({"adds": adds, "overwrites": ROW_SUM}, reference=add, inputs=_with_sums)
    assert [str(verdict.decision) for verdict in result.verdicts] == ["accepted", "rejected"]


def _with_sums(random: np.random.Generator, rows: int, n: int) -> tuple[object, ...]:
    return random.random(rows * n, np.float32), random.random(rows, np.float32), n


KEPT = changed(
    ('extern "C"', '__device__ float kept[4]; __device__ int last;\nextern "C"'),
    ("float sum = 0;", "float sum = 0; if (last == n) { out[blockIdx.x] = kept[blockIdx.x]; return; }"),
    (
        "out[blockIdx.x] = warps[0] + warps[1];",
        "{ kept[blockIdx.x] = out[blockIdx.x] = warps[0] + warps[1]; last = n; }",
    ),
)
PEEKS = changed(("float sum = 0;", "float sum = 0; if (__float_as_int(out[blockIdx.x]) != 0xa5a5a5a5) return;"))


@pytest.mark.parametrize("source", [KEPT, PEEKS], ids=["device variable", "contents of the output"])
def test_results_that_depend_on_earlier_launches_are_rejected(source: str, judge: Judge) -> None:
    (verdict,) = judge(source, sizes={"rows": [1], "n": [33, 65]}).verdicts
    assert verdict.reason
    assert verdict.reason.code == "keeps-results", verdict.sentence


def test_a_counter_that_every_launch_resets_is_no_kept_result(judge: Judge) -> None:
    last = "if (threadIdx.x == 0 && atomicAdd(&done, 1) == gridDim.x - 1) atomicExch(&done, 0);"
    counts = changed(
        ('extern "C"', '__device__ int done;\nextern "C"'),
        ("if (threadIdx.x == 0) out", f"{last}\n    if (threadIdx.x == 0) out"),
    )
    assert judge(counts).decision == "accepted"


def test_an_argument_that_the_reference_only_reads_must_stay(judge: Judge) -> None:
    writes = changed(
        ("const float* in", "float* in"),
        ("__syncthreads();", "__syncthreads(); if (!threadIdx.x) in[blockIdx.x * n] = 0;"),
    )
    (verdict,) = judge(writes).verdicts
    assert "input-changed" in {reason.code for reason in verdict.reasons}


def test_a_reference_that_fails_is_named(judge: Judge) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such axis")

    with pytest.raises(UsageError, match=r"does not run for rows = .*: ValueError: no such axis"):
        judge(ROW_SUM, reference=broken)


def test_a_reference_that_changes_nothing_needs_outputs(judge: Judge) -> None:
    with pytest.raises(UsageError, match="changes no argument"):
        judge(ROW_SUM, reference=lambda *_: None)


def test_a_failure_is_kept_and_repeats(judge: Judge, tmp_path: Path) -> None:
    one_pass, _ = CANDIDATES["one-pass"]
    (verdict,) = judge({"wrong": one_pass}, failures=tmp_path).verdicts
    assert verdict.repeat == f"shflbench judge CANDIDATE --reference {tmp_path}/wrong/task.py"
    values = np.load(tmp_path / "wrong" / "argument-0.npy")
    assert np.load(tmp_path / "wrong" / "expected-1.npy").size * 65 == values.size


def test_json_and_html_have_all_verdicts(judge: Judge) -> None:
    result: JudgeResult = judge({"same": ROW_SUM, "syntax": CANDIDATES["syntax"][0]})
    record = result.to_dict()
    assert record["schema"] == 1
    assert [item["reason"] for item in record["candidates"]] == [None, "not-compiled"]
    assert result._repr_html_().count("<tr>") == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid": None}, "`candidate` has no grid"),
        ({"sizes": {"rows": (3, 1), "n": (1, 2)}}, r"sizes\['rows'\] is \(3, 1\)"),
        ({"candidates": {}}, "judge needs a candidate"),
        ({"candidates": {"reference": ROW_SUM}}, "a candidate is called `reference`"),
        ({"candidates": {"a b": ROW_SUM}}, "'a b' cannot be the name of a kernel"),
        ({"inputs": lambda random, rows, n: 3}, "inputs are no tuple"),  # noqa: ARG005
        ({"inputs": lambda random, rows, n: 1 / 0}, "inputs failed for rows = "),  # noqa: ARG005
    ],
)
def test_arguments_that_cannot_be_are_named(given: dict[str, object], message: str, judge: Judge) -> None:
    with pytest.raises(UsageError, match=message):
        judge(**{"candidates": ROW_SUM, **given})
