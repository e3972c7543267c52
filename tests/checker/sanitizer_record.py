"""Run compute-sanitizer on every built-in kernel, on a machine with a GPU.

    python -m tests.checker.sanitizer_record FILE         run all
    python -m tests.checker.sanitizer_record FILE --add   run those that FILE lacks, and keep the others
    python -m tests.checker.sanitizer_record FILE --beside OTHER   run those that OTHER, of another GPU, lacks

Each element type and each value of each option runs once, at the launch of `shflbench check`. The results of racecheck,
synccheck and memcheck are written to FILE. Exits with 1 unless they report all unsafe kernels, and no others.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shflbench.core.environment import compute_sanitizer
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.compile.build import Builder
from shflbench.kernel_facts.pattern_checks.kernels import compile_all
from shflbench.kernel_facts.pattern_checks.sanitizer import jobs, merge, run_tools
from shflbench.kernel_facts.pattern_checks.sanitizer_result import Tool
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.kernel_facts.pattern_checks.sanitizer_result import SanitizerResult

Record = dict[str, Any]  # the JSON file
# Racecheck follows neither named barriers that some threads only arrive at, nor barriers and flags in shared memory.
NOT_FOLLOWED = (
    *(f"handoff/{variant}/" for variant in ("named", "mbarrier", "mbarrier-threads", "mbarrier-once", "flag")),
    *(f"cluster-exchange/{variant}/" for variant in ("mbarrier", "numbered", "red-async")),
    *(f"cluster-copy/{variant}/" for variant in ("push-mbarrier", "numbered", "red-async", "red-async-tests")),
)
WRONG_SCOPES = ("cluster-copy/store-async-cta/",)  # unsafe by scopes alone, which racecheck does not look at
# Synccheck wants all warps to wait at one instruction for the barrier of a block, which PTX does not demand.
ONE_INSTRUCTION = tuple(f"handoff/syncthreads-{variant}/" for variant in ("ahead", "two-ahead", "pairs", "pairs-ahead"))


def run(earlier: Record | None, besides: Record | None) -> Record:
    """Return the results of the tools for each kernel that this GPU supports and that `besides` and `earlier` lack.

    Those of `earlier`, which is of this GPU, remain.
    """
    program = compute_sanitizer()
    if program is None:
        sys.exit("compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin")
    device = CudaBackend.open_device(0, kernels.tools()).device
    about = {"device": device.name, "arch": device.arch, "driver": device.driver, "nvrtc": kernels.tools().version}
    if earlier and any(earlier[name] != value for name, value in about.items()):
        sys.exit(f"the file is of another GPU, driver or compiler than {about}")
    known: Record = earlier["kernels"] if earlier else {}
    others: Record = besides["kernels"] if besides else {}
    subjects = [kernels.subjects()[name] for name in kernels.run_by_tests() if name not in known and name not in others]
    with TemporaryDirectory() as cache:
        built = dict(compile_all(subjects, Builder(kernels.tools(), device.arch, Path(cache))))
    results = merge(list(run_tools(program, jobs(subjects, built, seed=0))))
    added = {subject.name: _record(subject.name, results) for subject in built}
    both = known | added
    return {**about, "kernels": {name: both[name] for name in kernels.run_by_tests() if name in both}}


def _record(name: str, results: Mapping[str, SanitizerResult]) -> Record:
    result = results.get(name)
    if result is None:
        return {"failures": ["it could not be run"]}
    counts = {str(tool): [count.errors, count.warnings] for tool, count in result.counts.items()}
    return {**counts, **({"failures": list(result.failures)} if result.failures else {})}


def surprises(record: Mapping[str, Record]) -> list[str]:
    """Return the kernels whose results contradict their declaration: only unsafe kernels race."""
    clean = {str(tool): [0, 0] for tool in Tool}
    followed = {name: _followed(name, result) for name, result in record.items()}
    return [
        f"{name}: {record[name]}"
        for name, result in followed.items()
        if (kernels.variant_of(name).safe or name.startswith(WRONG_SCOPES)) != (result == clean)
        or (not kernels.variant_of(name).safe and {**result, "racecheck": [0, 0]} != clean)
    ]


def _followed(name: str, result: Record) -> Record:
    """Return the result of a kernel without what a tool cannot judge in it."""
    if name.startswith(NOT_FOLLOWED):
        return {**result, "racecheck": [0, 0]}
    if name.startswith(ONE_INSTRUCTION):
        others = {tool: count for tool, count in result.items() if tool != "failures"}
        return {**others, "synccheck": [0, 0]}
    return result


def _read(file: Path) -> Record:
    record: Record = json.loads(file.read_text(encoding="utf-8"))
    return record


def main() -> None:
    """Write the results of the tools, and print the unexpected ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--add", action="store_true", help="keep the kernels that the file has")
    parser.add_argument("--beside", type=Path, help="leave out the kernels that this file has")
    options = parser.parse_args()
    record = run(_read(options.file) if options.add else None, _read(options.beside) if options.beside else None)
    options.file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    unexpected = surprises(record["kernels"])
    title = f"{len(record['kernels'])} kernels on {record['device']}, {len(unexpected)} not as declared"
    sys.stdout.write("\n".join([title, *unexpected]) + "\n")
    sys.exit(1 if unexpected else 0)


if __name__ == "__main__":
    main()
