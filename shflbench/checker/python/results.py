"""The result of a check, for a Python program."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from shflbench.core.notebook import html_table, paragraphs
from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from shflbench.checker.verdict import KernelVerdict
    from shflbench.schemas.check import CheckDocument


OTHERS = ("outputs", "other_outputs", "document")  # fields that are not compared as they are


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One kind of mistake at one source line, with the threads of its first occurrence."""

    kind: str  # `RAW`, `WAR`, `WAW`, `out of bounds`, `deadlock`, …
    file: Path | None  # None where the compiler names no line
    line: int | None  # likewise
    threads: tuple[str, ...]  # of the first occurrence: `thread 3 of block 0`, `thread (1, 2) of block (0, 0)`
    address: str  # the bytes that it concerns, empty if it concerns none
    history: tuple[str, ...]  # sentences on the two accesses of a race, the earlier one first
    sentence: str  # all of it but the history

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckResult:
    """The result of checking one kernel; two are equal if all that they say is, outputs bit for bit."""

    kernel: str  # its name
    verdict: KernelVerdict  # compares equal to its text, such as "clean"
    sentence: str  # the reason of the verdict
    findings: tuple[CheckFinding, ...] = ()  # each kind at each place once
    cause: CheckFinding | None = None  # the worst of them, which stands for all with its cause
    details: tuple[str, ...] = ()  # the findings in words, those with one cause together, with their history
    # Arrays after the launch, by their positions or names in `args`; empty if the kernel did not end.
    outputs: Mapping[str | int, NDArray[Any]] = field(default_factory=dict)
    other_outputs: tuple[Mapping[str | int, NDArray[Any]], ...] = ()  # of schedules that end otherwise
    chosen: tuple[str, ...] = ()  # launches, sizes and values that were not given
    explored: tuple[str, ...] = ()  # launches, seeds and schedules that ran
    notes: tuple[str, ...] = ()  # on the compilation
    document: CheckDocument = field(kw_only=True)  # as JSON has it; `to_dict()` returns a copy

    def __eq__(self, other: object) -> bool:
        """Return whether another result says the same."""
        if not isinstance(other, CheckResult):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def _content(self) -> tuple[object, ...]:
        """Return all fields, arrays as what makes them equal: two NaN differ, and arrays have no truth value."""
        contents = {key: (array.dtype, array.shape, array.tobytes()) for key, array in self.outputs.items()}
        return (*(getattr(self, item.name) for item in fields(self) if item.name not in OTHERS), contents)

    @property
    def clean(self) -> bool:
        """Whether nothing was found, and everything that was to be checked was checked."""
        return self.verdict == "clean"

    def to_dict(self) -> CheckDocument:
        """Return what `shflbench check --format json` prints of the kernel; see `shflbench schema check`."""
        return deepcopy(self.document)

    def text(self) -> str:
        """Return the verdict, its reason, the findings in words, and what was chosen and explored."""
        lines = [f"{self.kernel}: {self.verdict}: {self.sentence}"]
        lines += [f"  {text}" for text in (*self.details, *self.chosen, *self.explored, *self.notes)]
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return `text()`."""
        return self.text()

    def __repr__(self) -> str:
        """Return the kernel, the verdict and the number of findings in one line."""
        return f"<CheckResult: {self.kernel}: {self.verdict}, {count_noun(len(self.findings), 'finding')}>"

    def _repr_html_(self) -> str:
        """Return the verdict, its reason, a table of the findings and where results differ, for a notebook."""
        rows = [(item.kind, _place(item), item.sentence) for item in self.findings]
        table = html_table(("kind", "place", "finding"), rows) if rows else ""
        (kernel,) = self.document["files"][0]["kernels"]
        difference = "" if kernel["difference"] in self.sentence else kernel["difference"]
        texts = (*filter(None, (difference,)), *self.chosen, *self.explored, *self.notes)
        return paragraphs(f"{self.kernel}: {self.verdict}: {self.sentence}") + table + paragraphs(*texts)


def _place(finding: CheckFinding) -> str:
    return "" if finding.file is None else f"{finding.file}:{finding.line}"
