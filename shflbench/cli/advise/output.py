"""Print advice as text, JSON or code alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.advice.nearest import advise
from shflbench.analysis.contest import Certainty
from shflbench.cli.advise.code import StoredCase, code_of
from shflbench.cli.advise.predicted_text import predicted_blocks
from shflbench.cli.advise.records import dump, measured_record, predicted_record
from shflbench.cli.advise.requests import resolved
from shflbench.cli.advise.settle import settling_run
from shflbench.cli.advise.text import code_lines, headline, ranking, sentences
from shflbench.cli.layout import wrapped
from shflbench.errors import ResultsError
from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.analysis.advice.nearest import Advice
    from shflbench.analysis.advice.predicted import PredictedAnswer
    from shflbench.analysis.advice.request import Request
    from shflbench.cli.advise.code import CopiedCode
    from shflbench.cli.advise.runs import GpuResults
    from shflbench.cli.advise.settle import SettlingRun
    from shflbench.cli.console import Console
    from shflbench.model import Noise


@dataclass(frozen=True, slots=True)
class GpuAdvice:
    """The advice for one GPU, with the run that would settle it, and code."""

    gpu: str  # title
    advice: Advice
    noise: Noise | None  # of the run that the answer rests on
    settling: SettlingRun | None
    code: CopiedCode | None


def advice_of(results: GpuResults, request: Request) -> GpuAdvice | None:
    """Return the advice for one GPU; None where no setting of the pattern has two candidates with times."""
    made = advise(resolved(request, results.device), results.answers(request.pattern))
    if made is None:
        return None
    answer = made.answer
    is_undecided = answer.certainty is Certainty.UNDECIDED
    settling = None
    if made.differences or is_undecided or (made.depends and not made.open_factors):
        settling = settling_run(request, answer, builtin_declaration(answer.pattern), precisely=is_undecided)
    best = next(ranked for ranked in answer.ranking if ranked.variant == answer.variant)
    run = next(run for run in results.runs if str(run.folder) == answer.run)
    code = code_of(
        answer.pattern,
        answer.variant,
        request.dtype or answer.dtype,
        {**dict(answer.options), **request.options},
        stored=StoredCase(best.case_id, run),
    )
    return GpuAdvice(results.title, made, run.info.noise, settling, code)


def print_measured(console: Console, advice: Sequence[GpuAdvice], request: Request, form: str) -> None:
    """Print the advice for each GPU; ResultsError where there is none."""
    if not advice:
        message = f"no setting of {request.pattern} has two variants to choose from"
        raise ResultsError(message, "measure more of its variants; unsafe ones and library calls are no candidates")
    if form == "json":
        records = [measured_record(one.advice, one.noise, one.settling, one.code) for one in advice]
        console.json(dump("advice", records))
        return
    for number, one in enumerate(advice):
        if number:
            console.data("")
        if form == "text":
            console.data(headline(one.advice, one.gpu))
            console.data(_fitted(sentences(one.advice, one.noise, one.settling), console))
            console.data("")
            console.table(ranking(one.advice.answer), data=True)
            if one.code:
                console.data("")
        _print_code(console, one.code, form, one.advice.answer.variant)


def _fitted(lines: Iterable[str], console: Console) -> str:
    """Return lines for the terminal's width; commands and suites stay in one piece, to be copied."""
    width = console.width(data=True)
    copied = ("To settle it:", " ")
    fitted = (text for line in lines for text in ([line] if line.startswith(copied) else wrapped(line, width)))
    return "\n".join(fitted)


def print_predicted(console: Console, answer: PredictedAnswer, form: str) -> None:
    """Print what was predicted, which is always labeled so."""
    code = code_of(answer.pattern, answer.variant, answer.dtype, dict(answer.options))
    if form == "json":
        console.json(dump("advice", [predicted_record(answer, code)]))
        return
    if form == "text":
        lines, table = predicted_blocks(answer)
        console.data(_fitted(lines, console))
        console.data("")
        console.table(table, data=True)
        if code:
            console.data("")
    _print_code(console, code, form, answer.variant)


def _print_code(console: Console, code: CopiedCode | None, form: str, variant: str) -> None:
    if code:
        console.data(code_lines(code))
    elif form == "code":
        raise ResultsError(f"there is no code of {variant} to copy", "see the kernels: shflbench list patterns")
