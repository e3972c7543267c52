"""The answer table: which variant to use for each pattern and element type, by how much, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.answers.group_answers import newest_answers
from shflbench.analysis.answers.library_words import library_words
from shflbench.analysis.answers.over_settings import summary_answers
from shflbench.analysis.ranking import Certainty, times_within
from shflbench.core.grouping import group_by
from shflbench.core.words import join_words
from shflbench.output.export.html.content import AnswerLine, AnswersOnGpus
from shflbench.output.export.html.texts import short, whole_percent
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.analysis.answers.answer import SummaryAnswer
    from shflbench.output.export.html.selection import GpuRows

DEPENDS = "depends"  # on the setting: another variant is clearly faster in some
CLEAR = "clear"
UNDECIDED = "undecided"
SAME, DIFFERS = "same", "differs"  # of the answers of several GPUs


def answer_lines(results: GpuRows, anchors: Mapping[str, str]) -> Iterator[AnswerLine]:
    """Yield an answer for each pattern and element type of a GPU's results; the same as that of `advise`."""
    limits = {run.folder: read_limits(run.folder) for run in results.runs}
    answers = newest_answers(results.runs, limits, times=results.times)
    by_pattern = group_by(summary_answers(answers, results.device), lambda summary: summary.usual.pattern)
    for pattern in anchors:
        for summary in by_pattern.get(pattern, ()):
            yield _line(summary, results.gpu, anchors[pattern])


def answers_on_gpus(answers: Iterable[AnswerLine], gpus: Sequence[str]) -> Iterator[AnswersOnGpus]:
    """Yield the answers of several GPUs side by side, in the order in which their topics come; none for one GPU."""
    if len(gpus) <= 1:
        return
    for (pattern, dtype), alike in group_by(answers, lambda answer: (answer.pattern, answer.dtype)).items():
        by_gpu = {answer.gpu: answer for answer in alike}
        yield AnswersOnGpus(
            pattern=pattern,
            anchor=alike[0].anchor,
            dtype=dtype,
            answers=tuple(by_gpu.get(gpu) for gpu in gpus),
            agreement=_agreement(list(by_gpu.values())),
        )


def _agreement(answers: Sequence[AnswerLine]) -> str:
    """Return whether the GPUs have one answer; others differ if each is clearly the fastest in runs of one suite."""
    if len(answers) == 1:
        return ""
    if any(answer.outcome == UNDECIDED for answer in answers):
        return UNDECIDED
    if len({answer.use for answer in answers}) == 1:
        return SAME
    comparable = len({answer.suite for answer in answers}) == 1  # another suite may have other variants
    return DIFFERS if comparable and all(answer.outcome == CLEAR for answer in answers) else UNDECIDED


def _line(summary: SummaryAnswer, gpu: str, anchor: str) -> AnswerLine:
    usual = summary.usual
    next_best, over_next = usual.next_best
    over_baseline, limit = usual.over_baseline, usual.limit_fraction
    return AnswerLine(
        gpu=gpu,
        suite=usual.suite,
        pattern=usual.pattern,
        anchor=anchor,
        dtype=usual.dtype,
        use=usual.variant,
        mechanism=usual.mechanism,
        outcome=DEPENDS if summary.exceptions else usual.certainty.value,
        setting=usual.setting.removeprefix(f"{usual.dtype}, "),
        over_next=f"{times_within(over_next)}" if over_next else "",
        over_next_key=over_next.value if over_next else None,
        next_best=next_best or "",
        over_baseline=times_within(over_baseline) if over_baseline else "",
        over_baseline_key=over_baseline.value if over_baseline else None,
        baseline=usual.baseline or "",
        settings=f"{summary.leads} of {len(summary.answers)}",
        share=summary.leads / len(summary.answers),
        exceptions=_exceptions(summary),
        limit="" if limit is None else whole_percent(limit),
        limit_by=usual.limit_by or "",
        limit_key=limit,
    )


def _exceptions(summary: SummaryAnswer) -> str:
    """Return which variants are not slower at this setting, library calls included, and where another one is faster."""
    usual = summary.usual
    how = "as fast here" if usual.certainty is Certainty.TIE else "not shown to be slower here"
    parts = [f"{how}: {join_words(usual.tied)}"] if usual.tied else []
    parts += library_words(usual)
    parts += [f"elsewhere: {'; '.join(summary.exceptions)}"] if summary.exceptions else []
    return short("; ".join(parts))
