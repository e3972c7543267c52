"""The gain that `shflbench advise FILE` names: of the exchange alone, as stored, and of the kernel, as predicted."""

import json
from pathlib import Path

import pytest

from tests.cli.advise.results import reductions
from tests.conftest import Command

pytestmark = pytest.mark.expensive

RESULTS = Path(__file__).parents[3] / "results"
NEIGHBOR = """
__global__ void neighbor(const unsigned* in, unsigned* out, int iterations) {
    __shared__ unsigned slots[1024];
    int t = threadIdx.x;
    unsigned x = in[blockIdx.x * blockDim.x + t];
    for (int i = 0; i < iterations; ++i) {
        slots[t] = x;
        __syncthreads();
        x += 2 * slots[t ^ 1];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = x;
}
__global__ void plain(const unsigned* in, unsigned* out, int) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
    const int iterations = 2;
    unsigned *in, *out;
    cudaMalloc(&in, 26 * 1024 * sizeof(unsigned));
    cudaMalloc(&out, 26 * 1024 * sizeof(unsigned));
    neighbor<<<26, 1024>>>(in, out, iterations);
    plain<<<1, 32>>>(in, out, 8);
}
"""


@pytest.fixture
def file(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> str:
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("neighbor.cu").write_text(NEIGHBOR, encoding="utf-8")
    return "neighbor.cu"


@pytest.fixture
def long_file(file: str) -> str:
    """The same file with a loop whose barriers take longer than what surrounds the loop."""
    Path(file).write_text(NEIGHBOR.replace("iterations = 2", "iterations = 32"), encoding="utf-8")
    return file


@pytest.mark.archs
def test_text_has_the_stored_ratio_and_the_prediction_each_in_a_sentence(long_file: str, shflbench: Command) -> None:
    outcome = shflbench("advise", long_file, RESULTS)
    assert outcome.code == 0, outcome.err
    head = (
        "neighbor (neighbor.cu:2): is it worth it? (predicted for launch 26x1024 on an NVIDIA H200 (sm_90), from 2 of "
    )
    _, _, gain = outcome.out.partition(head)
    counted, limit, shuffle, *barriers, together, alone, memory = gain.splitlines()[:8]
    assert counted == "26 blocks)"
    assert limit.startswith("  the latency of the exchanges limits it: ")
    assert shuffle.startswith("  lines 7 to 9, __shfl_xor_sync(mask, value, 1): predicted 1.")
    assert shuffle.endswith("; --measure times it")
    assert [line.partition(": predicted")[0] for line in barriers] == [
        "  line 8, __syncwarp()",
        "  line 10, __syncwarp()",
    ]
    assert together.startswith("  all of these: predicted 1.")
    assert alone.startswith("  the exchange of line 9 alone: shfl runs at 5.20× (5.19 to 5.23) the speed of smem ")
    assert alone.endswith("on NVIDIA H200 (sm_90), measured in " + str(RESULTS / "gtc2013" / "nvidia-h200"))
    assert memory == "  saves 4,096 bytes of shared memory per block; 64 of 64 warps are resident per SM, as before"


@pytest.mark.archs
def test_json_has_what_is_predicted_under_a_key_of_its_own(long_file: str, shflbench: Command) -> None:
    neighbor, plain = json.loads(shflbench("advise", long_file, RESULTS, "--format", "json").out)["kernels"]
    (alone,) = neighbor["worth"]["alone"]
    assert (alone["pattern"], alone["load"]) == ("neighbor, mode=xor", 9)
    assert alone["speedup"]["low"] < alone["speedup"]["value"] < alone["speedup"]["high"]
    predicted = neighbor["worth"]["predicted"]
    (exchange,) = predicted["exchanges"]
    assert (exchange["limited_by"], exchange["later_limited_by"], exchange["unknown"]) == (
        "exchange latency",
        "issue",
        "",
    )
    assert 1.3 < exchange["speedup"] < 4
    assert [item["line"] for item in predicted["barriers"]] == ["neighbor.cu:8", "neighbor.cu:10"]
    assert (plain["worth"]["predicted"]["exchanges"], plain["worth"]["alone"]) == ([], [])
    assert plain["worth"]["limits"]["limited_by"] == "launch overhead"


OVERLOADS = """
__global__ void lanes(const float* in, float* out) {
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void lanes(const float* in, double* out) { out[threadIdx.x] = in[threadIdx.x]; }
"""


def test_the_gain_of_an_overload_is_its_own(file: str, shflbench: Command) -> None:
    del file
    Path("lanes.cu").write_text(OVERLOADS, encoding="utf-8")
    words = ("advise", "lanes.cu", "--launch", "1x64")
    assert shflbench(*words).out.count(": is it worth it?") == 2
    first, second = json.loads(shflbench(*words, "--format", "json").out)["kernels"]
    assert [len(item["worth"]["predicted"]["exchanges"]) for item in (first, second)] == [1, 0]


@pytest.mark.archs
def test_an_instance_that_only_its_name_makes_has_a_gain(file: str, shflbench: Command) -> None:
    text = NEIGHBOR.partition("__global__ void plain")[0].replace("__global__", "template <int D>\n__global__")
    Path(file).write_text(text.replace("^ 1]", "^ D]"), encoding="utf-8")
    given = [word for name in ("in", "out") for word in ("--arg", f"{name}=u32[2048]")]
    outcome = shflbench(
        "advise", file, RESULTS, "--kernel", "neighbor<1>", "--launch", "2x1024", "--arg", "iterations=2", *given
    )
    assert "is it worth it? (predicted for launch 2x1024 on an NVIDIA H200 (sm_90), from " in outcome.out


@pytest.mark.archs
def test_without_results_the_prediction_is_for_a_gpu_whose_figures_are_known(file: str, shflbench: Command) -> None:
    text = shflbench("advise", file).out
    assert "  the exchange of line 9 alone: unknown; no results here are of its pattern\n" in text
    assert "(predicted for launch 26x1024 on an NVIDIA H200 (sm_90), from 2 of 26 blocks)" in text
    other = shflbench("advise", file, "--arch", "sm_80").out
    assert "neighbor (neighbor.cu:2): is it worth it?\n  unknown: no figures of a GPU of this architecture" in other
    assert "__shfl_xor_sync(mask, value, 1): unknown; use --measure (no figures of a GPU" in other


@pytest.mark.archs
def test_a_damaged_run_is_named(file: str, shflbench: Command) -> None:
    folder = reductions(Path("results") / "run")
    (folder / "results.csv").write_text("pattern,variant\n1,2,3\n", encoding="utf-8")
    outcome = shflbench("advise", file)
    assert (outcome.code, outcome.out) == (3, "")
    assert str(folder / "results.csv") in outcome.err


@pytest.mark.archs
@pytest.mark.parametrize("words", [(), ("--arch", "sm_80")])
def test_folders_without_a_run_of_the_architecture_are_no_error(
    file: str, shflbench: Command, words: tuple[str, ...]
) -> None:
    if words:
        reductions(Path("results") / "run")
    else:
        Path("results").mkdir()
    outcome = shflbench("advise", file, *words)
    assert outcome.code == 0, outcome.err
    assert "no results here are of its pattern" in outcome.out


@pytest.mark.archs
@pytest.mark.parametrize("are_named", [True, False])
def test_results_of_another_gpu_are_an_error(file: str, shflbench: Command, *, are_named: bool) -> None:
    if not are_named:
        reductions(Path("results") / "run")
    outcome = shflbench("advise", file, *([RESULTS] if are_named else []), "--gpu", "A100")
    assert outcome.code == 3
    assert "no run is of a GPU `A100`" in outcome.err
