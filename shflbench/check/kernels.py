"""Check kernels one by one: compiled, then run by the emulator under every schedule."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from shflbench.backends.emulator.backend import EmulatorBackend
from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.machine.launch import execute
from shflbench.backends.emulator.machine.policies import POLICIES
from shflbench.backends.emulator.races.hazards import HazardLog
from shflbench.check.report import KernelFinding, KernelReport
from shflbench.check.source_files import SourceFiles
from shflbench.check.targets import BLOCKS
from shflbench.check.verdict import KernelVerdict, judge
from shflbench.errors import KernelError, PatternError
from shflbench.measure.verify import after, difference
from shflbench.measure.workload import Workload
from shflbench.measure.workload import call_of as workload_call
from shflbench.model import Kernel
from shflbench.processes import map_in_processes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.backends.base import KernelCall
    from shflbench.backends.emulator.backend import EmulatedKernel
    from shflbench.check.targets import KernelSubject
    from shflbench.compile.build import Builder
    from shflbench.patterns.declare import Variant

Kernels = dict["KernelSubject", "Kernel | KernelError"]
INPUT_SET = 0


_NUMBERS = re.compile(r"%\w+|(?<![:\w])[0-9]+\b")  # registers, threads and addresses, but no source lines


def compile_all(
    subjects: Sequence[KernelSubject], builder: Builder
) -> Iterator[tuple[KernelSubject, Kernel | KernelError]]:
    """Yield each subject that the architecture has with its kernel, or with why there is none, as they become known."""
    wanted = [subject for subject in subjects if not variant_of(subject).unsupported_reason(builder.arch)]
    yield from builder.build_all({subject: builder.request(subject.pattern, subject.case) for subject in wanted})


def check_all(
    subjects: Sequence[KernelSubject], kernels: Mapping[KernelSubject, Kernel | KernelError], arch: str, seed: int
) -> Iterator[KernelReport]:
    """Yield the report of each subject, in order; a subject without a kernel is one that `arch` does not support.

    `kernels` holds what became of all that are `needed`. Uses all cores. PatternError where a pattern's own functions
    fail.
    """
    made = {subject: _emulated_part(kernel) for subject, kernel in kernels.items()}
    jobs = [(subject, made.get(subject), made.get(subject.reference or subject)) for subject in subjects]
    yield from (map if len(jobs) == 1 else map_in_processes)(partial(_check, arch=arch, seed=seed), jobs)


def _emulated_part(kernel: Kernel | KernelError) -> Kernel | KernelError:
    """Return a kernel without its machine code, which the emulator does not read."""
    return replace(kernel, cubin=b"", sass=None, loop=None) if isinstance(kernel, Kernel) else kernel


def _check(
    job: tuple[KernelSubject, Kernel | KernelError | None, Kernel | KernelError | None], arch: str, seed: int
) -> KernelReport:
    subject, kernel, reference = job
    return _Check(subject, EmulatorBackend(arch), seed, reference).report(kernel)


def needed(subjects: Iterable[KernelSubject]) -> list[KernelSubject]:
    """Return the subjects, and the reference variants that they are compared with."""
    return list(dict.fromkeys(filter(None, chain(subjects, (subject.reference for subject in subjects)))))


def variant_of(subject: KernelSubject) -> Variant:
    """Return the declaration of the subject's variant."""
    return subject.pattern.declaration.variant(subject.case.variant)


def workload_of(subject: KernelSubject, seed: int) -> Workload:
    """Return the data to check the subject with; PatternError where the pattern's own functions fail."""
    return Workload.of(subject.pattern, subject.case, BLOCKS, seed)


def call_of(subject: KernelSubject, kernel: Kernel, workload: Workload) -> KernelCall:
    """Return the launch to check the subject at; PatternError where the pattern's own functions fail."""
    return workload_call(subject.pattern, subject.case, kernel, workload.setting)


