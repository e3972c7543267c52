"""Verdicts on candidates without a GPU."""

import multiprocessing
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import shflbench
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.result import JudgeResult
from shflbench.user_kernels.judge.task import read_task
from tests.user_kernels.judge.conftest import ROW_SUM, Judge, changed, row_sums

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


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("in[blockIdx.x * n + i]", "in[(unsigned short) (blockIdx.x * n + i)]"), "wrong-result"),
        (("in[blockIdx.x * n + i]", "in[blockIdx.x * n + i < 65536 ? blockIdx.x * n + i : 1 << 30]"), "fault"),
    ],
)
@pytest.mark.parametrize("reference", [row_sums, ROW_SUM], ids=["function", "kernel"])
def test_indices_beyond_16_bits_are_tried_once(
    change: tuple[str, str], code: str, reference: object, judge: Judge
) -> None:
    result = judge(
        {"wide": ROW_SUM, "narrow": changed(change)}, reference=reference, sizes={"rows": (1, 10**4), "n": [33, 130]}
    )
    assert result["wide"].decision == "accepted"
    reason = result["narrow"].reason
    assert reason
    assert (reason.code, reason.input) == (code, "rows = 505, n = 130")


def test_shared_memory_that_ptxas_refuses_is_not_accepted(judge: Judge) -> None:
    (verdict,) = judge(changed(("warps[2]", "warps[20480]"))).verdicts
    assert verdict.decision == "undecided"
    assert "it declares 81920 bytes of shared memory per block, of which a block has 49152" in verdict.sentence


def test_a_right_candidate_is_accepted_and_the_result_says_that_nothing_was_timed(judge: Judge) -> None:
    result = judge({"row-sum": ROW_SUM})
    assert result.decision == "accepted"
    assert result["row-sum"].inputs == len(result.inputs)
    assert "rows = 3, n = 65" in result.inputs
    assert "Nothing was timed" in result.text()
    assert repr(result) == "<JudgeResult: row-sum accepted>"


def test_reasons_come_in_the_order_of_the_questions(judge: Judge) -> None:
    both = changed(("__syncthreads();", ""), ("i < n;", "i < n - 1;"))
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


def test_a_daemonic_process_is_refused(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "_config", {"daemon": True})
    with pytest.raises(UsageError, match="a daemonic one cannot start"):
        judge(ROW_SUM)


def test_a_reference_that_changes_nothing_needs_outputs(judge: Judge) -> None:
    with pytest.raises(UsageError, match="changes no argument"):
        judge(ROW_SUM, reference=lambda *_: None)


def test_a_failure_is_kept_and_repeats(judge: Judge, tmp_path: Path) -> None:
    one_pass, _ = CANDIDATES["one-pass"]
    (verdict,) = judge({"wrong": one_pass}, failures=tmp_path).verdicts
    folder = tmp_path / "wrong"
    assert verdict.repeat == f"shflbench judge {folder}/candidate.cu --reference {folder}/task.py"
    values = np.load(folder / "argument-0-0.npy")
    assert np.load(folder / "expected-0-1.npy").size * 65 == values.size


KEEPS_EACH = changed(
    ('extern "C"', '__device__ float kept[4]; __device__ int have[4];\nextern "C"'),
    (
        "if (threadIdx.x == 0) out[blockIdx.x] = warps[0] + warps[1];",
        """
    if (threadIdx.x != 0) return;
    if (have[blockIdx.x] != n) kept[blockIdx.x] = warps[0] + warps[1];
    have[blockIdx.x] = n;
    out[blockIdx.x] = kept[blockIdx.x];
""",
    ),
)


@pytest.mark.parametrize("vary", [True, False])
def test_a_failure_that_needs_two_launches_repeats(vary: bool, judge: Judge, tmp_path: Path) -> None:  # noqa: FBT001
    judge({"keeps": KEEPS_EACH}, failures=tmp_path, sizes={"rows": [1], "n": [33]}, vary=vary)
    task = read_task(tmp_path / "keeps" / "task.py")
    again = shflbench.judge(KEEPS_EACH, **{item.name: getattr(task, item.name) for item in fields(task)})
    assert [reason.code for reason in again["candidate"].reasons] == ["keeps-results"]


