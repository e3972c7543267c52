"""Streams of the host code: which launches may begin before the one before them in their stream has ended."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.values import UNKNOWN, Pointer
from shflbench.cuda_sources.kernel_file import LaunchChain

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from shflbench.cuda_sources.host.values import Cell, HostElement, Memory
    from shflbench.cuda_sources.kernel_file import StreamLaunch

MOST_LAUNCHES = 4  # of a chain: of a longer one, the last ones
MOST_CHAINS = 32  # of one run; a loop repeats them
DEFAULT_STREAM = 0
UNKNOWN_STREAM = 1  # all that the host code does not determine
EVERY_STREAM = -1

# Functions after which the kernels that a stream launched before have ended, or which are an operation of the stream
# that no kernel overlaps: the place of the stream among their arguments.
ENDING: Mapping[str, int] = {
    **dict.fromkeys(("cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaDeviceReset"), EVERY_STREAM),
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpy2D", "cudaMemcpy3D", "cudaMemcpyPeer"), EVERY_STREAM),
    **dict.fromkeys(("cudaMemset", "cudaMemset2D", "cudaMemset3D", "cudaFree"), EVERY_STREAM),
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyFromSymbol"), EVERY_STREAM),
    **dict.fromkeys(("cudaStreamSynchronize", "cudaStreamWaitEvent"), 0),
    **dict.fromkeys(("cudaLaunchHostFunc", "cudaStreamAddCallback"), 0),
    **dict.fromkeys(("cudaFreeAsync", "cudaMemcpy3DAsync", "cudaMemcpy3DPeerAsync"), 1),
    "cudaMallocAsync": 2,
    **dict.fromkeys(("cudaMemsetAsync", "cudaMemset3DAsync"), 3),
    "cudaMemcpyAsync": 4,
    **dict.fromkeys(("cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbolAsync"), 5),
    **dict.fromkeys(("cudaMemset2DAsync", "cudaMemcpyPeerAsync"), 5),
    "cudaMemcpy2DAsync": 7,
}
RECORDING = frozenset({"cudaEventRecord", "cudaEventRecordWithFlags"})
FOLLOWED = frozenset({*ENDING, *RECORDING, "cudaEventSynchronize"})
STREAM_TYPES = frozenset({"cudaStream_t", "CUstream"})
# Functions without kernels, of those that are not followed and get a stream.
_WITHOUT_KERNELS = re.compile(r"cuda(?:Stream|Event)\w*")
# Functions of libraries that launch kernels in a stream that no argument needs to name.
_LAUNCHING = re.compile(
    r"(?:::)?(?:cub::Device|thrust::(?!\w+_cast|make_|get\b|tuple|pair|\w*_ptr|\w*_vector|\w+<))|"
    r"(?:cublas|cusparse|cusolver|cufft|cudnn|curandGenerate|nccl)"
)


@dataclass(slots=True, eq=False)
class HostStreams:
    """The launches of each stream since the last one that nothing before it overlaps."""

    chains: list[LaunchChain] = field(default_factory=list)
    handles: list[Memory] = field(default_factory=list)  # of streams and events, which live as long as the keys
    # Of each stream; None: what it launched last is not known.
    _current: dict[Hashable, list[StreamLaunch] | None] = field(default_factory=lambda: {DEFAULT_STREAM: []})
    _recorded: dict[Hashable, list[StreamLaunch]] = field(default_factory=dict)  # what comes before each event

    def begin(self, stream: Hashable) -> None:
        """Note that no kernel of a stream runs."""
        self._current[stream] = []

    def launch(self, stream: Hashable, launch: StreamLaunch) -> None:
        """Add a launch to a stream, and keep the chain that it ends if it may overlap a launch before it."""
        before = self._current.get(stream)
        is_first = before is None  # that is seen: others may come before it
        current = [*(before or ()), launch] if launch.is_dependent else [launch]
        self._current[stream] = current = current[-MOST_LAUNCHES:]
        if launch.is_dependent and (is_first or len(current) > 1) and len(self.chains) < MOST_CHAINS:
            chain = LaunchChain(tuple(current))
            if chain not in self.chains:
                self.chains.append(chain)

    def call(self, name: str, given: Sequence[object]) -> None:
        """Note a call of the library of CUDA by which kernels end."""
        first = stream_key(given[0]) if given else DEFAULT_STREAM
        if name in RECORDING:
            stream = stream_key(given[1]) if len(given) > 1 else DEFAULT_STREAM
            self._recorded[first] = self._before_event(stream)
        elif name == "cudaEventSynchronize" and first in self._recorded:
            self._end(self._recorded[first])
        elif ENDING.get(name, EVERY_STREAM) == EVERY_STREAM:
            self._current = {stream: [] for stream in self._current}
        else:
            place = ENDING[name]
            self.begin(stream_key(given[place]) if place < len(given) else DEFAULT_STREAM)

    def _before_event(self, stream: Hashable) -> list[StreamLaunch]:
        """Return the launches before an event: the default stream waits for those of the other streams, too."""
        streams = self._current if stream == DEFAULT_STREAM else [stream]
        return [launch for one in streams for launch in self._current.get(one) or ()]

    def _end(self, launches: Sequence[StreamLaunch]) -> None:
        ended = set(map(id, launches))
        for stream, current in self._current.items():
            if current is not None:
                self._current[stream] = [item for item in current if id(item) not in ended]

    def call_unknown(self, name: str, given: Sequence[Cell | HostElement]) -> None:
        """Note a call of a function that is not followed: it may launch kernels in the streams that it gets."""
        if _WITHOUT_KERNELS.fullmatch(name):
            return
        streams: Iterable[Hashable] = [stream_key(item.load()) for item in given if self._is_stream(item)]
        if not streams and _LAUNCHING.match(name):
            streams = self._current
        self._current |= dict.fromkeys(streams)

    def _is_stream(self, place: Cell | HostElement) -> bool:
        value = place.load()
        return place.type.name in STREAM_TYPES or (isinstance(value, Pointer) and stream_key(value) in self._current)


def stream_key(value: object) -> Hashable:
    """Return what tells a stream, or an event, from others; unknown ones are taken as one."""
    if isinstance(value, Pointer):
        return id(value.memory)
    return UNKNOWN_STREAM if value is UNKNOWN else DEFAULT_STREAM
