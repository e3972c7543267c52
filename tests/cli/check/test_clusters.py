"""`check` of kernels that run in clusters, with the launches of the host code and with `--cluster`."""

from tests.cli.check.conftest import CheckText

KERNEL = """\
#include <cooperative_groups.h>
__global__ void exchange(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = in[i];
    SYNC
    out[i] = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % cluster.num_blocks())[threadIdx.x];
    cluster.sync();
}
int main() {
    int *in, *out; cudaMalloc(&in, 256 * 4); cudaMalloc(&out, 256 * 4);
    cudaLaunchConfig_t config = {0};
    config.gridDim = BLOCKS;
    config.blockDim = 64;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, exchange, (const int *)in, out);
}
"""


def with_blocks(blocks: int, sync: str = "cluster.sync();") -> str:
    return KERNEL.replace("BLOCKS", str(blocks)).replace("SYNC", sync)


def test_the_launch_of_the_host_code_runs_in_its_clusters(check_text: CheckText) -> None:
    report = check_text(with_blocks(4))
    assert (report.code, report.verdict) == (0, "clean")
    assert [(item["launch"], item["cluster"]) for item in report.kernel["launches"]] == [("4x64", "2")]


def test_a_grid_that_is_no_multiple_of_the_cluster_is_an_invalid_launch(check_text: CheckText) -> None:
    report = check_text(with_blocks(3))
    assert (report.code, report.kinds) == (1, ["invalid launch"])
    assert "a grid of 3 blocks does not consist of clusters of 2" in report.sentence


def test_an_option_gives_the_cluster_of_a_launch(check_text: CheckText) -> None:
    report = check_text(with_blocks(4), "--launch", "4x64", "--cluster", "4")
    assert (report.code, report.verdict) == (0, "clean")
    assert [(item["launch"], item["cluster"]) for item in report.kernel["launches"]] == [("4x64", "4")]


def test_a_barrier_of_the_block_instead_of_the_cluster_is_a_race(check_text: CheckText) -> None:
    report = check_text(with_blocks(4, "__syncthreads();"))
    assert (report.code, report.verdict) == (1, "broken")
    assert "shared memory of a block that may not have started" in report.kinds
    (race,) = [finding for finding in report.kernel["findings"] if finding["kind"] == "RAW"]
    assert (race["line"], race["other"]["line"]) == (8, 6)


def test_a_block_that_may_end_before_its_shared_memory_is_read_is_named_with_both_lines(check_text: CheckText) -> None:
    report = check_text(with_blocks(4).replace("    cluster.sync();\n}", "}"))
    assert (report.code, report.kinds) == (1, ["shared memory of a block that may have ended"])
    (finding,) = report.kernel["findings"]
    assert (finding["line"], finding["other"]["line"]) == (8, 9)
