"""Make the arguments of a launch: what the user gave, what the host code says, or what the signature suggests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.alternatives import PLAIN
from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments, NamedValue, ParameterValue, Span
from shflbench.checker.inputs.argument_spec import MOST_TOTAL_BYTES
from shflbench.checker.inputs.contents import (
    ascending,
    fill,
    long_ranges,
    near,
    permutations,
    random_values,
    range_limits,
    sorted_offsets,
)
from shflbench.checker.inputs.elements import Element, element_of
from shflbench.checker.inputs.grammar import ArrayValue, BufferValue, NullValue, NumberValue
from shflbench.checker.inputs.last_blocks import counts_before
from shflbench.checker.inputs.numbers import ArgumentNumbers
from shflbench.checker.inputs.sizes import SuggestedSizes
from shflbench.core.words import count_noun
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.ptx.syntax import NUMPY
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shflbench.checker.inputs.alternatives import Alternative
    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.grammar import ArgumentValue
    from shflbench.cuda_sources.kernel_file import (
        DeviceVariable,
        Field,
        HostArgument,
        HostBuffer,
        KernelParameter,
        SourceKernel,
    )

ADDRESS_BYTES = 8
FEWEST = 64  # elements of a chosen buffer
BYTES = Element("bytes", "u1", 1)  # where the type is unknown
WORD = Element("u32", "u4", 4)  # likewise, for its contents
UNKNOWN_MOST = 16  # values of unknown types are small in every 32-bit word


def choose(kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec, seed: int) -> Arguments:
    """Return the arguments of one launch; UsageError where a given value does not fit its parameter."""
    maker = _Maker(kernel, launch, spec, seed)
    parameters = tuple(maker.parameter(parameter, place) for place, parameter in enumerate(kernel.parameters))
    shared, origin = _shared(launch, spec)
    variables = _variables(kernel, launch, spec, seed)
    specified = dict(launch.host.variables) if launch.host is not None else {}
    for name, count in counts_before(launch, kernel, spec).items():
        maker.set_count(name, count)
        variables |= {
            item.name: count.tobytes() for item in kernel.variables if (item.name, item.size) == (name, count.nbytes)
        }
    for name, data in variables.items():
        origin = Origin.GIVEN if name in spec.given else Origin.HOST if specified.get(name) else Origin.CHOSEN
        maker.note(name, count_noun(len(data), "byte") if data is not None else "zeros", origin)
    return Arguments(
        parameters=parameters,
        offsets=tuple(parameter.offset for parameter in kernel.parameters),
        buffers=tuple(maker.buffers),
        values=tuple(maker.values),
        shared_bytes=shared,
        shared=origin,
        unknown=tuple(maker.unknown),
        variables=variables,
    )


def _variables(kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec, seed: int) -> dict[str, bytes | None]:
    """Return the contents of the variables of the device that the user gives, or that the host code copies to."""
    host = dict(launch.host.variables) if launch.host is not None else {}
    parameters = set(kernel.offsets)
    result: dict[str, bytes | None] = {}
    for variable in kernel.variables:
        name, size = variable.name, variable.size
        given = spec.given.get(name) if name not in parameters else None
        if given is not None:
            result[name] = _given_contents(variable, given, launch.shape.threads, seed)
        elif name in host and host[name] is None and spec.alternative is not None:
            result[name] = _alternative(spec.alternative, size, launch.shape.threads)
        elif name in host:
            result[name] = host[name]
    return result


def _given_contents(variable: DeviceVariable, given: ArgumentValue, threads: int, seed: int) -> bytes:
    """Return the bytes that the user gives for a variable; UsageError if they do not fit it."""
    name, size = variable.name, variable.size
    match given:
        case BufferValue():
            contents = fill(given, threads, name, seed).tobytes()
        case ArrayValue():
            contents = np.ascontiguousarray(given.values).tobytes()
        case NumberValue(value=number):
            element = element_of(NUMPY.get(variable.type))
            if element is None or element.size != size:
                raise UsageError(f"--arg {name}: it is an array of {size} bytes", f"Write {name}=TYPE[COUNT]:VALUES.")
            contents = _number(name, element, 1, size, number)
        case _:
            raise UsageError(f"--arg {name}: it is a variable of the device and no pointer", f"Write {name}=NUMBER.")
    if len(contents) > size:
        raise UsageError(f"--arg {name}: it has {size} bytes, and {len(contents)} are given", "Give fewer values.")
    return contents


def _alternative(other: Alternative, size: int, threads: int) -> bytes:
    """Return other contents of a variable; a single number is that of an index, or of a size."""
    if size <= ADDRESS_BYTES:
        return (other.number or threads).to_bytes(ADDRESS_BYTES, "little")[:size]
    return other.filled(WORD, -(-size // WORD.size), threads).tobytes()[:size]


def _shared(launch: PlannedLaunch, spec: ArgumentSpec) -> tuple[int, Origin]:
    """Return the dynamic shared memory of a block; without a source 8 bytes per thread, or what accesses need."""
    if spec.shared_bytes is not None:
        return spec.shared_bytes, Origin.GIVEN
    if launch.host is not None and launch.host.shared_bytes is not None and launch.origin.is_of_program:
        return launch.host.shared_bytes, Origin.HOST
    if not spec.uses_dynamic_shared:
        return 0, Origin.HOST
    return max(8 * launch.shape.threads_per_block, spec.least_shared), Origin.CHOSEN


@dataclass(frozen=True, slots=True)
class _Size:
    """The size of one buffer; the last two are those of `ArgumentBuffer`."""

    bytes: int
    origin: Origin
    limited: bool = False
    reached: bool = True


class _Maker:
    """Collects the buffers and values of one launch."""

    def __init__(self, kernel: SourceKernel, launch: PlannedLaunch, spec: ArgumentSpec, seed: int) -> None:
        self.kernel, self.launch, self.spec, self.seed = kernel, launch, spec, seed
        self.buffers: list[ArgumentBuffer] = []
        self.values: list[NamedValue] = []
        self.unknown: list[str] = []
        self.numbers = ArgumentNumbers(kernel, launch, spec)
        self.sizes = SuggestedSizes(kernel, launch, spec)
        self.shared: dict[tuple[int, int], int] = {}  # arrays that were given: address and bytes → number of the buffer
        self.passed: dict[int, int] = {}  # number of an allocation of the host code → number of the buffer

    @property
    def _is_computed(self) -> bool:
        """Whether contents of the launch follow from its sizes, so that they do not fit others."""
        return self.launch.host is not None and self.launch.host.is_computed

    def parameter(self, parameter: KernelParameter, place: int) -> ParameterValue:
        name = parameter.name
        host = self.numbers.host(place)
        if parameter.is_empty:
            return ParameterValue(bytes(parameter.size), ())
        fields = () if parameter.pointer else parameter.fields
        if fields and name not in self.spec.given:
            return self._structure(parameter, name, fields, host)
        data, span = self._value(name, parameter, parameter.size, host)
        return ParameterValue(data, (span,))

    def _structure(
        self, parameter: KernelParameter, name: str, fields: Sequence[Field], host: HostArgument | None
    ) -> ParameterValue:
        data, spans = bytearray(parameter.size), []
        for part in fields:
            known = host.field(part.name) if host is not None else None
            value, span = self._value(f"{name}.{part.name}", part, part.size, known)
            data[part.offset : part.offset + part.size] = value[: part.size]
            start = part.offset
            spans.append(replace(span, start=start, end=start + part.size))
        return ParameterValue(bytes(data), tuple(spans))

    def _value(
        self, name: str, item: KernelParameter | Field, size: int, host: HostArgument | None
    ) -> tuple[bytes, Span]:
        """Return the bytes of one number or pointer."""
        given = self.spec.given_value(name, host)
        if given is not None:
            return self._given(name, item, size, given)
        if item.pointer:
            return self._synthesized_buffer(name, item, size, host)
        element, lanes = element_of(item.element), getattr(item, "lanes", 1)
        if element is None:
            self.unknown.append(name)
            self.note(name, f"{size} bytes of zeros", Origin.CHOSEN)
            return bytes(size), Span(0, size, name, Origin.CHOSEN)
        number = self.numbers.number(name, element, host)
        value = _fitting(element, number.value)
        self.note(name, _shown(value), number.origin)
        span = Span(0, size, name, number.origin, value=value)
        return _number(name, element, lanes, size, value), span

    def _given(self, name: str, item: KernelParameter | Field, size: int, value: ArgumentValue) -> tuple[bytes, Span]:
        element = element_of(item.element)
        if isinstance(value, BufferValue | ArrayValue) and not item.pointer and size != ADDRESS_BYTES:
            raise UsageError(f"--arg {name}: it is a number of {size} bytes and takes no buffer", f"Write {name}=1.")
        match value:
            case NullValue():
                self.note(name, "null", Origin.GIVEN)
                return bytes(size), Span(0, size, name, Origin.GIVEN)
            case NumberValue(value=number):
                if item.pointer:
                    raise UsageError(f"--arg {name}: it is a pointer and takes a buffer", f"Write {name}=f32[256].")
                if element is None:
                    element = Element(f"u{8 * size}", f"u{size}", size) if size in {1, 2, 4, 8} else None
                if element is None:
                    raise UsageError(f"--arg {name}: its type `{item.type}` takes no number", "Leave it out.")
                self.note(name, _shown(number), Origin.GIVEN)
                return _number(name, element, getattr(item, "lanes", 1), size, number), Span(
                    0, size, name, Origin.GIVEN, value=number
                )
            case BufferValue():
                return self._filled(name, value, size)
            case ArrayValue() if value.place in self.shared and item.pointer:
                number = self.shared[value.place]
                self.note(name, self.buffers[number].name, Origin.GIVEN)
                return bytes(size), Span(0, size, name, Origin.GIVEN, number)
            case ArrayValue():
                self.shared[value.place] = len(self.buffers)
                contents = np.ascontiguousarray(value.values).reshape(-1).view(np.uint8)
                text, values = f"{value.source or 'array'} ({value.values.dtype}[{value.values.size}])", Origin.GIVEN
        return self._buffer(name, contents, text, size, Origin.GIVEN, values)

    def _filled(self, name: str, value: BufferValue, size: int) -> tuple[bytes, Span]:
        """Return the address of a buffer of a given size; random contents and zeros repeat where that is specified."""
        held = self.spec.period_bytes // value.element.size
        repeats = 0 < held < value.count and value.fill in {"random", "0"}
        part = replace(value, count=held) if repeats else value
        contents = fill(part, self.launch.shape.threads, name, self.seed)
        text = f"{value.element.name}[{value.count}]"
        made = self._buffer(name, contents, text, size, Origin.GIVEN, Origin.GIVEN)
        if repeats:
            self.buffers[-1] = replace(self.buffers[-1], whole=value.count * value.element.size)
        return made

    def _synthesized_buffer(
        self, name: str, item: KernelParameter | Field, size: int, host: HostArgument | None
    ) -> tuple[bytes, Span]:
        """Return the address of a buffer with an element per thread, or with as many bytes as the kernel needs."""
        if host is not None and host.value == 0:
            self.note(name, "null", Origin.HOST)
            return bytes(size), Span(0, size, name, Origin.HOST)
        source = host.buffer if host is not None else None
        place, before = host.offset if host is not None else 0, self.spec.bytes_before
        if source is not None and (number := self.passed.get(source.number)) is not None:
            return self._same_buffer(name, size, number, place + before.get(self.buffers[number].name, 0))
        if place > MOST_TOTAL_BYTES:  # a product of chosen sizes: no memory lies so far before the pointer
            place = 0
        place += before.get(name, 0)
        element = element_of(item.element) or BYTES
        one = getattr(item, "element_bytes", None) or element.size * getattr(item, "lanes", 1)
        of_threads = max(self.launch.shape.threads, FEWEST) * (one if element is not BYTES else 16)
        plain = min(of_threads, self.spec.most_bytes) + max(place, 0)
        known = self._size(name, plain, one, source, max(place, 0))
        data, span = self._made_buffer(name, element, size, known, source)
        whole = known.bytes if self.buffers[-1].contents.size < known.bytes else 0
        moved = host is not None and (source is None or source.size is None) and known.origin is Origin.CHOSEN
        self.buffers[-1] = replace(
            self.buffers[-1],
            limited=known.limited,
            reached=known.reached,
            whole=whole,
            may_begin_before=moved,
            allocation=source.allocation if source is not None else None,
        )
        if source is not None:
            self.passed[source.number] = len(self.buffers) - 1
        return data, replace(span, byte=place)

    def _same_buffer(self, name: str, size: int, number: int, place: int) -> tuple[bytes, Span]:
        """Return another pointer to a buffer, as in `step<<<…>>>(a, a + 1)`."""
        further = f" + {count_noun(place, 'byte')}" if place else ""
        self.note(name, f"{self.buffers[number].name}{further}", Origin.HOST)
        return bytes(size), Span(0, size, name, Origin.HOST, number, byte=place)

    def _made_buffer(
        self, name: str, element: Element, size: int, known: _Size, source: HostBuffer | None
    ) -> tuple[bytes, Span]:
        """Add a buffer with the contents that the host code gives it, or chosen ones."""
        bytes_, origin = known.bytes, known.origin
        count = max(bytes_ // element.size, 1)
        is_whole = element is not BYTES and bytes_ % element.size == 0
        text = f"{element.name}[{count}]" if is_whole else count_noun(bytes_, "byte")
        is_kept = source is not None and not (source.is_synthesized and self._begins_of(name))
        if source is not None and is_kept and source.contents is not None and len(source.contents) == bytes_:
            given = np.frombuffer(source.contents, np.uint8).copy()
            values = Origin.CHOSEN if source.is_synthesized else Origin.HOST
            return self._buffer(name, given, text, size, origin, values)
        byte = source.filled if source is not None else None
        by_host = byte is not None
        fill = byte if by_host else 0 if name in self.spec.zeroed else None
        held = min(bytes_, self.spec.period_bytes or bytes_)
        contents = (
            self._random(element, max(held // element.size, 1), name, held)
            if fill is None
            else np.full(held, fill, np.uint8)
        )
        if source is not None and source.is_sorted:
            contents = ascending(contents, element)
        example = self._example(name, element, known, source) if fill is None else None
        if example is not None:
            contents = np.resize(example, held)
        apart = fill == 0 and not by_host and origin is Origin.HOST  # the host code says the size, and not the contents
        if fill is not None and not apart and is_whole and (fill == 0 or element.kind in "iu"):
            text = f"{text}:{contents[: element.size].view(element.numpy).item()}" if fill else f"{text}:0"
        values = Origin.HOST if by_host else Origin.CHOSEN if example is None else Origin.SAMPLE
        made = self._buffer(name, contents, text, size, origin, values)
        if apart or example is not None:
            shown = "0" if apart else "the first elements of the host code, repeated"
            self.note(f"contents of {name}", shown, Origin.CHOSEN)
        return made

    def _size(self, name: str, plain: int, one: int, source: HostBuffer | None, before: int) -> _Size:
        """Return the size of a buffer: that of the host code, one that guards suggest, or what accesses need.

        Guards suggest what is behind a pointer, which has bytes `before` it.
        """
        given = source.size if source is not None else None
        if given and given <= self.spec.most_bytes:
            smaller = self.sizes.scaled(name, given) if self.spec.vary and not self._is_computed else None
            if smaller is not None:
                return _Size(smaller.bytes, Origin.CHOSEN, limited=True, reached=smaller.reached)
            return _Size(given, Origin.HOST, reached=self.sizes.reaches(name, given // max(one, 1)))
        if self.spec.vary and (suggested := self.sizes.largest(name)) is not None:
            return _Size(before + suggested.bytes, Origin.CHOSEN, limited=True, reached=suggested.reached)
        return _Size(max(plain, self.spec.least_bytes.get(name, 0)), Origin.CHOSEN)

    def _random(self, element: Element, count: int, name: str, bytes_: int) -> NDArray[np.uint8]:
        if (number := self.spec.uniform.get(name)) is not None and element is not BYTES:
            return np.resize(element.encode(np.full(count, number)), bytes_)
        mixed = self.spec.mixed if element is not BYTES else None
        most = self._most(name, element)
        if mixed is not None and (made := mixed.filled(name, element, count, most, self.seed)) is not None:
            return np.resize(made, bytes_)
        other = self.spec.alternative
        if other is not None:
            unit, most = (WORD, UNKNOWN_MOST) if element is BYTES else (element, self._most(name, element))
            layout = self.spec.layouts.get(name, PLAIN)
            return other.filled(unit, -(-bytes_ // unit.size), most, layout)[:bytes_].copy()
        if element is BYTES:
            words = random_values(WORD, -(-bytes_ // WORD.size), UNKNOWN_MOST, name, self.seed)
            return words[:bytes_].copy()
        if element.kind in "iu" and (begins := self._begins_of(name)):
            first = 0 if begins == name else 1
            contents = range_limits(element, count, self._most(name, element), begins, self.seed, first)
        else:
            contents = self._order(name, element)(element, count, self._most(name, element), name, self.seed)
        if self.spec.vary and name in self.spec.thresholds and element.kind in "iuf":
            contents = near(contents, element, self.spec.thresholds[name], name, self.seed)
        whole = contents[:bytes_]  # of a buffer that is smaller than one element
        return np.concatenate([whole, np.zeros(bytes_ - whole.size, np.uint8)]) if whole.size < bytes_ else whole

    def _example(
        self, name: str, element: Element, known: _Size, source: HostBuffer | None
    ) -> NDArray[np.uint8] | None:
        """Return what the host code begins a buffer with whose contents lead to addresses.

        None for a permutation of which only a part was seen, and for few elements.
        """
        if source is None or self.spec.alternative is not None or not self._is_index(name) or element.kind not in "iuf":
            return None
        numbers = np.frombuffer(source.first[: len(source.first) // element.size * element.size], element.numpy)
        if element.kind == "f":  # a kernel converts them to indices
            return element.encode(numbers) if numbers.size >= FEWEST else None
        places = known.bytes // element.size
        is_permutation = np.unique(numbers).size == numbers.size and int(numbers.max(initial=0)) < places
        if numbers.size < FEWEST or is_permutation:
            return None
        small = numbers[numbers < self._most(name, element)] if known.limited else numbers
        return element.encode(small if small.size else numbers)

    def _is_index(self, name: str) -> bool:
        return name in self.spec.offsets or name in self.spec.indexes

    def _most(self, name: str, element: Element) -> int:
        """Return a number that is more than all elements: the threads, and for indices no size of the host code."""
        is_index = element.kind in "iu" and self._is_index(name)
        numbers = [int(number.value) for _, number in self.numbers.integers() if number.origin is Origin.HOST]
        sizes = [number for number in numbers if number > 1] if is_index else []
        return min([self.launch.shape.threads, *sizes])

    def _order(self, name: str, element: Element) -> Callable[[Element, int, int, str, int], NDArray[np.uint8]]:
        """Return what makes the contents of a buffer: in any order, sorted, or a permutation."""
        if element.kind in "iu" and name in self.spec.offsets:
            return long_ranges if self.spec.vary else sorted_offsets
        is_index = element.kind in "iu" and name in self.spec.indexes
        return permutations if is_index and self.spec.vary else random_values

    def _begins_of(self, name: str) -> str:
        """Return the buffer with the begins of the ranges whose begins or ends a buffer holds, "" if it holds none.

        What other kernels compute from chosen contents may be no ranges.
        """
        begins = self.spec.ends.get(name, name)
        return begins if begins in self.spec.ends.values() else ""

    def set_count(self, name: str, count: NDArray[np.generic]) -> None:
        """Let a buffer of integers begin with a count, in each element."""
        for number, buffer in enumerate(self.buffers):
            if buffer.name == name and buffer.contents.size % count.nbytes == 0:
                contents = np.tile(count.view(np.uint8), buffer.contents.size // count.nbytes)
                text = buffer.text.partition(":")[0]
                self.buffers[number] = replace(buffer, contents=contents, text=text, values=Origin.CHOSEN)
                self.values = [
                    replace(known, value=text) if known.name == name else known
                    for known in self.values
                    if known.name != f"contents of {name}"
                ]
                self.note(f"contents of {name}", str(count[0]), Origin.CHOSEN)

    def _buffer(  # noqa: PLR0913, PLR0917  (the parts of one buffer)
        self, name: str, contents: NDArray[np.uint8], text: str, size: int, origin: Origin, values: Origin
    ) -> tuple[bytes, Span]:
        number = len(self.buffers)
        self.buffers.append(ArgumentBuffer(name, contents, text, origin, values))
        self.note(name, text, origin)
        return bytes(size), Span(0, size, name, origin, number)

    def note(self, name: str, value: str, origin: Origin) -> None:
        """Add a value in words."""
        self.values.append(NamedValue(name, value, origin))


def _fitting(element: Element, number: int | float) -> int | float:  # noqa: PYI041  (two types)
    """Return the number, which nobody gave by an option, or the nearest one that its integer type holds."""
    if element.kind not in "iu" or isinstance(number, float):
        return number
    bits = 8 * element.size
    return min(max(number, -(1 << (bits - 1))), (1 << bits) - 1)


def _number(name: str, element: Element, lanes: int, size: int, number: int | float) -> bytes:  # noqa: PYI041  (two types)
    if element.kind in "iu" and isinstance(number, float):
        if not number.is_integer():
            raise UsageError(f"--arg {name}: {number} is no integer, and its type is {element.name}")
        number = int(number)
    if element.kind in "iu":
        bits = 8 * element.size
        if not -(1 << (bits - 1)) <= number < 1 << bits:
            raise UsageError(f"--arg {name}: {number} does not fit {element.name}")
        word = int(number).to_bytes(element.size, "little", signed=number < 0)
    else:
        with np.errstate(over="ignore"):
            word = element.encode([number]).tobytes()
    return (word * lanes)[:size].ljust(size, b"\0")


def _shown(number: int | float) -> str:  # noqa: PYI041  (two types)
    return str(number) if isinstance(number, int) else f"{number:g}"
