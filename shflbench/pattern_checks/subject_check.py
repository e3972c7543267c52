"""Check one kernel of a pattern: at one launch with given inputs, whose results are compared with expected ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker import KernelReport, KernelVerdict
from shflbench.checker.dataflow.scope import other_dimension
from shflbench.checker.dataflow.slices import Slicer
from shflbench.checker.explore import explore
from shflbench.checker.inputs.linked import LinkedKernel
from shflbench.checker.judgment.judge import judge_kernel
from shflbench.checker.machine.launch import execute
from shflbench.checker.machine.policies import POLICIES
from shflbench.checker.machine.scheduler import StepLimitError
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.runs.evidence import Expectation, KernelEvidence, LaunchEvidence
from shflbench.checker.sources.kernel_file import KernelFile, SourceKernel
from shflbench.errors import KernelError, PatternError
from shflbench.measure.verify import after, difference
from shflbench.pattern_checks.given import given_arguments, given_launch
from shflbench.pattern_checks.source_files import SourceFiles
from shflbench.pattern_checks.subject_report import SubjectReport
from shflbench.symbols import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.backends.emulator import EmulatedKernel, EmulatorBackend
    from shflbench.measure.workload import Workload
    from shflbench.model import Kernel
    from shflbench.pattern_checks.targets import KernelSubject

INPUT_SET = 0


class SubjectCheck:
    """The check of one subject."""

    def __init__(
        self, subject: KernelSubject, backend: EmulatorBackend, seed: int, reference: Kernel | KernelError | None
    ) -> None:
        """Prepare to run on `backend`; `reference` is the kernel of the subject's reference variant, if it has one."""
        self._subject, self._backend, self._seed, self._reference = subject, backend, seed, reference
        self._expected = Expectation(subject.variant.safe, self._right)

    def report(self, kernel: Kernel | KernelError | None) -> SubjectReport:
        """Return the report on the subject's kernel; None where the architecture does not support it."""
        subject = self._subject
        return SubjectReport(subject.case, subject.variant.safe, subject.revision, self._of_kernel(kernel))

    def _of_kernel(self, kernel: Kernel | KernelError | None) -> KernelReport:
        if kernel is None:
            reason = self._subject.variant.unsupported_reason(self._backend.device.arch)
            return self._without_result(KernelVerdict.SKIPPED, reason)
        if isinstance(kernel, KernelError):
            return self._without_result(KernelVerdict.NOT_COMPILED, kernel.message)
        reporter = self._reporter(kernel)
        workload = self._subject.workload(self._seed)
        try:
            emulated = self._backend.open(self._subject.call(kernel, workload))
        except KernelError as error:
            return reporter.not_checked([error.message])
        if use := other_dimension(emulated.program):
            index, instruction = use
            where = f"uses {index} ({reporter.where(instruction)})"
            return reporter.not_checked([f"{where}, and kernels are checked with blocks and grids of one dimension"])
        if self._subject.reference:
            self._run_reference(self._subject.reference, workload)
        launches = tuple(self._launches(emulated, workload))
        evidence = KernelEvidence(launches, expectation=replace(self._expected, violations=kernel.violations))
        linked = LinkedKernel(reporter.kernel, emulated.program, Slicer(emulated.program), uses_dynamic_shared=False)
        return reporter.report(linked, evidence, judge_kernel(evidence, linked.slicer))

    def _reporter(self, kernel: Kernel) -> KernelReporter:
        pattern, variant = self._subject.pattern, self._subject.variant
        files = SourceFiles(pattern)
        source = SourceKernel(self._subject.name, kernel.symbol, (), files.kernel(variant))
        path = pattern.folder / variant.source
        return KernelReporter(KernelFile(path, kernel.ptx, (source,), files=files.in_line_table(kernel.ptx)), source)

    def _run_reference(self, reference: KernelSubject, workload: Workload) -> None:
        """Run the reference variant in lockstep, and keep its results as the expected ones."""
        kernel = self._reference
        if kernel is None:
            kernel = KernelError(reference.variant.unsupported_reason(self._backend.device.arch))
        try:
            if isinstance(kernel, KernelError):
                raise kernel
            emulated = self._backend.open(reference.call(kernel, workload))
            for iterations in workload.verify_iterations:
                outputs = execute(emulated.launch(workload.inputs(INPUT_SET), iterations))
                workload.accept_expected(outputs, INPUT_SET, iterations)
        except (KernelError, PatternError) as error:
            message = error.message
            if not isinstance(kernel, KernelError):
                message = message.replace(plain_name(kernel.symbol), reference.name)
            why = f"there is nothing to compare with: `{reference.case.variant}`, {message}"
            self._expected = replace(self._expected, incomparable=why)

    def _launches(self, kernel: EmulatedKernel, workload: Workload) -> Iterator[LaunchEvidence]:
        """Yield the launch with each number of iterations, under the schedules that have not stopped the kernel yet."""
        remaining = dict(POLICIES)
        for iterations in workload.verify_iterations:
            launch = kernel.launch(workload.inputs(INPUT_SET), iterations)
            results = explore(launch, remaining.values(), seed=self._seed).results
            for result in results:
                if result.error is not None:
                    remaining.pop(result.policy)
                elif not self._expected.incomparable and (
                    wrong := difference(workload, result.outputs, INPUT_SET, iterations)
                ):
                    self._note_wrong(result.policy, f"{after(workload, iterations)}under `{result.policy}`, {wrong}")
            yield LaunchEvidence(
                given_launch(kernel.call), given_arguments(kernel.call, iterations), self._seed, results
            )
            if not remaining or isinstance(results[-1].error, StepLimitError):
                return

    def _note_wrong(self, policy: str, mismatch: str) -> None:
        expected = self._expected
        wrong = tuple(name for name in POLICIES if name == policy or name in expected.wrong)
        self._expected = replace(expected, wrong=wrong, mismatch=expected.mismatch or mismatch)

    @property
    def _right(self) -> str:
        """The words for a kernel without wrong results."""
        reference = self._subject.reference
        if reference is None:
            return "right"
        return "deterministic" if reference == self._subject else f"the same as `{reference.case.variant}`"

    def _without_result(self, verdict: KernelVerdict, sentence: str) -> KernelReport:
        """Return the report on a kernel that there is not."""
        files = SourceFiles(self._subject.pattern)
        place = files.in_text(sentence) or files.kernel(self._subject.variant)
        errors = (sentence,) if verdict.level else ()
        return KernelReport(self._subject.name, "", place, verdict, sentence, errors=errors)
