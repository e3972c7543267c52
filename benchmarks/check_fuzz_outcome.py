"""Run `check` on a damaged file in this process, and say how it ended or what is wrong with that."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from shflbench.checker.verdict import KernelVerdict
from shflbench.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.check_fuzz_mutants import Mutant

VERDICTS = {str(verdict) for verdict in KernelVerdict}
WITH_REPORT = {0, 1, 5, 6}
WITHOUT_REPORT = {2, 3, 4}
LONGEST = 600  # characters of a sentence; names in it can be long


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a file ended: its verdicts or its exit code, and what is wrong with that, empty if nothing is."""

    result: str
    problem: str = ""
    output: str = ""


def outcome_of(mutant: Mutant, folder: Path) -> Outcome:
    """Write the mutant into the folder, and check it with NVRTC; what `main` does not turn into a sentence raises."""
    path = folder / mutant.name
    path.write_bytes(mutant.content)
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["check", str(path), "--compiler", "nvrtc", *mutant.words])
    path.unlink()
    form = mutant.words[mutant.words.index("--format") + 1]
    problem = next(problems(code, out.getvalue(), err.getvalue(), form), "")
    return Outcome(_result(code, out.getvalue(), form), problem, out.getvalue() + err.getvalue() if problem else "")


def _result(code: int, out: str, form: str) -> str:
    if code in WITHOUT_REPORT or form != "json" or not out:
        return f"exit {code}"
    return max((str(kernel["verdict"]) for kernel in _kernels(out)), default=f"exit {code}")


def _kernels(out: str) -> list[dict[str, object]]:
    return [kernel for file in json.loads(out)["files"] for kernel in file["kernels"]]


def problems(code: int, out: str, err: str, form: str) -> Iterator[str]:
    """Yield what is wrong with the end of a command, as far as its output shows it."""
    if "Traceback" in out + err:
        yield "a traceback"
    errors = [line.removeprefix("error:").strip() for line in err.splitlines() if line.startswith("error:")]
    if code in WITHOUT_REPORT:
        yield from _problems_of_error(code, out, err, errors)
    elif code in WITH_REPORT:
        yield from _problems_of_report(code, out, form)
        if errors:
            yield f"exit {code} with an error"
    else:
        yield f"exit {code}"
    if form != "json" and any(not line.isprintable() for line in (out + err).splitlines()):
        yield "a line with characters that are not printable"


def _problems_of_error(code: int, out: str, err: str, errors: list[str]) -> Iterator[str]:
    if out:
        yield f"exit {code} with output"
    if len(errors) != 1:
        yield f"exit {code} with {len(errors)} sentences"
    if len(err.splitlines()) > 2:  # noqa: PLR2004  (the sentence and the advice)
        yield f"an error of {len(err.splitlines())} lines"
    yield from _problems_of_sentences(errors)


def _problems_of_report(code: int, out: str, form: str) -> Iterator[str]:
    if not out:
        if form != "github":  # which prints findings only
            yield f"exit {code} without output"
    elif form == "sarif":
        json.loads(out)
    elif form == "json":
        kernels = _kernels(out)
        if not kernels:
            yield f"exit {code} without a verdict"
        yield from (f"the verdict {item['verdict']}" for item in kernels if item["verdict"] not in VERDICTS)
        yield from _problems_of_sentences([str(item["sentence"]) for item in kernels])


def _problems_of_sentences(sentences: list[str]) -> Iterator[str]:
    for sentence in sentences:
        if not sentence:
            yield "an empty sentence"
        if len(sentence) > LONGEST:
            yield "a sentence that is too long"
        if not sentence.isprintable():
            yield "a sentence with characters that are not printable"
