"""Check one kernel of a pattern: at one launch with given inputs, whose results are compared with expected ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker import (
    Expectation,
    GivenKernel,
    GivenLaunch,
    KernelReport,
    KernelVerdict,
    Level,
    check_given,
    not_checked,
)
from shflbench.core.symbols import plain_name
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile.nvrtc import RejectedFileError
from shflbench.emulator import POLICIES, execute
from shflbench.errors import CompileError, KernelError, PatternError
from shflbench.kernel_facts.pattern_checks.source_files import SourceFiles
from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
from shflbench.measure.agreement import mismatch as find_mismatch
from shflbench.measure.verify import after, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.core.model import Kernel, Target
    from shflbench.cuda.backends.base import Array, KernelCall, KernelLaunch
    from shflbench.cuda.backends.emulator import EmulatedKernel
    from shflbench.cuda_sources import SourceLine
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.measure.workload import Workload

INPUT_SET = 0
LOCKSTEP = next(iter(POLICIES.values()))


class SubjectCheck:
    """The check of one subject."""

    def __init__(
        self, subject: KernelSubject, target: Target, seed: int, reference: Kernel | KernelError | None
    ) -> None:
        """Prepare to emulate; `reference` is the kernel of the subject's reference variant, if it has one."""
        self._subject, self._target, self._seed, self._reference = subject, target, seed, reference
        self._backend = EmulatorBackend(target.arch)
        self._files = SourceFiles(subject.pattern)

    def report(self, kernel: Kernel | KernelError | None) -> SubjectReport:
        """Return the report on the subject's kernel; None where it cannot be compiled."""
        subject = self._subject
        rejection = kernel.reason if isinstance(kernel, CompileError) else ""
        report = self._of_kernel(kernel)
        return SubjectReport(subject.case, subject.variant.safe, subject.revision, report, rejection=rejection)

    def _of_kernel(self, kernel: Kernel | KernelError | None) -> KernelReport:
        subject = self._subject
        if kernel is None:
            reason = subject.variant.unsupported_reason(self._target)
            return self._without_result(KernelVerdict.SKIPPED, reason)
        if isinstance(kernel, KernelError):
            place = self._files.line(kernel.file, kernel.line) if isinstance(kernel, RejectedFileError) else None
            return self._without_result(KernelVerdict.NOT_COMPILED, kernel.message, place)
        place = self._files.kernel(subject.variant)
        given = GivenKernel(subject.name, kernel.symbol, kernel.ptx, place, self._files.file_of)
        try:
            emulated, workload = self._opened(subject, kernel)
            cluster = emulated.program.cluster
            if not subject.has_whole(cluster, emulated.call.launches[0].dims.blocks):
                subject = subject.in_whole(cluster)
                emulated, workload = self._opened(subject, kernel)
        except KernelError as error:
            return not_checked(given, error.message)
        expected = Expectation(
            subject.variant.safe, self._right, violations=kernel.violations, incomparable=subject.incomparable
        )
        if subject.reference:
            why = self._run_reference(subject.reference, workload)
            expected = replace(expected, incomparable=why)

        return self._of_launches(given, kernel, emulated, workload, expected)

    def _opened(self, subject: KernelSubject, kernel: Kernel) -> tuple[EmulatedKernel, Workload]:
        workload = subject.workload(self._seed)
        return self._backend.open(subject.call(kernel, workload)), workload

    def _of_launches(
        self, given: GivenKernel, kernel: Kernel, emulated: EmulatedKernel, workload: Workload, expected: Expectation
    ) -> KernelReport:
        """Check each kernel that a launch of the subject consists of, on what those before it leave in lockstep."""
        counts = self._iterations(workload)
        try:
            firsts = [emulated.launch(workload.inputs(INPUT_SET), count) for count in counts]
            steps = [list(emulated.steps(first, LOCKSTEP)) for first in firsts]
        except KernelError as error:
            return not_checked(given, error.message)

        def mismatch(number: int, policy: str, outputs: Sequence[Array]) -> str:
            iterations = counts[number]
            results = [item for buffer, item in zip(emulated.call.written, outputs, strict=True) if buffer.compared]
            wrong = difference(workload, results, INPUT_SET, iterations)
            return f"{after(workload, iterations)}under `{policy}`, {wrong}" if wrong else ""

        def unlike_lockstep(place: int, number: int, policy: str, outputs: Sequence[Array]) -> str:
            wrong = find_mismatch(outputs, [np.asarray(item) for item in steps[number][place + 1].outputs], 0.0)
            return f"under `{policy}`, {wrong}" if wrong else ""

        reports = []
        for place, (part, of_call) in enumerate(zip((kernel, *kernel.later), emulated.call.launches, strict=True)):
            is_last = place == len(kernel.later)
            launches = [
                GivenLaunch(
                    of_count[place],
                    tuple(_in_words(emulated.call, of_call, count)),
                    is_long=count not in workload.verify_iterations,
                )
                for of_count, count in zip(steps, counts, strict=True)
            ]
            reports.append(
                check_given(
                    replace(given, symbol=part.symbol, ptx=part.ptx),
                    launches[0].launch.program,
                    launches,
                    mismatch if is_last else partial(unlike_lockstep, place),
                    expected=expected if is_last else replace(expected, right="deterministic", incomparable=""),
                    seed=self._seed,
                )
            )
        return _worst(reports)

    def _run_reference(self, reference: KernelSubject, workload: Workload) -> str:
        """Run the reference variant in lockstep, and keep its results as expected; return why there are none."""
        kernel = self._reference
        if kernel is None:
            kernel = KernelError(reference.variant.unsupported_reason(self._target))
        try:
            if isinstance(kernel, KernelError):
                raise kernel
            emulated = self._backend.open(reference.call(kernel, workload))
            for iterations in self._iterations(workload):
                outputs = execute(emulated.launch(workload.inputs(INPUT_SET), iterations))
                workload.accept_expected(outputs, INPUT_SET, iterations)
        except (KernelError, PatternError) as error:
            message = error.message
            if not isinstance(kernel, KernelError):
                message = message.replace(plain_name(kernel.symbol), reference.name)
            return f"there is nothing to compare with: `{reference.case.variant}`, {message}"
        return ""

    def _iterations(self, workload: Workload) -> tuple[int, ...]:
        """Return the iteration counts to check at, those of long launches last."""
        return tuple(dict.fromkeys((*workload.verify_iterations, *self._subject.long_iterations)))

    @property
    def _right(self) -> str:
        """The words for a kernel without wrong results."""
        reference = self._subject.reference
        if reference is None:
            return "right"
        return "deterministic" if reference == self._subject else f"the same as `{reference.case.variant}`"

    def _without_result(self, verdict: KernelVerdict, sentence: str, place: SourceLine | None = None) -> KernelReport:
        """Return the report on a kernel that there is not, at the line that the compiler rejects or where it begins."""
        place = place or self._files.kernel(self._subject.variant)
        errors = (sentence,) if verdict.level else ()
        return KernelReport(self._subject.name, "", place, verdict, sentence, errors=errors)


def _worst(reports: Sequence[KernelReport]) -> KernelReport:
    """Return the report with the most severe verdict, of equal ones the last, with the findings of all."""
    levels = list(Level)  # the most severe first
    worst = min(reversed(reports), key=lambda report: levels.index(report.verdict.level))
    return replace(
        worst,
        findings=tuple(finding for report in reports for finding in report.findings),
        launches=tuple(launch for report in reports for launch in report.launches),
    )


def _in_words(call: KernelCall, launch: KernelLaunch, iterations: int) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a call by name: `values` is `float32[256]`, `iterations` is `51`; numbers have none."""
    buffers = {buffer.name: buffer for buffer in call.buffers}
    for argument in launch.arguments:
        if not isinstance(argument, str):
            yield "", str(argument)
        elif argument in buffers:
            yield argument, f"{buffers[argument].dtype}[{buffers[argument].elements}]"
        else:
            yield argument, str(iterations)
