"""The suite of candidates at each launch: those of a rung, or the winners."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.advice.tuner.record import TuneRecord
    from shflbench.advice.tuner.rules import Rung


def suite_text(record: TuneRecord, name: str, rung: Rung, variants: Mapping[str, Sequence[str]]) -> str:
    """Return the YAML text of a suite that measures as a rung does; `variants` by launch."""
    request = record.request
    iterations = {setting.launch: setting.iterations for setting in record.settings}
    rules = {
        "precision": f"{rung.precision:.2%}",
        "max_seconds": rung.max_seconds,
        "min_seconds": rung.max_seconds,
        "processes": rung.processes,
    }
    lines = [
        "schema: 1",
        f"name: tune-{request.pattern}-{name}",
        f"title: Tuning of {request.pattern}, {name}",
        f"measure: {{{', '.join(f'{key}: {value}' for key, value in rules.items())}}}",
        "experiments:",
    ]
    for launch, names in variants.items():
        lines += [
            f"  - pattern: {request.pattern}",
            f"    dtypes: {request.dtype}",
            *(f"    {name}: {value}" for name, value in request.options.items()),
            f"    launch: {launch}",
            f"    iterations: {iterations[launch]}",
            f"    variants: [{', '.join(names)}]",
        ]
    return "".join(f"{line}\n" for line in lines)
