"""Write docs/answers, a page for each answer of the first page, and plots/answers: `make plots`.

The sentences are in the files beside this one, and every figure is taken from a run. A test checks the pages.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import times
from shflbench.core.words import count_noun, join_words
from shflbench.errors import UsageError
from shflbench.patterns.discover import builtin, load
from shflbench.user_kernels.challenge.challenged import challenged_pattern
from tools.docs.answers.answer import FOLDER, MODEL, SUITE, every_answer, fastest_there
from tools.docs.answers.chart import draw, has_chart
from tools.docs.answers.distance import FAR
from tools.docs.answers.figures import FIGURES, IS_ONE, gain_of_a_kernel
from tools.docs.answers.tried import tried
from tools.docs.measured import ROOT
from tools.docs.opponents import RECORDS
from tools.docs.page_file import page_environment, write_page
from tools.docs.pattern_pages import kernel_place
from tools.docs.records.opponents import gpu_of
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment

    from shflbench.patterns.declare import Variant
    from shflbench.patterns.discover import LoadedPattern
    from tools.docs.answers.answer import Answer, Place

PAGES = ROOT / "docs" / "answers"
CHARTS = ROOT / "plots" / "answers"
ARCH = "sm_90"  # of the GPUs that the answers were measured on
EXPLANATIONS = ROOT / "docs" / "explanation"


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    found = page_environment(FOLDER)
    found.globals.update({function.__name__: function for function in FIGURES})
    return found


def filled(text: str, answer: Answer) -> str:
    """Return a text of an answer with its figures, as one line."""
    return " ".join(environment().from_string(text).render(at=answer.at).split())


def render(answer: Answer) -> str:
    """Return the page of an answer."""
    places = list(answer.places())
    template = environment().get_template("page.md.j2")
    return wrap_page(
        template.render(
            answer=answer,
            title=sentence(answer.have),
            **{name: filled(getattr(answer, name), answer) for name in ("write", "gain", "why")},
            real=_real(answer),
            before=sentence(filled(answer.before, answer)),
            exceptions=[filled(text, answer) for text in answer.exceptions],
            chart=f"../../plots/answers/{answer.name}.svg" if has_chart(answer) else "",
            places=places,
            kernels=kernels(answer),
            open=_warps([place for place in places if place.distance.is_open]),
            can_challenge=can_challenge(answer),
            far=FAR,
            time=_time,
            near=_near,
            tried=tried(answer),
            noun=count_noun,
            device=_device(answer),
            others=others(answer),
            options="".join(f" --option {option}" for option in answer.options),
            more=", ".join(f"[{title_of(page)}](../explanation/{page}.md)" for page in answer.more),
        )
    )


def title_of(page: str) -> str:
    """Return the title of a page of the explanations."""
    lines = (EXPLANATIONS / f"{page}.md").read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))


def kernels(answer: Answer) -> list[str]:
    """Return links to the code of the fastest variants, those of few warps first."""
    pattern = load(builtin()[answer.pattern])
    names = dict.fromkeys(one.variant for place in answer.places() for one in place.variants.leaders)
    variants = {one.name: one for one in pattern.declaration.variants}
    return [f"[`{name}`]({code_of(pattern, variants[name])}): {variants[name].summary}" for name in names]


def code_of(pattern: LoadedPattern, variant: Variant) -> str:
    """Return where the kernel of a variant begins, relative to the pages."""
    file, line = kernel_place(pattern, variant)
    return f"../../{file.relative_to(ROOT).as_posix()}#L{line}"


def others(answer: Answer) -> str:
    """Say which other variants are fastest on the other GPU; empty where ours were not measured there."""
    known = [place for place in answer.places() if fastest_there(place) is not None]
    found = [f"`{there}` with {_warps([place])}" for place in known if (there := fastest_there(place))]
    if not known:
        return ""
    return f"others are faster by over 1%: {', '.join(found)}" if found else "the same are fastest"


def can_challenge(answer: Answer) -> bool:
    """Whether `shflbench challenge` takes kernels for the answer's pattern."""
    options = dict(option.split("=") for option in answer.options)
    try:
        challenged_pattern(answer.pattern, answer.dtype, options, ARCH)
    except UsageError:
        return False
    return True


def _device(answer: Answer) -> str:
    if answer.suite == SUITE:
        gpu = gpu_of(RECORDS[MODEL], answer.pattern)
        return f"an {gpu['device'].removeprefix('NVIDIA ')} (`{gpu['uuid'][:12]}`)"
    return f"an H200, in the run of the suite `{answer.suite}`"


def sentence(words: str) -> str:
    """Return words with a capital letter."""
    return words[:1].upper() + words[1:]


def _real(answer: Answer) -> str:
    if answer.real == IS_ONE:
        return "The times above are those of a whole kernel."
    gain = gain_of_a_kernel(answer)
    if gain is None or isinstance(answer.real, str):
        return "Not measured."
    real = answer.real
    return f"{real['kernel']}: `{real['to']}` has {times(gain)} the speed of `{real['of']}` (`{real['setting']}`)."


def _warps(places: Sequence[Place]) -> str:
    """Return the warps per SM of places: `8 and 32 warps per SM`; empty without places."""
    numbers = [str(place.warps) for place in places]
    if not numbers:
        return ""
    if numbers == ["launch"]:
        return "this launch"
    return f"{join_words(numbers)} warp{'' if numbers == ['1'] else 's'} per SM"


def _time(place: Place) -> str:
    fastest = place.variants.own[0]
    return f"{fastest.time:,.0f}" if fastest.unit == "cycles" else f"{fastest.time:.3g} µs"


def _near(place: Place) -> str:
    distance = place.distance
    if distance.factor is None or distance.limit is None:
        return "not known"
    return f"{distance.factor:.2f} ({distance.limit.by}){', **open**' if distance.is_open else ''}"


def index() -> str:
    """Return the page that lists the answers."""
    return environment().get_template("index.md.j2").render(answers=every_answer())


def main() -> None:
    """Write the pages and charts, print the paths of pages that changed, and delete those of answers that are gone."""
    names = {"index"}
    write_page(PAGES / "index.md", index())
    for answer in every_answer():
        names.add(answer.name)
        write_page(PAGES / f"{answer.name}.md", render(answer))
        if has_chart(answer):
            draw(answer, CHARTS / f"{answer.name}.svg")
    for path in (*PAGES.glob("*.md"), *CHARTS.glob("*.svg")):
        if path.stem not in names:
            path.unlink()


if __name__ == "__main__":
    main()
