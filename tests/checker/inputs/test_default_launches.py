import pytest

from shflbench.checker.inputs.blocks import SuggestedBlock
from shflbench.checker.inputs.default_launches import MOST_THREADS, PlannedLaunch, fewer_blocks, plan
from shflbench.checker.inputs.shapes import LaunchShape, parse_shape
from shflbench.cuda_sources.kernel_file import Dims, HostLaunch, LaunchBounds
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

X = {"threadIdx.x", "blockIdx.x"}
NO_BOUNDS = LaunchBounds()


def host(grid: Dims | None, block: Dims | None) -> HostLaunch:
    return HostLaunch(grid, block, 0, (), SourceLine(__file__, 1))  # type: ignore[arg-type]


def shapes(launch_plan: list[PlannedLaunch]) -> list[str]:
    return [str(launch.shape) for launch in launch_plan]


def test_without_any_hint_four_launches_differ_in_kind() -> None:
    assert shapes(plan([], [], X, NO_BOUNDS)) == ["1x32", "2x128", "2x80", "3x64"]


def test_a_launch_whose_threads_share_too_much_gets_four_blocks_then_two_then_one() -> None:
    large = PlannedLaunch(parse_shape("21x192"), Origin.CHOSEN)
    smaller = fewer_blocks(large)
    assert smaller is not None
    assert str(smaller.shape) == "4x192"
    assert smaller.note.startswith("21x192, scaled down: ")
    assert [str(item.shape) for item in [fewer_blocks(smaller)] if item] == ["2x192"]
    assert fewer_blocks(PlannedLaunch(parse_shape("1x192"), Origin.CHOSEN)) is None
    assert fewer_blocks(PlannedLaunch(parse_shape("21x192"), Origin.GIVEN)) is None


@pytest.mark.parametrize(
    ("shape", "fewer"),
    [
        ("2x192", ["1x192"]),
        ("1x2:192", ["1x192"]),
        ("12x15:120", ["2x2:120", "2x120", "1x120"]),
        ("1x1x9:64", ["1x1x4:64", "1x1x2:64", "1x64"]),
    ],
)
def test_each_launch_with_fewer_blocks_has_fewer_until_one_is_left(shape: str, fewer: list[str]) -> None:
    seen: list[str] = []
    launch = fewer_blocks(PlannedLaunch(parse_shape(shape), Origin.CHOSEN))
    while launch is not None and len(seen) <= len(fewer):
        seen.append(str(launch.shape))
        launch = fewer_blocks(launch)
    assert seen == [str(parse_shape(text)) for text in fewer]


def test_given_launches_replace_all_others() -> None:
    launch_plan = plan([parse_shape("4x256")], [host((2, 1, 1), (64, 1, 1))], X, NO_BOUNDS)
    assert [(str(launch.shape), launch.basis) for launch in launch_plan] == [("4x256", Origin.GIVEN)]


def test_constant_launches_of_the_host_code_replace_the_chosen_ones() -> None:
    launch_plan = plan([], [host((2, 1, 1), (64, 1, 1)), host((2, 1, 1), None)], X, NO_BOUNDS)
    assert [(str(launch.shape), launch.basis) for launch in launch_plan] == [("2x64", Origin.HOST)]


