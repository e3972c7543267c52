"""Compile kernels and check each of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from shflbench.core.model import Kernel
from shflbench.core.processes import map_in_processes
from shflbench.kernel_facts.pattern_checks.subject_check import SubjectCheck

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.core.model import Target
    from shflbench.cuda.compile.build import Builder
    from shflbench.errors import KernelError
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject


def add_references(subjects: Iterable[KernelSubject]) -> list[KernelSubject]:
    """Return the subjects, and the reference variants that they are compared with."""
    return list(dict.fromkeys(filter(None, chain(subjects, (subject.reference for subject in subjects)))))


def compile_all(
    subjects: Sequence[KernelSubject], builder: Builder
) -> Iterator[tuple[KernelSubject, Kernel | KernelError]]:
    """Yield each subject that can be compiled for the target, with its kernel or why there is none, when known."""
    supported = [subject for subject in subjects if not subject.variant.unsupported_reason(builder.target)]
    yield from builder.build_all({subject: builder.request(subject.pattern, subject.case) for subject in supported})


def check_all(
    subjects: Sequence[KernelSubject], kernels: Mapping[KernelSubject, Kernel | KernelError], target: Target, seed: int
) -> Iterator[SubjectReport]:
    """Yield the report of each subject, in order; a subject without a kernel cannot be compiled for `target`.

    `kernels` holds the kernels of all that are `needed`, or why there are none. Uses all cores. PatternError where a
    function of the pattern fails.
    """
    usable = {subject: _without_machine_code(kernel) for subject, kernel in kernels.items()}
    jobs = [(subject, usable.get(subject), usable.get(subject.reference or subject)) for subject in subjects]
    yield from (map if len(jobs) == 1 else map_in_processes)(partial(_check, target=target, seed=seed), jobs)


def _without_machine_code(kernel: Kernel | KernelError) -> Kernel | KernelError:
    """Return a kernel as the emulator needs it: PTX only."""
    return replace(kernel, cubin=b"", sass=None, loop=None) if isinstance(kernel, Kernel) else kernel


def _check(
    job: tuple[KernelSubject, Kernel | KernelError | None, Kernel | KernelError | None], target: Target, seed: int
) -> SubjectReport:
    subject, kernel, reference = job
    return SubjectCheck(subject, target, seed, reference).report(kernel)
