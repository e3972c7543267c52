"""The text of `shflbench claims`: a block per claim, then the counts; and the short table of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.claims.quantities import needs_times
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.cli.layout import GAP, LEAST_TEXT, Line, Table, wrap_text
from shflbench.core.words import count_noun, flat
from shflbench.output.export.claims.verdict_words import (
    claim_words,
    counts_sentence,
    describe_measured,
    explanation,
    gpu_name,
    why,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.claims.by_gpu import GpuVerdicts
    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.cli.layout import Styled

STYLES = {
    ClaimStatus.CONFIRMED: "good",
    ClaimStatus.REFUTED: "bad",
    ClaimStatus.DEPENDS: "doubt",
    ClaimStatus.INCONCLUSIVE: "doubt",
    ClaimStatus.UNTESTABLE: "",
}
JOINT_INTERVALS = (
    "with a probability of 99%, the intervals of all settings of a claim contain the true values; unlike the intervals "
    "of `show`, these include differences between processes"
)
WIDEST_ID = 8  # columns of an id beside its claim; a longer one moves the verdict to the right
LABEL = max(map(len, ClaimStatus))


def lines(judged: GpuVerdicts, width: int | None = None) -> Iterator[Styled]:
    """Yield the lines for a GPU model: its name, a block per claim, those that cannot be tested last, the counts."""
    runs = count_noun(len(judged.gpu.runs), "run")
    yield from ((text, "") for text in wrap_text(f"{gpu_name(judged.gpu)}, {runs}", width))
    if any(needs_times(one.claim) for one in judged.verdicts):
        yield from ((text, "") for text in wrap_text(JOINT_INTERVALS, width))
    indent = min(WIDEST_ID, max((len(flat(one.claim.id)) for one in judged.verdicts), default=0))
    for one in sorted(judged.verdicts, key=lambda one: one.verdict is ClaimStatus.UNTESTABLE):
        yield "", ""
        yield from _block(one, indent, width)
    yield "", ""
    yield from ((text, "") for text in wrap_text(counts_sentence(judged.verdicts), width))


def _block(one: ClaimVerdict, indent: int, width: int | None) -> Iterator[Styled]:
    """Yield the lines of a claim: what it says, then what was claimed, tested, measured and concluded, and why."""
    says = flat(one.claim.says) + (" (required)" if one.claim.required else "")
    head, *more = _fitted(f"{flat(one.claim.id).ljust(indent)}{GAP}{one.verdict}", says, indent, width)
    yield head, STYLES[one.verdict]
    yield from ((text, "") for text in more)
    facts = {
        "claimed" if one.claim.figure else "source": claim_words(one),
        "tested": flat(one.claim.text),
        "measured": describe_measured(one),
        "reason" if one.verdict is ClaimStatus.UNTESTABLE else "result": explanation(one),
        "why": why(one),
    }
    for label, text in facts.items():
        if text:
            yield from ((line, "") for line in _fitted(f"{' ' * indent}{GAP}{label}", text, indent, width))


def _fitted(label: str, text: str, indent: int, width: int | None) -> list[str]:
    """Return a label and a text beside it within `width` columns; below it, if the label is too long."""
    start = indent + len(GAP) + LABEL + len(GAP)
    column = [
        f"{' ' * start}{line}" for line in wrap_text(text, None if width is None else max(width - start, LEAST_TEXT))
    ]
    if len(label) > start - len(GAP):
        return [label, *column]
    return [f"{label.ljust(start)}{column[0].lstrip()}", *column[1:]]


def short_table(verdicts: Sequence[ClaimVerdict]) -> Table:
    """Return a line per claim, as a run prints it at its end."""
    body = (Line((flat(one.claim.id), str(one.verdict), flat(one.measured)), STYLES[one.verdict]) for one in verdicts)
    return Table("", ("claim", "verdict", "measured"), tuple(body), key=2)


def blocks_of(judged: Iterable[GpuVerdicts], width: int | None) -> Iterator[Styled]:
    """Yield the lines for all GPU models."""
    for number, one in enumerate(judged):
        if number:
            yield "", ""
        yield from lines(one, width)
