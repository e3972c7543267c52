"""The sizes of clusters: which text names one, which one a launch has, and which no GPU accepts."""

import pytest

from shflbench.checker.inputs.cluster_plan import UNSPECIFIED, with_clusters
from shflbench.checker.inputs.default_launches import PlannedLaunch, fewer_blocks, plan, shorter
from shflbench.checker.inputs.launch_rules import LaunchRules
from shflbench.checker.inputs.shapes import LaunchShape, parse_cluster, parse_shape
from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER, Dims, HostLaunch, LaunchBounds
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Op
from shflbench.emulator.ptx.parse import parse
from shflbench.errors import UsageError

X = {"threadIdx.x", "blockIdx.x"}
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
PLAIN = LaunchBounds()
OF_TWO = LaunchBounds(cluster=(2, 1, 1))


def ops(code: str) -> list[Op]:
    return list(link(parse(f"{HEAD}.visible .entry k()\n{{ .reg .b32 %r<3>; {code} ret; }}\n"), "k").ops())


def host(grid: Dims, cluster: Dims | None = None) -> HostLaunch:
    return HostLaunch(grid, (64, 1, 1), 0, (), SourceLine(__file__, 1), cluster=cluster)  # type: ignore[arg-type]


def texts(launches: list[PlannedLaunch]) -> list[tuple[str, str]]:
    return [(str(item.shape), item.shape.in_clusters) for item in launches]


@pytest.mark.parametrize(
    ("text", "cluster"), [("2", (2, 1, 1)), (" 2 x 2 ", (2, 2, 1)), ("1x2x4", (1, 2, 4)), ("16", (16, 1, 1))]
)
def test_a_cluster_has_blocks_along_each_axis(text: str, cluster: Dims) -> None:
    assert parse_cluster(text) == cluster


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no number"),
        ("0", "is no number"),
        ("2x0", "is no number"),
        ("two", "is no number"),
        ("32", "at most 16"),
    ],
)
def test_another_text_names_no_cluster(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_cluster(text)


def test_chosen_grids_consist_of_whole_clusters_of_the_kernel() -> None:
    chosen = plan([], [], X, OF_TWO)
    assert texts(with_clusters(chosen, None, OF_TWO, [])) == [
        ("2x32", "2"),
        ("2x128", "2"),
        ("2x80", "2"),
        ("4x64", "2"),
    ]


def test_a_given_cluster_comes_before_that_of_the_host_code_and_that_before_the_kernels() -> None:
    launches = plan([], [host((8, 1, 1), (4, 1, 1))], X, OF_TWO)
    assert texts(with_clusters(launches, None, OF_TWO, [])) == [("8x64", "4")]
    assert texts(with_clusters(launches, (8, 1, 1), OF_TWO, [])) == [("8x64", "8")]


def test_a_kernel_that_uses_clusters_of_which_nothing_states_the_size_runs_in_clusters_of_two() -> None:
    chosen = plan([], [], X, PLAIN)
    (first, *_) = with_clusters(chosen, None, PLAIN, ops("barrier.cluster.arrive; barrier.cluster.wait;"))
    assert (str(first.shape), first.shape.in_clusters, first.note) == ("2x32", "2", UNSPECIFIED)
    assert with_clusters(chosen, None, PLAIN, ops("mov.u32 %r1, %cluster_ctarank;")) == chosen


def test_the_launch_of_the_host_code_without_an_attribute_has_no_clusters() -> None:
    launches = plan([], [host((3, 1, 1))], X, PLAIN)
    assert with_clusters(launches, None, PLAIN, ops("barrier.cluster.arrive; barrier.cluster.wait;")) == launches


def test_a_launch_whose_attributes_are_not_known_runs_in_chosen_clusters_if_the_kernel_uses_them() -> None:
    launches = plan([], [host((4, 1, 1), UNKNOWN_CLUSTER)], X, PLAIN)
    (launch,) = with_clusters(launches, None, PLAIN, ops("barrier.cluster.arrive; barrier.cluster.wait;"))
    assert (str(launch.shape), launch.shape.in_clusters, launch.basis) == ("4x64", "2", Origin.CHOSEN)
    assert UNSPECIFIED in launch.note
    assert with_clusters(launches, None, PLAIN, []) == launches
    assert LaunchRules("sm_90", PLAIN, 0, raises_shared_limit=False).of_host(launches[0].host) == ""  # type: ignore[arg-type]


def test_fewer_blocks_are_whole_clusters_down_to_one() -> None:
    launch = PlannedLaunch(LaunchShape((16, 1, 1), (64, 1, 1), cluster=(4, 1, 1)), Origin.CHOSEN)
    smaller = fewer_blocks(launch)
    assert smaller is not None
    assert str(smaller.shape) == "4x64"
    assert fewer_blocks(smaller) is None
    assert str(shorter(launch).shape) == "4x64"


@pytest.mark.parametrize(
    ("arch", "bounds", "cluster", "grid", "reason"),
    [
        ("sm_90", PLAIN, (2, 1, 1), (3, 1, 1), "a grid of 3 blocks does not consist of clusters of 2"),
        ("sm_90a", PLAIN, (2, 2, 1), (4, 3, 1), "a grid of 4x3 blocks does not consist of clusters of 2x2"),
        ("sm_90", OF_TWO, None, (3, 1, 1), "a grid of 3 blocks does not consist of clusters of 2"),
        ("sm_90", OF_TWO, (4, 1, 1), (4, 1, 1), "the kernel declares clusters of 2 blocks, not of 4"),
        ("sm_90", PLAIN, (32, 1, 1), (32, 1, 1), "32 blocks per cluster exceed the limit of 16"),
        ("sm_90", PLAIN, (0, 1, 1), (4, 1, 1), "a cluster has no blocks"),
        ("sm_80", PLAIN, (2, 1, 1), (4, 1, 1), "clusters of 2 blocks need sm_90 or newer, not sm_80"),
        ("sm_100", OF_TWO, (2, 1, 1), (4, 1, 1), ""),
        ("sm_80", PLAIN, None, (3, 1, 1), ""),
    ],
)
def test_a_launch_of_clusters_that_no_gpu_accepts_has_a_reason(
    arch: str, bounds: LaunchBounds, cluster: Dims | None, grid: Dims, reason: str
) -> None:
    rules = LaunchRules(arch, bounds, 0, raises_shared_limit=False)
    assert reason in rules.of_host(host(grid, cluster))
    if not reason:
        assert rules.of_host(host(grid, cluster)) == ""
    if cluster is not None:
        assert rules.of_shape(LaunchShape(grid, (64, 1, 1), cluster=cluster), 0) == rules.of_host(host(grid, cluster))


def test_a_shape_without_clusters_is_that_of_its_text() -> None:
    assert parse_shape("3x64").in_whole_clusters == parse_shape("3x64")
