"""The request of a user for advice, and how a measured setting differs from it."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (a field's default is made of it)
from dataclasses import dataclass, field
from math import log2
from typing import TYPE_CHECKING

from shflbench.core.launch import launch_dims
from shflbench.core.model import DTYPES
from shflbench.core.numerals import decimal_number
from shflbench.patterns.declare import USUAL_DTYPE
from shflbench.patterns.discover import builtin_declaration

if TYPE_CHECKING:
    from shflbench.analysis.answers.answer import Answer
    from shflbench.core.model import Device
    from shflbench.patterns.declare import UsualSetting
    from shflbench.store import Row

FAR = 1e3  # a distance beyond all between numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A setting to advise on; what is None or missing is open."""

    pattern: str
    dtype: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    block: int | None = None  # threads per block
    launch: str | None = None  # with the grid: `2*sms x 1024`
    grid: int | None = None  # blocks of that launch; None where it depends on the kernel
    usual: UsualSetting | None = None  # the pattern's own values of what is open; None: not declared here
    full_threads: int | None = None  # that the GPU executes at a time; None where that is not known

    @property
    def text(self) -> str:
        """The request in words, without the pattern."""
        options = (f"{name}={value}" for name, value in self.options.items())
        blocks = f"blocks of {self.block}" if self.block and not self.launch else ""
        return ", ".join(filter(None, (self.dtype or "", self.launch or blocks, *options)))


@dataclass(frozen=True, slots=True)
class Difference:
    """A factor in which a measured setting differs from the request."""

    factor: str  # dtype, an option, block or launch
    requested: str
    measured: str

    @property
    def sentence(self) -> str:
        """The difference in words: `measured at 26x1024; you asked for blocks of 256`."""
        if self.factor == "block":
            return f"measured at {self.measured}; you asked for blocks of {self.requested}"
        prefix = "at " if self.factor == "launch" else "with "
        name = "" if self.factor in {"launch", "dtype"} else f"{self.factor}="
        return f"measured {prefix}{name}{self.measured}; you asked for {name}{self.requested}"


def usual_request(pattern: str, dtype: str | None = None, device: Device | None = None) -> Request:
    """Return the request of a user who names a pattern and at most a dtype; it has the pattern's usual setting."""
    declaration = builtin_declaration(pattern)
    usual = declaration.usual if declaration else None
    full_threads = device.sms * device.threads_per_sm or None if device else None
    return Request(pattern=pattern, dtype=dtype, usual=usual, full_threads=full_threads)


def differences(request: Request, answer: Answer) -> tuple[Difference, ...]:
    """Return in which factors that the request names the answer's setting differs from it."""
    result = []
    if request.dtype and request.dtype != answer.dtype:
        result.append(Difference("dtype", request.dtype, answer.dtype))
    measured = dict(answer.options)
    for name, value in request.options.items():
        if measured.get(name) != value:
            result.append(Difference(name, value, measured.get(name, "its default")))
    if request.launch:
        if not is_same_launch(request, answer):
            result.append(Difference("launch", request.launch, answer.launch))
    elif request.block and request.block != answer.block:
        result.append(Difference("block", str(request.block), answer.launch))
    return tuple(result)


def is_same_launch(request: Request, answer: Answer | Row) -> bool:
    """Whether the launch that a request names is that of the answer, in its words or on the answer's GPU."""
    if request.launch == answer.launch:
        return True
    if launch_dims(request.launch or "") or launch_dims(answer.launch):
        return False
    return request.block == answer.block and request.grid is not None and request.grid == answer.grid


def distance(request: Request, answer: Answer | Row) -> tuple[float, ...]:
    """Return how far a measured setting is from the request: dtype counts most, then options, block, and grid.

    What the request leaves open is that of the pattern's usual setting; else full GPUs come before others; of kernels
    that pass once over their data, the largest size.
    """
    measured = dict(answer.options)
    named = [values_apart(value, measured.get(name)) for name, value in request.options.items()]
    still_open = {name: value for name, value in measured.items() if name not in request.options}
    usual = request.usual
    unusual = sum(not is_default(name, value, usual.options if usual else {}) for name, value in still_open.items())
    threads = (answer.grid or 0) * answer.block
    full = request.full_threads if request.full_threads and answer.iterations > 1 else threads
    return (
        dtypes_apart(request.dtype or (usual.dtype if usual else USUAL_DTYPE), answer.dtype),
        float(sum(apart > 0 for apart in named)),
        sum(named),
        float(unusual),
        _scale_apart(request.block, answer.block),
        0.0 if not request.launch or is_same_launch(request, answer) else 1.0,
        _scale_apart(request.grid, answer.grid),
        0.0 if request.block or request.launch or not usual or usual.launch == answer.launch else 1.0,
        -float(min(threads, full)),
        -float(answer.iterations),
        float(threads),
    )


def is_default(name: str, value: str, defaults: Mapping[str, str]) -> bool:
    """Whether an option has the value that a user means who does not name it."""
    return value == {"extra_shared": "0", "l2": "warm", **defaults}.get(name)


def dtypes_apart(requested: str, measured: str) -> float:
    """Return how much two element types differ: their size decides the instructions, more than their kind does."""
    if requested == measured:
        return 0.0
    first, second = DTYPES.get(requested), DTYPES.get(measured)
    if first is None or second is None:
        return FAR
    kind = (first.floating != second.floating) + 0.5 * (first.components != second.components)
    return 1 + kind + 4 * abs(log2(first.size / second.size))


def values_apart(requested: str, measured: str | None) -> float:
    """Return how much two values of an option differ; numbers on a logarithmic scale."""
    if requested == measured:
        return 0.0
    first, second = number(requested), number(measured)
    if first is None or second is None:
        return FAR
    return abs(log2(1 + abs(first)) - log2(1 + abs(second))) or 1e-9  # `8` and `8.0` are not the same text


def number(text: str | None) -> float | None:
    """Return the number that a value of an option is; None for words, and for numbers that no suite takes."""
    try:
        value = decimal_number(text or "")
    except ValueError:
        return None
    return value if abs(value) < 2.0**63 else None  # nan compares false, too


def _scale_apart(requested: int | None, measured: int | None) -> float:
    if not requested:
        return 0.0
    return abs(log2(requested / measured)) if measured and measured > 0 else FAR