def test_a_failure_repeats_with_its_tolerance(judge: Judge, tmp_path: Path) -> None:
    nearly = changed(("= warps[0] + warps[1]", "= (warps[0] + warps[1]) * 1.00005f"))
    (verdict,) = judge({"nearly": nearly}, rtol=1e-6, failures=tmp_path).verdicts
    assert verdict.decision == "rejected"
    assert read_task(tmp_path / "nearly" / "task.py").rtol == 1e-6


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
        ({"inputs": lambda *_, **__: sys.exit(0)}, "`inputs` fails for .*: SystemExit: 0"),
        ({"inputs": lambda *_, **__: (1 << 70,)}, "no integer of a kernel holds"),
        ({"grid": lambda rows, n: 1 // 0}, "`grid` fails for rows = .*ZeroDivisionError"),  # noqa: ARG005
        ({"grid": 0}, "`candidate` cannot be launched for rows = "),
        ({"cluster": 2, "grid": 3}, "does not consist of clusters of 2"),
        ({"shared_bytes": 10**7}, "sm_90 has 0 to 232448 bytes"),
        ({"shared_bytes": -1}, "shared_bytes is -1"),
        ({"sizes": {"rows": (3,), "n": (1, 2)}}, r"sizes\['rows'\] is \(3,\)"),
        ({"sizes": {3: [3]}}, r"sizes\[3\] is \[3\]"),
        ({"any_order": (7,)}, "any_order has 7, and no array is there"),
        ({"prefilled": (2,)}, "prefilled has 2, and no array is there"),
        ({"reference": lambda *_: {"a": 1}}, "returns 1 elements for argument 1"),
        ({"reference": lambda values, out, n: out + 1j}, "no numbers for argument 1, but complex64"),  # noqa: ARG005
        ({"reference": lambda *_: "sum"}, "result 0 of the reference is of type str"),
        ({"reference": lambda *_: sys.exit(0)}, "does not run for .*: SystemExit: 0"),
        ({"inputs": lambda random, rows, n: 1 / 0}, "`inputs` fails for rows = "),  # noqa: ARG005
    ],
)
def test_arguments_that_cannot_be_are_named(given: dict[str, object], message: str, judge: Judge) -> None:
    with pytest.raises(UsageError, match=message):
        judge(**{"candidates": ROW_SUM, **given})


HISTOGRAM = """
extern "C" __global__ void histogram(const int* in, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1);
}
"""


def _histogram(judge: Judge, source: str, given: Mapping[str, object]) -> JudgeResult:
    return judge(
        source,
        reference=lambda values, bins, _: np.bincount(values, minlength=bins.size),
        inputs=lambda random, n: (random.integers(0, 8, n, np.int32), np.zeros(8, np.int32), n),
        sizes={"n": [1, 33, 130]},
        grid=lambda n: (n + 63) // 64,
        **given,
    )


def test_a_kernel_that_adds_to_zeros_needs_that_the_task_says_so(judge: Judge) -> None:
    (verdict,) = _histogram(judge, HISTOGRAM, {}).verdicts
    assert (verdict.decision, [reason.code for reason in verdict.reasons]) == ("undecided", ["needs-prefilled"])
    assert _histogram(judge, HISTOGRAM, {"prefilled": (1,)}).decision == "accepted"
    wrong = HISTOGRAM.replace("i < n", "i < n - (n > 100)")
    assert _histogram(judge, wrong, {}).verdicts[0].reasons[0].code == "wrong-result"


def test_results_under_every_order_of_blocks_are_compared(judge: Judge) -> None:
    first_come = """
__device__ int next;
extern "C" __global__ void copy(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(&next, 1) % n] = in[i];
}
"""
    result = judge(
        first_come,
        reference=lambda values, *_: values,
        inputs=lambda random, n: (random.random(n, np.float32), np.zeros(n, np.float32), n),
        sizes={"n": [1, 33, 130]},
        grid=lambda n: (n + 63) // 64,
    )
    assert result.verdicts[0].reasons[0].code == "wrong-result", result.text()


def test_a_fixed_grid_is_tried_at_several_sizes(judge: Judge) -> None:
    strided = """
extern "C" __global__ void twice(const float* in, float* out, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i] + (n > 1);
}
"""
    result = judge(
        strided,
        reference=lambda values, *_: 2 * values,
        inputs=lambda random, n: (random.random(n, np.float32), np.zeros(n, np.float32), n),
        sizes={"n": (1, 1 << 16)},
        grid=1024,
        block=64,
        vary=False,
    )
    assert len(result.inputs) > 3
    assert result.verdicts[0].reasons[0].code == "wrong-result"


def test_complex_results_are_compared_in_both_parts(judge: Judge) -> None:
    square = """
extern "C" __global__ void square(const float2* in, float2* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = make_float2(in[i].x * in[i].x - in[i].y * in[i].y, 2 * in[i].x * in[i].y);
}
"""

    def inputs(random: np.random.Generator, n: int) -> tuple[object, ...]:
        values = random.random(2 * n, np.float32).view(np.complex64)
        return values, np.zeros(n, np.complex64), n

    result = judge(
        {"right": square, "wrong": square.replace("2 * in", "3 * in")},
        reference=lambda values, *_: values * values,
        inputs=inputs,
        sizes={"n": [1, 33]},
        grid=1,
        vary=False,
    )
    assert [str(verdict.decision) for verdict in result.verdicts] == ["accepted", "rejected"]


