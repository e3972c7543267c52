"""The JSON of `shflbench check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, NotRequired, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "Verdicts on kernels of patterns and of files: races, memory faults and misused barriers."


class CheckPlace(TypedDict):
    """A source line; both keys are null where the compiler names no line."""

    file: Annotated[str | None, "path of the file, relative to the current folder"]
    line: Annotated[int | None, "number of the line, from 1"]


class FindingObject(CheckPlace):
    """One kind of mistake at one source line, which comes first."""

    kind: Annotated[str, "what is wrong: `RAW`, `WAR`, `WAW`, `out of bounds`, `deadlock`, …"]
    level: Annotated[str, "severity: error, warning, notice, or empty for what does no harm"]
    sentence: Annotated[str, "the finding in one sentence"]
    other: Annotated[CheckPlace | None, "the line of the earlier access of a race"]
    threads: Annotated[Sequence[str], "threads of the first occurrence: `thread 3 of block 0`"]
    launches: Annotated[Sequence[str], "launches in which it occurred"]
    space: Annotated[str, "memory that it concerns: global, shared, …; empty if it concerns none"]
    detail: Annotated[str, "the bytes that it concerns, or the message of a fault"]
    history: Annotated[Sequence[str], "sentences on the two accesses of a race, the earlier one first"]
    count: Annotated[int, "number of occurrences"]
    after_fault: Annotated[CheckPlace | None, "line of a memory fault without which it may not occur"]
    needs: Annotated[Sequence[str], "options that decide whether it is a fault: parameters, `--launch`, `--shared`"]
    store_removed: Annotated[bool, "whether the optimizer removed a store of it, so that the program has no such fault"]


class CheckArgument(TypedDict):
    """An argument of a launch."""

    text: Annotated[str, "name and value: `n = 256`, `in = f32[256]`"]
    origin: Annotated[str, "where the value is from: given, from the host code or chosen"]


class CheckLaunch(TypedDict):
    """A launch at which a kernel was checked."""

    launch: Annotated[str, "grid and block: `8x256`"]
    cluster: Annotated[str, "blocks per cluster; empty without clusters"]
    origin: Annotated[str, "where the launch is from: given, from the host code or chosen"]
    note: Annotated[str, "a remark on the launch; empty if there is none"]
    arguments: Annotated[Sequence[CheckArgument], "arguments in the order of the parameters"]
    shared_bytes: Annotated[int, "dynamic shared memory per block, bytes"]
    seeds: Annotated[Sequence[int], "seeds of contents and random schedules that ran"]
    schedules: Annotated[Sequence[str], "orders of threads that ran"]
    exhaustive: Annotated[bool, "whether no other order of threads has other findings or results, with these contents"]


class CheckedKernelObject(CheckPlace):
    """A kernel of a file, with the line at which it is defined."""

    name: Annotated[str, "name of the kernel, with its template arguments"]
    symbol: Annotated[str, "mangled name of the kernel"]
    verdict: Annotated[
        str,
        "clean, broken, doubtful, schedule-dependent, unsafe as declared, unsafe but nothing found, needs arguments, "
        "not compiled, not checked or skipped",
    ]
    sentence: Annotated[str, "the reason of the verdict"]
    findings: Annotated[Sequence[FindingObject], "what was found: each kind at each line once"]
    needs: Annotated[Sequence[str], "what has to be given for a verdict: parameters, `--launch`, `--shared`"]
    difference: Annotated[str, "how the results of two schedules differ; empty if they do not"]
    lines_never_run: Annotated[Sequence[tuple[int, int]], "first and last line of each part that no launch reached"]
    lines_run_in_part: Annotated[Sequence[tuple[int, int]], "likewise, of each part that ran only in part"]
    bounds_not_tested: Annotated[Sequence[str], "parameters of buffers whose bounds no launch tested"]
    launches: Annotated[Sequence[CheckLaunch], "the launches at which it was checked"]
    printed: Annotated[Sequence[str], "what device-side printf printed, one launch after the other"]
    errors: Annotated[Sequence[str], "what kept a launch from ending, or the kernel from running"]


class SanitizerCount(TypedDict):
    """What one tool of compute-sanitizer reported of a kernel."""

    errors: Annotated[int, "number of errors"]
    warnings: Annotated[int, "number of warnings"]
    hazards: Annotated[int, "number of hazards, where the tool counts them"]
    first: Annotated[str, "the first report, on one line; empty if there is none"]


class SanitizerObject(TypedDict):
    """What compute-sanitizer reported of a kernel; a tool that did not finish is missing."""

    racecheck: NotRequired[Annotated[SanitizerCount, "races in shared memory"]]
    synccheck: NotRequired[Annotated[SanitizerCount, "misused barriers"]]
    memcheck: NotRequired[Annotated[SanitizerCount, "memory faults"]]
    failures: Annotated[Sequence[str], "why tools did not finish"]


class PatternKernelObject(CheckedKernelObject):
    """A kernel of a pattern."""

    pattern: Annotated[str, "name of the pattern"]
    variant: Annotated[str, "name of the variant"]
    dtype: Annotated[str, "element type"]
    options: Annotated[Mapping[str, str], "the pattern's options, by name"]
    safe: Annotated[bool, "whether the variant is declared safe"]
    revision: Annotated[str, "hash of the kernel's source"]
    wrong_schedules: Annotated[Sequence[str], "schedules under which the result was wrong"]
    mismatch: Annotated[str, "the first wrong value, in words; empty if there is none"]
    violations: Annotated[Sequence[str], "expected instruction counts that the machine code does not have"]
    compute_sanitizer: Annotated[SanitizerObject | None, "result of compute-sanitizer; null without `--sanitizer`"]


class CheckNote(CheckPlace):
    """A sentence on a file, and the line that it is about."""

    kind: Annotated[str, "what it is about: removed-store, template, dialect, …"]
    text: Annotated[str, "the sentence"]
    not_checked: Annotated[Sequence[str], "mangled names of the kernels that are not checked because of it"]


class CheckFileObject(TypedDict):
    """A file with its kernels."""

    file: Annotated[str, "path of the file, relative to the current folder"]
    arch: Annotated[str, "architecture that the file was compiled for"]
    compiler: Annotated[str, "compiler and its version; empty for PTX"]
    notes: Annotated[Sequence[CheckNote], "remarks on the file"]
    kernels: Annotated[Sequence[CheckedKernelObject], "its kernels"]


class CheckDocument(TypedDict):
    """The verdicts of a check."""

    schema: Annotated[Literal[1], NUMBER]
    arch: Annotated[str, "architecture that kernels were compiled for, unless a file says otherwise"]
    launch: NotRequired[Annotated[str, "launches of the kernels of patterns"]]
    seed: Annotated[int, "seed of contents and random schedules"]
    schedules: Annotated[Sequence[str], "orders of threads that the emulator knows"]
    kernels: NotRequired[Annotated[Sequence[PatternKernelObject], "kernels of patterns; missing if there are none"]]
    files: NotRequired[Annotated[Sequence[CheckFileObject], "files; missing if there are none"]]


DOCUMENTS = (CheckDocument,)
