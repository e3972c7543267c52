"""The functions of expressions: what each takes and returns; for the parser, the evaluation and the docs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class ValueKind(StrEnum):
    """The kind of a value."""

    NUMBER = "number"
    TEXT = "text"
    TRUTH = "truth value"


class Further(StrEnum):
    """What an argument after the variants names."""

    OPCODE = "OPCODE"  # without modifiers: `SHFL` for `SHFL.IDX`
    PROPERTY = "PROPERTY"  # of the device, one of DEVICE_PROPERTIES


@dataclass(frozen=True, slots=True)
class ClaimFunction:
    """A quantity of one variant or several, in one setting."""

    name: str
    variants: tuple[str, ...]  # what each stands for: `V` where there is one
    kind: ValueKind
    unit: str  # empty: a fraction or a text, or its further argument says it
    meaning: str
    further: Further | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of all arguments: `V`, `OPCODE`."""
        return self.variants if self.further is None else (*self.variants, self.further.value)

    @property
    def signature(self) -> str:
        """The function as a user writes it: `sass(V, OPCODE)`."""
        return f"{self.name}({', '.join(self.arguments)})"

    @property
    def takes_settings(self) -> bool:
        """Whether `name=value` may select another setting."""
        return bool(self.variants)


DEVICE_PROPERTIES: Mapping[str, str] = {
    "sms": "number of SMs",
    "threads_per_sm": "threads that are resident on an SM at once",
    "max_shared_bytes": "shared memory per block, with opt-in",
    "memory_bytes": "size of the device memory",
    "clock_mhz": "the highest SM clock that the driver offers",
    "l2_bytes": "size of the L2 cache",
}

_ONE = ("V",)

FUNCTIONS: Mapping[str, ClaimFunction] = {
    function.name: function
    for function in (
        ClaimFunction("time", _ONE, ValueKind.NUMBER, "µs", "median time of one launch"),
        ClaimFunction("p90", _ONE, ValueKind.NUMBER, "µs", "90th percentile of the samples of one launch"),
        ClaimFunction(
            "ns_per_iteration", _ONE, ValueKind.NUMBER, "ns", "time per iteration, without the launch overhead"
        ),
        ClaimFunction("cycles_per_iteration", _ONE, ValueKind.NUMBER, "cycles", "SM clock cycles per iteration"),
        ClaimFunction("speedup", ("A", "B"), ValueKind.NUMBER, "×", "how much faster A is than B: `time(B) / time(A)`"),
        ClaimFunction("gb_per_s", _ONE, ValueKind.NUMBER, "GB/s", "useful bytes read and written per second"),
        ClaimFunction("registers", _ONE, ValueKind.NUMBER, "registers", "registers per thread"),
        ClaimFunction("shared_bytes", _ONE, ValueKind.NUMBER, "B", "shared memory per block"),
        ClaimFunction("local_bytes", _ONE, ValueKind.NUMBER, "B", "local memory per thread"),
        ClaimFunction(
            "spill_bytes", _ONE, ValueKind.NUMBER, "B", "bytes of spilled registers per thread, stores plus loads"
        ),
        ClaimFunction("occupancy", _ONE, ValueKind.NUMBER, "", "resident warps per SM, as a fraction of the maximum"),
        ClaimFunction(
            "limit_fraction", _ONE, ValueKind.NUMBER, "", "the hardware limit as a fraction of the time; 1 is the limit"
        ),
        ClaimFunction(
            *("load_efficiency", _ONE, ValueKind.NUMBER, ""),
            "the share of the requested sectors of global memory that the data of loads fills",
        ),
        ClaimFunction("limit_by", _ONE, ValueKind.TEXT, "", "the resource that sets the limit"),
        ClaimFunction(
            *("sass", _ONE, ValueKind.NUMBER, ""),
            "instructions with this opcode per iteration, in the machine code",
            Further.OPCODE,
        ),
        ClaimFunction("hazards", _ONE, ValueKind.NUMBER, "hazards", "findings of `shflbench check --format json`"),
        ClaimFunction("verified", _ONE, ValueKind.TRUTH, "", "whether every result matched the reference"),
        ClaimFunction(
            "device", (), ValueKind.NUMBER, "", "a property of the GPU, one of those below", Further.PROPERTY
        ),
    )
}
