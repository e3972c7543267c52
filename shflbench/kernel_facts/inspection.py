"""Inspect the kernels that targets name, or compare two of their sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.arch import list_archs, load
from shflbench.core.environment import cache_folder
from shflbench.core.notebook import html_table, paragraphs, shown_number
from shflbench.core.words import count_noun
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.errors import UsageError
from shflbench.kernel_facts.diff_sides import Diff, sides_of
from shflbench.kernel_facts.estimates import with_ceilings, with_predictions
from shflbench.kernel_facts.inspector import Inspector
from shflbench.kernel_facts.pattern_checks.targets import Filters, find
from shflbench.kernel_facts.places import Places
from shflbench.kernel_facts.records import record_of
from shflbench.kernel_facts.run_pairs import pairs_of_runs, runs_of
from shflbench.kernel_facts.run_subjects import run_of, subjects_of
from shflbench.schemas.inspect import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from shflbench.core.reporter import Reporter
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.kernel_facts.diff_sides import KernelPair
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.listing import Lines
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.schemas.inspect import InspectDocument, InspectedKernelObject
    from shflbench.store import Run
    from shflbench.store.calibration_file import Calibration


SHOWN = (  # keys of a kernel that a notebook shows
    "pattern",
    "variant",
    "dtype",
    "arch",
    "launch",
    "registers",
    "shared_bytes",
    "occupancy",
    "time_us",
    "limit_us",
    "limit_cycles_per_iteration",
    "limit_by",
    "ceiling_cycles_per_iteration",
    "predicted_cycles_per_iteration",
    "error",
)


@dataclass(frozen=True, slots=True)
class InspectRequest:
    """The kernels to inspect, and what to find out about them."""

    targets: Sequence[str]  # suites, patterns, their files and folders, or the folder of one run
    archs: Sequence[str]
    resident: ResidentBlocks
    is_arch_given: bool = True  # by the user
    patterns: tuple[str, ...] = ()  # only these, where any is given
    variants: tuple[str, ...] = ()  # likewise
    dtypes: tuple[str, ...] = ()
    accesses: bool = False  # count memory requests in the emulator
    predict: bool = False
    calibration: Calibration | None = None
    with_code: bool = False  # keep the machine code

    @property
    def filters(self) -> Filters:
        """The choice of kernels."""
        return Filters(self.patterns, self.variants, self.dtypes)


@dataclass(frozen=True, slots=True, repr=False)
class InspectResult:
    """Kernels with what is known of each."""

    kernels: tuple[InspectedKernel, ...]  # by architecture, in the order of the targets
    resident: ResidentBlocks  # that each SM executes at a time
    lines: Lines  # source lines of the instructions, where the machine code is kept
    places: Places = field(compare=False)  # of source lines in files
    has_code: bool  # whether `records` have the instructions
    notes: tuple[str, ...] = ()  # warnings

    @property
    def records(self) -> list[InspectedKernelObject]:
        """The kernels as plain data, as `shflbench inspect --format json` prints them."""
        return [record_of(one, self.places, self.lines if self.has_code else None) for one in self.kernels]

    @property
    def table(self) -> pd.DataFrame:
        """A row per kernel with the fields of `records`; a missing value is unknown."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        return pd.DataFrame.from_records([dict(record) for record in self.records])

    def to_dict(self) -> InspectDocument:
        """Return the kernels as `shflbench inspect --format json` prints them; see `shflbench schema inspect`."""
        residency = self.resident.residency
        return {
            "schema": SCHEMA,
            "warps_per_sm": residency.warps,
            "warps_per_block": residency.warps_per_block,
            "kernels": self.records,
        }

    def __repr__(self) -> str:
        """Return how many kernels were inspected, and for which architectures, in one line."""
        kernels = count_noun(len(self.kernels), "kernel")
        patterns = count_noun(len({one.subject.case.pattern for one in self.kernels}), "pattern")
        archs = ", ".join(dict.fromkeys(one.arch for one in self.kernels))
        return f"<InspectResult: {kernels} of {patterns} for {archs}>"

    def _repr_html_(self) -> str:
        """Return a row per kernel, without what is unknown of all, as a notebook shows it."""
        records = self.records
        columns = [name for name in SHOWN if any(record.get(name) not in (None, "") for record in records)]
        table = html_table(columns, ([shown_number(record.get(name)) for name in columns] for record in records))
        return table + paragraphs(*self.notes)


