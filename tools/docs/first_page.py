"""Write the first page of the documentation, docs/index.md, from its template, the answers and runs: `make plots`.

The sentences are in `first_page.md.j2` and beside the answers, which take each figure from a run. A test checks that
the page is current.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import TIE, times
from shflbench.core.words import count_noun
from tools.docs.answers.answer import MEMORY, MODEL, OTHER, WARPS, answers, every_answer, fastest_there
from tools.docs.answers.distance import FAR
from tools.docs.answers.figures import IS_ONE, gain_of_a_kernel
from tools.docs.answers.pages import filled
from tools.docs.measured import ROOT, by_pattern, patterns_where
from tools.docs.opponents import RECORDS
from tools.docs.page_file import page_environment, write_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.docs.answers.answer import Answer, Place

PAGE = ROOT / "docs" / "index.md"
CLAIMS = ROOT / "docs" / "explanation" / "claims.md"  # its counts are repeated: judging takes seconds
OTHERS = CLAIMS.with_name("contradictions.md")  # likewise, of code bases
TEMPLATE = Path(__file__).with_name("first_page.md.j2")
FEW = 2
COLUMNS = ((FEW, 1), (8, 16, 5, 4), (32,), (64,))  # warps per SM, those that a column shows first


def verdicts(page: Path) -> dict[str, int]:
    """Return how many claims have each verdict, as a page on claims says."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    words = "confirmed|refuted|depend|inconclusive|untestable"
    return {word: int(number) for number, word in re.findall(rf"(\d+)\s+(?:are\s+)?\*\*({words})\*\*", text)}


def cells(answer: Answer) -> Iterator[str]:
    """Yield the fastest variants by warps per SM, with their speed over another."""
    places = {place.warps: place for place in answer.places()}
    for column in COLUMNS:
        place = next((places[warps] for warps in column if warps in places), None)
        yield f"{place.fastest} {place.gain}{_also(place, column)}" if place else "–"


def _also(place: Place, column: Sequence[int]) -> str:
    """Say at how many warps a cell was measured, if not at those of its column."""
    return "" if place.warps in column[: 2 if column[0] == FEW else 1] else f" at {place.warps}"


def launch_place(answer: Answer) -> Place:
    """Return the only setting of an answer about launches."""
    (place,) = answer.places()
    return place


def launch_time(answer: Answer) -> str:
    """Return the time of a launch of the fastest variant."""
    return f"{launch_place(answer).variants.own[0].time:.3g} µs"


def whole(answer: Answer) -> str:
    """Return what the advice gains in a whole kernel, which the page of the answer names; `none` within 1%."""
    gain = gain_of_a_kernel(answer)
    if answer.real == IS_ONE or gain is None or isinstance(answer.real, str):
        return "–"
    return "none" if abs(gain - 1) <= TIE else times(gain)


def except_when(answer: Answer) -> str:
    """Return the exceptions of an answer, and what to do on older GPUs."""
    return "; ".join(filled(text, answer) for text in (answer.before, answer.except_when) if text) or "none known"


def same() -> tuple[int, int]:
    """Return at how many settings the fastest here is within 1% of the fastest on the other GPU, and of how many."""
    places = [place for answer in every_answer() if answer.has_loop for place in answer.places()]
    found = [there for place in places if (there := fastest_there(place)) is not None]
    return found.count(""), len(found)


def render() -> str:
    """Return the page."""
    agreeing, compared = same()
    functions = (cells, except_when, launch_place, launch_time, whole)
    return (
        page_environment(TEMPLATE.parent)
        .get_template(TEMPLATE.name)
        .render(
            {function.__name__: function for function in functions},
            short=lambda answer: filled(answer.short, answer),
            by_warps=[answer for part in (WARPS, MEMORY) for answer in answers(part) if answer.has_loop],
            by_launch=[answer for answer in answers(MEMORY) if not answer.has_loop],
            by_pattern=by_pattern(),
            shfl=patterns_where("shfl"),
            smem=patterns_where("smem"),
            tie=patterns_where("tie"),
            far=FAR,
            same=agreeing,
            compared=compared,
            device=_gpu(MODEL),
            other_device=_gpu(OTHER),
            verdicts=verdicts(CLAIMS),
            others=sum(verdicts(OTHERS).values()),
        )
    )


def _gpu(model: str) -> str:
    record = RECORDS[model]
    quiet = "" if record["quiet"] else ", which was [not quiet](../benchmarks/earlier.md)"
    parts = record.get("parts", ())
    later = "".join(f"; {count_noun(len(part['patterns']), 'pattern')}: `{part['uuid'][:12]}`" for part in parts)
    return f"an {record['device'].removeprefix('NVIDIA ')} (`{record['uuid'][:12]}`{later}){quiet}"


def main() -> None:
    """Write the page, and print its path if it changed."""
    write_page(PAGE, render())


if __name__ == "__main__":
    main()
