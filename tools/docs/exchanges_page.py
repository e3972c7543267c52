"""Write docs/explanation/what-the-exchanges-show.md, the answers of the suite `exchanges`: `make plots`.

The sentences are in `exchanges_page.md.j2`, which takes each figure from the reference run. A test checks the page.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tools.docs.claims_page import cell, measured, share, verdicts
from tools.docs.contradictions_page import linked
from tools.docs.first_page import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit

PAGE = ROOT / "docs" / "explanation" / "what-the-exchanges-show.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h100"
TEMPLATE = Path(__file__).with_name("exchanges_page.md.j2")
LETTER = "X"  # of the ids of its claims

Setting = tuple[str, str, str, str]  # pattern, type, launch, options as in `sums=4/result=own`


@cache
def rows() -> Mapping[Setting, Mapping[str, Row]]:
    """Return the rows of the run by setting and variant."""
    known: dict[Setting, dict[str, Row]] = {}
    for row in read_run(RUN).rows:
        options = "/".join(f"{name}={value}" for name, value in row.options)
        known.setdefault((row.pattern, row.dtype, row.launch, options), {})[row.variant] = row
    return known


@cache
def limits() -> Mapping[str, CaseLimit]:
    """Return the limits of the run by case."""
    return read_limits(RUN)


def times(pattern: str, dtype: str, launch: str, variants: Sequence[str], options: Sequence[str] = ("",)) -> str:
    """Return a table of times, a line for each setting of the options."""
    lines = [
        f"Times in µs of `{pattern}`, `{dtype}`, `{launch}`:",
        "",
        f"| options | {' | '.join(variants)} |",
        f"| --- |{' --: |' * len(variants)}",
    ]
    for option in options:
        known = rows()[pattern, dtype, launch, option]
        cells = [f"{known[variant].time_us:.1f}" for variant in variants]
        lines.append(f"| {option.replace('/', ', ') or '–'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio(setting: Setting, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.9×`."""
    known = rows()[setting]
    return f"{(known[of].time_us or 0.0) / (known[to].time_us or 1.0):.2g}×"


def limit(setting: Setting, variant: str) -> str:
    """Return how near a variant comes to its limit: `98% of its exchange limit`."""
    known = limits()[rows()[setting][variant].case_id]
    return f"{known.limit_fraction or 0.0:.0%} of its {known.limit_by} limit"


def render() -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, of committed files)
    )
    environment.filters.update(cell=cell, linked=linked, measured=measured, share=share)
    noise = read_run(RUN).info.noise
    return environment.get_template(TEMPLATE.name).render(
        limit=limit, noise=noise, ratio=ratio, times=times, verdicts=verdicts(LETTER, RUN.name)
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    text = render()
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
        print(PAGE)


if __name__ == "__main__":
    main()
