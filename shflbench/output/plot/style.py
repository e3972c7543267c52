"""How every chart looks: colors, hatching and fonts."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch
from matplotlib.textpath import TextToPath

from shflbench.core.model import Mechanism
from shflbench.core.palette import COLORS, NAMES
from shflbench.printable import escape_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from matplotlib.typing import ColorType, RcKeyType

    from shflbench.store.columns import Row

INK = "#1F1F1F"  # text and intervals
MUTED = "#5F5F5F"  # secondary text: 6.4:1 against white
RULE = "#D9D9D9"  # grid lines and empty cells
UNSAFE_HATCH = "/////"

TITLE_PT, BODY_PT, SMALL_PT = 13.0, 9.5, 8.5  # at 9 inches drawn 900 pixels wide: 18, 13 and 12 pixels

Look = dict[str, Any]  # keywords of a matplotlib artist, which checks them itself
_MEASURE = TextToPath()

_RC: Mapping[RcKeyType, object] = {
    "font.family": ["sans-serif"],
    # matplotlib includes DejaVu Sans and draws with it; a viewer without that font shows an SVG with the others.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": BODY_PT,
    "text.color": INK,
    "text.parse_math": False,  # a `$` in a reason is a `$`
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.labelsize": BODY_PT,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": SMALL_PT,
    "ytick.labelsize": SMALL_PT,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": SMALL_PT,
    "savefig.facecolor": "white",
    # Text stays text: the files are a third of the size, and can be searched, read aloud and compared by line in git.
    "svg.fonttype": "none",
    "svg.hashsalt": "shflbench",  # ids of clip paths and hatches are random without it
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save inside this context: matplotlib's defaults plus ours, whatever matplotlibrc the user has.

    There is no warning of characters that the font lacks. In PNG and PDF each is drawn as a box; the text of an SVG has
    them, and a viewer shows them in another font.
    """
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph ", UserWarning)
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def color_of(row: Row) -> str:
    """Return the color of the row's mechanism, as `#RRGGBB`; rows of other tools have none, and that of libraries."""
    return COLORS[Mechanism(row.mechanism or Mechanism.LIBRARY)]


def ink_on(background: ColorType) -> str:
    """Return the text color, `INK` or white, with the higher contrast to the background."""
    back, dark = luminance(background), luminance(INK)
    return INK if (back + 0.05) ** 2 >= (dark + 0.05) * 1.05 else "white"


def luminance(tone: ColorType) -> float:
    """Return the relative luminance, 0 to 1 (WCAG 2.2); contrast is the ratio of two of them, 0.05 added to each."""
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(tone))  # noqa: PLR2004  (sRGB)
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def tint(full: ColorType, strength: float) -> tuple[float, float, float]:
    """Return the color mixed with white; `strength` 1 leaves it as it is."""
    red, green, blue = (1 - strength * (1 - channel) for channel in to_rgb(full))
    return red, green, blue


def bar_look(row: Row) -> Look:
    """Return the keywords with which matplotlib fills the row's bar or legend patch; an unsafe row is hatched."""
    full = color_of(row)
    if row.safe:
        return {"facecolor": full, "edgecolor": full, "linewidth": 0.8}
    return {"facecolor": tint(full, 0.15), "edgecolor": full, "linewidth": 0.8, "hatch": UNSAFE_HATCH}


def mechanism_legend(rows: Iterable[Row]) -> list[Patch]:
    """Return one labeled patch per mechanism, in the order of their declaration."""
    seen = {(Mechanism(row.mechanism), row.safe): row for row in rows if row.mechanism}
    order = list(Mechanism)
    return [
        Patch(label=_legend_name(mechanism, safe=safe), **bar_look(row))
        for (mechanism, safe), row in sorted(seen.items(), key=lambda item: (order.index(item[0][0]), not item[0][1]))
    ]


def _legend_name(mechanism: Mechanism, *, safe: bool) -> str:
    name = NAMES[mechanism]
    return name if safe or "UNSAFE" in name else f"{name}, UNSAFE"


@cache
def width_of(text: str, points: float = BODY_PT, weight: str = "normal") -> float:
    """Return the width of the drawn text, in inches, from which margins and line breaks follow.

    Charts are saved with escapes for control characters, so that these are measured.
    """
    font = FontProperties(family="DejaVu Sans", weight=weight, size=points)
    width, _, _ = _MEASURE.get_text_width_height_descent(escape_lines(text), font, ismath=False)
    return width / 72


def fit_size(text: str, width: float, points: float = BODY_PT, weight: str = "normal") -> float:
    """Return the size, in points, at which the text is at most `width` inches wide: `points`, or less."""
    return points * min(1.0, width / max(width, width_of(text, points, weight)))


def wrap(text: str, width: float, points: float = BODY_PT, weight: str = "normal") -> list[str]:
    """Return the text in lines of at most `width` inches, broken between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", points, weight) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def balance(text: str, width: float, points: float = BODY_PT, weight: str = "normal") -> list[str]:
    """Return the text in as few lines as `wrap` needs, all of about the same length: no word alone on the last line."""
    lines = narrower = wrap(text, width, points, weight)
    while len(narrower) == len(lines) > 1:
        lines = narrower
        width -= 0.1
        narrower = wrap(text, width, points, weight)
    return lines


def shorten(text: str, width: float, points: float = BODY_PT) -> str:
    """Return the text on one line of at most `width` inches, with an ellipsis where it was cut."""
    line = " ".join(text.split())
    if width_of(line, points) <= width:
        return line
    while line and width_of(f"{line}…", points) > width:
        line = line[:-1].rstrip()
    return f"{line}…"
