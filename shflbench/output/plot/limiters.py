"""How a limiter looks: what sets a case's limit, as a fill of its own, so that nobody takes it for a mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from shflbench.output.plot.style import INK, MUTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.output.plot.style import Look

# Pale fills in a dark outline, where mechanisms have strong fills of one color. Found by search: each family differs
# from every other, from every mechanism and from white for the three kinds of dichromats. A test checks it.
EXCHANGE, BARRIER, COLLECTIVE = "#BCA1E9", "#C5AA62", "#98BC8F"
ARITHMETIC, ISSUE, LATENCY, MEMORY = "#A1E9CE", "#FBE08F", "#50C5BC", "#6BF2FB"
FAMILIES = (EXCHANGE, BARRIER, COLLECTIVE, ARITHMETIC, ISSUE, LATENCY, MEMORY)
UNKNOWN = "#FFFFFF"


@dataclass(frozen=True, slots=True)
class Limiter:
    """The name of a limiter in a legend, and how its bars are filled."""

    words: str
    fill: str
    hatch: str = ""  # tells the limiters of a family apart; `/////` means unsafe. Of lines: dots take 300 KB per file
    marker: str = "o"  # of a point; not a triangle that points up or down, which lies beyond an axis
    about: str = ""  # what a legend adds

    @property
    def label(self) -> str:
        """The text of a legend."""
        return f"{self.words}{self.about}"


# By the word in the column `limit_by`.
LIMITERS: Mapping[str, Limiter] = {
    "exchange": Limiter("exchange", EXCHANGE, about=" (shuffles, shared memory)"),
    "barrier": Limiter("barrier", BARRIER, marker="s"),
    "vote": Limiter("vote", COLLECTIVE, marker="h"),
    "redux": Limiter("redux", COLLECTIVE, "----", ">"),
    "match": Limiter("match", COLLECTIVE, "||||", "<"),
    "issue": Limiter("issue rate", ISSUE, marker="D"),
    "block start": Limiter("block start", ISSUE, "----", "d"),
    "latency": Limiter("latency", LATENCY, marker="p", about=" (dependent instructions)"),
    "integer": Limiter("integer", ARITHMETIC, marker="P"),
    "fp32": Limiter("fp32", ARITHMETIC, "----", "p"),
    "fp64": Limiter("fp64", ARITHMETIC, "||||", "h"),
    "half2": Limiter("half2", ARITHMETIC, "xxx", "*"),
    "special": Limiter("special functions", ARITHMETIC, "++++", "d"),
    "conversion": Limiter("conversion", ARITHMETIC, "\\\\\\\\", "H"),
    "uniform": Limiter("uniform", ARITHMETIC, "-x", "8"),
    "dram": Limiter("DRAM", MEMORY, marker="X"),
    "l2": Limiter("L2", MEMORY, "----", "o"),
    "load/store": Limiter("load/store", MEMORY, "||||", "s"),
    "atomic": Limiter("atomic", MEMORY, "\\\\\\\\", "*", " (additions to one address)"),
    "global memory": Limiter("global memory", MEMORY, "xxx", "D"),
    "local memory": Limiter("local memory", MEMORY, "++++", "p"),
}


def limiter_of(name: str | None) -> Limiter:
    """Return how a limiter looks; one of a later version has its own name and an empty bar."""
    return LIMITERS.get(name or "", Limiter(name or "no limit", UNKNOWN))


def limiter_look(name: str | None) -> Look:
    """Return the keywords with which matplotlib fills the bar or the legend patch of a limiter."""
    limiter = limiter_of(name)
    hatch = {"hatch": limiter.hatch} if limiter.hatch else {}
    return {"facecolor": limiter.fill, "edgecolor": INK if name else MUTED, "linewidth": 0.7} | hatch


def point_look(name: str | None) -> Look:
    """Return the keywords with which matplotlib draws points of a limiter."""
    limiter = limiter_of(name)
    return {"marker": limiter.marker, "markerfacecolor": limiter.fill, "markeredgecolor": INK, "linestyle": "none"}


def rank(names: Iterable[str | None]) -> list[str | None]:
    """Return the names, each once, in the order of `LIMITERS`; unknown ones and none last."""
    order = list(LIMITERS)
    return sorted(set(names), key=lambda name: (order.index(name) if name in order else len(order), name or "~"))


def limiter_legend(names: Iterable[str | None]) -> list[Patch]:
    """Return one labeled patch per limiter."""
    return [Patch(label=limiter_of(name).label, **limiter_look(name)) for name in rank(names)]
