"""Ask compute-sanitizer about every built-in kernel: `python benchmarks/sanitizer.py FILE`, on a machine with a GPU.

Each element type and each value of each option once, at the launch of `shflbench check`. What racecheck, synccheck and
memcheck say goes to FILE. Exits with 1 unless they warn of every unsafe kernel, and of no other.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))  # what finds the kernels lies among the tests

from shflbench.backends.cuda import CudaBackend
from shflbench.check import compile_all
from shflbench.check.sanitizer import jobs, merge, run_tools
from shflbench.check.sanitizer_result import Tool
from shflbench.cli.environment import compute_sanitizer
from shflbench.compile.build import Builder
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.check.sanitizer_result import SanitizerResult

Record = dict[str, Any]  # what becomes JSON


def ask() -> Record:
    """Return what the tools say of each kernel that this GPU has."""
    program = compute_sanitizer()
    if program is None:
        sys.exit("compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin")
    device = CudaBackend.open_device(0, kernels.tools()).device
    subjects = [kernels.subjects()[name] for name in kernels.run_by_tests()]
    with TemporaryDirectory() as cache:
        built = dict(compile_all(subjects, Builder(kernels.tools(), device.arch, Path(cache))))
    found = merge(list(run_tools(program, jobs(subjects, built, seed=0))))
    said = {subject.name: _record(subject.name, found) for subject in built}
    about = {"device": device.name, "arch": device.arch, "driver": device.driver, "nvrtc": kernels.tools().version}
    return {**about, "kernels": said}


def _record(name: str, found: Mapping[str, SanitizerResult]) -> Record:
    result = found.get(name)
    if result is None:
        return {"failures": ["it could not be run"]}
    counts = {str(tool): [count.errors, count.warnings] for tool, count in result.counts.items()}
    return {**counts, **({"failures": list(result.failures)} if result.failures else {})}


def surprises(record: Mapping[str, Record]) -> list[str]:
    """Return the kernels of which the tools do not say what their declaration says: a race where it is unsafe only."""
    clean = {str(tool): [0, 0] for tool in Tool}
    return [
        f"{name}: {said}"
        for name, said in record.items()
        if kernels.variant_of(name).safe != (said == clean)
        or (not kernels.variant_of(name).safe and {**said, "racecheck": [0, 0]} != clean)
    ]


def main() -> None:
    """Write what the tools say, and tell what is unexpected."""
    record = ask()
    Path(sys.argv[1]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unexpected = surprises(record["kernels"])
    print(f"{len(record['kernels'])} kernels on {record['device']}, {len(unexpected)} not as declared")
    print(*unexpected, sep="\n")
    sys.exit(1 if unexpected else 0)


if __name__ == "__main__":
    main()