def test_a_large_grid_of_the_host_code_is_scaled_down_and_keeps_its_block() -> None:
    (launch,) = plan([], [host((4096, 1, 1), (256, 1, 1))], X, NO_BOUNDS)
    assert launch.shape == LaunchShape((MOST_THREADS // 256, 1, 1), (256, 1, 1))
    assert launch.note == "4096x256 of the host code, scaled down"


def test_a_large_grid_in_two_dimensions_is_scaled_down_in_both() -> None:
    (launch,) = plan([], [host((64, 64, 1), (16, 16, 1))], X, NO_BOUNDS)
    assert str(launch.shape) == "5x3:16x16"  # no square, in which x and y could be confused


def test_a_kernel_that_does_not_ask_for_its_block_is_launched_with_one() -> None:
    assert shapes(plan([], [], {"threadIdx.x"}, NO_BOUNDS)) == ["1x32", "1x128", "1x80", "1x64"]


def test_a_kernel_that_uses_y_is_launched_in_two_dimensions() -> None:
    indexes = {"threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y"}
    assert shapes(plan([], [], indexes, NO_BOUNDS)) == ["1:8x4", "2x2:16x16", "2:10x5", "3:8x8"]


def test_a_kernel_whose_warps_exchange_values_has_a_warp_per_row_of_a_block() -> None:
    indexes = {"threadIdx.x", "threadIdx.y", "blockIdx.x"}
    chosen = shapes(plan([], [], indexes, NO_BOUNDS, whole_warps=True))
    assert chosen == ["1x32", "2:32x8", "2:32x3", "3:32x2"]


def test_blocks_lie_along_the_dimension_that_the_kernel_asks_for() -> None:
    indexes = {"threadIdx.x", "threadIdx.y", "blockIdx.y"}
    assert shapes(plan([], [], indexes, NO_BOUNDS)) == ["1:8x4", "1x2:16x16", "1x2:10x5", "1x3:8x8"]


def test_a_kernel_that_uses_z_is_launched_in_three_dimensions() -> None:
    indexes = {"threadIdx.x", "threadIdx.z", "blockIdx.x"}
    assert shapes(plan([], [], indexes, NO_BOUNDS)) == ["1:4x4x2", "2:8x4x4", "2:5x3x3", "3:4x4x4"]


def test_a_block_has_no_threads_along_a_dimension_that_only_its_number_uses() -> None:
    indexes = {"threadIdx.x", "blockIdx.x", "blockIdx.z"}
    assert shapes(plan([], [], indexes, NO_BOUNDS)) == ["1x32", "2x1x2:128", "2x80", "3x64"]
    rows = {"threadIdx.y", "blockIdx.y", "blockIdx.z"}
    assert shapes(plan([], [], rows, NO_BOUNDS)) == ["1:1x32", "1x2x2:1x128", "1x2:1x80", "1x3:1x64"]


def test_a_required_block_is_kept_in_every_launch() -> None:
    assert shapes(plan([], [], X, LaunchBounds(required_threads=(96, 1, 1)))) == ["1x96", "2x96", "3x96"]


def test_no_launch_exceeds_the_declared_maximum() -> None:
    assert shapes(plan([], [], X, LaunchBounds(max_threads=(64, 1, 1)))) == ["1x32", "2x64", "3x64"]


@pytest.mark.parametrize(
    ("shape", "origin", "special"),
    [
        ("1x32", Origin.CHOSEN, True),
        ("2x80", Origin.CHOSEN, True),
        ("2x128", Origin.CHOSEN, False),
        ("1x32", Origin.GIVEN, False),
        ("2x80", Origin.HOST, False),
    ],
)
def test_only_a_chosen_launch_may_be_one_that_the_kernel_is_not_made_for(
    shape: str, origin: Origin, *, special: bool
) -> None:
    assert PlannedLaunch(parse_shape(shape), origin).is_special is special


def test_a_suggested_block_comes_first_and_replaces_the_others_if_it_is_fixed() -> None:
    free, fixed = (SuggestedBlock((256, 1, 1), fixed=value) for value in (False, True))
    launch_plan = plan([], [], X, NO_BOUNDS, [free])
    assert shapes(launch_plan) == ["2x256", "1x32", "2x128", "2x80", "3x64"]
    assert [launch.origin.has_suggested_block for launch in launch_plan] == [True, False, False, False, False]
    assert shapes(plan([], [], X, NO_BOUNDS, [fixed])) == ["2x256", "1x256", "3x256"]
    assert "2x256" not in shapes(plan([], [], X, LaunchBounds(max_threads=(64, 1, 1)), [free]))


def test_a_constant_block_of_the_host_code_is_kept_where_its_grid_is_not_constant() -> None:
    launch_plan = plan([], [host(None, (96, 1, 1)), host(None, (64, 1, 1)), host(None, (96, 1, 1))], X, NO_BOUNDS)
    assert shapes(launch_plan) == ["2x96", "1x96", "3x96", "2x64", "1x64", "3x64"]
    assert {(launch.basis, launch.note) for launch in launch_plan} == {
        (Origin.SPECIFIED, "with the block of the host code")
    }


def test_a_constant_block_without_a_grid_is_tried_beside_constant_launches_of_other_blocks() -> None:
    several = [host((2, 1, 1), (64, 1, 1)), host(None, (64, 1, 1)), host(None, (96, 1, 1))]
    assert shapes(plan([], several, X, NO_BOUNDS)) == ["2x64", "2x96", "1x96", "3x96"]


def test_a_block_that_the_code_states_is_never_special() -> None:
    of_host = plan([], [host(None, (32, 1, 1))], X, NO_BOUNDS)
    required = plan([], [], X, LaunchBounds(required_threads=(32, 1, 1)))
    assert not any(launch.is_special for launch in (*of_host, *required))


def test_large_blocks_that_the_code_states_come_in_smaller_grids() -> None:
    indexes = {"threadIdx.x", "threadIdx.y", "blockIdx.x", "blockIdx.y"}
    assert shapes(plan([], [host(None, (32, 32, 1))], indexes, NO_BOUNDS)) == ["2:32x32", "1:32x32"]
    assert shapes(plan([], [host(None, (32, 8, 1))], indexes, NO_BOUNDS)) == ["2x2:32x8", "1:32x8", "3:32x8"]


def test_a_single_warp_that_only_an_array_suggests_is_special() -> None:
    for weak in (False, True):
        launch_plan = plan([], [], X, NO_BOUNDS, [SuggestedBlock((32, 1, 1), fixed=False, weak=weak)])
        assert (str(launch_plan[0].shape), launch_plan[0].is_special) == ("2x32", weak)
    (launch, *_) = plan([], [], X, NO_BOUNDS, [SuggestedBlock((80, 1, 1), fixed=False, weak=True)])
    assert not launch.is_special


def test_threads_lie_along_y_or_z_if_the_kernel_knows_of_no_other_axis() -> None:
    assert shapes(plan([], [], {"threadIdx.z"}, NO_BOUNDS)) == ["1:1x1x32", "1:1x1x64"]
    assert shapes(plan([], [], {"threadIdx.y", "blockIdx.x"}, NO_BOUNDS)) == ["1:1x32", "2:1x128", "2:1x80", "3:1x64"]
