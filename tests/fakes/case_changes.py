"""A case on both sides of a comparison, with what the compiler made of its kernel.

change(1.06, loop(SHFL=16), loop(SHFL=16, LDS=16))     # 6% slower, and one LDS per iteration more
change(1.06, base_row={"registers": 40})               # machine code unknown
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from shflbench.analysis.compare.cause import CaseChange, CaseRecord
from shflbench.core.model import Resources
from shflbench.store.kernel_archive import CompilerCall, StoredKernel, StoredLoop
from tests.fakes.processes import verified
from tests.fakes.simulated import spread

Columns = Mapping[str, Any]
(CASE,) = spread(1)
ROW = replace(verified(CASE), sm_clock_mhz=1980.0)
COMPILER = CompilerCall("sm_90", "13.0", ("-std=c++17", "-lineinfo"))


def change(
    ratio: float,
    base: StoredKernel | None = None,
    new: StoredKernel | None = None,
    *,
    base_row: Columns | None = None,
    new_row: Columns | None = None,
    base_record: Columns | None = None,
    new_record: Columns | None = None,
) -> CaseChange:
    """Return the change of a case; `base_record` and `new_record` are further fields of each `CaseRecord`."""
    return CaseChange(_record(base, base_row, base_record), _record(new, new_row, new_record), ratio)


def _record(code: StoredKernel | None, columns: Columns | None, known: Columns | None) -> CaseRecord:
    compiler = {"compiler": COMPILER if code else None}
    return CaseRecord(row=replace(ROW, **columns or {}), kernel=code, **{**compiler, **(known or {})})


def loop(unroll: int = 16, **counts: int) -> StoredKernel:
    """Return a kernel whose timed loop has these instructions; others make other machine code."""
    return kernel(repr(counts), loop=StoredLoop(0, 16, unroll, counts))


def one_pass(**counts: int) -> StoredKernel:
    """Return a kernel without a loop, with these instructions."""
    return kernel(repr(counts), instructions=counts)


def kernel(code: str, **changes: Any) -> StoredKernel:
    """Return a kernel with the machine code `code`."""
    known: dict[str, Any] = {
        "name": "neighbor/shfl/f32",
        "cases": (CASE.id,),
        "unit": "neighbor/kernels.cu",
        "expression": "neighbor_shfl<float>",
        "symbol": "_Z4demo",
        "source": "sources/neighbor-0123456789ab.cu",
        "headers": {"shflbench.cuh": "headers/0123456789ab-shflbench.cuh"},
        "cubin": "cubins/neighbor-0123456789ab.cubin",
        "code_sha256": sha256(code.encode()).hexdigest(),
        "resources": Resources(16, 0, 0, 0),
        "instructions": None,
        "loop": None,
    }
    return StoredKernel(**{**known, **changes})
