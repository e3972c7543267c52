"""Draw what each kind of exchange takes over the warps per SM, beside the limit of the fastest kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from shflbench.core.model import Mechanism
from shflbench.core.palette import COLORS, NAMES
from shflbench.output.plot.save import METADATA, SVG
from shflbench.output.plot.style import INK, RULE, SMALL_PT, TITLE_PT, house_style

if TYPE_CHECKING:
    from pathlib import Path

    from tools.docs.answers.answer import Answer

CODE = "`"  # around code in Markdown
MIN_PLACES = 2  # of a line
SIZE = (7.5, 3.6)  # inches


def has_chart(answer: Answer) -> bool:
    """Whether several kinds were measured at several numbers of warps per SM."""
    return len(answer.launches) >= MIN_PLACES and len(lines(answer)) > 1


def lines(answer: Answer) -> dict[str, dict[int, tuple[float, str]]]:
    """Return by kind the best time and its variant at each number of warps per SM."""
    found: dict[str, dict[int, tuple[float, str]]] = {}
    for place in answer.places():
        assert isinstance(place.warps, int)  # noqa: S101  (charts are of answers with a loop)
        for one in place.variants.variants:
            kind = place.variants.side(one)
            found.setdefault(kind, {}).setdefault(place.warps, (one.time, one.variant))
    return {kind: line for kind, line in found.items() if len(line) >= MIN_PLACES}


def draw(answer: Answer, path: Path) -> None:
    """Write the chart of an answer as an SVG."""
    with house_style():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        for kind, line in sorted(lines(answer).items()):
            mechanism = Mechanism(kind)
            axes.plot(
                list(line),
                [time for time, _ in line.values()],
                marker="o",
                color=COLORS[mechanism],
                label=NAMES[mechanism],
            )
        limits = {place.warps: place.distance.limit.value for place in answer.places() if place.distance.limit}
        axes.plot(list(limits), list(limits.values()), linestyle=":", color=INK, label="limit of the fastest")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_locator(FixedLocator([warps for warps in answer.launches if isinstance(warps, int)]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:,g}")
        axes.set_xlabel("warps per SM")
        axes.set_ylabel("cycles per iteration")
        axes.grid(visible=True, axis="y", color=RULE)
        title = f"{answer.have.replace(CODE, '')}: the best of each kind"
        figure.suptitle(title, x=0.01, ha="left", fontsize=TITLE_PT)
        figure.legend(loc="outside right upper", fontsize=SMALL_PT)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format=SVG, metadata={**METADATA[SVG], "Title": title})
