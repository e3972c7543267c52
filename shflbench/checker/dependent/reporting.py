"""Add what is not ordered between launches that overlap to the report on the later one's kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.dependent.conflicts import DOUBTFUL, MissingOrder
from shflbench.checker.finding_groups import number_of_errors
from shflbench.checker.finding_words import in_words
from shflbench.checker.report import Finding
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from shflbench.checker.dependent.chain_runs import ChainRun
    from shflbench.checker.dependent.chains import DependentChain
    from shflbench.checker.dependent.conflicts import Conflict
    from shflbench.checker.report import KernelReport
    from shflbench.checker.sources.kernel_file import KernelFile

WAIT = "cudaGridDependencySynchronize()"
TRIGGER = "cudaTriggerProgrammaticLaunchCompletion()"
# Of each missing order, what is missing, and the usual fix.
WORDS = {
    MissingOrder.WAITS_LATER: f"the thread waits for that launch only afterwards; call {WAIT} before the access",
    MissingOrder.NEVER_WAITS: "neither the thread nor one before a barrier waits for that launch; "
    f"call {WAIT} in each thread before the access",
    MissingOrder.NOT_PASSED_ON: "`{between}`, which the wait is for, completes without waiting for `{earlier}`; "
    f"call {WAIT} in `{{between}}`, too",
    MissingOrder.BEGINS_EARLY: "`{between}` lets this launch begin before it has waited for `{earlier}`; "
    f"call {WAIT} before the access, or in `{{between}}` before {TRIGGER}",
    MissingOrder.READ_BEFORE_TRIGGER: f"only {TRIGGER} is between, of which no text says that it comes after the reads "
    f"before it; call {WAIT} before the access",
    MissingOrder.FENCED_BEFORE_TRIGGER: f"only a fence and {TRIGGER} are between, which is enough by the CUDA Runtime "
    f"API, and not by the PTX ISA; call {WAIT} before the access",
    MissingOrder.BY_A_FLAG: "only a flag may order it, which `check` does not follow between launches; "
    f"call {WAIT} before the access",
    MissingOrder.READ_ONLY_PATH: "the cache of read-only data may hold what was there before the wait, and the "
    "compiler may move the load before it; leave out `const` with `__restrict__`, or `__ldg`",
}


@dataclass(frozen=True, slots=True)
class Undecided:
    """Why it is not known whether the launches of a chain are ordered."""

    verdict: KernelVerdict  # on the kernel, unless it has a worse one
    sentence: str


@dataclass(frozen=True, slots=True, eq=False)
class ChainOutcome:
    """What is known of a chain."""

    chain: DependentChain
    findings: tuple[Finding, ...] = ()
    shared: tuple[str, ...] = ()  # memory that its last launch has in common with those before it, in words
    differing: tuple[str, ...] = ()  # buffers that differ if the writes of the launch before are late
    undecided: Undecided | None = None


def findings_of(file: KernelFile, chain: DependentChain, run: ChainRun, conflicts: Sequence[Conflict]) -> list[Finding]:
    """Return a finding per conflict of the last launch of a chain."""
    return [_finding(file, chain, run, item) for item in conflicts]


def _finding(file: KernelFile, chain: DependentChain, run: ChainRun, conflict: Conflict) -> Finding:
    (last, number), (op, other) = conflict.launches, conflict.ops
    kernels = [step.kernel for step in chain.steps]
    earlier = kernels[number].name
    words = WORDS[conflict.missing].format(earlier=earlier, between=kernels[last - 1].name)
    is_certain = conflict.missing not in DOUBTFUL and not any(step.host and step.host.forced for step in chain.steps)
    return Finding(
        kind=conflict.kind,
        level=Level.ERROR if is_certain else Level.WARNING,
        place=KernelReporter(file, kernels[last]).line_of(op.instruction),
        other=KernelReporter(file, kernels[number]).line_of(other.instruction),
        threads=(
            run.thread(last, conflict.threads[0]),
            f"{run.thread(number, conflict.threads[1])} of `{earlier}`",
        ),
        launches=(run.shape(last),),
        space="global",
        detail=run.bytes_of(conflict.memory, conflict.byte, op),
        count=conflict.count,
        missing=words,
    )


def with_chain(report: KernelReport, outcome: ChainOutcome) -> KernelReport:
    """Return a report with what is known of a chain of launches that the kernel ends."""
    known = {_key(item) for item in report.findings}
    new = tuple(item for item in outcome.findings if _key(item) not in known)
    if outcome.findings and not new:
        return report
    findings = (*new, *report.findings)
    sentence = "; ".join(dict.fromkeys(_sentences(report, outcome, findings)))
    return replace(report, verdict=_verdict(report, outcome), findings=findings, sentence=sentence)


def _key(finding: Finding) -> Hashable:
    """Return what a finding of several chains has in common."""
    return finding.kind, finding.place, finding.other, finding.memory, finding.missing


def _verdict(report: KernelReport, outcome: ChainOutcome) -> KernelVerdict:
    levels = {item.level for item in outcome.findings}
    if Level.ERROR in levels or report.verdict is KernelVerdict.BROKEN:
        return KernelVerdict.BROKEN
    if report.verdict not in {KernelVerdict.CLEAN, KernelVerdict.DEPENDENT, KernelVerdict.DOUBTFUL}:
        return report.verdict
    if outcome.undecided is not None and outcome.undecided.verdict is not KernelVerdict.CLEAN:
        return outcome.undecided.verdict
    return KernelVerdict.DOUBTFUL if levels else report.verdict


def _sentences(report: KernelReport, outcome: ChainOutcome, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the parts of the sentence of the report."""
    others = report.sentence.removeprefix(number_of_errors(report.findings))
    if outcome.findings:
        kinds = in_words(item.kind for item in outcome.findings)
        first = f"{kinds} (of launches that overlap {outcome.chain.before})"
        yield f"{number_of_errors(findings)}{first}"
        if outcome.differing:
            late = f"if the writes of `{outcome.chain.steps[-2].kernel.name}` are late"
            yield f"{in_words(outcome.differing)} {one_or_many(len(outcome.differing), 'differs', 'differ')} {late}"
        if report.findings:
            yield others
        return
    if outcome.undecided is not None:
        new = outcome.undecided.sentence
        is_minor = outcome.undecided.verdict is KernelVerdict.CLEAN
    else:
        new = f"in order with {outcome.chain.before}, which it overlaps, for {in_words(outcome.shared) or 'no buffer'}"
        is_minor = True
    if is_minor or report.verdict is KernelVerdict.BROKEN:
        yield report.sentence
    if not report.sentence.endswith(new):
        yield new
