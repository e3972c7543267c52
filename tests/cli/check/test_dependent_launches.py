"""Launches that overlap: the options, the report in all formats, and the exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from shflbench.checker.dependent import chain_runs
from shflbench.checker.runs import kernel_runs
from tests.checker.in_process import start_no_processes
from tests.conftest import Command, Outcome

KERNELS = """\
__global__ void primary(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    cudaGridDependencySynchronize();
    result[i] = 2 * x;
}
"""
SOUND = KERNELS.replace("    float x = in[i];\n", "").replace("2 * x", "2 * in[i]")
PDL, SAME = ("--pdl", "primary,secondary"), ("--same", "primary.out=secondary.in")
CLUSTER = ("--cluster", "2")


@pytest.fixture
def check(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> Any:
    start_no_processes(monkeypatch)

    def call(text: str, *words: str, name: str = "k.cu") -> Outcome:
        Path(name).write_text(text, encoding="utf-8")
        return shflbench("check", name, "--compiler", "nvrtc", "--launch", "2x64", *words)

    return call


def kernel_of(outcome: Outcome, number: int = -1) -> dict[str, Any]:
    """Return the record of a kernel."""
    (file,) = json.loads(outcome.out)["files"]
    return dict(file["kernels"][number])


def test_the_table_has_both_lines_the_missing_order_and_the_fix(check: Any) -> None:
    outcome = check(KERNELS, *PDL, *SAME)
    assert outcome.code == 1
    assert (
        "secondary  broken   1 finding: RAW between launches (it overlaps `primary`); "
        "`result` differs if writes of the launch before are late\n"
    ) in outcome.out
    assert (
        "  RAW between launches: k.cu:4 (thread 0 of block 0) reads what k.cu:1 (thread 0 of block 0 of `primary`) "
        "writes, and the thread waits for that launch only afterwards; call cudaGridDependencySynchronize() before the "
        "access (bytes 0–3 of `in`; launch 2x64)\n"
    ) in outcome.out


def test_json_has_the_finding_with_both_places(check: Any) -> None:
    kernel = kernel_of(check(KERNELS, *PDL, *SAME, "--format", "json"))
    (finding,) = kernel["findings"]
    assert (kernel["verdict"], finding["kind"], finding["line"]) == ("broken", "RAW between launches", 4)
    assert finding["other"]["line"] == 1
    assert finding["threads"] == ["thread 0 of block 0", "thread 0 of block 0 of `primary`"]


def test_sarif_and_annotations_have_the_finding(check: Any) -> None:
    (run,) = json.loads(check(KERNELS, *PDL, *SAME, "--format", "sarif").out)["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("dependent-raw", "error")
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert "::error file=k.cu,line=4" in check(KERNELS, *PDL, *SAME, "--format", "github").out


def test_a_sound_pair_is_clean_and_names_what_it_overlaps(check: Any) -> None:
    outcome = check(SOUND, *PDL, *SAME, "--format", "json")
    assert outcome.code == 0
    assert kernel_of(outcome)["verdict"] == "clean"
    assert "it overlaps `primary`, in order: they share `in`" in kernel_of(outcome)["sentence"]


@pytest.mark.parametrize("text", [KERNELS, SOUND])
def test_buffers_that_nobody_says_are_one_need_arguments(check: Any, text: str) -> None:
    outcome = check(text, *PDL, "--format", "json")
    kernel = kernel_of(outcome)
    assert (outcome.code, kernel["verdict"]) == (0, "needs arguments")
    assert "give --same primary.NAME=secondary.NAME for each of them" in kernel["sentence"]
    assert check(text, *PDL, "--strict").code == 6


def test_without_the_options_each_kernel_is_checked_alone(check: Any) -> None:
    assert check(KERNELS, "--format", "json").code == 0
    assert "overlap" not in check(KERNELS).out


def test_only_the_later_kernel_may_be_chosen(check: Any) -> None:
    outcome = check(KERNELS, *PDL, *SAME, "--kernel", "secondary", "--format", "json")
    (file,) = json.loads(outcome.out)["files"]
    assert [(item["name"], item["verdict"]) for item in file["kernels"]] == [("secondary", "broken")]


def test_launches_run_in_the_clusters_that_an_option_gives(check: Any) -> None:
    rank = 'unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));'
    text = KERNELS.replace("float x = in[i];", f"{rank} float x = r == 1 ? in[i] : 0;")
    verdicts = [kernel_of(check(text, *PDL, *SAME, *words, "--format", "json"))["verdict"] for words in ((), CLUSTER)]
    assert verdicts == ["clean", "broken"]


def test_an_atomic_is_a_flag_only_where_its_result_is_read(check: Any) -> None:
    text = """
__global__ void primary(float *out, int *count) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = 1;
    COUNT
}
__global__ void secondary(const float *in, int *count, float *result) {
    COUNT
    float x = in[threadIdx.x];
    cudaGridDependencySynchronize();
    result[threadIdx.x] = x;
}
"""
    for count, verdict in (("atomicAdd(count, 1);", "broken"), ("if (atomicAdd(count, 1) < 0) return;", "doubtful")):
        words = (*PDL, *SAME, "--same", "primary.count=secondary.count", "--format", "json")
        assert kernel_of(check(text.replace("COUNT", count), *words))["verdict"] == verdict


@pytest.mark.parametrize("value", [0, 1])
def test_the_worse_verdict_counts_where_the_contents_decide_on_the_trigger(check: Any, value: int) -> None:
    text = """
