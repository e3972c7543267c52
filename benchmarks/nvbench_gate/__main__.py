"""Record NVBench itself: processes of unchanged kernels, and of the same kernels truly slower, in alternation.

    python -m benchmarks.nvbench_gate FOLDER                      record into the new FOLDER
    python -m benchmarks.nvbench_gate FOLDER --pack FILE.npz      and pack all of it into one small file
    python -m benchmarks.nvbench_gate --unpack FILE.npz FOLDER    write the folders that NVBench wrote

FOLDER gets `unchanged` and `slower`, each with a JSON file per process and NVBench's binary samples; `facts.json`; and
`logs`. The slower copies are the same machine code with more iterations. The last lines are their true
slowdowns, from all samples of all processes. Takes about 4 minutes on an H200. Needs the extra `nvbench` and a GPU;
`--unpack` does not. Exits with 2 on an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a file

from benchmarks.nvbench_agreement import installed
from benchmarks.nvbench_agreement_runs import say, watch
from benchmarks.nvbench_agreement_table import ResultError
from benchmarks.nvbench_gate.cases import SIDES
from benchmarks.nvbench_gate.recording import FACTS, NVBenchRecording
from benchmarks.nvbench_gate.timer import SETTINGS
from benchmarks.nvbench_gate.truth import slowdowns, table
from shflbench.backends.gpus import find as find_gpus
from shflbench.compile.toolchain import find as find_toolchain
from shflbench.errors import ShflbenchError
from shflbench.store.surroundings import utc_now, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

PROCESSES = 6  # per side
LOGS = "logs"


def record(folder: Path, processes: int, gpu: int) -> None:
    """Run the processes of both sides in alternation; ResultError if one fails."""
    for name in (*SIDES, LOGS):
        (folder / name).mkdir(parents=True)
    (folder / FACTS).write_text(json.dumps(facts(gpu), indent=1) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as cache:  # of compiled kernels, which all processes share
        for number in range(1, processes + 1):
            for side in SIDES:
                output = folder / side / f"process-{number}.json"
                words = ("-m", "benchmarks.nvbench_gate.timer", side, str(output), str(gpu))
                watched = watch(words, folder / LOGS / f"{side}-{number}.log", Path(cache))
                say(f"{side}, process {number} of {processes}: {watched.seconds:.1f} s")


def facts(gpu: int) -> dict[str, Any]:
    """Describe the GPU, the software and the time; DeviceError or CompilerError if a part is missing."""
    device = find_gpus()[gpu]
    return {
        "gpu": device.name,
        "uuid": device.uuid,
        "started": utc_now(),
        "cuda_bench": metadata.version("cuda-bench"),
        "settings": list(SETTINGS),  # other than NVBench's defaults
        "versions": asdict(versions(nvrtc=find_toolchain().version, driver=device.driver)),
    }


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    files = parser.add_mutually_exclusive_group()
    files.add_argument("--pack", type=Path, metavar="FILE.npz", help="pack the recording into this file")
    files.add_argument("--unpack", type=Path, metavar="FILE.npz", help="write the files of this recording")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="processes per side")
    parser.add_argument("--gpu", type=int, default=0, help="index of the GPU, in the order of the PCI bus")
    wanted = parser.parse_args(words)
    if wanted.processes < 1:
        parser.error("--processes must be 1 or more")
    return wanted


def main(words: Sequence[str] | None = None) -> int:
    """Record, pack or unpack; return the exit code."""
    wanted = arguments(words)
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the order of NVML, which describes the GPU
    try:
        if wanted.unpack:
            NVBenchRecording.load(wanted.unpack).write(wanted.folder)
            return 0
        if not wanted.folder.exists():
            if not installed():
                say("The package cuda-bench is not installed. In a checkout: pip install '.[nvbench]'.")
                return 2
            record(wanted.folder.resolve(), wanted.processes, wanted.gpu)
        recording = NVBenchRecording.read(wanted.folder)
        if wanted.pack:
            content = recording.encode()
            wanted.pack.write_bytes(content)
            say(f"{wanted.pack}: {len(content) / 1e6:.2f} MB")
        print(table(slowdowns(recording)))
    except (ResultError, ShflbenchError, OSError) as error:
        say(str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
