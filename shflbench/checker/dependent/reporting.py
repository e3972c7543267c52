"""Add what is not ordered between launches that overlap to the report on the later one's kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.dependent.conflicts import DOUBTFUL, MissingOrder
from shflbench.checker.finding import Finding, in_words
from shflbench.checker.finding_kinds import Grouping, kinds_in
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.core.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from shflbench.checker.dependent.chain_runs import ChainRun
    from shflbench.checker.dependent.chains import DependentChain
    from shflbench.checker.dependent.conflicts import Conflict
    from shflbench.checker.report import KernelReport
    from shflbench.cuda_sources.kernel_file import KernelFile

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
_BETWEEN_LAUNCHES = kinds_in(Grouping.LAUNCHES)


@dataclass(frozen=True, slots=True)
class Undecided:
    """Why it is not known whether the launches of a chain are ordered."""

    verdict: KernelVerdict  # on the kernel, unless it has a worse one
    sentence: str


@dataclass(frozen=True, slots=True, eq=False)
class ChainOutcome:
    """What one run of a chain shows, or why it did not run."""

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
    is_certain = conflict.missing not in DOUBTFUL and not any(step.host and step.host.is_forced for step in chain.steps)
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
        memory=run.bytes_of(conflict.memory, conflict.byte, op),
        count=conflict.count,
        missing=words,
    )


def with_chains(report: KernelReport, outcomes: Sequence[ChainOutcome]) -> KernelReport:
    """Return a report with what is known of the chains of launches that the kernel ends."""
    if not outcomes:
        return report
    new = {_key(item): item for outcome in reversed(outcomes) for item in reversed(outcome.findings)}
    findings = (*report.findings, *reversed(new.values()))
    undecided = [item.undecided for item in outcomes if item.undecided is not None]
    texts = list(_of_findings(outcomes, findings) if new else _without_findings(outcomes, undecided))
    verdict = _verdict(report, list(new.values()), undecided)
    parts = [*texts, report.reason] if new else [report.reason, *texts]
    if new and not report.findings:
        parts = texts
    elif verdict not in {report.verdict, KernelVerdict.BROKEN, KernelVerdict.DOUBTFUL}:
        parts = texts  # what the kernel does alone does not matter
    return replace(report, verdict=verdict, findings=findings, reason="; ".join(dict.fromkeys(parts)))


def _key(finding: Finding) -> Hashable:
    """Return what a finding of several chains has in common."""
    return finding.kind, finding.place, finding.other, finding.variable, finding.missing


def _verdict(report: KernelReport, new: Sequence[Finding], undecided: Sequence[Undecided]) -> KernelVerdict:
    if any(item.level is Level.ERROR for item in new):
        return KernelVerdict.BROKEN
    if report.verdict not in {KernelVerdict.CLEAN, KernelVerdict.DEPENDENT, KernelVerdict.DOUBTFUL}:
        return report.verdict
    if new:
        return KernelVerdict.DOUBTFUL
    return next((item.verdict for item in undecided if item.verdict is not KernelVerdict.CLEAN), report.verdict)


def _of_findings(outcomes: Sequence[ChainOutcome], findings: Sequence[Finding]) -> Iterator[str]:
    """Yield which launches have findings, and what these can change."""
    of_launches = [item for item in outcomes if item.findings]
    kinds = in_words(item.kind for item in findings if item.kind in _BETWEEN_LAUNCHES)
    yield f"{kinds} ({_overlapped(of_launches)})"
    differing = dict.fromkeys(name for item in of_launches for name in item.differing)
    if differing:
        verb = one_or_many(len(differing), "differs", "differ")
        yield f"{in_words(differing)} {verb} if writes of the launch before are late"


def _without_findings(outcomes: Sequence[ChainOutcome], undecided: Sequence[Undecided]) -> Iterator[str]:
    """Yield with which launches the kernel is in order, and of which this is not known."""
    open_chains = [item.chain for item in outcomes if item.undecided is not None]
    known = [item for item in outcomes if item.chain not in open_chains]
    if known:
        shared = dict.fromkeys(name for item in known for name in item.shared)
        memory = f"they share {in_words(shared)}" if shared else "they share no memory"
        yield f"{_overlapped(known)}, in order: {memory}"
    yield from (item.sentence for item in undecided)


def _overlapped(outcomes: Sequence[ChainOutcome]) -> str:
    names = dict.fromkeys(f"`{step.kernel.name}`" for item in outcomes for step in item.chain.steps[:-1])
    return f"it overlaps {in_words(names)}"
