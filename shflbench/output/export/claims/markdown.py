"""Verdicts on claims as Markdown: a table per GPU model, then the verdicts that need a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.core.words import flat
from shflbench.output.export.claims.verdict_words import (
    claim_words,
    counts_sentence,
    describe_measured,
    explanation,
    gpu_name,
    why,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.claims.by_gpu import GpuVerdicts
    from shflbench.analysis.claims.verdict import ClaimVerdict

COLUMNS = ("id", "claim", "claimed", "measured", "verdict", "why")
# What starts a cell, code, emphasis, a link or an image; with `&` and `<`, which start entities and tags. A suite that
# somebody else wrote may contain any of them.
_MARKUP = re.compile(r"[\\|`*\[\]]")


def render(gpus: Iterable[GpuVerdicts]) -> str:
    """Return for each GPU model a heading with the counts, the table, and a list of sentences."""
    return "\n\n".join("\n\n".join(filter(None, _parts(one))) for one in gpus)


def _parts(judged: GpuVerdicts) -> Iterator[str]:
    yield f"### {escape(gpu_name(judged.gpu))}"
    yield f"{counts_sentence(judged.verdicts)}."
    lines = [_line(COLUMNS), _line("---" for _ in COLUMNS), *(_row(one) for one in judged.verdicts)]
    yield "\n".join(lines)
    yield "\n".join(_sentences(judged.verdicts))


def _row(one: ClaimVerdict) -> str:
    cells = (one.claim.id, one.claim.says, claim_words(one), describe_measured(one), str(one.verdict), why(one))
    return _line(escape(cell) for cell in cells)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sentences(verdicts: Iterable[ClaimVerdict]) -> Iterator[str]:
    for one in verdicts:
        if one.verdict is not ClaimStatus.CONFIRMED and (text := explanation(one)):
            yield f"- **{escape(one.claim.id)}** {one.verdict}: {escape(text)}"


def escape(text: str) -> str:
    """Return a text on one line, without anything that Markdown or HTML would obey."""
    plain = flat(text).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(lambda match: f"\\{match[0]}", plain)