class Inspection:
    """Inspects the kernels of one request."""

    def __init__(self, request: InspectRequest, reporter: Reporter) -> None:
        """Find the run among the targets, if there is one, and the compiler.

        UsageError for a request that does not fit the run; CompilerError without a compiler.
        """
        self._request = request
        self._run = run_of(request.targets)
        if self._run:
            _refuse_unfit(self._run, request)
        self._counts_accesses = request.accesses and not self._run  # `bench` has counted them
        self._toolchain = find_toolchain()
        self.inspector = Inspector(self._toolchain, cache_folder(), request.resident, reporter, self._run)

    def result(self) -> InspectResult:
        """Return what is known of each kernel.

        PatternError for an unknown target or where a function of a pattern fails; UsageError for an architecture
        without figures, or where more warps are asked for than an SM holds.
        """
        request = self._request
        subjects = self._subjects()
        for arch in request.archs:
            require(arch, request.resident, self._toolchain)
        with_kernels = request.with_code or self._counts_accesses or request.predict or bool(request.calibration)
        inspected = list(self.inspector.inspect(subjects, request.archs, with_kernels=with_kernels))
        inspected = self._estimated(inspected)
        shown = [one for one in inspected if one.kernel] if request.with_code else []
        return InspectResult(
            kernels=tuple(inspected),
            resident=request.resident,
            lines=self.inspector.lines(one.kernel for one in shown if one.kernel),
            places=Places(Path.cwd()),
            has_code=request.with_code,
        )

    def pairs(self, words: tuple[str, str]) -> list[KernelPair]:
        """Return the kernels that both sides of `words` have; UsageError where they do not fit the targets."""
        if self._run and (sides := runs_of(words, self._run)):
            return pairs_of_runs(sides, self._request.filters, self.inspector)
        subjects, archs = self._subjects(), self._request.archs
        chosen = sides_of(words, list(dict.fromkeys(subject.case.variant for subject in subjects)))
        if self._request.is_arch_given and not chosen[0].is_variant:
            raise UsageError("--diff names the architectures already", "leave out --arch")
        for arch in archs if chosen[0].is_variant else filter(None, (side.arch for side in chosen)):
            require(arch, self._request.resident, self._toolchain)
        return list(Diff(self.inspector, chosen).pairs(subjects, archs))

    def _subjects(self) -> list[KernelSubject]:
        filters = self._request.filters
        return filters.apply(subjects_of(self._run)) if self._run else find(self._request.targets, filters)

    def _estimated(self, inspected: list[InspectedKernel]) -> list[InspectedKernel]:
        """Return the kernels with what the request asks for besides."""
        request = self._request
        if not (self._counts_accesses or request.predict or request.calibration):
            return inspected
        requests = self.inspector.requests(inspected) if self._counts_accesses else {}
        counted = {subject: made for subject, made in requests.items() if not isinstance(made, Exception)}
        if self._counts_accesses:
            inspected = list(self.inspector.with_accesses(inspected, requests))
        if request.calibration:
            inspected = list(with_ceilings(inspected, counted, request.resident, request.calibration))
        return list(with_predictions(inspected, counted, request.resident)) if request.predict else inspected


def _refuse_unfit(run: Run, request: InspectRequest) -> None:
    """Raise UsageError where the request does not fit the run."""
    target = request.targets[0]
    if request.is_arch_given:
        raise UsageError(f"--arch needs the files of a pattern, and {target} is a run", "leave out --arch")
    if request.accesses and not run.counts():
        message = f"--accesses needs the counts that `bench` records, and {target} has none"
        raise UsageError(message, "record the run again by `bench`, or give the files of a pattern")


def require(arch: str, resident: ResidentBlocks, toolchain: Toolchain) -> None:
    """Raise UsageError for an architecture without a table or for more warps than its SM holds.

    MissingError for an architecture that the compiler does not know.
    """
    figures = load(arch)
    if figures is None:
        raise UsageError(f"no figures are known for `{arch}`; allowed: {', '.join(list_archs())}", "choose one of them")
    most = figures.resident_warps
    warps = resident.residency.warps
    if most and warps > most.value:
        message = f"--resident asks for {warps} warps, but an SM of {arch} executes at most {most.value} at a time"
        raise UsageError(message, "name fewer blocks or threads")
    toolchain.require(arch)
