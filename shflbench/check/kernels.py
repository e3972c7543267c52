"""Check kernels one by one: compiled, then run by the emulator under every schedule."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.backends.base import KernelCall
from shflbench.backends.emulator.backend import EmulatorBackend
from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.findings import Findings
from shflbench.backends.emulator.policies import POLICIES
from shflbench.check.places import Places
from shflbench.check.report import Finding, KernelReport
from shflbench.check.targets import BLOCK, BLOCKS
from shflbench.check.verdict import Verdict, judge
from shflbench.compile.parallel import build_all
from shflbench.errors import KernelError, LaunchError
from shflbench.measure.verify import mismatch
from shflbench.measure.workload import Workload
from shflbench.model import DTYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.backends.emulator.backend import EmulatedKernel
    from shflbench.check.targets import Subject
    from shflbench.compile.build import Builder
    from shflbench.model import Kernel
    from shflbench.patterns.declare import Variant

Kernels = dict["Subject", "Kernel | KernelError"]
INPUT_SET = 0


_NUMBERS = re.compile(r"%\w+|(?<![:\w])[0-9]+\b")  # registers, threads and addresses, but no source lines


def compile_all(subjects: Sequence[Subject], builder: Builder) -> Iterator[tuple[Subject, Kernel | KernelError]]:
    """Yield each subject that the architecture has with its kernel, or with why there is none, as they become known."""
    wanted = [subject for subject in subjects if not variant_of(subject).lacking(builder.arch)]
    yield from build_all(builder, {subject: builder.order(subject.pattern, subject.case) for subject in wanted})


def check_all(
    subjects: Sequence[Subject], kernels: Mapping[Subject, Kernel | KernelError], arch: str, seed: int
) -> Iterator[KernelReport]:
    """Yield the report of each subject, in order; a subject without a kernel is one that `arch` lacks.

    PatternError where a pattern's own functions fail.
    """
    backend = EmulatorBackend(arch)
    for subject in subjects:
        yield _Check(subject, backend, seed).report(kernels.get(subject))


def variant_of(subject: Subject) -> Variant:
    """Return the declaration of the subject's variant."""
    return subject.pattern.declaration.variant(subject.case.variant)


def workload_of(subject: Subject, seed: int) -> Workload:
    """Return the data to check the subject with."""
    return Workload.of(subject.pattern, subject.case, BLOCKS * BLOCK, seed)


def call_of(subject: Subject, kernel: Kernel, workload: Workload) -> KernelCall:
    """Return the launch to check the subject at."""
    return KernelCall(
        kernel=kernel,
        grid=BLOCKS,
        block=BLOCK,
        shared_bytes=variant_of(subject).shared(BLOCK, DTYPES[subject.case.dtype]),
        inputs=workload.input_elements,
        outputs=workload.output_elements,
        dtype=workload.dtype.numpy,
    )


class _Check:
    """Finds out about one subject."""

    def __init__(self, subject: Subject, backend: EmulatorBackend, seed: int) -> None:
        self._subject, self._backend, self._seed = subject, backend, seed
        self._variant = variant_of(subject)
        self._places = Places(subject.pattern)
        self._findings = Findings()
        self._wrong: set[str] = set()
        self._stopped: set[str] = set()
        self._mismatch = ""
        self._errors: dict[str, str] = {}  # without its numbers → the first error of its kind

    def report(self, kernel: Kernel | KernelError | None) -> KernelReport:
        """Return the report on what the compiler made of the subject."""
        if kernel is None:
            return self._ended(Verdict.SKIPPED, self._variant.lacking(self._backend.device.arch))
        if isinstance(kernel, KernelError):
            return self._ended(Verdict.NOT_COMPILED, kernel.message)
        workload = workload_of(self._subject, self._seed)
        try:
            emulated = self._backend.open(call_of(self._subject, kernel, workload))
        except LaunchError as error:
            return self._ended(Verdict.NOT_CHECKED, error.message)
        for iterations in workload.verify_iterations:
            self._explore(emulated, workload, iterations)
        return self._judged(kernel)

    def _ended(self, verdict: Verdict, sentence: str) -> KernelReport:
        """Return the report on a subject that cannot be run."""
        report = replace(self._empty(), verdict=verdict, sentence=sentence)
        return self._with_errors(report, [sentence]) if verdict.level else report

    def _explore(self, kernel: EmulatedKernel, workload: Workload, iterations: int) -> None:
        """Run under every schedule, and collect what is found."""
        launch = kernel.launch(workload.inputs(INPUT_SET), iterations)
        expected = workload.expected(INPUT_SET, iterations)
        tolerance = workload.pattern.tolerance(workload.dtype, iterations)
        for outcome in explore(launch, seed=self._seed).outcomes:
            for finding in outcome.findings:
                self._findings.merge(finding)
            if outcome.error is not None:
                self._stopped.add(outcome.policy)
                self._errors.setdefault(_NUMBERS.sub("", outcome.error.message), outcome.error.message)
            elif difference := mismatch(outcome.outputs, expected, tolerance):
                self._wrong.add(outcome.policy)
                trips = f"{iterations} iteration{'s' if iterations > 1 else ''}"
                self._mismatch = self._mismatch or f"after {trips} under `{outcome.policy}`, {difference}"

    def _judged(self, kernel: Kernel) -> KernelReport:
        findings = self._findings.list()
        wrong, stopped = ([name for name in POLICIES if name in names] for names in (self._wrong, self._stopped))
        verdict, sentence = judge(
            safe=self._variant.safe,
            kinds=[finding.kind for finding in findings],
            wrong=wrong,
            stopped=stopped,
            violations=kernel.violations,
        )
        found = [
            Finding(finding.kind, self._places.of(here), self._places.of(there), finding.threads)
            for finding, (here, there) in zip(findings, (item.locations for item in findings), strict=True)
        ]
        unique = {(item.kind, item.place, item.other): item for item in reversed(found)}
        report = replace(
            self._empty(),
            verdict=verdict,
            sentence=sentence,
            findings=tuple(reversed(unique.values())),
            wrong=tuple(wrong),
            mismatch=self._mismatch,
            violations=kernel.violations,
        )
        return self._with_errors(
            report, [text.replace(kernel.symbol, self._subject.name) for text in self._errors.values()]
        )

    def _with_errors(self, report: KernelReport, errors: Iterable[str]) -> KernelReport:
        place = next(filter(None, map(self._places.in_text, errors)), None)
        return replace(report, errors=tuple(errors), error_place=place)

    def _empty(self) -> KernelReport:
        """Return what is known of the subject without looking."""
        case = self._subject.case
        return KernelReport(
            pattern=case.pattern,
            variant=case.variant,
            dtype=case.dtype,
            options=case.options,
            safe=self._variant.safe,
            place=self._places.kernel(self._variant),
            verdict=Verdict.NOT_CHECKED,
            sentence="",
        )
