from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from shflbench.analysis.limits import ISSUE, LATENCY, ExecutionUnit
from shflbench.analysis.limits.units import UNPUBLISHED
from shflbench.core.palette import COLORS
from shflbench.output.plot.limiters import (
    FAMILIES,
    LIMITERS,
    limiter_legend,
    limiter_look,
    limiter_of,
    point_look,
    rank,
)
from shflbench.output.plot.style import INK, UNSAFE_HATCH
from tests.output.plot.test_style import SIGHT, contrast, lab, linear


def test_every_limiter_has_a_look_of_its_own() -> None:
    units = {str(unit) for unit in ExecutionUnit if unit not in {ExecutionUnit.OTHER, *UNPUBLISHED}}
    assert {*units, ISSUE, LATENCY, "dram", "l2", "load/store", "block start", "atomic"} == set(LIMITERS)
    assert len({limiter.label for limiter in LIMITERS.values()}) == len(LIMITERS)
    assert len({(limiter.fill, limiter.hatch) for limiter in LIMITERS.values()}) == len(LIMITERS)
    assert len({(limiter.fill, limiter.marker) for limiter in LIMITERS.values()}) == len(LIMITERS)


@pytest.mark.parametrize("sight", SIGHT)
def test_fills_differ_from_one_another_and_from_mechanisms_for_every_kind_of_sight(sight: str) -> None:
    fills = [lab(SIGHT[sight] @ linear(color)) for color in FAMILIES]
    mechanisms = [lab(SIGHT[sight] @ linear(color)) for color in COLORS.values()]
    assert min(np.linalg.norm(one - other) for one, other in combinations(fills, 2)) > 11
    assert min(np.linalg.norm(one - other) for one in fills for other in mechanisms) > 11


def test_no_limiter_looks_like_a_mechanism_or_like_something_unsafe() -> None:
    """Mechanisms are outlined in their own color, limiters in ink; a fill is lighter than that of any mechanism."""
    lightest = max(contrast("#000000", color) for color in COLORS.values())
    for name, limiter in LIMITERS.items():
        look = limiter_look(name)
        assert look["edgecolor"] == INK
        assert contrast("#000000", limiter.fill) > lightest
        assert "/" not in limiter.hatch
    assert set(UNSAFE_HATCH) == {"/"}


def test_the_outline_stands_out_from_every_fill() -> None:
    assert all(contrast(INK, color) >= 4.5 for color in FAMILIES)


def test_a_limiter_of_a_later_version_is_named_and_empty() -> None:
    assert limiter_of("tensor").label == "tensor"
    assert limiter_look("tensor")["facecolor"] == "#FFFFFF"
    assert limiter_of(None).label == "no limit"


def test_the_legend_names_each_limiter_once_in_a_fixed_order() -> None:
    names = ["dram", "tensor", None, "exchange", "dram", "issue"]
    patches = limiter_legend(names)
    labels = ["exchange (shuffles, shared memory)", "issue rate", "DRAM", "tensor", "no limit"]
    assert [patch.get_label() for patch in patches] == labels
    assert rank(reversed(names)) == rank(names)
    assert to_hex(patches[0].get_facecolor()).upper() == limiter_of("exchange").fill


def test_points_and_bars_of_a_limiter_have_the_same_fill() -> None:
    assert all(point_look(name)["markerfacecolor"] == limiter_look(name)["facecolor"] for name in LIMITERS)
    assert all(to_rgb(limiter.fill) != (1, 1, 1) for limiter in LIMITERS.values())


def test_triangles_that_point_up_or_down_are_kept_for_points_beyond_an_axis() -> None:
    assert not {"^", "v"} & {limiter.marker for limiter in LIMITERS.values()}
