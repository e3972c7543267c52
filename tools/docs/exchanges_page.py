"""Write docs/explanation/what-the-exchanges-show.md, the answers of `exchanges` and `clusters`: `make plots`.

The sentences are in `exchanges_page.md.j2`, which takes each figure from the reference runs. A test checks the page.
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
from tools.docs.first_page import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit

PAGE = ROOT / "docs" / "explanation" / "what-the-exchanges-show.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h100"
TEMPLATE = Path(__file__).with_name("exchanges_page.md.j2")
RUN_OF_CLUSTERS = ROOT / "results" / "clusters" / RUN.name
LETTER = "X"  # of the ids of its claims


@cache
def limits() -> Mapping[str, CaseLimit]:
    """Return the limits of the run by case."""
    return read_limits(RUN)


@cache
def rows_by_setting() -> Mapping[str, Mapping[str, Row]]:
    """Return the timed rows of both runs by setting, such as `reduce i32 sms x 32 width=16`, and by variant."""
    found: dict[str, dict[str, Row]] = {}
    for run in (RUN, RUN_OF_CLUSTERS):
        for row in read_run(run).rows:
            if row.time_us is not None:
                name = " ".join((row.pattern, row.dtype, row.launch, *row.option_texts))
                found.setdefault(name, {})[row.variant] = row
    return found


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
        rows = rows_by_setting()[f"{name} {option}".rstrip()]
        cells = [f"{rows[variant].time_us:.1f}" if variant in rows else "–" for variant in variants]
        lines.append(f"| {option.replace(' ', ', ') or '–'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio(name: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.9×`."""
    rows = rows_by_setting()[name]
    return contest.times((rows[of].time_us or 0) / (rows[to].time_us or 1))


def of_one(name: str, variant: str) -> str:
    """Return the time of one iteration of a variant: `0.39 µs`."""
    return f"{(rows_by_setting()[name][variant].ns_per_iteration or 0) / 1000:.2f} µs"


def limit(name: str, variant: str) -> str:
    """Return how near a variant comes to its limit: `98% of its exchange limit`."""
    known = limits()[rows_by_setting()[name][variant].case_id]
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
        of_one=of_one,
        noise=read_run(RUN).info.noise,
        noise_of_clusters=read_run(RUN_OF_CLUSTERS).info.noise,
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