__global__ void primary(const int *in, float *out) {
    bool late = (in[0] & 1) == VALUE;
    if (!late) cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (late) cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void secondary(const float *in, float *result) { result[threadIdx.x] = in[threadIdx.x]; }
"""
    kernel = kernel_of(check(text.replace("VALUE", str(value)), *PDL, *SAME, "--format", "json"))
    levels = {item["level"] for item in kernel["findings"] if item["kind"] == "RAW between launches"}
    assert (kernel["verdict"], levels) == ("broken", {"error", "warning"})


def test_ptx_is_checked_too(shflbench: Command) -> None:
    ptx = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry primary(.param .u64 out) {
    .reg .b64 %d<4>; .reg .b32 %r<2>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    griddepcontrol.launch_dependents;
    st.global.u32 [%d3], %r1;
    ret;
}
.visible .entry secondary(.param .u64 in, .param .u64 result) {
    .reg .b64 %d<6>; .reg .b32 %r<3>;
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [result]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
    add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ORDER
    st.global.u32 [%d5], %r2;
    ret;
}
"""
    words = ("--launch", "1x64", *PDL, "--same", "primary.arg0=secondary.arg0", "--format", "json")
    load, wait = "ld.global.u32 %r2, [%d4];", "griddepcontrol.wait;"
    for order, verdict in ((f"{wait} {load}", "clean"), (f"{load} {wait}", "broken")):
        Path("k.ptx").write_text(ptx.replace("ORDER", order), encoding="utf-8")
        assert kernel_of(shflbench("check", "k.ptx", *words))["verdict"] == verdict


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--pdl", "primary"), "--pdl `primary` does not name two kernels"),
        (("--pdl", "primary,secondry"), "k.cu has no kernel `secondry`; it has primary, secondary; did you mean"),
        ((*PDL, "--same", "primary.out"), "--same `primary.out` does not name an argument of each of two kernels"),
        ((*PDL, "--same", "primary.out=secondary.x"), "--same: `secondary` has no parameter `x`"),
        ((*PDL, "--same", "first.out=secondary.in"), "--same: there is no kernel `first`"),
        (("--same", "first.out=secondary.in"), "--same: there is no kernel `first`"),
        (SAME, "--same: no launches of k.cu overlap"),
        ((*PDL, "--kernel", "primary"), "--kernel leaves out `secondary`, whose launch --pdl says overlaps"),
    ],
)
def test_wrong_options_are_refused(check: Any, words: tuple[str, ...], error: str) -> None:
    outcome = check(KERNELS, *words)
    assert outcome.code == 2
    assert error in outcome.err


def test_a_chain_of_one_of_several_files_may_not_end_in_a_kernel_that_is_left_out(check: Any) -> None:
    Path("other.cu").write_text("__global__ void third(int *p) { p[threadIdx.x] = 1; }", encoding="utf-8")
    outcome = check(KERNELS, *PDL, "--kernel", "third", "other.cu")
    assert (outcome.code, "--kernel leaves out `secondary`" in outcome.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--pdl", "primary,secondry"), "--pdl: none of the 2 files has a kernel `secondry`"),
        ((*PDL, "--same", "primry.out=secondary.in"), "--same: none of the 2 files has a kernel `primry`"),
    ],
)
def test_a_kernel_that_none_of_several_files_has_is_refused(check: Any, words: tuple[str, ...], error: str) -> None:
    Path("other.cu").write_text("__global__ void third(int *p) { p[threadIdx.x] = 1; }", encoding="utf-8")
    outcome = check(KERNELS, *words, "other.cu")
    assert (outcome.code, error in outcome.err) == (2, True)
    assert check(KERNELS, *PDL, *SAME, "other.cu").code == 1


def test_options_for_files_are_refused_for_patterns(shflbench: Command) -> None:
    outcome = shflbench("check", "neighbor", *PDL)
    assert outcome.code == 2
    assert "--pdl applies to .cu, .cuh and .ptx files" in outcome.err


def test_a_launch_before_that_is_not_known_is_named(shflbench: Command) -> None:
    host = """
void run(const float *in, float *result, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {cudaLaunchAttributeProgrammaticStreamSerialization, {1}};
    cudaLaunchConfig_t config = {2, 64, 0, stream, &attribute, 1};
    cudaLaunchKernelEx(&config, secondary, in, result);
}
"""
    Path("k.cu").write_text("#include <cuda_runtime.h>\n" + SOUND + host, encoding="utf-8")
    kernel = kernel_of(shflbench("check", "k.cu", "--compiler", "nvrtc", "--format", "json"))
    assert kernel["verdict"] == "clean"
    assert "does not say which one that is; give --pdl PRIMARY,secondary" in kernel["sentence"]


