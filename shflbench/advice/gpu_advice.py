"""The advice for one GPU, with the run that would settle it, and code to copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.advice.advice_request import resolve
from shflbench.advice.copied_code import StoredCase, code_of
from shflbench.advice.settling_run import settling_run
from shflbench.analysis.answers.nearest import advise
from shflbench.analysis.ranking import Certainty
from shflbench.core.model import Mechanism, Target
from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from shflbench.advice.copied_code import CopiedCode
    from shflbench.advice.gpu_results import GpuResults
    from shflbench.advice.settling_run import SettlingRun
    from shflbench.analysis.answers.answer import Answer
    from shflbench.analysis.answers.nearest import Advice
    from shflbench.analysis.answers.request import Request
    from shflbench.core.model import Noise

NO_CCCL = (0, 0)  # only library calls need one


@dataclass(frozen=True, slots=True)
class GpuAdvice:
    """The advice for one GPU, with the run that would settle it, and code."""

    gpu: str  # title
    advice: Advice
    noise: Noise | None  # of the run that the answer rests on
    settling: SettlingRun | None
    code: CopiedCode | None
    untimed: tuple[str, ...]  # safe variants that the run did not time, and that may be faster


def advice_of(results: GpuResults, request: Request) -> GpuAdvice | None:
    """Return the advice for one GPU; None where no setting of the pattern has two candidates with times."""
    made = advise(resolve(request, results.device), results.answers(request.pattern))
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
    return GpuAdvice(results.title, made, run.info.noise, settling, code, _untimed(answer))


def _untimed(answer: Answer) -> tuple[str, ...]:
    """Return the variants of a shipped pattern that a run did not time: safe ones for its GPU, and no library calls."""
    declared, target = builtin_declaration(answer.pattern), Target(answer.arch, NO_CCCL)
    return tuple(
        variant.name
        for variant in (declared.variants if declared else ())
        if variant.safe
        and variant.mechanism is not Mechanism.LIBRARY
        and variant.has(answer.dtype, dict(answer.options))
        and not variant.unsupported_reason(target)
        and not answer.rank(variant.name)
    )
