"""The answer table: which variant to use for each pattern and element type, by how much, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.advice.judge import answers_of
from shflbench.analysis.advice.over_settings import summary_answers
from shflbench.analysis.contest import times_range
from shflbench.export.html.content import AnswerLine
from shflbench.export.html.texts import joined, percent_range, short
from shflbench.grouping import group_by
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.advice.answer import Answer, SummaryAnswer
    from shflbench.export.html.selection import GpuRows

DEPENDS = "depends"  # on the setting: another variant is clearly faster in some
CLEAR = "clear"


def answer_lines(results: GpuRows, anchors: Mapping[str, str]) -> Iterator[AnswerLine]:
    """Yield an answer for each pattern and element type of a GPU's results; the same as that of `advise`."""
    answers = [answer for run in results.runs for answer in answers_of(run, read_limits(run.folder))]
    by_pattern = group_by(summary_answers(answers), lambda summary: summary.pattern)
    for pattern in anchors:
        for summary in by_pattern.get(pattern, ()):
            yield _line(summary, results.gpu, anchors[pattern])


def _line(summary: SummaryAnswer, gpu: str, anchor: str) -> AnswerLine:
    led = [answer for answer in summary.answers if summary.variant in answer.leaders]
    gains = [gain for answer in led if (gain := _over_next(answer, summary.variant))]
    fractions = summary.limit_fractions
    return AnswerLine(
        gpu=gpu,
        pattern=summary.pattern,
        anchor=anchor,
        dtype=summary.dtype,
        use=summary.variant,
        mechanism=summary.mechanism,
        outcome=DEPENDS if summary.depends else summary.certainty.value,
        over_next=times_range(gains) if gains else "",
        over_next_key=min(gains) if gains else None,
        over_baseline=times_range(summary.over_baseline) if summary.over_baseline else "",
        over_baseline_key=min(summary.over_baseline) if summary.over_baseline else None,
        baseline=summary.baseline or "",
        settings=f"{summary.leads} of {len(summary.answers)}",
        share=summary.leads / len(summary.answers),
        exceptions=_exceptions(summary, led),
        limit=percent_range(fractions) if fractions else "",
        limit_by=summary.limit_by or "",
        limit_key=fractions[1] if fractions else None,
    )


def _over_next(answer: Answer, variant: str) -> float | None:
    """Return the speed of a variant relative to the fastest candidate that is clearly slower."""
    if answer.runner_up is None:
        return None
    speed = answer.speedup(variant, answer.runner_up)
    return speed.value if speed else None


def _exceptions(summary: SummaryAnswer, led: Sequence[Answer]) -> str:
    """Return where another variant is faster, and with which the variant ties."""
    tied = list(dict.fromkeys(name for answer in led for name in answer.leaders if name != summary.variant))
    ties = sum(len(answer.leaders) > 1 for answer in led)
    parts = [f"depends: {'; '.join(summary.exceptions)}"] if summary.exceptions else []
    parts += [f"as fast in {ties} of {len(led)}: {joined(tied)}"] if tied else []
    return short("; ".join(parts))
