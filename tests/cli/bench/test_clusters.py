"""`shflbench bench --cluster`: kernels that run in clusters of a size that the launch gives."""

import pytest

from tests.cli.bench.conftest import BenchCommand

RANKS = """
__device__ unsigned rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ unsigned blocks() {
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
__global__ void first(int *out) { if (threadIdx.x == 0) out[blockIdx.x] = 10 * blocks() + rank(); }
__global__ void second(int *out) { if (threadIdx.x == 0) out[blockIdx.x] = 10 * SIZE + blockIdx.x % SIZE; }
"""
HOST = """
int main() {
    int *out;
    cudaMalloc(&out, 4 * sizeof(int));
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 32;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, first, out);
    cudaLaunchKernelEx(&config, second, out);
}
"""
GIVEN = ("--launch", "4x32", "--arg", "out=i32[4]")


@pytest.mark.archs
@pytest.mark.parametrize(("words", "size"), [((), 1), (("--cluster", "2"), 2), (("--cluster", "4"), 4)])
def test_blocks_run_in_clusters_of_the_given_size(bench: BenchCommand, words: tuple[str, ...], size: int) -> None:
    outcome = bench(RANKS.replace("SIZE", str(size)), *GIVEN, *words)
    assert outcome.code == 0, outcome.err


def test_another_size_gives_other_results(bench: BenchCommand) -> None:
    assert bench(RANKS.replace("SIZE", "4"), *GIVEN, "--cluster", "2").code == 5


def test_clusters_of_the_host_code_are_those_of_the_launch(bench: BenchCommand) -> None:
    outcome = bench(RANKS.replace("SIZE", "4") + HOST)
    assert outcome.code == 0, outcome.err


def test_the_size_replaces_that_of_the_host_code(bench: BenchCommand) -> None:
    outcome = bench(RANKS.replace("SIZE", "2") + HOST, "--cluster", "2")
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (RANKS, (*GIVEN, "--cluster", "3"), "a grid of 4 blocks does not consist of clusters of 3"),
        (RANKS + HOST, ("--cluster", "3"), "a grid of 4 blocks does not consist of clusters of 3"),
        (RANKS, (*GIVEN, "--cluster", "17"), "--cluster `17`: a cluster has at most 16 blocks"),
        (RANKS, (*GIVEN, "--cluster", "two"), "--cluster `two` is no number of blocks"),
        (
            RANKS.replace("void first", "void __cluster_dims__(2) first"),
            (*GIVEN, "--cluster", "4"),
            "the kernel declares clusters of 2 blocks, not of 4",
        ),
    ],
)
def test_a_size_that_does_not_fit_is_refused(
    bench: BenchCommand, text: str, words: tuple[str, ...], message: str
) -> None:
    outcome = bench(text.replace("SIZE", "1"), *words)
    assert outcome.code == 2
    assert message in outcome.err


def test_clusters_that_the_kernel_declares_need_no_option(bench: BenchCommand) -> None:
    text = RANKS.replace("SIZE", "2").replace("void first", "void __cluster_dims__(2) first")
    assert bench(text, *GIVEN).code == 0


def test_launches_that_no_gpu_accepts_are_not_timed(bench: BenchCommand) -> None:
    outcome = bench(RANKS.replace("SIZE", "4") + HOST.replace("clusterDim.x = 4", "clusterDim.x = 3"), "--no-check")
    assert outcome.code == 2
    assert "not timed: a grid of 4 blocks does not consist of clusters of 3" in outcome.err


@pytest.mark.archs
def test_the_size_must_be_given_where_the_host_code_computes_it(bench: BenchCommand) -> None:
    meeting = 'asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");'
    text = RANKS.replace("SIZE", "4").replace("first(int *out) {", f"first(int *out) {{ {meeting}")
    outcome = bench("extern int size();\n" + text + HOST.replace("clusterDim.x = 4", "clusterDim.x = size()"))
    assert "first is not timed: it uses clusters, and the host code does not determine" in outcome.err
