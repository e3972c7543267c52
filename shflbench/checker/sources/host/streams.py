"""Streams of the host code: which launches may begin before the one before them in their stream has ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.sources.host.values import UNKNOWN, Pointer
from shflbench.checker.sources.kernel_file import LaunchChain

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from shflbench.checker.sources.host.values import Memory
    from shflbench.checker.sources.kernel_file import StreamLaunch

MOST_LAUNCHES = 4  # of a chain: of a longer one, the last ones
MOST_CHAINS = 32  # of one run; a loop repeats them
DEFAULT_STREAM = 0
UNKNOWN_STREAM = 1  # all that the host code does not determine
EVERY_STREAM = -1

# Functions after which the kernels that a stream launched before have ended, or which are an operation of the stream
# that no kernel overlaps: the place of the stream among their arguments.
ENDING: Mapping[str, int] = {
    **dict.fromkeys(("cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset"), EVERY_STREAM),
    **dict.fromkeys(("cudaMemcpy", "cudaMemset", "cudaMemcpy2D", "cudaEventSynchronize"), EVERY_STREAM),
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"), EVERY_STREAM),
    **dict.fromkeys(("cudaStreamSynchronize", "cudaStreamWaitEvent"), 0),
    "cudaFreeAsync": 1,
    "cudaMallocAsync": 2,
    "cudaMemsetAsync": 3,
    "cudaMemcpyAsync": 4,
    **dict.fromkeys(("cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbolAsync"), 5),
    "cudaMemcpy2DAsync": 7,
}


@dataclass(slots=True, eq=False)
class HostStreams:
    """The launches of each stream since the last one that nothing before it overlaps."""

    chains: list[LaunchChain] = field(default_factory=list)
    handles: list[Memory] = field(default_factory=list)  # of streams, which live as long as the keys
    _current: dict[Hashable, list[StreamLaunch]] = field(default_factory=dict)  # of streams whose work is known

    def begin(self, stream: Hashable) -> None:
        """Note that no kernel of a stream runs."""
        self._current[stream] = []

    def launch(self, stream: Hashable, launch: StreamLaunch) -> None:
        """Add a launch to a stream, and keep the chain that it ends if it may overlap a launch before it."""
        before = self._current.get(stream)
        is_first = before is None and stream != DEFAULT_STREAM  # that is seen: others may come before it
        current = [*(before or ()), launch] if launch.is_dependent else [launch]
        self._current[stream] = current = current[-MOST_LAUNCHES:]
        if launch.is_dependent and (is_first or len(current) > 1) and len(self.chains) < MOST_CHAINS:
            chain = LaunchChain(tuple(current))
            if chain not in self.chains:
                self.chains.append(chain)

    def call(self, name: str, given: Sequence[object]) -> None:
        """Note a call of the library of CUDA by which kernels end."""
        place = ENDING.get(name)
        if place == EVERY_STREAM:
            self._current = {stream: [] for stream in self._current}
        elif place is not None:
            self.begin(stream_key(given[place]) if place < len(given) else DEFAULT_STREAM)


def stream_key(value: object) -> Hashable:
    """Return what tells a stream from others; those that the host code does not determine are taken as one."""
    if isinstance(value, Pointer):
        return id(value.memory)
    return UNKNOWN_STREAM if value is UNKNOWN else DEFAULT_STREAM
