"""Check one kernel after another of a file: plan its runs, run it, judge what was seen, and report it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker.dead_stores import DeadStoreCheck
from shflbench.checker.dependent.check import DependentLaunches
from shflbench.checker.inputs.launch_rules import launch_rules, refuse_invalid, without_invalid
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.invalid_launches import with_invalid
from shflbench.checker.judgment.judge import judge_kernel
from shflbench.checker.judgment.unspecified import is_only_included
from shflbench.checker.judgment.unsupported_inputs import body_sites, find_undecided, kind_of_causes, overlaps
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.runs.alternative_runs import with_alternatives, with_shorter
from shflbench.checker.runs.budget import RunBudget
from shflbench.checker.runs.cut_short import of_ended_launches
from shflbench.checker.runs.earlier_launches import EarlierLaunches
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.checker.runs.order import order_reasons
from shflbench.checker.runs.reached_conditions import with_mixed, with_reached
from shflbench.checker.verdict import KernelVerdict
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.cuda_sources.generators import is_of_triton
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.checker.dependent.chains import DependentChain
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.judgment.judge import KernelJudgment
    from shflbench.checker.linked_file import LinkedFile
    from shflbench.checker.options import FileOptions, LaunchOptions
    from shflbench.checker.report import KernelReport
    from shflbench.checker.runs.evidence import KernelEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceNote
    from shflbench.emulator.file_budget import FileBudget

    Study: TypeAlias = Callable[[LinkedKernel, KernelEvidence], None]


def study_nothing(_: LinkedKernel, __: KernelEvidence) -> None:
    """Look at no evidence."""


@dataclass(frozen=True, slots=True)
class KernelChecks:
    """The check of the kernels of one file, and what it knows of several of them."""

    file: KernelFile
    options: FileOptions
    removed: DeadStoreCheck
    earlier: EarlierLaunches
    dependent: DependentLaunches
    study: Study  # is called with each kernel that ran, and its launches

    @classmethod
    def of(
        cls, linked: LinkedFile, chains: Sequence[DependentChain], options: FileOptions, study: Study
    ) -> KernelChecks:
        """Return the check of the kernels of a linked file, and of its `chains` of launches that overlap."""
        file, module, budget = linked.file, linked.module, options.budget
        earlier = EarlierLaunches(file, module, options.compile.arch, budget)
        dependent = DependentLaunches(file, module, options, chains, earlier)
        return cls(file, options, DeadStoreCheck(file, budget), earlier, dependent, study)

    def report(self, linked: LinkedKernel, budget: FileBudget) -> KernelReport:
        """Check one kernel within a budget, and return the report; UsageError for a launch that it cannot have."""
        given = self.options.given
        check = _KernelCheck(self, replace(given, launches=given.launches_of(linked.kernel)), budget)
        return self.dependent.completed(check.report(self.earlier.completed(linked)))

    @property
    def notes(self) -> tuple[SourceNote, ...]:
        """The notes on the file, which say of removed stores whether the check of a kernel has judged them."""
        return self.removed.notes


@dataclass(frozen=True, slots=True)
class _KernelCheck:
    """The check of one kernel, with the launches that are given for it, and its part of the budget."""

    checks: KernelChecks
    given: LaunchOptions
    budget: FileBudget

    def report(self, linked: LinkedKernel) -> KernelReport:
        """Check the launches against the limits of GPUs, and report on them and on the runs within the budget."""
        file, options, given = self.checks.file, self.checks.options, self.given
        reporter = KernelReporter(file, linked.kernel, outputs=options.outputs)
        if self.budget.is_over:
            limit = self.budget.error
            more = f"give more with {limit.option}, or choose kernels with --kernel"
            return reporter.not_checked([f"{limit.message} before it ran; {more}"])
        if given.launches:
            rules = launch_rules(linked, options.compile.arch, raises_shared_limit=True)
            shapes = [replace(shape, cluster=given.cluster or NO_CLUSTER) for shape in given.launches]
            refuse_invalid(rules, shapes, given.shared_bytes or 0, linked.kernel.name)
            return self._of_valid(linked, reporter)
        rules = launch_rules(linked, options.compile.arch, raises_shared_limit=file.raises_shared_limit)
        valid, invalid = without_invalid(linked, rules)
        if invalid and not valid.kernel.host_launches:
            return with_invalid(reporter.not_run(), invalid)
        return with_invalid(self._of_valid(valid, reporter), invalid)

    def _of_valid(self, linked: LinkedKernel, reporter: KernelReporter) -> KernelReport:
        """Plan the runs of a kernel whose launches are valid, run it, judge what was seen, and report it."""
        file, given = self.checks.file, self.given
        spec, launches = plan_runs(linked, given.arguments, given.launches, given.shared_bytes, given.cluster)
        budget = RunBudget.shared_by(len(self.checks.options.kernels or file.kernels), self.budget)
        runs = KernelRuns(linked.kernel, linked.program, spec, given.seed, budget=budget)
        try:
            evidence = runs.collect(launches)
        except KernelError as error:
            return reporter.not_checked([error.message])
        judge = partial(
            judge_kernel,
            order_matters=order_reasons(linked.program, reporter.line_of),
            replicates_stores=is_of_triton(file.ptx),
            only_included=is_only_included(linked.kernel, file),
        )
        judgment = judge(evidence, linked.slicer)
        if evidence.ended_by is not None and judgment.verdict is KernelVerdict.NOT_CHECKED and not given.launches:
            evidence = of_ended_launches(evidence, launches)
            if evidence.ended_by is not None:
                runs.budget = replace(budget, of_file=self.budget.again())
                evidence = with_shorter(runs, evidence, launches, body_sites(linked.slicer))
            judgment = judge(evidence, linked.slicer)
        elif evidence.launches and _depends_on_synthesized(judgment, linked):
            failed = find_undecided(judgment.observations, evidence, linked.slicer)
            evidence = with_alternatives(runs, evidence, *failed, kind_of_causes(judgment.observations))
            judgment = judge(evidence, linked.slicer)
        self.checks.study(linked, evidence)
        if judgment.verdict is KernelVerdict.CLEAN:
            evidence = with_reached(runs, evidence, linked)
            judgment = judge(evidence, linked.slicer)
        if judgment.verdict is KernelVerdict.CLEAN:
            more = with_mixed(runs, evidence, linked)
            mixed = judge(more, linked.slicer)
            if mixed.verdict is not KernelVerdict.NEEDS_ARGUMENTS:  # else the contents are none of a caller
                evidence, judgment = more, mixed
        if evidence.ended_by is not None:
            return reporter.report(linked, evidence, judgment)
        supported = [launch for launch in launches if str(launch.shape) not in judgment.refused]
        known = (spec, given.seed)
        stores = self.checks.removed.judge(linked.kernel, linked.program, supported, known, reporter.line_of)
        return reporter.report(linked, evidence, judgment, stores)


def _depends_on_synthesized(judgment: KernelJudgment, linked: LinkedKernel) -> bool:
    """Whether other chosen values may lead to another verdict."""
    if judgment.verdict is KernelVerdict.DOUBTFUL:
        return overlaps(judgment.observations, linked.slicer)
    return judgment.verdict in {KernelVerdict.NEEDS_ARGUMENTS, KernelVerdict.NOT_CHECKED}