class _Check:
    """Finds out about one subject."""

    def __init__(
        self, subject: KernelSubject, backend: EmulatorBackend, seed: int, reference: Kernel | KernelError | None
    ) -> None:
        self._subject, self._backend, self._seed, self._reference = subject, backend, seed, reference
        self._variant = variant_of(subject)
        self._places = SourceFiles(subject.pattern)
        self._findings = HazardLog()
        self._wrong: set[str] = set()
        self._stopped: set[str] = set()
        self._mismatch = ""
        self._errors: dict[str, str] = {}  # without its numbers → the first error of its kind

    def report(self, kernel: Kernel | KernelError | None) -> KernelReport:
        """Return the report on what the compiler made of the subject."""
        if kernel is None:
            return self._stop(KernelVerdict.SKIPPED, self._variant.unsupported_reason(self._backend.device.arch))
        if isinstance(kernel, KernelError):
            return self._stop(KernelVerdict.NOT_COMPILED, kernel.message)
        workload = workload_of(self._subject, self._seed)
        try:
            emulated = self._backend.open(call_of(self._subject, kernel, workload))
            if self._subject.reference:
                self._take_for_right(self._subject.reference, workload)
        except KernelError as error:
            return self._stop(KernelVerdict.NOT_CHECKED, error.message)
        for iterations in workload.verify_iterations:
            self._explore(emulated, workload, iterations)
        return self._judge(kernel)

    def _take_for_right(self, reference: KernelSubject, workload: Workload) -> None:
        """Take what the reference variant computes in lock step for right; KernelError says why it does not."""
        kernel, variant = self._reference, variant_of(reference)
        if kernel is None:
            kernel = KernelError(variant.unsupported_reason(self._backend.device.arch))
        try:
            if isinstance(kernel, KernelError):
                raise kernel
            emulated = self._backend.open(call_of(reference, kernel, workload))
            for iterations in workload.verify_iterations:
                outputs = execute(emulated.launch(workload.inputs(INPUT_SET), iterations))
                workload.accept_expected(outputs, INPUT_SET, iterations)
        except (KernelError, PatternError) as error:
            raise KernelError(f"there is nothing to compare with: `{variant.name}`, {error.message}") from error

    def _stop(self, verdict: KernelVerdict, sentence: str) -> KernelReport:
        """Return the report on a subject that cannot be run."""
        report = replace(self._empty(), verdict=verdict, sentence=sentence)
        return self._with_errors(report, [sentence]) if verdict.level else report

    def _explore(self, kernel: EmulatedKernel, workload: Workload, iterations: int) -> None:
        """Run under those schedules that did not stop the kernel before, and collect what is found."""
        launch = kernel.launch(workload.inputs(INPUT_SET), iterations)
        remaining = [policy for name, policy in POLICIES.items() if name not in self._stopped]
        for outcome in explore(launch, remaining, seed=self._seed).results:
            for finding in outcome.hazards:
                self._findings.merge(finding)
            if outcome.error is not None:
                self._stopped.add(outcome.policy)
                self._errors.setdefault(_NUMBERS.sub("", outcome.error.message), outcome.error.message)
            elif wrong := difference(workload, outcome.outputs, INPUT_SET, iterations):
                self._wrong.add(outcome.policy)
                trips = after(workload, iterations)
                self._mismatch = self._mismatch or f"{trips}under `{outcome.policy}`, {wrong}"

    def _judge(self, kernel: Kernel) -> KernelReport:
        findings = self._findings.list()
        wrong, stopped = ([name for name in POLICIES if name in names] for names in (self._wrong, self._stopped))
        verdict, sentence = judge(
            safe=self._variant.safe,
            kinds=[finding.kind for finding in findings],
            wrong=wrong,
            stopped=stopped,
            right=self._right,
            violations=kernel.violations,
        )
        sourced = [
            KernelFinding(finding.kind, self._places.of(place), self._places.of(other), finding.threads)
            for finding, (place, other) in zip(findings, (item.locations for item in findings), strict=True)
        ]
        unique = {(item.kind, item.place, item.other): item for item in reversed(sourced)}
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

    @property
    def _right(self) -> str:
        """What a kernel is that agrees with what it is compared with."""
        reference = self._subject.reference
        if reference is None:
            return "right"
        return "repeatable" if reference == self._subject else f"the same as `{reference.case.variant}`"

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
            launch=case.launch.expression,
            safe=self._variant.safe,
            place=self._places.kernel(self._variant),
            verdict=KernelVerdict.NOT_CHECKED,
            sentence="",
        )
