"""The variants of one setting as bars up to 100% of the measured time, filled by what sets the limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.output.plot.limit_findings import MOST_CEILING, ceiling_share, share, share_words
from shflbench.output.plot.limiters import limiter_look, limiter_of
from shflbench.output.plot.style import BODY_PT, INK, MUTED, SMALL_PT, color_of, shorten, width_of
from shflbench.output.plot.subject import why_untimed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.page import Page
    from shflbench.output.plot.style import Look
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

_HEADING, _ROW, _DOT_LANE = 0.34, 0.19, 0.06  # inches: above a panel, a variant, the dots below its bar
_BAR = 0.135  # inches: the filled part of a row
_BESIDE = 0.13  # inches from 100% to the words, with room for the mark of a ceiling
_GAP = 0.07  # inches between words
_LONGEST_NAME = 1.8  # inches: less than half a column, of which words take a third
_TRACK = "#F2F2F2"  # what is missing to 100%
_TICKS = {0: "0", 0.25: "", 0.5: "50%", 0.75: "", 1: "100%"}
DOT: Look = {"marker": "o", "markersize": 3.4, "markeredgecolor": INK, "markeredgewidth": 0.4, "linestyle": "none"}
CEILING: Look = {"color": INK, "marker": "|", "markersize": 12, "markeredgewidth": 1.8, "linestyle": "none"}


@dataclass(frozen=True, slots=True)
class LimitPanel:
    """One setting of one pattern."""

    subject: ChartSubject  # all of the run
    setting: str
    rows: Sequence[Row]
    has_dots: bool  # whether a row has other settings

    @property
    def height(self) -> float:
        """The height with the heading, in inches."""
        return _HEADING + len(self.rows) * self._pitch

    @property
    def _pitch(self) -> float:
        return _ROW + (_DOT_LANE if self.has_dots else 0.0)

    @property
    def label_width(self) -> float:
        """The width of the names of the variants, in inches."""
        return max(width_of(name, SMALL_PT) for name in self._names) + 0.12

    @property
    def _names(self) -> list[str]:
        """The names of the variants, cut where they would leave no room for the bars."""
        return [shorten(row.variant, _LONGEST_NAME, SMALL_PT) for row in self.rows]

    @property
    def words_width(self) -> float:
        """The width of the text at the end of the bars, in inches."""
        return _BESIDE + max(sum(width_of(text, SMALL_PT) + _GAP for text, _ in self._words(row)) for row in self.rows)

    def draw(self, page: Page, begin: float, top: float, width: float, widths: tuple[float, float]) -> Axes:
        """Draw the panel at a place on the page, in inches; `widths` are those of names and words of all panels."""
        name = self.rows[0].pattern
        page.text(begin, top + 0.12, name)
        x = width_of(name, BODY_PT, "bold") + 2 * _GAP
        setting = shorten(self.setting, width - x, SMALL_PT)
        page.text(begin + x, top + 0.13, setting, size=SMALL_PT, weight="normal", color=MUTED)
        label, words = widths
        axes = page.axes(begin + label, top + _HEADING, width - label - words, self.height - _HEADING)
        self._scale(axes)
        for y, row in enumerate(self.rows):
            if share(self.subject, row) is None:
                why = shorten(self._why_unlimited(row), width - label - _GAP, SMALL_PT)
                text = axes.text(0.02, y, why, va="center_baseline", size=SMALL_PT, color=MUTED, style="italic")
                text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # over the grid
            else:
                self._bar(axes, y, row)
        return axes

    def _scale(self, axes: Axes) -> None:
        axes.set_xlim(0, 1)
        axes.set_ylim(len(self.rows) - 0.5, -0.5)
        axes.set_yticks(range(len(self.rows)), self._names, size=SMALL_PT)
        axes.set_xticks(list(_TICKS), list(_TICKS.values()))
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.spines[:].set_visible(False)

    def _bar(self, axes: Axes, y: float, row: Row) -> None:
        """Draw the bar of a row that has a limit, and a dot for each other setting of its variant."""
        height = _BAR / self._pitch
        axes.barh(y, 1, height=height, facecolor=_TRACK, edgecolor="none")
        look = limiter_look(self.subject.limits[row.case_id].limit_by)
        axes.barh(y, min(share(self.subject, row) or 0.0, 1.0), height=height, **look)
        ceiling = ceiling_share(self.subject, row)
        if ceiling is not None and ceiling <= MOST_CEILING:
            axes.plot(ceiling, y, clip_on=False, **CEILING)
        for other in other_settings(self.subject, row):
            fill = limiter_of(self.subject.limits[other.case_id].limit_by).fill
            x, below = min(share(self.subject, other) or 0.0, 1.0), y + (_BAR / 2 + 0.045) / self._pitch
            axes.plot(x, below, markerfacecolor=fill, clip_on=False, **DOT)
        x = _BESIDE
        for words, tone in self._words(row):
            place: Look = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
            axes.annotate(words, (1, y), (72 * x, 0), va="center_baseline", size=SMALL_PT, color=tone, **place)
            x += width_of(words, SMALL_PT) + _GAP

    def _words(self, row: Row) -> list[tuple[str, str]]:
        """Return the text at the end of a bar, and the color of each part."""
        fraction = share(self.subject, row)
        if fraction is None:
            return []
        limit = self.subject.limits[row.case_id]
        parts = [(limit.mark + share_words(fraction), INK), (limiter_of(limit.limit_by).words, MUTED)]
        return parts if row.safe else [*parts, ("UNSAFE", color_of(row))]

    def _why_unlimited(self, row: Row) -> str:
        if row.time_us is None:
            return why_untimed(row)
        limit = self.subject.limits.get(row.case_id)
        return f"no limit: {(limit and limit.limit_reason) or 'not in limits.csv'}"


def other_settings(subject: ChartSubject, row: Row) -> list[Row]:
    """Return the rows of the same variant in other settings, if they have a limit."""
    variant = (row.pattern, row.variant)
    same = (other for other in subject.timed if (other.pattern, other.variant) == variant)
    return [other for other in same if other.case_id != row.case_id and share(subject, other) is not None]
