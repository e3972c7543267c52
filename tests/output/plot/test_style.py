from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from shflbench.core.model import Mechanism
from shflbench.core.palette import COLORS, NAMES
from shflbench.output.plot.style import (
    INK,
    MUTED,
    balance,
    bar_look,
    fit_size,
    house_style,
    ink_on,
    luminance,
    mechanism_legend,
    shorten,
    width_of,
    wrap,
)
from tests.output.plot.subjects import rows

# Linear RGB as a dichromat sees it: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "normal": np.eye(3),
    "protan": np.array([[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]]),
    "deutan": np.array([[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]]),
    "tritan": np.array([[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]]),
}


def lab(linear: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of a linear sRGB color, white at D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def linear(color: str) -> np.ndarray:
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_mechanism_has_a_color_and_a_name_of_its_own() -> None:
    assert set(COLORS) == set(NAMES) == set(Mechanism)
    assert len(set(COLORS.values())) == len(set(NAMES.values())) == len(Mechanism)


@pytest.mark.parametrize("color", [*COLORS.values(), INK, MUTED])
def test_every_color_stands_out_from_the_page(color: str) -> None:
    assert contrast(color, "#FFFFFF") >= (4.5 if color in {INK, MUTED} else 3)


@pytest.mark.parametrize("sight", SIGHT)
def test_colors_differ_for_every_kind_of_sight(sight: str) -> None:
    seen = {mechanism: lab(SIGHT[sight] @ linear(color)) for mechanism, color in COLORS.items()}
    nearest = min(np.linalg.norm(seen[one] - seen[other]) for one, other in combinations(seen, 2))
    assert nearest > 11  # ΔE of 2 is just visible side by side


def test_the_color_follows_the_mechanism_not_the_pattern_or_the_variant() -> None:
    looks = {row.mechanism: bar_look(row)["edgecolor"] for row in rows()}
    assert all(
        bar_look(row)["edgecolor"] == looks[row.mechanism] for row in rows(pattern="reduce") if row.mechanism in looks
    )


def test_unsafe_rows_are_hatched_and_safe_ones_filled() -> None:
    assert {row.variant for row in rows() if "hatch" in bar_look(row)} == {"smem-unsafe", "smem-deck"}
    assert "hatch" in bar_look(replace(rows()[0], safe=False))  # whatever the mechanism


def test_the_legend_names_each_mechanism_once_and_says_which_is_unsafe() -> None:
    assert [patch.get_label() for patch in mechanism_legend(rows())] == [
        "shared memory",
        "shared memory, UNSAFE",
        "shuffle",
    ]


def test_numbers_are_readable_on_dark_and_on_light() -> None:
    assert ink_on("white") == INK
    assert ink_on("#053061") == "white"


def test_a_users_matplotlibrc_changes_nothing_and_is_left_alone() -> None:
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.hashsalt": None}):
        with house_style():
            assert mpl.rcParams["axes.facecolor"] == "white"
            assert mpl.rcParams["svg.hashsalt"] == "shflbench"
        assert mpl.rcParams["font.size"] == 30


def test_long_text_is_wrapped_and_long_lines_are_cut_to_the_width() -> None:
    words = "the kernel ran for more than a minute and was killed " * 4
    lines = wrap(words, 4)
    assert " ".join(lines).split() == words.split()
    assert all(width_of(line) <= 4 for line in lines)
    cut = shorten(words, 4)
    assert cut.endswith("…")
    assert 3.8 < width_of(cut) <= 4


def test_a_title_of_two_lines_leaves_no_word_alone() -> None:
    title = "one two three four five six seven eight nine"
    first, second = balance(title, width_of(title) - 0.1)
    assert abs(width_of(first) - width_of(second)) < 0.6


def test_a_heading_shrinks_only_as_far_as_it_must() -> None:
    assert fit_size("shfl", 4, 10) == 10
    assert width_of("smem-unsafe", fit_size("smem-unsafe", 0.5)) == pytest.approx(0.5, rel=0.05)
