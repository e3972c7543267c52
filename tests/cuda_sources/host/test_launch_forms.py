"""The ways in which host code writes grids, blocks and kernels."""

import pytest

from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER
from tests.cuda_sources.conftest import Parse

EX = " cudaLaunchKernelEx(&c, kernel, p, n);"
FILE = """
#define RUN(kernel, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define BLOCK_X 32
#define BLOCK_Y 8
struct Case { dim3 grid, block; int n; };
static Case cases[] = {{dim3(2), dim3(64), 10}, {dim3(4, 2), dim3(32, 8), 20}};
__global__ void kernel(float *p, int n) { p[n] = 1; }
template <int N> __global__ void unrolled(float *p, int n) { p[n] = N; }
int main() {
  float *p; cudaMalloc(&p, 4096); const int n = 20;
  BODY
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "int size[2] = {32, 8}; dim3 grid(4, 2), block(size[0], size[1]); kernel<<<grid, block>>>(p, n);",
        "int x = 2, y = 16; dim3 grid(4, 2), block(x * y, BLOCK_Y); kernel<<<grid, block>>>(p, n);",
        "dim3 gridDim(4, 2), blockDim(BLOCK_X, BLOCK_Y); kernel<<<gridDim, blockDim>>>(p, n);",
        "dim3 grid(4, 2), block(32, 8); RUN(kernel, p, n);",
        "kernel<<<cases[1].grid, cases[1].block>>>(p, cases[1].n);",
        "for (auto &one : cases) if (one.n == 20) kernel<<<one.grid, one.block>>>(p, one.n);",
        "dim3 g(4, 2), b(32, 8); cudaLaunchConfig_t c; c.gridDim = g; c.blockDim = b;" + EX,
        "int x; cudaDeviceGetAttribute(&x, cudaDevAttrWarpSize, 0); kernel<<<dim3(4, 2), dim3(x, 8)>>>(p, n);",
    ],
)
def test_a_launch_has_the_grid_and_the_block_that_the_host_code_computes(parse: Parse, body: str) -> None:
    (site,) = parse(FILE.replace("BODY", body)).launches
    assert (site.kernel, site.launch.grid, site.launch.block) == ("kernel", (4, 2, 1), (32, 8, 1))
    assert site.launch.arguments[1].value == 20


def test_an_instance_in_parentheses_is_a_parameter_of_a_macro(parse: Parse) -> None:
    (site,) = parse(FILE.replace("BODY", "dim3 grid(4), block(64); RUN((unrolled<4>), p, n);")).launches
    assert (site.kernel, site.template_arguments, site.launch.block) == ("unrolled", ("4",), (64, 1, 1))


def test_an_element_that_is_not_known_leaves_the_block_open(parse: Parse) -> None:
    body = "int size[2]; read_it(size); dim3 block(size[0], size[1]); kernel<<<2, block>>>(p, n);"
    (site,) = parse(FILE.replace("BODY", body)).launches
    assert site.launch.block is None


ATTRIBUTE = "cudaLaunchConfig_t c; c.gridDim = 4; c.blockDim = 64; cudaLaunchAttribute a[2]; "
DIMENSION = "a[1].id = cudaLaunchAttributeClusterDimension; "
XYZ = "a[1].val.clusterDim.x = 2; a[1].val.clusterDim.y = 1; a[1].val.clusterDim.z = 1; "


@pytest.mark.parametrize(
    ("body", "cluster"),
    [
        (f"{ATTRIBUTE}{DIMENSION}{XYZ}c.attrs = a; c.numAttrs = 2;{EX}", (2, 1, 1)),
        (
            f"{ATTRIBUTE}a[0].id = cudaLaunchAttributePriority; {DIMENSION}{XYZ}c.attrs = a; c.numAttrs = 2;{EX}",
            (2, 1, 1),
        ),
        (f"{ATTRIBUTE}{DIMENSION}{XYZ}c.attrs = &a[1]; c.numAttrs = 1;{EX}", (2, 1, 1)),
        (f"{ATTRIBUTE}{DIMENSION}a[1].val.clusterDim = dim3(2, 2); c.attrs = a; c.numAttrs = 2;{EX}", (2, 2, 1)),
        (f"{ATTRIBUTE}a[0].id = cudaLaunchAttributePriority; c.attrs = a; c.numAttrs = 1;{EX}", None),
        (f"{ATTRIBUTE}{DIMENSION}{XYZ}c.attrs = a; c.numAttrs = 1;{EX}", UNKNOWN_CLUSTER),
        (f"{ATTRIBUTE}{DIMENSION}a[1].val.clusterDim.x = 2; c.attrs = a; c.numAttrs = 2;{EX}", UNKNOWN_CLUSTER),
        (f"{ATTRIBUTE}{DIMENSION}{XYZ}c.attrs = a; c.numAttrs = unknown();{EX}", UNKNOWN_CLUSTER),
        (f"{ATTRIBUTE}{DIMENSION}{XYZ}c.attrs = a; c.numAttrs = 0;{EX}", None),
        (f"{ATTRIBUTE}{EX}", None),
    ],
)
def test_a_launch_has_the_cluster_of_its_attributes(
    parse: Parse, body: str, cluster: tuple[int, int, int] | None
) -> None:
    (site,) = parse(FILE.replace("BODY", body)).launches
    assert (site.launch.grid, site.launch.cluster) == ((4, 1, 1), cluster)


COOPERATIVE = "a[1].id = cudaLaunchAttributeCooperative; a[1].val.cooperative = "


@pytest.mark.parametrize(
    ("body", "cooperative"),
    [
        (f"{ATTRIBUTE}{COOPERATIVE}1; c.attrs = a; c.numAttrs = 2;{EX}", True),
        (f"{ATTRIBUTE}{COOPERATIVE}0; c.attrs = a; c.numAttrs = 2;{EX}", False),
        (f"{ATTRIBUTE}{COOPERATIVE}is_possible(); c.attrs = a; c.numAttrs = 2;{EX}", True),
        (f"{ATTRIBUTE}{COOPERATIVE}1; a[0].id = 8; c.attrs = a; c.numAttrs = 1;{EX}", False),
        (f"{ATTRIBUTE}{COOPERATIVE}0; a[0].id = 8; c.attrs = a; c.numAttrs = unknown();{EX}", False),
        (f"{ATTRIBUTE}a[0].id = number(); c.attrs = a; c.numAttrs = 1;{EX}", True),
        (f"{ATTRIBUTE}c.attrs = attributes(); c.numAttrs = 1;{EX}", True),
        (f"{ATTRIBUTE}{EX}", False),
        ("kernel<<<4, 64>>>(p, n);", False),
    ],
)
def test_a_launch_may_be_cooperative_by_its_attributes(parse: Parse, body: str, *, cooperative: bool) -> None:
    (site,) = parse(FILE.replace("BODY", body)).launches
    assert site.launch.cooperative == cooperative