@pytest.fixture
def few_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let launches take a tenth of the instructions, so that those without an end reach the limit sooner."""
    monkeypatch.setattr(chain_runs, "STEP_LIMIT", 10_000)
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 10_000)


@pytest.mark.archs
@pytest.mark.usefixtures("few_instructions")
def test_a_launch_that_does_not_end_leaves_the_pair_unchecked(check: Any) -> None:
    endless = KERNELS.replace("{ out[", "{ for (;;) atomicAdd(out, 1); out[")
    text = endless.replace("    float x = in[i];\n", "").replace("2 * x", "2")
    kernel = kernel_of(check(text, *PDL, *SAME, "--format", "json"))
    assert kernel["verdict"] == "not checked"
    assert "`primary` did not end" in kernel["sentence"]


@pytest.mark.usefixtures("few_instructions")
def test_a_launch_that_does_not_end_with_some_contents_leaves_the_pair_unchecked(check: Any) -> None:
    endless = "(const int *data, float *out) { while (data[0] & 1) atomicAdd(out, 1); out["
    words = (*PDL, *SAME, "--kernel", "secondary", "--format", "json")
    kernel = kernel_of(check(SOUND.replace("(float *out) { out[", endless), *words))
    assert kernel["verdict"] == "not checked"
    assert "`primary` did not end" in kernel["sentence"]
    assert "in order" not in kernel["sentence"]


HOST = """
#include <cuda_runtime.h>
KERNELS
int main() {
    int *data, *index, *result;
    cudaMalloc(&data, 4096); cudaMalloc(&index, 4096); cudaMalloc(&result, 4096);
    cudaLaunchAttribute attribute = {cudaLaunchAttributeProgrammaticStreamSerialization, {1}};
    cudaLaunchConfig_t config = {GRID, 64, 0, 0, &attribute, 1};
    LAUNCHES
}
"""


def verdict_of_host_code(shflbench: Command, **parts: str) -> dict[str, Any]:
    """Return the record of the last kernel of a file with host code."""
    text = HOST
    for name, part in parts.items():
        text = text.replace(name, part)
    Path("k.cu").write_text(text, encoding="utf-8")
    return kernel_of(shflbench("check", "k.cu", "--compiler", "nvrtc", "--format", "json"))


def test_a_grid_that_the_host_code_does_not_determine_needs_a_launch(shflbench: Command) -> None:
    kernels = """
__global__ void first(int *p) { p[threadIdx.x] = 1; }
__global__ void second(int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; }"""
    launches = "first<<<1, 64>>>(data); cudaLaunchKernelEx(&config, second, data, result);"
    known = verdict_of_host_code(shflbench, KERNELS=kernels, GRID="1", LAUNCHES=launches)
    unknown = verdict_of_host_code(shflbench, KERNELS=kernels, GRID="blocks_of_file()", LAUNCHES=launches)
    assert (known["verdict"], unknown["verdict"]) == ("broken", "needs arguments")
    assert "the host code does not determine the launch of `second`; give --launch" in unknown["sentence"]


def test_launches_get_the_indices_that_an_earlier_kernel_wrote(shflbench: Command) -> None:
    kernels = """
__global__ void number(int *index) { index[threadIdx.x] = 8 * threadIdx.x; }
__global__ void first(const int *index, int *p) { p[index[threadIdx.x]] = 1; }
__global__ void second(const int *index, int *p, int *q) { q[threadIdx.x] = p[index[threadIdx.x] + OFFSET]; }"""
    launches = """number<<<1, 64>>>(index); cudaDeviceSynchronize(); first<<<1, 64>>>(index, data);
    cudaLaunchKernelEx(&config, second, (const int *)index, data, result);"""
    verdicts = [
        verdict_of_host_code(shflbench, KERNELS=kernels.replace("OFFSET", offset), GRID="1", LAUNCHES=launches)[
            "verdict"
        ]
        for offset in ("0", "1")
    ]
    assert verdicts == ["broken", "clean"]


STEP = """\
__global__ void step(const float *in, const float *other, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    cudaGridDependencySynchronize();
    out[i] = x + other[i];
}
"""


@pytest.mark.parametrize(
    ("same", "verdict"),
    [
        (["step.out=step.in"], "broken"),
        (["step.out=step.other"], "clean"),
        (["step.out=step.in", "step.out=step.other"], "broken"),
        (["step.other=step.out"], "clean"),  # a launch writes what the one before has read
    ],
)
def test_a_kernel_may_overlap_itself_and_reads_what_its_last_launch_wrote(
    check: Any, same: list[str], verdict: str
) -> None:
    words = [word for pair in same for word in ("--same", pair)]
    outcome = check(STEP, "--pdl", "step,step", *words, "--format", "json")
    assert kernel_of(outcome)["verdict"] == verdict


def test_one_buffer_may_be_two_arguments_of_the_second_launch(check: Any) -> None:
    text = KERNELS.replace("const float *in,", "const float *in, const float *more,").replace(
        "2 * x", "2 * x + more[i]"
    )
    outcome = check(text, *PDL, *SAME, "--same", "primary.out=secondary.more", "--format", "json")
    (finding,) = kernel_of(outcome)["findings"]
    assert finding["line"] == 4