def test_inputs_that_the_reference_does_not_take_are_named(judge: Judge) -> None:
    def picky(values: np.ndarray, out: np.ndarray, n: int) -> np.ndarray:
        if n == 33:
            raise ValueError("not 33")
        return row_sums(values, out, n)

    result = judge(ROW_SUM, reference=picky)
    assert "Nothing was compared for rows = 1, n = 33" in result.text()


STORE = "out[blockIdx.x] = warps[0] + warps[1];"


@pytest.mark.parametrize(
    ("later", "decision", "code"),
    [
        ("if (launches > 0) __trap();", "rejected", "fault"),
        ("if (launches > 0) out[1 << 20] = 1;", "rejected", "fault"),
        ("if (launches > 0) while (((volatile float*) out)[0] != 1e30f) {}", "undecided", "over-limit"),
    ],
    ids=["trap", "bounds", "endless"],
)
def test_a_fault_of_a_later_launch_is_named(later: str, decision: str, code: str, judge: Judge) -> None:
    faulty = changed(
        ('extern "C"', '__device__ int launches;\nextern "C"'),
        (STORE, f"{{ {later} launches = launches + 1; {STORE} }}"),
    )
    (verdict,) = judge(faulty, sizes={"rows": [1], "n": [33]}).verdicts
    assert (verdict.decision, verdict.reason and verdict.reason.code) == (decision, code), verdict.sentence


def test_a_workspace_may_hold_anything(judge: Judge) -> None:
    through = changed(
        ("float* out, int n", "float* out, float* work, int n"),
        (
            STORE,
            "{ work[blockIdx.x] = warps[0]; out[blockIdx.x] = work[blockIdx.x] + warps[1]; }",
        ),
    )

    def with_work(random: np.random.Generator, rows: int, n: int) -> tuple[object, ...]:
        return random.random(rows * n, np.float32), np.zeros(rows, np.float32), np.zeros(rows, np.float32), n

    def sums(values: np.ndarray, out: np.ndarray, work: np.ndarray, n: int) -> np.ndarray:
        return np.asarray(row_sums(values, work, n) + 0 * out)

    given = {"reference": sums, "inputs": with_work, "outputs": (1,)}
    assert judge(through, **given).verdicts[0].reasons[0].code == "input-changed"
    assert judge(through, workspace=(2,), **given).decision == "accepted"


@pytest.mark.parametrize(("sizes", "compared"), [([33, 1 << 20], "33 of 1048576"), ((33, 1 << 20), "65537 of 1048576")])
def test_how_large_sizes_were_compared_is_named(sizes: object, compared: str, judge: Judge) -> None:
    result = judge(ROW_SUM, sizes={"rows": [1], "n": sizes}, vary=False)
    assert f"In the emulator, results were compared for n up to {compared}." in result.text()


def test_contents_that_are_only_compared_have_their_own_reason(judge: Judge) -> None:
    """A kernel that is wrong for one content is wrong, and does not keep results."""
    ordered = changed(("float sum = 0;", "float sum = n > 3 && in[0] > in[1] && in[1] > in[2] && in[2] > in[3];"))
    (verdict,) = judge(ordered, inputs=_rising, sizes={"rows": [1], "n": [33]}).verdicts
    assert verdict.reason
    assert (verdict.reason.code, verdict.reason.input) == ("wrong-result", "rows = 1, n = 33, descending")
    outside = changed(
        ("float sum = 0;", "float sum = n > 3 && in[0] > in[2] && in[2] > in[3] ? in[n * gridDim.x] : 0;")
    )
    (verdict,) = judge(outside, inputs=_rising, sizes={"rows": [1], "n": [33]}).verdicts
    assert verdict.reason
    assert verdict.reason.code == "bounds"


def _rising(random: np.random.Generator, rows: int, n: int) -> tuple[object, ...]:
    return np.sort(random.random(rows * n, np.float32)), np.zeros(rows, np.float32), n


def test_a_reference_whose_results_depend_on_the_order_of_blocks_needs_any_order(judge: Judge) -> None:
    keep = """
extern "C" __global__ void keep(const float* in, float* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}
"""

    def inputs_of(random: np.random.Generator, n: int) -> tuple[object, ...]:
        return random.standard_normal(n, np.float32), np.zeros(n, np.float32), np.zeros(1, np.int32), n

    given = {"reference": keep, "inputs": inputs_of, "sizes": {"n": [130]}, "grid": 3, "prefilled": (1, 2)}
    with pytest.raises(UsageError, match="depend on the order of blocks"):
        judge(keep, **given)
    assert judge(keep, any_order=(1,), **given).decision == "accepted"
