"""Everything that decides on the arguments of a kernel besides its signature and the launch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.inputs.grammar import NumberValue

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shflbench.checker.inputs.alternatives import Alternative, ContentLayout
    from shflbench.checker.inputs.compared_constants import ContentThresholds
    from shflbench.checker.inputs.grammar import ArgumentValue
    from shflbench.checker.inputs.mixed_contents import MixedContents
    from shflbench.checker.inputs.size_bound import SizeBound
    from shflbench.cuda_sources.kernel_file import HostArgument
    from shflbench.emulator.dataflow.strides import Stride
    from shflbench.emulator.dataflow.tickets import Ticket

MOST_TOTAL_BYTES = 64 << 20  # of all buffers together, before and after they grow
MOST_PAGED = 1 << 34  # of a buffer of which only the parts that threads access take memory
PAGED_PERIOD = 1 << 18  # bytes of its contents, which repeat


@dataclass(frozen=True, slots=True)
class ArgumentSpec:
    """What is known of a kernel's arguments besides its signature."""

    given: Mapping[str, ArgumentValue] = field(default_factory=dict)  # by the names in `SourceKernel.offsets`
    shared_bytes: int | None = None  # dynamic, as given
    uses_dynamic_shared: bool = False
    period_bytes: int = 0  # after which contents that nobody specifies repeat; 0: they do not
    zeroed: Collection[str] = ()  # chosen buffers that begin with zeros: counters, locks and flags
    least_bytes: Mapping[str, int] = field(default_factory=dict)  # of chosen buffers, by name
    bytes_before: Mapping[str, int] = field(default_factory=dict)  # where a pointer points to in a chosen buffer
    least_shared: int = 0
    most_bytes: int = MOST_TOTAL_BYTES  # of a buffer whose size the host code specifies; a larger one has a chosen size
    vary: bool = False  # chosen numbers differ from those of the first seed, and buffers have their suggested sizes
    bounds: Mapping[str, Sequence[SizeBound]] = field(default_factory=dict)  # suggested sizes of buffers, by name
    strides: Collection[Stride] = ()  # of loops up to a number: it is several times the threads
    per_thread: Mapping[int, int] = field(default_factory=dict)  # elements of a number that a thread has, by first byte
    blocks: Collection[int] = ()  # first bytes of the numbers of which each block has a part, whatever its threads are
    starts: Collection[int] = ()  # first bytes of the numbers that ranges of indices begin with
    masks: Collection[int] = ()  # first bytes of the numbers that are powers of two
    shifts: Collection[int] = ()  # first bytes of the numbers of bits to shift by
    units: Mapping[int, int] = field(default_factory=dict)  # powers of two that numbers are divided by, by first byte
    tickets: Mapping[str, Ticket] = field(default_factory=dict)  # counts of blocks, by the names of what holds them
    arrivals: Collection[int] = ()  # first bytes of the numbers that counts in memory are compared with
    offsets: Collection[str] = ()  # buffers of which an element and the next one are a range: they are sorted
    ends: Mapping[str, str] = field(default_factory=dict)  # buffers that hold ends of ranges → those of their begins
    indexes: Collection[str] = ()  # buffers whose contents are addresses, or numbers of iterations
    layouts: Mapping[str, ContentLayout] = field(default_factory=dict)  # of the `indexes`, by name
    thresholds: Mapping[str, ContentThresholds] = field(default_factory=dict)  # that contents are compared with
    uniform: Mapping[str, float] = field(default_factory=dict)  # what all elements of chosen buffers are, by name
    mixed: MixedContents | None = None  # what chosen buffers hold that fit one another
    alternative: Alternative | None = None  # values in place of those that names and the launch suggest

    def given_value(self, name: str, host: HostArgument | None) -> ArgumentValue | None:
        """Return the given value of an argument; None for a number that the host code passes to other launches."""
        given, passed = self.given.get(name), host.value if host is not None else None
        if isinstance(given, NumberValue) and given.is_passed and passed not in {None, given.value}:
            return None
        return given
