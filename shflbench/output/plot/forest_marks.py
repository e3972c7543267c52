"""How a case looks in a forest plot: the color and the mark of its outcome, its line, and strips of many cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from shflbench.analysis.compare.comparison import Outcome
from shflbench.output.plot.forest_words import change_in_percent, why_not
from shflbench.output.plot.style import INK, MUTED, SMALL_PT, fit_size, shorten, tint

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison
    from shflbench.output.plot.forest_lines import Rest, Scale
    from shflbench.output.plot.style import Look

# Of the outcomes that follow from a change, in the order of importance. Red is slower and blue is faster, as in the
# heat maps (both from ColorBrewer's RdBu). A test checks that all differ for every kind of color blindness.
COLORS = {
    Outcome.SLOWER: "#B2182B",
    Outcome.SUSPECTED: "#C98200",
    Outcome.INCONCLUSIVE: "#8A1A75",
    Outcome.NOT_COMPARABLE: INK,
    Outcome.FASTER: "#2166AC",
    Outcome.SAME: "#8C8C8C",
}
MARKERS = {
    Outcome.SLOWER: ">",
    Outcome.SUSPECTED: "D",
    Outcome.INCONCLUSIVE: "s",
    Outcome.NOT_COMPARABLE: "x",
    Outcome.FASTER: "<",
    Outcome.SAME: "o",
}
_HOLLOW = frozenset({Outcome.SUSPECTED, Outcome.INCONCLUSIVE})  # undecided
_ALARMING = frozenset({Outcome.FAILED, Outcome.MISSING})
_WITHOUT_VERDICT: Look = {"color": INK, "marker": "o", "markersize": 4, "markerfacecolor": INK}
_BAND = tint(MUTED, 0.16)
_UNDER = 0.4  # the grid is drawn at 0.5
_DOT = 2.6  # points, of a case in a strip
_FILLED = 0.7  # of a strip's height
_BESIDE = 6.0  # points between the axes and a text beside them, or between their edge and a text inside
_OVER = 0.4  # inches by which the label of the axis may be wider than the axis
_ARROW = 0.24  # inches from a mark to the end of the axis, if its case lies beyond it


def look_of(outcome: Outcome, *, judged: bool) -> Look:
    """Return the keywords with which matplotlib draws the mark of an outcome; all are alike without verdicts."""
    if not judged:
        return _WITHOUT_VERDICT
    tone = COLORS[outcome]
    face = "white" if outcome in _HOLLOW else tone
    return {"color": tone, "marker": MARKERS[outcome], "markersize": 5, "markerfacecolor": face}


def legend(comparison: Comparison) -> list[Artist]:
    """Return a labeled mark for each outcome that is drawn, and a patch for the band within the threshold."""
    if comparison.across:
        return []
    drawn = {verdict.outcome for verdict in comparison.verdicts if verdict.ratio}
    marks: list[Artist] = [
        Line2D(
            [], [], label=f"{outcome.replace('-', ' ')} ({comparison.count(outcome)})", **look_of(outcome, judged=True)
        )
        for outcome in COLORS
        if outcome in drawn
    ]
    thresholds = {verdict.threshold for verdict in comparison.verdicts if verdict.ratio and verdict.threshold}
    if thresholds:
        low, high = (f"{100 * edge:.3g}" for edge in (min(thresholds), max(thresholds)))
        words = f"{low}%" if low == high else f"{low} to {high}%, by case"
        marks.append(Patch(facecolor=_BAND, label=f"within the threshold ({words})"))
    return marks


@dataclass(frozen=True, slots=True)
class Sheet:
    """The axes that the lines are drawn on; y is in inches from the top, x in percent."""

    axes: Axes
    scale: Scale
    width: float  # inches
    judged: bool  # whether there are verdicts

    def frame(self, height: float, direction: str, *, above: bool) -> None:
        """Scale the axes and label x, also `above` the lines if so asked."""
        self.axes.set_xlim(self.scale.low, self.scale.high)
        self.axes.set_ylim(height, 0)
        self.axes.tick_params(axis="y", length=0)
        self.axes.spines["left"].set_visible(False)
        self.axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
        self.axes.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:+g}".replace("-", "\N{MINUS SIGN}") if value else "0")
        )
        self.axes.grid(axis="x")
        self.axes.tick_params(axis="x", labeltop=above)
        self.axes.axvline(0, color=MUTED, linewidth=0.8, zorder=1)
        self.axes.set_xlabel(direction, labelpad=2, size=fit_size(direction, self.width + _OVER))

    def line(self, y: float, height: float, verdict: ChangeVerdict) -> None:
        """Draw the band, the interval and the mark of one case, or the reason why it has none."""
        if verdict.ratio is None or (self.judged and verdict.outcome not in COLORS):
            self._words(y, why_not(verdict, judged=self.judged), verdict.outcome)
            return
        if verdict.threshold and self.judged:
            self._band(y, height, verdict.threshold)
        look = look_of(verdict.outcome, judged=self.judged)
        change = change_in_percent(verdict.ratio.value)
        ends = change_in_percent(verdict.ratio.low), change_in_percent(verdict.ratio.high)
        side = self.scale.beyond(change)
        place = self.scale.inside(change) - side * _ARROW * self._inch
        if not side:
            inside = [self.scale.inside(end) for end in ends]
            self.axes.plot(inside, [y, y], color=look["color"], linewidth=1.4, solid_capstyle="butt")
        for edge in sorted({self.scale.inside(end) for end in ends if self.scale.beyond(end)}):
            arrow = {"arrowstyle": "->", "color": look["color"], "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
            self.axes.annotate("", (edge, y), (place, y), arrowprops=arrow)
        self.axes.plot(place, y, linestyle="none", **look)

    def strip(self, y: float, height: float, rest: Rest) -> None:
        """Draw a dot for each case, spread over the height of the strip."""
        if not rest.changes or (self.judged and rest.outcome not in COLORS):
            self._words(y, "not listed here", rest.outcome)
            return
        bands = [verdict.threshold for verdict in rest.verdicts if verdict.threshold]
        if bands and self.judged:
            self._band(y, height, min(bands))
        tone = look_of(rest.outcome, judged=self.judged)["color"]
        changes = [self.scale.inside(change) for change in rest.changes]
        half = _FILLED * height / 2
        heights = y + np.linspace(-half, half, len(changes) + 2)[1:-1]  # one dot alone lies in the middle
        dots: Look = {"linestyle": "none", "marker": "o", "markersize": _DOT, "markeredgewidth": 0, "alpha": 0.7}
        self.axes.plot(changes, heights, color=tone, **dots)

    def figure(self, y: float, words: str) -> None:
        """Write on the right of the axes."""
        place: Look = {"xycoords": self.axes.get_yaxis_transform(), "textcoords": "offset points"}
        self.axes.annotate(words, (1, y), (_BESIDE, 0), va="center_baseline", size=SMALL_PT, **place)

    @property
    def _inch(self) -> float:
        """The length of an inch on the axis, in percent."""
        return (self.scale.high - self.scale.low) / self.width

    def _band(self, y: float, height: float, threshold: float) -> None:
        low, high = change_in_percent(1 / (1 + threshold)), change_in_percent(1 + threshold)
        self.axes.add_patch(
            Rectangle((low, y - height / 2), high - low, height, color=_BAND, linewidth=0.4, zorder=_UNDER)
        )

    def _words(self, y: float, words: str, outcome: Outcome) -> None:
        x = self.scale.low + _BESIDE / 72 * self._inch
        tone = COLORS[Outcome.SLOWER] if outcome in _ALARMING and self.judged else MUTED
        fitted = shorten(words, self.width - _BESIDE / 72, SMALL_PT)
        text = self.axes.text(x, y, fitted, va="center", size=SMALL_PT, color=tone, style="italic")
        text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # over the grid
