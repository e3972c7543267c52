"""The answer to a call: the JSON of the command and a short text, or the sentence of an error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from shflbench.core.command_process import CommandEnd

MOST_LINES = 20  # of the short text
ERROR, WARNING = "error: ", "warning: "  # as the console prints them


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a call."""

    text: str  # verdicts in a few lines, or the error
    document: dict[str, Any] | None  # the JSON of the command; None: it failed

    @property
    def json(self) -> str:
        """The JSON as a text."""
        return json.dumps(self.document, ensure_ascii=False)


def answer_of(name: str, end: CommandEnd, scratch: Path) -> ToolAnswer:
    """Return the answer of a command, without the private folder in paths.

    A command that printed its JSON has succeeded: its exit code stands for a verdict. A list of runs is an
    object with the key `runs`, because the protocol wants an object.
    """
    folder = f"{scratch}/"
    try:
        document = json.loads(end.out)
    except ValueError:
        return ToolAnswer(_failure(name, end).replace(folder, ""), None)
    document = _strip({"runs": document} if isinstance(document, list) else document, folder)
    lines = [*(line for line in end.lines if line.startswith(WARNING)), *TEXTS[name](document)]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"and {len(lines) - MOST_LINES} more lines in the JSON"]
    return ToolAnswer("\n".join([*lines, f"exit code {end.code}"]).replace(folder, ""), document)


def _strip(value: Any, folder: str) -> Any:  # noqa: ANN401  (any JSON)
    if isinstance(value, dict):
        return {key: _strip(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_strip(item, folder) for item in value]
    return value.replace(folder, "") if isinstance(value, str) else value


def _failure(name: str, end: CommandEnd) -> str:
    """Return the error that a command printed, with its advice."""
    starts = [number for number, line in enumerate(end.lines) if line.startswith(ERROR)]
    text = "\n".join(end.lines[starts[-1] :]).removeprefix(ERROR) if starts else "\n".join(end.lines[-3:])
    return text or f"{name} ended with exit code {end.code} and printed nothing"


def _of_check(document: Mapping[str, Any]) -> Iterator[str]:
    for file in document.get("files", ()):
        for kernel in file["kernels"]:
            yield f"{file['file']}: {kernel['name']}: {kernel['verdict']}: {kernel['sentence']}"
            for finding in kernel["findings"]:
                yield f"  {finding['level']}: {finding['sentence']}"


def _of_bench(document: Mapping[str, Any]) -> Iterator[str]:
    for group in document["groups"]:  # of kernels that are left out, there are warnings
        fastest = f"fastest: {group['fastest']} ({group['certainty']})" if group["fastest"] else "not timed"
        yield f"{group['pattern']}, {group['launch']}: {fastest}"
        for kernel in group["kernels"]:
            time = "" if kernel["time_us"] is None else f", {kernel['time_us']:.2f} µs"
            yield f"  {kernel['variant']}: {kernel['status']}{time}"
    if document["folder"]:
        yield f"run: {document['folder']}"


def _of_judge(document: Mapping[str, Any]) -> Iterator[str]:
    for candidate in document["candidates"]:
        yield f"{candidate['candidate']}: {candidate['sentence']}"
    yield from document["notes"]


def _of_advise(document: Mapping[str, Any]) -> Iterator[str]:
    for kernel in document.get("kernels", ()):
        yield f"{kernel['kernel']}: {kernel['verdict']}: {kernel['missing'] or 'see exchanges and barriers'}"
        for exchange in kernel["exchanges"]:
            yield f"  {exchange['store']} to {exchange['load']}: {exchange['instead'] or exchange['reason']}"
        for barrier in kernel["barriers"]:
            yield f"  barrier {barrier['line']}: {barrier['need']}"
    for advice in document.get("advice", ()):
        answer = advice["measured"] or advice["predicted"]
        certainty = answer.get("certainty", "predicted")
        yield f"{advice['gpu'] or advice['arch']}: {answer['variant']} ({certainty})"


def _of_inspect(document: Mapping[str, Any]) -> Iterator[str]:
    for kernel in document["kernels"]:
        cycles = kernel["limit_cycles_per_iteration"]
        limit = kernel["error"] or (f"{cycles:g} cycles per iteration" if cycles else kernel["remark"] or "no limit")
        yield f"{kernel['pattern']}/{kernel['variant']}/{kernel['dtype']} for {kernel['arch']}: {limit}"


def _of_limits(document: Mapping[str, Any]) -> Iterator[str]:
    for run in document["runs"]:
        yield f"{run['folder']}: {run['suite']}, {len(run['cases'])} cases"
        for case in run["cases"]:
            share = case["limit_fraction"]
            reached = f"{share:.0%} of the limit by {case['limit_by']}" if share else case["limit_reason"] or "no limit"
            yield f"  {case['case_id']}: {reached}"


TEXTS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "check": _of_check,
    "bench": _of_bench,
    "judge": _of_judge,
    "advise": _of_advise,
    "inspect": _of_inspect,
    "limits": _of_limits,
}
