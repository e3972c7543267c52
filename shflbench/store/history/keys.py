"""The meaning of every key of a run's file in a history, for its reference page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_KEYS: Mapping[str, str] = {
    "schema": "version of the format; a reader refuses newer ones",
    "suite": "name of the suite, and of the folder of the file",
    "suite_sha256": "SHA-256 of the suite's text",
    "started": "when the run started, UTC",
    "commit": "revision of the code that was measured: that of the repository with the suite, or `--revision`",
    "is_dirty": "whether files of that repository differed from the commit",
    "machine.gpu": "UUID of the GPU; runs of one suite on one GPU are a series",
    "machine.gpu_name": "its name",
    "machine.arch": "architecture that the kernels were compiled for",
    "machine.gpu_settings": "settings of the GPU that may change: clocks set for programs, power limit, ECC, MIG",
    "machine.host": "name of the machine",
    "machine.driver": "version of the driver",
    "machine.compiler": "version of NVRTC, with the hash of its build and of the CUDA headers where a run records it",
    "machine.options": "options of the compiler, without folders",
    "machine.cccl": "version of the headers of CUB and libcu++",
    "machine.method": "how it was timed: version of shflbench, settings that affect a time, version of the sentinels;"
    " of a converted run, the tool",
    "machine.noise": "verdict on the noise during the run",
    "machine.sentinels": "pairs of the name of a sentinel and its time in µs, as those of cases",
    "machine.sentinel_version": "version of the sentinels, the frozen kernels that ran between the cases",
    "times.time_us": "mean of the fastest half of the samples of a process, averaged over the processes, µs; null where"
    " the case was not timed",
    "times.error": "standard error of that as a fraction: by the differences between the processes or, if that is"
    " larger or there is one process, by its rounds; null if unknown",
    "kernels.code": "hash of the machine code of a kernel and of those that its cases launch after it",
    "kernels.source": "hash of its unit and of the names of its kernels",
    "kernels.recompiled": "hash of the machine code that the compiler of this run makes of the source of the run"
    " before; known only where source, compiler and machine code of a case changed, and `add` had the compiler",
    "kernels.recompiled_of": "`source` of the kernel that `recompiled` was made of; runs that are added later may come"
    " between",
    "kernels.unit": "hash of its translation unit, headers and options: name of a file in `sources/`",
    "kernels.expressions": "its name in C++, and those of the kernels launched after it",
    "kernels.registers": "registers per thread",
    "kernels.shared_bytes": "shared memory per block, static and dynamic, bytes",
    "kernels.local_bytes": "local memory per thread, bytes",
    "kernels.spill_bytes": "spill stores and loads per thread, bytes",
    "kernels.launch": "grid and block as launched, `1056x256`; of several launches, all",
    "cases.case": "id of the case",
    "cases.status": "status, as in `results.csv`",
    "cases.processes": "number of processes that timed it",
    "cases.kernel": "index of its kernel in the columns of `kernels`",
}
