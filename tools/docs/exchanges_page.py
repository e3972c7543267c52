"""Write docs/explanation/what-the-exchanges-show.md, the answers of the suite `exchanges`: `make plots`.

The sentences are in `exchanges_page.md.j2`, which takes each figure from the reference run. A test checks the page.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.analysis import contest
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tools.docs.claims_page import cell, measured, share, verdicts
from tools.docs.contradictions_page import linked
from tools.docs.first_page import ROOT, Setting, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.store.limits_file import CaseLimit

PAGE = ROOT / "docs" / "explanation" / "what-the-exchanges-show.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h100"
TEMPLATE = Path(__file__).with_name("exchanges_page.md.j2")
LETTER = "X"  # of the ids of its claims


@cache
def limits() -> Mapping[str, CaseLimit]:
    """Return the limits of the run by case."""
    return read_limits(RUN)


def setting_of(name: str) -> Setting:
    """Return a setting of the run by a text such as `reduce i32 sms x 32 width=16`."""
    return settings(RUN.name)[f"{RUN.parent.name} {name}"]


def times(name: str, variants: Sequence[str], options: Sequence[str] = ("",)) -> str:
    """Return a table of times, a line for each text of options; `name` is the setting without them."""
    pattern, dtype, launch = name.split(" ", 2)
    lines = [
        f"Times in µs of `{pattern}`, `{dtype}`, `{launch}`:",
        "",
        f"| options | {' | '.join(variants)} |",
        f"| --- |{' --: |' * len(variants)}",
    ]
    for option in options:
        rows = setting_of(f"{name} {option}".rstrip()).rows
        cells = [f"{rows[variant].time_us:.1f}" if variant in rows else "–" for variant in variants]
        lines.append(f"| {option.replace(' ', ', ') or '–'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio(name: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.9×`."""
    return contest.times(setting_of(name).ratio(of, to))


def limit(name: str, variant: str) -> str:
    """Return how near a variant comes to its limit: `98% of its exchange limit`."""
    known = limits()[setting_of(name).rows[variant].case_id]
    if known.limit_fraction is None:
        raise ValueError(name, variant)
    return f"{known.limit_fraction:.0%} of its {known.limit_by} limit"


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
    return environment.get_template(TEMPLATE.name).render(
        limit=limit,
        noise=read_run(RUN).info.noise,
        ratio=ratio,
        times=times,
        verdicts=verdicts(LETTER, RUN.name),
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    text = render()
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
        print(PAGE)


if __name__ == "__main__":
    main()
