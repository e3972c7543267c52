"""Check one kernel: run it in the emulator under every schedule, and judge the findings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.checker.dataflow.scope import other_dimension
from shflbench.checker.explore import explore
from shflbench.checker.machine.faults import KernelFault
from shflbench.checker.machine.launch import execute
from shflbench.checker.machine.policies import POLICIES
from shflbench.checker.machine.scheduler import StepLimitError
from shflbench.checker.races.hazards import HazardLog
from shflbench.checker.verdict import judge
from shflbench.errors import KernelError, PatternError
from shflbench.measure.verify import after, difference
from shflbench.pattern_checks.report import KernelFinding, KernelReport
from shflbench.pattern_checks.source_files import SourceFiles
from shflbench.symbols import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.backends.emulator import EmulatedKernel, EmulatorBackend
    from shflbench.measure.workload import Workload
    from shflbench.model import Kernel
    from shflbench.pattern_checks.targets import KernelSubject

INPUT_SET = 0

_NUMBERS = re.compile(r"%\w+|(?<![:\w])[0-9]+\b")  # registers, threads and addresses, but no source lines


class KernelCheck:
    """The check of one subject."""

    def __init__(
        self, subject: KernelSubject, backend: EmulatorBackend, seed: int, reference: Kernel | KernelError | None
    ) -> None:
        """Prepare to run on `backend`; `reference` is the kernel of the subject's reference variant, if it has one."""
        self._subject, self._backend, self._seed, self._reference = subject, backend, seed, reference
        self._files = SourceFiles(subject.pattern)
        self._hazards = HazardLog()
        self._wrong: set[str] = set()
        self._stopped: set[str] = set()
        self._endless = False
        self._mismatch = ""
        self._errors: dict[str, str] = {}  # without its numbers → the first error of its kind
        self._incomparable = ""  # why there is nothing to compare results with

    def report(self, kernel: Kernel | KernelError | None) -> KernelReport:
        """Return the report on the subject's kernel; None where the architecture does not support it."""
        if kernel is None:
            return self._stop(
                KernelVerdict.SKIPPED, self._subject.variant.unsupported_reason(self._backend.device.arch)
            )
        if isinstance(kernel, KernelError):
            return self._stop(KernelVerdict.NOT_COMPILED, kernel.message)
        workload = self._subject.workload(self._seed)
        try:
            emulated = self._backend.open(self._subject.call(kernel, workload))
        except KernelError as error:
            return self._stop(KernelVerdict.NOT_CHECKED, error.message)
        if use := other_dimension(emulated.program):
            index, instruction = use
            where = self._files.compiled_name(instruction.location)
            reason = f"uses {index} ({where}), and kernels are checked with blocks and grids of one dimension"
            return self._stop(KernelVerdict.NOT_CHECKED, reason)
        if self._subject.reference:
            self._run_reference(self._subject.reference, workload)
        for iterations in workload.verify_iterations:
            self._explore(emulated, workload, iterations)
        return self._judge(kernel)

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
            message = _with_subject_name(error.message, kernel, reference)
            self._incomparable = f"there is nothing to compare with: `{reference.case.variant}`, {message}"

    def _stop(self, verdict: KernelVerdict, sentence: str) -> KernelReport:
        """Return the report on a subject that is not run."""
        report = replace(self._empty_report(), verdict=verdict, sentence=sentence)
        return self._with_errors(report, [sentence]) if verdict.level else report

    def _explore(self, kernel: EmulatedKernel, workload: Workload, iterations: int) -> None:
        """Run under the schedules that have not stopped the kernel yet, and collect findings."""
        launch = kernel.launch(workload.inputs(INPUT_SET), iterations)
        remaining = [policy for name, policy in POLICIES.items() if not self._endless and name not in self._stopped]
        for result in explore(launch, remaining, seed=self._seed).results:
            fault = result.error.kind.name if isinstance(result.error, KernelFault) else ""
            for hazard in result.hazards:
                if hazard.kind.name != fault:  # which is reported as an error
                    self._hazards.merge(hazard)
            if result.error is not None:
                self._stopped.add(result.policy)
                self._endless |= isinstance(result.error, StepLimitError)
                self._errors.setdefault(_NUMBERS.sub("", result.error.message), result.error.message)
            elif not self._incomparable and (wrong := difference(workload, result.outputs, INPUT_SET, iterations)):
                self._wrong.add(result.policy)
                done = after(workload, iterations)
                self._mismatch = self._mismatch or f"{done}under `{result.policy}`, {wrong}"

    def _judge(self, kernel: Kernel) -> KernelReport:
        hazards = self._hazards.list()
        wrong, stopped = ([name for name in POLICIES if name in names] for names in (self._wrong, self._stopped))
        verdict, sentence = judge(
            safe=self._subject.variant.safe,
            kinds=[hazard.kind for hazard in hazards],
            wrong=wrong,
            stopped=stopped,
            endless=self._endless,
            right=self._right,
            incomparable=self._incomparable,
            violations=kernel.violations,
        )
        findings = [
            KernelFinding(hazard.kind, self._files.of(place), self._files.of(other), hazard.threads)
            for hazard, (place, other) in zip(hazards, (item.locations for item in hazards), strict=True)
        ]
        unique = {(item.kind, item.place, item.other): item for item in reversed(findings)}
        report = replace(
            self._empty_report(),
            verdict=verdict,
            sentence=sentence,
            findings=tuple(reversed(unique.values())),
            wrong=tuple(wrong),
            mismatch=self._mismatch,
            violations=kernel.violations,
        )
        errors = [_with_subject_name(text, kernel, self._subject) for text in self._errors.values()]
        if verdict is KernelVerdict.NOT_CHECKED:
            errors.append(sentence)
        return self._with_errors(report, errors)

    @property
    def _right(self) -> str:
        """The words for a kernel without wrong results."""
        reference = self._subject.reference
        if reference is None:
            return "right"
        return "deterministic" if reference == self._subject else f"the same as `{reference.case.variant}`"

    def _with_errors(self, report: KernelReport, errors: Iterable[str]) -> KernelReport:
        place = next(filter(None, map(self._files.in_text, errors)), None)
        return replace(report, errors=tuple(errors), error_place=place)

    def _empty_report(self) -> KernelReport:
        """Return the report on the subject without results."""
        case = self._subject.case
        return KernelReport(
            pattern=case.pattern,
            variant=case.variant,
            dtype=case.dtype,
            options=case.options,
            launch=case.launch.expression,
            safe=self._subject.variant.safe,
            revision=self._subject.revision,
            place=self._files.kernel(self._subject.variant),
            verdict=KernelVerdict.NOT_CHECKED,
            sentence="",
        )


def _with_subject_name(message: str, kernel: Kernel | KernelError, subject: KernelSubject) -> str:
    """Return a message with the subject's name, e.g. `scan/shfl/f32`, instead of the kernel's."""
    return message if isinstance(kernel, KernelError) else message.replace(plain_name(kernel.symbol), subject.name)
