"""Count what the warps of the sum of a block wait for, by Nsight Compute.

    python -m benchmarks.stalls --record benchmarks/stalls.md    count on GPU 0, and write the page

`shflbench run` measures each variant under Nsight Compute, which observes the first launches of its kernel, those of
the verification too; the longest of them counts. A share is the part of the cycles of all resident warps in which a
warp waits for one reason. Needs the permission to read performance counters.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))  # so that it also runs as a file

from benchmarks.wavefronts_gpu import output_of, problem, program, version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIANTS = (
    ("f32", "smem"),
    ("f32", "smem-syncwarp"),
    ("f32", "smem-warps"),
    ("f32", "smem-warps-shfl"),
    ("f32", "raking"),
    ("f32", "raking-columns"),
    ("f32", "shfl"),
    ("f32", "shfl-first-warp"),
    ("f32", "cub-raking"),
    ("i32", "redux"),
)
SUITE = """\
schema: 1
name: stalls
experiments:
  - {{pattern: block-reduce, dtypes: {dtype}, variants: [{variant}], launch: fill x 256, iterations: 512, result: all}}
"""
PREFIX, SUFFIX = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
DURATION = "gpu__time_duration.sum"
METRICS = f"{DURATION},regex:{PREFIX}.*{SUFFIX.replace('.', chr(92) + '.')}"
LAUNCHES = 40  # observed; the verification has fewer
SHOWN = 4  # reasons per variant
LEAST = 0.03  # share of a reason that is shown
PAGE = """\
# What warps wait for in the sum of a block

Written by `python -m benchmarks.stalls --record`; do not edit.

- {device}, driver {driver}, Nsight Compute {ncu}, with `--clock-control none`.
- `block-reduce`, `fill x 256`, 512 iterations, `result=all`: one launch of each variant.
- A share is that of the cycles of resident warps, from `{prefix}*{suffix}`; reasons below {least:.0%} are left out.
  `selected` means that the warp issued an instruction, `not_selected` that another one did.

| variant | what its warps wait for |
| --- | --- |
{lines}
"""


def shares(output: str) -> dict[str, float]:
    """Return, by reason, the share of warp cycles in the longest launch of a table that Nsight Compute printed."""
    start = output.find('"ID"')
    launches: dict[str, dict[str, float]] = defaultdict(dict)
    for row in csv.DictReader(io.StringIO(output[start:] if start >= 0 else "")):
        value = (row.get("Metric Value") or "").replace(",", "")
        if value.replace(".", "", 1).isdigit():
            launches[row["ID"]][row["Metric Name"]] = float(value)
    longest = max(launches.values(), key=lambda metrics: metrics.get(DURATION, 0.0), default={})
    cycles = {
        name.removeprefix(PREFIX).removesuffix(SUFFIX): value
        for name, value in longest.items()
        if name.startswith(PREFIX)
    }
    total = sum(cycles.values())
    ranked = sorted(cycles.items(), key=lambda item: -item[1])
    return {reason: value / total for reason, value in ranked if total}


def line(name: str, found: Mapping[str, float]) -> str:
    """Return the row of a variant."""
    shown = [f"`{reason}` {share:.0%}" for reason, share in list(found.items())[:SHOWN] if share >= LEAST]
    return f"| `{name}` | {', '.join(shown)} |"


def observe(dtype: str, variant: str) -> str:
    """Return what Nsight Compute prints about the launches of one variant on GPU 0."""
    options = ["--csv", "--print-units", "base", "--clock-control", "none", "--target-processes", "all"]
    chosen = ["--kernel-name", "regex:block_reduce", "--launch-count", str(LAUNCHES), "--metrics", METRICS]
    with TemporaryDirectory() as folder:
        suite = Path(folder) / "stalls.yaml"
        suite.write_text(SUITE.format(dtype=dtype, variant=variant), encoding="utf-8")
        run = [sys.executable, "-m", "shflbench", "run", str(suite), "--processes", "1", "--max-seconds", "0.05"]
        return output_of(program(), *options, *chosen, *run, "--device", "cuda", "--output", f"{folder}/run")


def page(found: Mapping[tuple[str, str], Mapping[str, float]], device: str, driver: str, ncu: str) -> str:
    """Return the page."""
    lines = "\n".join(line(f"{variant} {dtype}", reasons) for (dtype, variant), reasons in found.items())
    return PAGE.format(device=device, driver=driver, ncu=ncu, lines=lines, prefix=PREFIX, suffix=SUFFIX, least=LEAST)


def main(words: Sequence[str] | None = None) -> int:
    """Run as a program; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, metavar="PAGE")
    given = parser.parse_args(words)
    found: dict[tuple[str, str], dict[str, float]] = {}
    for dtype, variant in VARIANTS:
        output = observe(dtype, variant)
        found[dtype, variant] = shares(output)
        if not found[dtype, variant]:
            print(f"{variant} {dtype}: Nsight Compute counted nothing: {problem(output)}", file=sys.stderr)
            return 1
        print(line(f"{variant} {dtype}", found[dtype, variant]))
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0"]
    device, driver = [*output_of(*query).strip().split(", "), "unknown"][:2]
    if given.record:
        given.record.write_text(page(found, device, driver, version()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
