"""Advise on a request, from the runs at hand or by prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.advice.advice_request import require_options, require_pattern
from shflbench.advice.copied_code import code_of
from shflbench.advice.gpu_advice import advice_of
from shflbench.advice.gpu_results import DEFAULT_RESULTS, read_results
from shflbench.advice.predicted_costs import predict_costs
from shflbench.advice.prediction import predict_answer
from shflbench.advice.records import advice_document, measured_record, predicted_record
from shflbench.advice.sentences import headline, predicted_sentences, sentences
from shflbench.analysis.answers.costs import costs_of
from shflbench.core.notebook import html_table, paragraphs, shown_number
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.advice.copied_code import CopiedCode
    from shflbench.advice.gpu_advice import GpuAdvice
    from shflbench.advice.gpu_results import GpuResults
    from shflbench.analysis.answers.costs import ExchangeCost
    from shflbench.analysis.answers.predicted import PredictedAnswer
    from shflbench.analysis.answers.request import Request
    from shflbench.core.reporter import Reporter
    from shflbench.schemas.advise import AdviceDocument, GpuAdviceObject


@dataclass(frozen=True, slots=True)
class PredictedAdvice:
    """The advice for an architecture without results."""

    answer: PredictedAnswer
    code: CopiedCode | None


@dataclass(frozen=True, slots=True, repr=False)
class AdviceResult:
    """The advice for each GPU model that was measured, or else the predicted one."""

    measured: tuple[GpuAdvice, ...] = ()  # by GPU model
    predicted: PredictedAdvice | None = None
    notes: tuple[str, ...] = ()  # of the runs, such as warnings

    @property
    def variants(self) -> dict[str, str]:
        """The variant to use, by the title of the GPU, or by the architecture of a prediction."""
        if self.predicted:
            return {self.predicted.answer.arch: self.predicted.answer.variant}
        return {one.gpu: one.advice.answer.variant for one in self.measured}

    @property
    def records(self) -> list[GpuAdviceObject]:
        """The advice as plain data, as `shflbench advise --format json` prints it."""
        if self.predicted:
            return [predicted_record(self.predicted.answer, self.predicted.code)]
        return [measured_record(one.advice, one.noise, one.settling, one.code, one.untimed) for one in self.measured]

    def to_dict(self) -> AdviceDocument:
        """Return the advice as `shflbench advise --format json` prints it; see `shflbench schema advise`."""
        return advice_document(self.records)

    def text(self) -> str:
        """Return the advice in sentences, a line each."""
        lines = predicted_sentences(self.predicted.answer) if self.predicted else []
        for one in self.measured:
            lines += [headline(one.advice, one.gpu), *sentences(one.advice, one.noise, one.settling, one.untimed)]
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return `text()`."""
        return self.text()

    def __repr__(self) -> str:
        """Return the variant to use on each GPU in one line."""
        basis = "predicted" if self.predicted else "measured"
        chosen = ", ".join(f"{variant} on {gpu}" for gpu, variant in self.variants.items())
        return f"<AdviceResult: {chosen} ({basis})>"

    def _repr_html_(self) -> str:
        """Return the sentences and the ranking of the variants, as a notebook shows them."""
        if self.predicted:
            answer = self.predicted.answer
            ranked = [
                (one.variant, one.mechanism, shown_number(one.limit_cycles), shown_number(one.predicted_cycles))
                for one in answer.ranking
            ]
            table = html_table(("variant", "mechanism", "limit cycles", "predicted cycles"), ranked)
            return paragraphs(*predicted_sentences(answer)) + table
        return "".join(map(_measured_html, self.measured))


def _measured_html(one: GpuAdvice) -> str:
    lines = [headline(one.advice, one.gpu), *sentences(one.advice, one.noise, one.settling, one.untimed)]
    ranked = [
        (item.variant, item.mechanism, shown_number(item.time_us.value), shown_number(item.slowdown.value))
        for item in one.advice.answer.ranking
    ]
    return paragraphs(*lines) + html_table(("variant", "mechanism", "time µs", "slowdown"), ranked)


def advise(
    request: Request, results: Sequence[Path], gpu: str | None, arch: str | None, reporter: Reporter
) -> AdviceResult:
    """Return the advice on a request; `shflbench.advise` says more about the others.

    UsageError for a pattern or an option that nobody knows, or an architecture without figures; ResultsError for
    results without two variants of the pattern; CompilerError where a prediction needs a compiler.
    """
    measured = _measured(request, results, gpu, arch)
    if not measured and arch:
        answer = predict_answer(request, arch, reporter)
        code = code_of(answer.pattern, answer.variant, answer.dtype, dict(answer.options))
        return AdviceResult(predicted=PredictedAdvice(answer, code))
    for run in (run for of_gpu in measured for run in of_gpu.runs):
        for note in run.notes:
            reporter.warn(note)
    advice = tuple(made for results_of_gpu in measured if (made := advice_of(results_of_gpu, request)))
    if not advice:
        message = f"no setting of {request.pattern} has two variants to choose from"
        raise ResultsError(message, "measure more of its variants; unsafe ones and library calls are no candidates")
    return AdviceResult(advice)


def exchange_costs(
    results: Sequence[Path], gpu: str | None, arch: str | None, reporter: Reporter
) -> list[ExchangeCost]:
    """Return what each exchange costs by the results, or predicted where none is of `arch`.

    ResultsError where no cost is known.
    """
    measured = read_results(results, gpu, arch)
    costs = [cost for of_gpu in measured for run in of_gpu.runs for cost in costs_of(run, of_gpu.limits[run.folder])]
    if arch and not measured:
        costs = predict_costs(arch, reporter)
    if not costs:
        raise ResultsError("the results have no exchange whose cost is known", "measure: shflbench run launch-sweep")
    return costs


def _measured(request: Request, results: Sequence[Path], gpu: str | None, arch: str | None) -> list[GpuResults]:
    """Return the results that have times of the pattern, by GPU; none where an architecture has none.

    UsageError for a pattern or an option that nobody knows; ResultsError for results without the pattern, unless an
    architecture is given, for which it is predicted.
    """
    if not results and not DEFAULT_RESULTS.is_dir():
        require_pattern(request.pattern, (), has_results=False)
    measured = read_results(results, gpu, arch)
    rows = [row for of_gpu in measured for run in of_gpu.runs for row in run.rows]
    require_pattern(request.pattern, rows, has_results=bool(measured) and not arch)
    require_options(request, [row for row in rows if row.pattern == request.pattern])
    return [
        of_gpu for of_gpu in measured if any(row.pattern == request.pattern for run in of_gpu.runs for row in run.rows)
    ]
