from itertools import combinations

import numpy as np
import pytest

from shflbench.core.model import Mechanism
from shflbench.core.palette import COLORS, DARK_COLORS
from shflbench.output.export.html.page import FOLDER
from tests.output.plot.test_style import SIGHT, contrast, lab, linear

DARK = "#16181d"  # the background of reports in the dark


def test_the_dark_background_is_that_of_reports() -> None:
    assert f"--ground: {DARK};" in (FOLDER / "assets" / "dark.css").read_text(encoding="utf-8")


def test_every_mechanism_has_a_color_in_the_dark() -> None:
    assert set(DARK_COLORS) == set(COLORS) == set(Mechanism)


@pytest.mark.parametrize("color", DARK_COLORS.values())
def test_dark_colors_have_the_contrast_of_graphics(color: str) -> None:
    assert contrast(color, DARK) >= 3


@pytest.mark.parametrize("sight", SIGHT)
def test_dark_colors_differ_for_every_kind_of_sight(sight: str) -> None:
    seen = {mechanism: lab(SIGHT[sight] @ linear(color)) for mechanism, color in DARK_COLORS.items()}
    near = {
        (one, other): round(float(np.linalg.norm(seen[one] - seen[other])), 1)
        for one, other in combinations(seen, 2)
        if np.linalg.norm(seen[one] - seen[other]) < 12
    }
    assert near == {}
