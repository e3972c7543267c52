"""The page that every chart is drawn on: the finding above it, the origin of its data below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Rectangle

from shflbench.output.plot.style import BODY_PT, INK, MUTED, SMALL_PT, TITLE_PT, balance, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from shflbench.output.plot.style import Look

WIDTH = 9.0  # inches: 900 pixels in a README, at 100 pixels per inch
MARGIN = 0.15  # inches on every side
_TITLE_LINE, _TEXT_LINE, _NOTE_LINE = 0.24, 0.19, 0.165  # inches per line
_LEGEND_LINE = 0.22
_HINTED = 0.97  # of the width is for text: hinting draws it up to 2% wider than measured
Handle = Artist | tuple[Artist, ...]  # several are drawn on one another, with the label of the first
_HANDLE, _PAD, _SPACING = 2.4, 0.8, 1.6  # of a legend: the line, the gaps after it and after its name, in font sizes


@dataclass(frozen=True, slots=True)
class Caption:
    """What a reader has to know who has the chart alone."""

    origin: str  # where the data come from
    warning: str = ""  # why to doubt them; empty if there is no reason


class Page:
    """One figure with title, subtitle, legend, notes and caption in place; charts add axes to its body."""

    def __init__(  # noqa: PLR0913  (the parts of a page, each named by its caller)
        self,
        *,
        title: str,
        subtitle: Sequence[str],
        caption: Caption,
        body: float,
        scope: Sequence[str] = (),
        notes: Sequence[str] = (),
        legend: Sequence[Handle] = (),
    ) -> None:
        """Lay the page out around a body of `body` inches height; the figure grows with its texts.

        `scope` names the groups of cases that the chart shows.
        """
        width = WIDTH - 2 * MARGIN
        text_width = width * _HINTED
        title_lines = balance(title, text_width, TITLE_PT, "bold")
        subtitle_lines = [line for part in subtitle for line in wrap(part, text_width, BODY_PT)]
        note_lines = [line for note in (*notes, caption.warning) for line in wrap(note, text_width, SMALL_PT)]
        origin_lines = wrap(caption.origin, text_width, SMALL_PT)
        header = MARGIN + len(title_lines) * _TITLE_LINE + len(subtitle_lines) * _TEXT_LINE + 0.04
        legend_lines = _legend_lines(legend, text_width)
        header += len(legend_lines) * _LEGEND_LINE
        footer = MARGIN + (len(note_lines) + len(origin_lines)) * _NOTE_LINE + 0.06

        self.title = title
        self.scope = tuple(scope)
        self.width = width  # inches of the body
        self._top = header
        self._height = header + body + footer
        self.figure = Figure(figsize=(WIDTH, self._height))

        y = self._lines(title_lines, MARGIN, _TITLE_LINE, {"size": TITLE_PT})
        y = self._lines(subtitle_lines, y, _TEXT_LINE, {"weight": "normal", "color": MUTED})
        for number, handles in enumerate(legend_lines):
            self._legend(handles, y + number * _LEGEND_LINE)
        y = self._lines(note_lines, header + body, _NOTE_LINE, {"size": SMALL_PT, "weight": "normal"})
        self._lines(origin_lines, y + 0.06, _NOTE_LINE, {"size": SMALL_PT, "weight": "normal", "color": MUTED})

    def axes(self, indent: float, top: float, width: float, height: float) -> Axes:
        """Add axes at a place in inches, counted from the top left corner of the body."""
        bottom = self._height - self._top - top - height
        return self.figure.add_axes(
            ((MARGIN + indent) / WIDTH, bottom / self._height, width / WIDTH, height / self._height)
        )

    def text(  # noqa: PLR0913  (a place, the words, and three properties of a text)
        self, indent: float, top: float, words: str, *, size: float = BODY_PT, weight: str = "bold", color: str = INK
    ) -> None:
        """Write at a place in inches, counted from the top left corner of the body; by default a panel's heading."""
        x, y = (MARGIN + indent) / WIDTH, 1 - (self._top + top) / self._height
        self.figure.text(x, y, words, va="top", ha="left", size=size, weight=weight, color=color)

    def upright(self, indent: float, bottom: float, words: str, *, size: float) -> None:
        """Write upwards, centered about a place in inches; `bottom` counts from the top left corner of the body."""
        x, y = (MARGIN + indent) / WIDTH, 1 - (self._top + bottom) / self._height
        self.figure.text(x, y, words, va="bottom", ha="center", size=size, weight="bold", color=INK, rotation=90)

    def swatch(self, indent: float, top: float, look: Look) -> None:
        """Draw the small patch of a mechanism, at a place in inches from the top left corner of the body."""
        width, height = 0.24, 0.12  # inches
        x, y = (MARGIN + indent) / WIDTH, 1 - (self._top + top + height) / self._height
        place = self.figure.transFigure
        self.figure.add_artist(Rectangle((x, y), width / WIDTH, height / self._height, transform=place, **look))

    def _lines(self, lines: Sequence[str], top: float, pitch: float, look: Look) -> float:
        for line in lines:
            self.text(0, top - self._top, line, **look)
            top += pitch
        return top

    def _legend(self, handles: list[Handle], top: float) -> None:
        self.figure.legend(
            handles=handles,
            labels=list(map(_label, handles)),
            handler_map={tuple: HandlerTuple(ndivide=1)},
            loc="upper left",
            bbox_to_anchor=(MARGIN / WIDTH, 1 - (top + 0.04) / self._height),
            ncols=len(handles),
            borderaxespad=0,
            borderpad=0,
            handlelength=_HANDLE,
            handletextpad=_PAD,
            columnspacing=_SPACING,
        )


def _legend_lines(handles: Sequence[Handle], width: float) -> list[list[Handle]]:
    """Return the handles line by line, as many in each as fit into `width` inches."""
    lines: list[list[Handle]] = []
    room = 0.0
    for handle in handles:
        needed = width_of(_label(handle), SMALL_PT) + (_HANDLE + _PAD + _SPACING) * SMALL_PT / 72
        if needed > room:
            lines.append([])
            room = width
        lines[-1].append(handle)
        room -= needed
    return lines


def _label(handle: Handle) -> str:
    return str((handle[0] if isinstance(handle, tuple) else handle).get_label())
