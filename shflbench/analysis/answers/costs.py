"""The cost of one exchange between the lanes of a warp, by mechanism, dtype, width and resident warps.

For compilers and libraries that choose an exchange by rates. Only rows whose loop does little but exchange are taken.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (the JSON Schema takes the types from the annotations)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from shflbench.core.model import DTYPES, WARP, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.model import Dtype
    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit


class Exchange(NamedTuple):
    """What an iteration of a kernel exchanges."""

    operation: str
    opcode: str  # whose count gives the exchanges per iteration
    per_word: bool = False  # whether an element of several 32-bit words takes several of these instructions

    def per_iteration(self, instructions: Mapping[str, float] | None, dtype: Dtype) -> float:
        """Return the exchanges per iteration; 0 where the instructions of an iteration do not show them."""
        counted = (instructions or {}).get(self.opcode, 0.0)
        return counted / dtype.words if self.per_word else counted


_BARRIERS = "shared-memory round trip with block barriers"
_SYNCWARP = "shared-memory round trip with __syncwarp"
EXCHANGES = {  # pattern and variant → what an iteration exchanges
    ("neighbor", "shfl"): Exchange("shuffle", "SHFL", per_word=True),
    ("neighbor", "smem"): Exchange(_BARRIERS, "LDS"),
    ("neighbor", "smem-syncwarp"): Exchange(_SYNCWARP, "LDS"),
    ("reduce", "shfl"): Exchange("shuffle and add", "SHFL", per_word=True),
    ("reduce", "smem"): Exchange(f"{_BARRIERS}, and add", "LDS"),
    ("reduce", "smem-syncwarp"): Exchange(f"{_SYNCWARP}, and add", "LDS"),
    ("reduce", "redux"): Exchange("redux", "REDUX"),
    ("reduce-ops", "redux"): Exchange("redux", "REDUX"),
    ("vote", "vote"): Exchange("vote", "VOTE"),
    ("memory-ladder", "shfl"): Exchange("chained shuffle", "SHFL", per_word=True),
    ("memory-ladder", "smem"): Exchange("chained shared-memory load", "LDS"),
}


def meaning(text: str) -> Any:  # noqa: ANN401  (as in dataclasses)
    """Declare a field with its meaning and unit."""
    return field(metadata={"meaning": text})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeCost:
    """The cost of one exchange in one measured case."""

    gpu: str | None = meaning("product name of the GPU; null where nothing was measured")
    arch: str = meaning("architecture that the kernel was compiled for")
    operation: str = meaning("what one exchange is")
    mechanism: str = meaning("hardware that moves the values: smem, shfl or collective")
    dtype: str = meaning("element type")
    bits: int = meaning("bits per lane and exchange: the size of an element")
    warps_per_sm: int = meaning("warps resident on an SM at a time; each of them makes all exchanges")
    block: int = meaning("threads per block")
    exchanges_per_iteration: float = meaning("exchanges of each warp in one iteration of the loop")
    ns_per_exchange: float | None = meaning(
        "measured: nanoseconds in which each resident warp makes one exchange; the slope of time over iterations, "
        "divided by the exchanges per iteration"
    )
    ns_per_exchange_low: float | None = meaning("measured: lower end of its 95% interval, ns")
    ns_per_exchange_high: float | None = meaning("measured: upper end of its 95% interval, ns")
    cycles_per_iteration: float | None = meaning(
        "measured: SM clock cycles per iteration; null if the clock is unknown"
    )
    cycles_per_exchange: float | None = meaning(
        "measured: SM clock cycles in which each resident warp makes one exchange"
    )
    cycles_per_warp_exchange: float | None = meaning(
        "measured: cycles_per_exchange divided by warps_per_sm, the cycles of an SM that one warp's exchange takes; a "
        "throughput if many warps are resident, a latency if one is"
    )
    sm_clock_mhz: float | None = meaning("measured: SM clock, MHz")
    limit_cycles_per_exchange: float | None = meaning(
        "predicted: the least cycles that the hardware allows for one exchange of each resident warp"
    )
    predicted_cycles_per_exchange: float | None = meaning(
        "predicted: the same by a simulation of one SM; null where there is none, and for measured cases"
    )
    pattern: str = meaning("pattern of the case")
    variant: str = meaning("variant of the case")
    options: Mapping[str, str] = meaning("options of the case, by name")
    case_id: str | None = meaning("case in results.csv; null where nothing was measured")
    run: str | None = meaning("folder of the run; null where nothing was measured")


def predicted_cost(  # noqa: PLR0913  (each is a field)
    *,
    arch: str,
    exchange: Exchange,
    mechanism: str,
    dtype: Dtype,
    exchanges: float,
    blocks: int,
    block: int,
    limit_cycles: float | None,
    predicted_cycles: float | None,
    pattern: str,
    variant: str,
    options: Mapping[str, str],
) -> ExchangeCost:
    """Return the cost of an exchange that nobody measured, with `blocks` resident per SM; cycles are per iteration."""
    return ExchangeCost(
        gpu=None,
        arch=arch,
        operation=exchange.operation,
        mechanism=mechanism,
        dtype=dtype.name,
        bits=8 * dtype.size,
        warps_per_sm=blocks * -(-block // WARP),
        block=block,
        exchanges_per_iteration=exchanges,
        ns_per_exchange=None,
        ns_per_exchange_low=None,
        ns_per_exchange_high=None,
        cycles_per_iteration=None,
        cycles_per_exchange=None,
        cycles_per_warp_exchange=None,
        sm_clock_mhz=None,
        limit_cycles_per_exchange=limit_cycles / exchanges if limit_cycles else None,
        predicted_cycles_per_exchange=predicted_cycles / exchanges if predicted_cycles else None,
        pattern=pattern,
        variant=variant,
        options=options,
        case_id=None,
        run=None,
    )


def costs_of(run: Run, limits: Mapping[str, CaseLimit]) -> Iterator[ExchangeCost]:
    """Yield the cost of an exchange in each case of a run that shows one, in file order."""
    for row in run.rows:
        exchange = EXCHANGES.get((row.pattern, row.variant))
        if exchange and row.status is Status.TIMED and (cost := _cost(run, row, exchange, limits.get(row.case_id))):
            yield cost


def _cost(run: Run, row: Row, exchange: Exchange, limit: CaseLimit | None) -> ExchangeCost | None:
    dtype, warps = DTYPES.get(row.dtype), _warps_per_sm(run, row)
    exchanges = exchange.per_iteration(row.sass_per_iteration, dtype) if dtype else 0.0
    if dtype is None or not warps or not exchanges or not row.ns_per_iteration:
        return None
    interval = row.slope_interval
    cycles = row.cycles_per_iteration / exchanges if row.cycles_per_iteration else None
    limit_cycles = limit.limit_cycles if limit else None
    return ExchangeCost(
        gpu=run.info.device.name if run.info.device else "",
        arch=row.arch,
        operation=exchange.operation,
        mechanism=row.mechanism,
        dtype=row.dtype,
        bits=8 * dtype.size,
        warps_per_sm=warps,
        block=row.block,
        exchanges_per_iteration=exchanges,
        ns_per_exchange=row.ns_per_iteration / exchanges,
        ns_per_exchange_low=interval.low / exchanges if interval else None,
        ns_per_exchange_high=interval.high / exchanges if interval else None,
        cycles_per_iteration=row.cycles_per_iteration,
        cycles_per_exchange=cycles,
        cycles_per_warp_exchange=cycles / warps if cycles else None,
        sm_clock_mhz=row.sm_clock_mhz,
        limit_cycles_per_exchange=limit_cycles / exchanges if limit_cycles else None,
        predicted_cycles_per_exchange=None,
        pattern=row.pattern,
        variant=row.variant,
        options=dict(row.options),
        case_id=row.case_id,
        run=str(run.folder),
    )


def _warps_per_sm(run: Run, row: Row) -> int | None:
    """Return the warps that an SM with work executes at a time; None where it is not known.

    None, too, where the launch needs several waves of blocks: then an iteration is made more than once.
    """
    device = run.info.device
    if device is None or not device.threads_per_sm or not row.occupancy or not row.grid or device.sms < 1:
        return None
    grid, block = row.first_launch
    resident = round(row.occupancy * device.threads_per_sm / block)
    blocks = -(-(grid or 0) // device.sms)
    return blocks * -(-block // WARP) if blocks <= resident else None
