"""Check launches that overlap: run each chain, and add what is not ordered to the report on its last kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.dependent.chain_runs import ChainRun, PlannedStep
from shflbench.checker.dependent.chains import chains_of
from shflbench.checker.dependent.conflicts import conflicts
from shflbench.checker.dependent.late_writes import differing_buffers
from shflbench.checker.dependent.reporting import ChainOutcome, Undecided, findings_of, with_chains
from shflbench.checker.dependent.shared_buffers import SharedBuffers, refuse_unknown_arguments
from shflbench.checker.inputs.linked import LinkedKernel, linked_kernel
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.verdict import KernelVerdict
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.dependent.chains import ChainStep, DependentChain
    from shflbench.checker.options import FileOptions
    from shflbench.checker.report import KernelReport
    from shflbench.checker.runs.earlier_launches import EarlierLaunches
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel
    from shflbench.emulator.ptx.syntax import Module

MOST_WORK = 800_000  # instructions of the chains of a file, as `Scheduler.work` counts them; four to eight seconds
MOST_OF_SECOND = 200_000  # likewise, after which a chain does not run with other contents
NEEDS_SAME = (
    "which buffers it shares with `{primary}`, which it overlaps, is not known; "
    "give --same {primary}.NAME={secondary}.NAME for each of them"
)


class _CannotRunError(Exception):
    """A chain cannot run, for the reason in `undecided`."""

    def __init__(self, undecided: Undecided) -> None:
        super().__init__(undecided.sentence)
        self.undecided = undecided


def chains_to_check(file: KernelFile, options: FileOptions, chosen: Sequence[SourceKernel]) -> Sequence[DependentChain]:
    """Return the chains that the user names, and those of the host code.

    UsageError for a kernel or an argument that the file does not have, and for options without effect: a chain whose
    last kernel is not one of the `chosen`, or equal arguments where no launches overlap.
    """
    chains = chains_of(file, options.given.pdl, several=options.several)
    if not options.several:
        refuse_unknown_arguments(options.given.same, file.kernels)
    if options.given.same and not chains and not options.several:
        raise UsageError(f"--same: no launches of {file.path} overlap", "Name them with --pdl PRIMARY,SECONDARY.")
    symbols = {kernel.symbol for kernel in chosen}
    for chain in chains:
        if chain.is_given and chain.last.symbol not in symbols:
            what = f"--kernel leaves out `{chain.last.name}`, whose launch --pdl says overlaps the one before it"
            raise UsageError(what, f"Add --kernel '{chain.last.name}', or leave out --pdl.")
    return chains


@dataclass(slots=True, eq=False)
class DependentLaunches:
    """The chains of one file."""

    file: KernelFile
    module: Module
    options: FileOptions
    chains: Sequence[DependentChain]
    earlier: EarlierLaunches
    _work: float = 0.0  # of the chains that have run

    def completed(self, report: KernelReport) -> KernelReport:
        """Return the report on a kernel with what is not ordered between its launches and those that they overlap."""
        if not report.launches:
            return report
        chains = [chain for chain in self.chains if chain.last.symbol == report.symbol]
        return with_chains(report, [outcome for chain in chains for outcome in self._outcomes(chain)])

    def _outcomes(self, chain: DependentChain) -> list[ChainOutcome]:
        """Return what the runs of a chain show, with two sets of contents."""
        if chain.problem or len(chain.steps) < 2:  # noqa: PLR2004  (a launch, and one that it overlaps)
            return [_undecided(chain, KernelVerdict.CLEAN, chain.problem or _unknown(chain))]
        if self._work > MOST_WORK:
            sentence = "the limit of instructions of launches that overlap was reached"
            return [_undecided(chain, KernelVerdict.NOT_CHECKED, sentence)]
        shared = SharedBuffers(chain, self.options.given.same, self.file.kernels)
        outcomes: list[ChainOutcome] = []
        try:
            steps = [self._planned(step) for step in chain.steps]
            for seed in (self.options.given.seed, self.options.given.seed + 1):
                if outcomes and self._work > MOST_OF_SECOND:
                    break
                outcomes.append(self._judged(chain, shared, self._ran(steps, shared, seed)))
        except _CannotRunError as error:
            outcomes.append(ChainOutcome(chain, undecided=error.undecided))
        except KernelError as error:
            outcomes.append(_undecided(chain, KernelVerdict.NOT_CHECKED, error.message))
        return outcomes

    def _ran(self, steps: Sequence[PlannedStep], shared: SharedBuffers, seed: int) -> ChainRun:
        run = ChainRun(shared.identities, seed, self.options.budget)
        for step in steps:
            run.run(step)
        self._work += run.work
        return run

    def _judged(self, chain: DependentChain, shared: SharedBuffers, run: ChainRun) -> ChainOutcome:
        """Return what a run shows; without a finding, what it leaves open."""
        findings = findings_of(self.file, chain, run, conflicts(run.launches))
        outcome = ChainOutcome(chain, tuple(findings), tuple(run.shared_memory))
        if findings:
            return replace(outcome, differing=tuple(differing_buffers(run)))
        if run.problem:
            return _undecided(chain, KernelVerdict.NOT_CHECKED, run.problem)
        if shared.is_open:
            return _undecided(chain, KernelVerdict.NEEDS_ARGUMENTS, _needs_same(chain))
        return outcome

    def _planned(self, step: ChainStep) -> PlannedStep:
        """Return a launch that can run, as the user or the host code specifies it, or chosen."""
        options, linked = self.options.given, self._linked(step.kernel)
        host = () if step.host is None else (step.host,)
        linked = self.earlier.completed(replace(linked, kernel=replace(linked.kernel, host_launches=host)))
        given = options.launches_of(step.kernel)
        spec, launches = plan_runs(linked, options.arguments, given, options.shared_bytes, options.cluster)
        whole = [item for item in launches if not item.shape.sample]
        is_open = step.host is not None and not given and all(item.origin.is_synthesized for item in whole)
        if is_open or not whole:
            sentence = f"the host code does not determine the launch of `{step.kernel.name}`; give --launch"
            raise _CannotRunError(Undecided(KernelVerdict.NEEDS_ARGUMENTS, sentence))
        usual = [item for item in whole if item.shape.blocks > 1] or whole
        return PlannedStep(linked, usual[0], spec)

    def _linked(self, kernel: SourceKernel) -> LinkedKernel:
        try:
            return linked_kernel(self.file, self.module, kernel, arch=self.options.compile.arch, shared_bytes=None)
        except KernelError as error:
            sentence = f"`{kernel.name}` cannot run: {error.message}"
            raise _CannotRunError(Undecided(KernelVerdict.NOT_CHECKED, sentence)) from error


def _undecided(chain: DependentChain, verdict: KernelVerdict, sentence: str) -> ChainOutcome:
    return ChainOutcome(chain, undecided=Undecided(verdict, sentence))


def _unknown(chain: DependentChain) -> str:
    return (
        f"the host code lets `{chain.last.name}` overlap the launch before it, and does not say which one that is; "
        f"give --pdl PRIMARY,{chain.last.name}"
    )


def _needs_same(chain: DependentChain) -> str:
    primary, secondary = chain.steps[-2].kernel.name, chain.last.name
    return NEEDS_SAME.format(primary=primary, secondary=secondary)
