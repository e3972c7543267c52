"""The functions of expressions: what each is of a case of a run."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.analysis.claims.evaluate import Unknown, exactly
from shflbench.core.claims.walk import calls
from shflbench.core.model import Interval, Status
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.store.run_files import CHECK_FILE
from shflbench.suite import find_shipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.claims.code import RunCode
    from shflbench.analysis.claims.evaluate import Value
    from shflbench.analysis.claims.times import RunTimes
    from shflbench.core.claims.claim import Claim
    from shflbench.core.claims.expression import Call
    from shflbench.core.model import Device
    from shflbench.store import Row, Run
    from shflbench.store.check_report import HazardReport
    from shflbench.store.limits_file import CaseLimit

LONGEST = 200  # characters of a reason that a run stored
# What a function needs of each case: a measured quantity of `times.py`.
MEASURED = {
    "time": "time",
    "p90": "p90",
    "ns_per_iteration": "ns_per_iteration",
    "cycles_per_iteration": "cycles_per_iteration",
    "speedup": "time",
    "gb_per_s": "time",
    "limit_fraction": "time",
}
RECORDED = frozenset({"registers", "shared_bytes", "local_bytes", "spill_bytes", "occupancy"})  # columns
OF_ANY_STATUS = frozenset({"verified", "hazards"})  # functions of cases that may be wrong


def needs_times(claim: Claim) -> bool:
    """Whether a claim is about times, which depend on the machine and its limits, and not only about code."""
    expressions = [expression for expression in (claim.holds, claim.measure) if expression is not None]
    return any(call.function in {*MEASURED, "limit_by"} for expression in expressions for call in calls(expression))


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """A run with everything that claims are tested with."""

    run: Run
    limits: Mapping[str, CaseLimit] = field(default_factory=dict)
    hazards: HazardReport | None = None  # None: the kernels were not checked
    times: RunTimes | None = None  # if they are known already

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.run.folder


@dataclass(frozen=True, slots=True)
class Quantities:
    """The values of calls in one run, with intervals for a number of values."""

    source: ClaimRun
    times: RunTimes
    code: RunCode
    family: int  # of values with an interval
    offset_us: float = 0.0  # that all launches of the run may share

    def value(self, call: Call, rows: Sequence[Row]) -> Value:
        """Return the value of a call; `rows` are the cases of its variants."""
        if call.function == "device":
            return _device(self.source.run.info.device, *call.arguments[:1])
        if call.function not in OF_ANY_STATUS and (problem := next(filter(None, map(problem_of, rows)), "")):
            return Unknown(problem, is_missing=self.source.run.info.backend != "none")
        match rows:
            case [row, other, *_] if call.function == "speedup":
                return _quotient(self._measured(other, "time"), self._measured(row, "time"))
            case [row, *_]:
                return self._of_case(row, call)
        return Unknown(f"`{call.function}` names no variant")

    def _of_case(self, row: Row, call: Call) -> Value:
        functions: Mapping[str, Callable[[Row], Value]] = {
            "gb_per_s": self._gb_per_s,
            "limit_fraction": self._limit_fraction,
            "limit_by": self._limit_by,
            "load_efficiency": self._load_efficiency,
            "hazards": self._hazards,
            "verified": _verified,
            "sass": lambda row: self.code.per_iteration(row, call.arguments[-1]),
            **{column: lambda row: self._recorded(row, call.function) for column in RECORDED},
        }
        calculate = functions.get(call.function)
        return calculate(row) if calculate else self._measured(row, call.function)

    def _measured(self, row: Row, quantity: str) -> Interval | Unknown:
        if quantity not in MEASURED:
            return Unknown(f"there is no function `{quantity}`")
        if row.status is not Status.TIMED or row.time_us is None:
            return self._unmeasured(f"{row.case_id} was not timed")
        value = self.times.measured(row, quantity)
        if value is None:
            return Unknown(f"the run has no {quantity} of {row.case_id}", is_missing=True)
        return value.interval(self.family, self.offset_us)

    def _recorded(self, row: Row, column: str) -> Value:
        value: float | None = getattr(row, column)
        return self._unmeasured(f"the run has no {column} of {row.case_id}") if value is None else exactly(value)

    def _unmeasured(self, reason: str) -> Unknown:
        """Return that a value is not there; nothing is missing from a run that could not measure it."""
        has_gpu = self.source.run.info.device is not None
        return Unknown(reason if has_gpu else f"{reason}: the run used no GPU", is_missing=has_gpu)

    def _gb_per_s(self, row: Row) -> Value:
        time = self._measured(row, "time")
        if row.gb_per_s is None or row.time_us is None:
            return Unknown(f"the run has no gb_per_s of {row.case_id}: it is only known of patterns that make one pass")
        return _quotient(exactly(row.gb_per_s * row.time_us), time)

    def _limit(self, row: Row) -> CaseLimit | Unknown:
        limit = self.source.limits.get(row.case_id)
        if limit is None:
            command = f"shflbench limits --save {self.source.folder}"
            return Unknown(f"{row.case_id} has no limit: calculate it with `{command}`")
        if limit.limit_us is None or limit.limit_by is None:
            reason = f": {short(limit.limit_reason)}" if limit.limit_reason else ""
            return Unknown(f"{row.case_id} has no limit{reason}")
        return limit

    def _limit_fraction(self, row: Row) -> Value:
        limit = self._limit(row)
        if isinstance(limit, Unknown):
            return limit
        return _quotient(exactly(limit.limit_us or 0.0), self._measured(row, "time"))

    def _limit_by(self, row: Row) -> Value:
        limit = self._limit(row)
        return limit if isinstance(limit, Unknown) else limit.limit_by or ""

    def _load_efficiency(self, row: Row) -> Value:
        limit = self.source.limits.get(row.case_id)
        if limit is None or limit.load_efficiency is None:
            command = f"shflbench limits --requests --save {shlex.quote(str(self.source.folder))}"
            return Unknown(f"the loads of {row.case_id} were not counted: count them with `{command}`")
        return exactly(limit.load_efficiency)

    def _hazards(self, row: Row) -> Value:
        report, command = self.source.hazards, _check_command(self.source.run)
        if report is None:
            return Unknown(f"the kernels were not checked for hazards: `{command}`")
        options = [(name, value) for name, value in row.options if name not in LAUNCH_OPTIONS]
        kernel = report.of(row.pattern, row.variant, row.dtype, options)
        if kernel is None:
            return Unknown(f"the report of `shflbench check` lacks the kernel of {row.case_id}: `{command}`")
        if kernel.not_run:
            return Unknown(f"the kernel of {row.case_id} was not checked for hazards ({short(kernel.not_run)})")
        if kernel.revision and self.code.revision(row) not in {"", kernel.revision}:
            what = f"the report of `shflbench check` is about another revision of the kernel of {row.case_id}"
            return Unknown(f"{what}: measure and check the same sources (`{command}`)")
        return exactly(kernel.number)


def _check_command(run: Run) -> str:
    """Return the command that writes a report beside the results of a run."""
    suite = run.info.suite
    source = suite.name if suite.name in find_shipped() else short(suite.path)
    return f"shflbench check {shlex.quote(source)} --format json -o {shlex.quote(str(run.folder / CHECK_FILE))}"


def problem_of(row: Row) -> str:
    """Return why a case gives no values, as a sentence; empty if it was verified."""
    reason = f": {short(row.reason)}" if row.reason else ""
    match row.status:
        case Status.FAILED | Status.SKIPPED:
            return f"{row.case_id} {'failed' if row.status is Status.FAILED else 'was skipped'}{reason}"
        case Status.INCORRECT:
            return f"{row.case_id} computed a wrong result{reason}"
        case Status.COMPILED:
            return f"{row.case_id} was compiled and not run"
    if row.matched is not None and row.inputs is not None and row.matched < row.inputs:
        return f"{row.case_id} computed right results for {row.matched} of {row.inputs} inputs"
    return ""


def short(text: str) -> str:
    """Return a text that a run stored on one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _quotient(one: Interval | Unknown, other: Interval | Unknown) -> Value:
    """Return a quotient of two values that are above 0."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        unknown = [value for value in (one, other) if isinstance(value, Unknown)]
        return max(unknown, key=lambda value: value.is_missing)
    if other.low <= 0:
        return Unknown("a time may be 0: its interval is too wide")
    quotient = Interval(one.value / other.value, one.low / other.high, one.high / other.low)
    return quotient if math.isfinite(quotient.high) else Unknown("a number is too large")


def _verified(row: Row) -> Value:
    """Return whether every result was right; unknown of a case that was not run to its end."""
    if row.status is Status.INCORRECT:
        return False
    if row.status in {Status.TIMED, Status.VERIFIED} and row.matched is not None and row.inputs:
        return row.matched == row.inputs
    return Unknown(problem_of(row) or f"{row.case_id} was not verified", is_missing=True)


def _device(device: Device | None, name: str = "") -> Value:
    if device is None:
        return Unknown("the run used no GPU")
    known = {
        "sms": device.sms,
        "threads_per_sm": device.threads_per_sm,
        "max_shared_bytes": device.max_shared_bytes,
        "memory_bytes": device.memory_bytes,
        "clock_mhz": device.clock_mhz,
        "l2_bytes": device.state.l2_bytes,
    }
    value = known.get(name)
    return exactly(value) if value else Unknown(f"the run does not have `{name}` of the GPU")
