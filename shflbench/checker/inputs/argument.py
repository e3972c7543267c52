"""Arguments of one launch: the bytes of the parameters, the buffers, and where each value comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class NamedValue:
    """An argument, or a variable of the device, in words, and where its value comes from."""

    name: str  # of the parameter, `parameter.field`, or `contents of parameter`
    value: str  # `256`, or of a buffer `f32[256]`
    origin: Origin

    def __str__(self) -> str:
        """Return both: `n = 256`; or the value alone if it has no name."""
        return f"{self.name} = {self.value}" if self.name else self.value


@dataclass(frozen=True, slots=True, eq=False)
class ArgumentBuffer:
    """One buffer in global memory, with its contents before the launch."""

    name: str  # of the parameter, or `parameter.field`
    contents: NDArray[np.uint8]
    text: str  # `f32[256]`
    size: Origin
    values: Origin
    limited: bool = False  # the size is one that a guard of the kernel suggests, and the buffer does not grow
    reached: bool = True  # the launch reaches the end of a buffer that does not grow
    whole: int = 0  # bytes of a buffer whose contents repeat; 0: it has these contents once
    may_begin_before: bool = False  # the host code passes a pointer that it may have moved into its allocation
    allocation: int | None = None  # of the host code, by number

    @property
    def bytes(self) -> int:
        """The size."""
        return self.whole or self.contents.size

    @property
    def tests_bounds(self) -> bool:
        """Whether accesses beyond the end are found: the buffer has its size for another reason than the accesses."""
        return self.size is Origin.GIVEN or (self.reached and (self.limited or self.size is Origin.HOST))


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a parameter's bytes that hold one value."""

    start: int
    end: int
    name: str
    origin: Origin
    buffer: int | None = None  # number of the buffer that a pointer points to
    value: int | float | None = None  # of a number
    byte: int = 0  # in the buffer, where the pointer points to


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """The bytes of one parameter; the addresses of buffers are filled in by the emulator."""

    data: bytes
    spans: tuple[Span, ...]

    @property
    def pointers(self) -> tuple[tuple[int, int, int], ...]:
        """Where addresses stand: byte, number of the buffer, and byte in the buffer."""
        return tuple((span.start, span.buffer, span.byte) for span in self.spans if span.buffer is not None)


@dataclass(frozen=True, slots=True)
class Arguments:
    """All arguments of one launch."""

    parameters: tuple[ParameterValue, ...]
    offsets: tuple[int, ...]  # of the parameters, bytes from the start of the first
    buffers: tuple[ArgumentBuffer, ...]
    values: tuple[NamedValue, ...]  # in the order of the parameters
    shared_bytes: int  # dynamic, per block
    shared: Origin
    unknown: tuple[str, ...] = ()  # parameters whose contents cannot be chosen, and why
    variables: Mapping[str, bytes | None] = field(default_factory=dict)  # contents of variables of the device, by name

    def listed(self, origin: Origin) -> str:
        """Return the values of one origin as a list: `in = f32[256], n = 256`."""
        return ", ".join(str(value) for value in self.values if value.origin.text == origin.text)

    @property
    def is_varied(self) -> bool:
        """Whether chosen numbers are not those of the first seed."""
        return any(span.origin is Origin.VARIED for value in self.parameters for span in value.spans)

    def buffer(self, number: int | None) -> ArgumentBuffer | None:
        """Return a buffer by its number; None for memory of `malloc` in the kernel, which is numbered after them."""
        return self.buffers[number] if number is not None and number < len(self.buffers) else None

    def spans(self, bytes_: Iterable[int]) -> Iterator[Span]:
        """Yield the values to which bytes of the parameters belong."""
        for byte in sorted(bytes_):
            for start, value in zip(self.offsets, self.parameters, strict=True):
                for span in value.spans:
                    if start + span.start <= byte < start + span.end:
                        yield span

    @property
    def total_bytes(self) -> int:
        """Bytes of all buffers."""
        return sum(buffer.contents.size for buffer in self.buffers)
