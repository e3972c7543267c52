"""The state of one run of the host code: frames, limits, and the launches that it performed."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.streams import HostStreams
from shflbench.cuda_sources.host.values import MOST_KEPT_BYTES, Memory
from shflbench.cuda_sources.kernel_file import HostCall
from shflbench.emulator.file_budget import HOST_SHARE, NEVER, FileBudget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.values import Cell, HostElement, Structure
    from shflbench.cuda_sources.kernel_file import HostLaunch, NamedLaunch

MOST_STEPS = 100_000  # iterations and calls of one run
MOST_TOTAL = 400_000  # of all runs of a file
MOST_OF_SEVERAL = 60_000  # of all runs of a program of several files, which often computes on the CPU, too; 4 s
MOST_ITERATIONS = 5_000  # of a loop that only computes, with the loops in it; then its results are unknown
MOST_LAUNCHING = 40  # iterations of a loop that uses the device
MOST_REPEATING = 2_000  # iterations and calls in such a loop, after which iterations without a new launch end it
MOST_ALIKE = 2  # of those, one after the other
MOST_DIFFERENT = 400  # launches of one run; programs repeat a launch to time it
MOST_CALLS = 60  # one in the other
MOST_KEPT = 1 << 28  # bytes of the memory that one run allocates whose contents are kept
MOST_WORK = 5_000_000  # of all runs of a file, in instructions of the emulator, unless its budget is a large one: 10 s
NODES = 8  # of the syntax tree of what runs, which take as long as an instruction of the emulator
MOST_RECORDED = 64  # launches of a call that are recorded; of more, those that differ from all before


class HostStop(Exception):  # noqa: N818  (no error: the program, or the run, ends)
    """The run ends: the program calls `exit`, or a limit is reached."""


@dataclass(slots=True)
class HostBudget:
    """What all runs of the host code of a file may take together; it is the same on every machine."""

    of_file: FileBudget = NEVER  # whose time ends them, too
    steps: int = MOST_TOTAL  # iterations and calls that are left
    work: float = field(init=False)  # likewise instructions, or what takes as long
    most_work: float = field(init=False)

    def __post_init__(self) -> None:
        """Take the share of a large budget that a user gives, else the usual work."""
        share = self.of_file.most / HOST_SHARE
        self.work = self.most_work = max(share, MOST_WORK) if share < math.inf else MOST_WORK

    @property
    def is_spent(self) -> bool:
        """Whether the code takes more work, so that what it does after that is not known."""
        return self.work < 0

    def spend(self, nodes: int) -> None:
        """Count an iteration or a call; HostStop if none is left, TimeLimitError if the time of the file is up."""
        self.of_file.check_time()
        self.steps -= 1
        self.work -= nodes / NODES
        if self.steps < 0 or self.work < 0:
            raise HostStop


class LoopLimit(Exception):  # noqa: N818  (no error: the loop is left)
    """A loop that only computes takes too many iterations."""


@dataclass(frozen=True, slots=True)
class LongLoop:
    """A loop that only computes, and takes too many iterations."""

    largest: int  # number of the input with which it did
    first: Mapping[str, bytes]  # what it stored at the start of arrays, by their names


@dataclass(slots=True)
class HostFrame:
    """One call: its variables, its object, and the arguments of templates."""

    variables: dict[str, Cell | HostElement] = field(default_factory=dict)
    receiver: Structure | None = None
    bound: Mapping[str, object] = field(default_factory=dict)
    packs: Mapping[str, Sequence[Cell | HostElement]] = field(default_factory=dict)  # arguments, by parameter packs
    owner: str = ""  # the class whose member runs, and whose constants it names


@dataclass(frozen=True, slots=True)
class Performed:
    """One launch that the run performed."""

    node: Node
    kernel: str  # as written, without template arguments
    template: tuple[str, ...] | None
    arguments: tuple[Node, ...]
    launch: HostLaunch
    is_instance: bool = True  # the template arguments are those of one instance, and no names of parameters
    calls: Mapping[str, RecordedCall] = field(default_factory=dict, compare=False, repr=False)  # of the same run
    streams: HostStreams = field(default_factory=HostStreams, compare=False, repr=False)  # likewise


@dataclass(slots=True, eq=False)
class RecordedCall:
    """The launches of the first call of a function, as they are performed."""

    open: int  # conditions around the call that are not known
    launches: list[NamedLaunch] = field(default_factory=list)
    is_whole: bool = True  # and certain: no launch depends on what is not known
    is_over: bool = False
    different: set[object] = field(default_factory=set)  # of each launch, what makes it different

    def add(self, launch: NamedLaunch, *, is_certain: bool) -> None:
        """Add a launch."""
        buffers = tuple(item.buffer.allocation for item in launch.launch.arguments if item.buffer is not None)
        key = (launch.kernel, launch.launch, buffers)
        is_kept = len(self.launches) < MOST_RECORDED
        self.is_whole = self.is_whole and is_certain and is_kept
        if is_kept or (key not in self.different and len(self.different) < MOST_DIFFERENT):
            self.launches.append(launch)
        self.different.add(key)

    def named(self, function: str) -> HostCall:
        """Return the record of a call of `function`."""
        return HostCall(function, tuple(self.launches), self.is_whole and self.is_over)


@dataclass(slots=True)
class HostInput:
    """What the host code gets from outside: the command line, and numbers for what is not known.

    `words` is the command line; without one, `count` words stand for `number`, or for their own ones.
    """

    words: tuple[str, ...] | None = None
    count: int = 0
    number: int = 1024
    used: dict[str, int] = field(default_factory=dict)  # what was taken as `number`: `argv[1]` → 1024
    single: Mapping[str, int] = field(default_factory=dict)  # what stands for other numbers: `argv[2]` → 512
    chosen: Mapping[str, int] = field(default_factory=dict)  # for variables that begin with a constant, in place of it

    @property
    def largest(self) -> int:
        """The largest number of the command line, or the one that stands for its numbers."""
        return max((int(word) for word in self.words or () if word.isdecimal()), default=self.number)


@dataclass(slots=True)
class HostState:
    """The state of one run."""

    given: HostInput
    limit: int = MOST_STEPS
    performed: list[Performed] = field(default_factory=list)  # without those that are like an earlier one
    different: set[object] = field(default_factory=set)  # of each performed one, what makes it different
    launches: int = 0  # with those
    globals: dict[str, Cell] = field(default_factory=dict)
    symbols: list[Cell] = field(default_factory=list)  # global variables that the host code copies to the device
    budget: HostBudget = field(default_factory=HostBudget)
    steps: int = 0
    loop_steps: int | None = None  # of the outermost loop that only computes
    depth: int = 0
    forced: bool = False  # every branch with a launch is taken
    is_whole: bool = True  # from `main` on; else functions that ran before may have set global variables
    against: int = 0  # conditions that do not hold around what runs
    open: int = 0  # conditions around what runs that are not known, so that the program may not run it
    lacks_memory: bool = False  # an allocation failed, for which no machine has the memory
    labels: set[int] = field(default_factory=set)  # numbers with which conditions select launches
    random: int = 1
    allocated: int = 0  # bytes whose contents may be kept
    calls: dict[str, RecordedCall] = field(default_factory=dict)  # the first one of each function that launches
    streams: HostStreams = field(default_factory=HostStreams)

    @contextmanager
    def taken(self, *, holds: bool) -> Iterator[None]:
        """Run a branch whose condition may not hold."""
        self.against += not holds
        try:
            yield
        finally:
            self.against -= not holds

    @contextmanager
    def may_run(self) -> Iterator[None]:
        """Run a branch that the program may take or not."""
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1

    @contextmanager
    def recorded(self, function: str) -> Iterator[None]:
        """Record the launches of a call, if it is the first one of the function that launches a kernel."""
        if function in self.calls:
            yield
            return
        call = self.calls[function] = RecordedCall(self.open)
        yield
        call.is_over = True
        if not call.launches:
            del self.calls[function]

    def record(self, launch: NamedLaunch) -> None:
        """Add a launch to the calls that are not over."""
        for call in self.calls.values():
            if not call.is_over:
                call.add(launch, is_certain=self.open == call.open and not self.against)

    def cut(self) -> None:
        """Take the calls that are not over as incomplete: a loop ends before its condition does."""
        for call in self.calls.values():
            call.is_whole = call.is_whole and call.is_over

    def memory(self, size: int | None, *, device: bool = False) -> Memory:
        """Return an allocation; its contents are kept unless the run has allocated very much."""
        self.allocated += min(size or 0, MOST_KEPT_BYTES)
        return Memory(size, device, is_kept=self.allocated <= MOST_KEPT)

    def step(self, nodes: int = 1) -> None:
        """Count an iteration or a call, with the nodes of its code; TimeLimitError if the time is up."""
        self.steps += 1
        self.budget.spend(nodes)
        if self.steps > self.limit:
            raise HostStop
        if self.loop_steps is not None:
            self.loop_steps += 1
            if self.loop_steps > MOST_ITERATIONS:
                raise LoopLimit
