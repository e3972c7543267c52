"""Where planned launches come from, and what follows from that."""

from pathlib import Path

import pytest

from shflbench.checker.inputs.blocks import SuggestedBlock
from shflbench.checker.inputs.default_launches import PlannedLaunch, plan
from shflbench.checker.inputs.launch_origin import LaunchOrigin
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.cuda_sources.kernel_file import HostLaunch, LaunchBounds
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

LINE = SourceLine(Path("a.cu"), 1)
INDEXES = {"threadIdx.x", "blockIdx.x"}


def launch(basis: Origin, host: Origin | None = None) -> PlannedLaunch:
    """Return a launch of two blocks, which may take arguments of one of four blocks."""
    of_host = (
        None if host is None else HostLaunch((4, 1, 1), (64, 1, 1), 0, (), LINE, origin=host, assumed=(("argv[1]", 7),))
    )
    return PlannedLaunch(parse_shape("2x64"), basis, of_host)


def whole(host: Origin) -> PlannedLaunch:
    """Return a launch of the host code with all of its blocks."""
    return PlannedLaunch(parse_shape("2x64"), Origin.HOST, HostLaunch((2, 1, 1), (64, 1, 1), 0, (), LINE, origin=host))


def test_a_launch_has_the_rank_of_its_part_that_is_the_farthest_from_the_run_of_the_program() -> None:
    launches = [
        launch(Origin.GIVEN, Origin.FORCED),
        whole(Origin.HOST),
        launch(Origin.HOST, Origin.HOST),
        launch(Origin.HOST, Origin.ASSUMED),
        launch(Origin.HOST, Origin.FORCED),
        launch(Origin.SPECIFIED, Origin.HOST),
        launch(Origin.SUGGESTED),
        launch(Origin.WEAKLY_SUGGESTED),
        launch(Origin.CHOSEN),
    ]
    ranks = [item.origin.rank for item in launches]
    assert ranks[:5] == [Origin.GIVEN, Origin.HOST, Origin.SCALED_DOWN, Origin.ASSUMED, Origin.FORCED]
    assert ranks[5:] == [item.basis for item in launches[5:]]
    assert sorted(ranks) == ranks


def test_only_a_launch_of_the_host_code_with_another_grid_is_scaled_down() -> None:
    assert launch(Origin.HOST, Origin.HOST).origin.is_scaled_down
    assert launch(Origin.HOST, Origin.ASSUMED).whole_grid == (4, 1, 1)
    for other in (whole(Origin.HOST), launch(Origin.GIVEN, Origin.HOST), launch(Origin.SPECIFIED, Origin.HOST)):
        assert not other.origin.is_scaled_down
        assert other.whole_grid == (2, 1, 1)


@pytest.mark.parametrize(
    ("basis", "host", "expected"),
    [
        (Origin.GIVEN, Origin.FORCED, False),
        (Origin.HOST, Origin.HOST, False),
        (Origin.HOST, Origin.ASSUMED, False),
        (Origin.HOST, Origin.FORCED, True),
        (Origin.SPECIFIED, Origin.HOST, True),
        (Origin.CHOSEN, Origin.HOST, True),
        (Origin.CHOSEN, None, False),
    ],
)
def test_a_launch_is_invented_if_it_replaces_one_of_the_host_code(
    basis: Origin, host: Origin | None, *, expected: bool
) -> None:
    assert launch(basis, host).origin.is_invented is expected


def test_only_a_launch_of_the_program_has_the_numbers_that_stand_for_what_it_reads() -> None:
    assert launch(Origin.HOST, Origin.FORCED).assumed == (("argv[1]", 7),)
    assert launch(Origin.GIVEN, Origin.ASSUMED).assumed == ()
    assert launch(Origin.CHOSEN, Origin.ASSUMED).assumed == ()


@pytest.mark.parametrize(
    ("block", "specified", "suggested"),
    [
        (Origin.HOST, False, False),
        (Origin.REQUIRED, True, False),
        (Origin.SPECIFIED, True, True),
        (Origin.SUGGESTED, False, True),
        (Origin.WEAKLY_SUGGESTED, False, True),
        (Origin.CHOSEN, False, False),
    ],
)
def test_a_block_is_stated_or_suggested_or_both(block: Origin, *, specified: bool, suggested: bool) -> None:
    origin = LaunchOrigin(block, Origin.CHOSEN, Origin.CHOSEN)
    assert (origin.has_specified_block, origin.has_suggested_block) == (specified, suggested)
    assert origin.has_synthesized_block is (origin.is_synthesized and not specified)


def test_a_block_that_the_kernel_requires_is_stated_where_its_code_suggests_it_and_required_elsewhere() -> None:
    bounds = LaunchBounds(required_threads=(64, 1, 1))
    launches = plan([], [], INDEXES, bounds, [SuggestedBlock((64, 1, 1), fixed=False)])
    assert {str(item.shape): item.basis for item in launches} == {
        "2x64": Origin.SPECIFIED,
        "1x64": Origin.REQUIRED,
        "3x64": Origin.REQUIRED,
    }
