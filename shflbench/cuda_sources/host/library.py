"""The functions of CUDA and of the C and C++ libraries that host code computes sizes, launches and contents with."""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, Any

from shflbench.core.dimensions import MAX_BLOCK_DIMS, MAX_GRID
from shflbench.cuda_sources.host.algorithms import ALGORITHMS
from shflbench.cuda_sources.host.launch_structures import IDS
from shflbench.cuda_sources.host.machine import MOST_ITERATIONS, HostStop
from shflbench.cuda_sources.host.streams import stream_key
from shflbench.cuda_sources.host.structures import copy_into, zero
from shflbench.cuda_sources.host.types import INT, UNKNOWN_TYPE
from shflbench.cuda_sources.host.unknown_calls import assume_number
from shflbench.cuda_sources.host.values import (
    UNKNOWN,
    Cell,
    CellAddress,
    HostElement,
    InputNumber,
    Memory,
    Pointer,
    Structure,
    Text,
    byte_count,
    check_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

CONSTANTS: Mapping[str, object] = {
    "NULL": 0, "RAND_MAX": 2**31 - 1, "INT_MAX": 2**31 - 1, "INT_MIN": -(2**31), "UINT_MAX": 2**32 - 1,
    "FLT_MAX": 3.4028234663852886e38, "DBL_MAX": 1.7976931348623157e308, "M_PI": math.pi, "EXIT_SUCCESS": 0,
    "FLT_MIN": 2.0**-126, "DBL_MIN": 2.0**-1022, "FLT_EPSILON": 2.0**-23, "DBL_EPSILON": 2.0**-52,
    "LONG_MAX": 2**63 - 1, "LLONG_MAX": 2**63 - 1, "LONG_MIN": -(2**63), "LLONG_MIN": -(2**63),
    **dict.fromkeys(("INFINITY", "HUGE_VAL", "HUGE_VALF", "CUDART_INF", "CUDART_INF_F"), math.inf),
    **dict.fromkeys(("NAN", "CUDART_NAN", "CUDART_NAN_F"), math.nan),
    "EXIT_FAILURE": 1, "cudaSuccess": 0, "CUDA_SUCCESS": 0, "true": 1, "false": 0, "warpSize": 32,
    "cudaMemcpyHostToHost": 0, "cudaMemcpyHostToDevice": 1, "cudaMemcpyDeviceToHost": 2, "cudaMemcpyDeviceToDevice": 3,
    "cudaMemcpyDefault": 4, "cudaStreamDefault": 0, "cudaStreamLegacy": 0, **IDS, "CHAR_BIT": 8, "stdin": UNKNOWN,
}  # fmt: skip

# What `cudaGetDeviceProperties` says of an H200, for launches that depend on it.
PROPERTIES: Mapping[str, int] = {
    "multiProcessorCount": 132, "warpSize": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048,
    "sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 232448, "sharedMemPerMultiprocessor": 233472,
    "regsPerBlock": 65536, "major": 9, "minor": 0, "cooperativeLaunch": 1, "managedMemory": 1,
    "concurrentManagedAccess": 1,
}  # fmt: skip
EXTENTS: Mapping[str, Dims] = {"maxGridSize": MAX_GRID, "maxThreadsDim": MAX_BLOCK_DIMS}  # of every architecture
# Attributes of the same device, by the names with which `cudaDeviceGetAttribute` is asked.
ATTRIBUTES: Mapping[str, int] = {
    "cudaDevAttrMultiProcessorCount": 132, "cudaDevAttrWarpSize": 32, "cudaDevAttrMaxThreadsPerBlock": 1024,
    "cudaDevAttrMaxThreadsPerMultiProcessor": 2048, "cudaDevAttrMaxSharedMemoryPerBlock": 49152,
    "cudaDevAttrMaxSharedMemoryPerBlockOptin": 232448, "cudaDevAttrMaxSharedMemoryPerMultiprocessor": 233472,
    "cudaDevAttrMaxRegistersPerBlock": 65536, "cudaDevAttrComputeCapabilityMajor": 9,
    "cudaDevAttrComputeCapabilityMinor": 0, "cudaDevAttrCooperativeLaunch": 1,
    **{f"cudaDevAttrMaxGridDim{axis}": most for axis, most in zip("XYZ", MAX_GRID, strict=True)},
    **{f"cudaDevAttrMaxBlockDim{axis}": most for axis, most in zip("XYZ", MAX_BLOCK_DIMS, strict=True)},
}  # fmt: skip
_NUMBER = re.compile(r"\s*([+-]?(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+))")

# Functions that read a number from a text.
READERS = frozenset(
    {"atoi", "atol", "atoll", "atof", "strtol", "strtoul", "strtoull", "strtoll", "strtod", "strtof", "stoi", "stol",
     "stoul", "stoull", "stof", "stod"}
)  # fmt: skip

MOST_DIGITS = 40  # of an integer, more than any type holds
_OUT_OF_MEMORY = 2  # `cudaErrorMemoryAllocation`
Call = Any  # a function of the interpreter, the frame and the places of the arguments


def _write(place: object, value: object) -> None:
    """Store a value where a pointer points to."""
    if isinstance(place, CellAddress):
        place.cell.store(value)
    elif isinstance(place, Pointer):
        HostElement(place.memory, place.offset, place.target).store(value)


def _values(given: Sequence[Reference]) -> list[Any]:
    return [place.load() for place in given]


# Memory


def _allocate(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    values = _values(given)
    return _place(run, values[0], values[1]) if len(values) > 1 else 0


def _place(run: HostRun, pointer: object, size: object) -> int:
    """Let a pointer point to new memory of the device, and return the result of the allocation."""
    count = byte_count(size)
    _write(pointer, Pointer(Memory(count, device=True), 0, UNKNOWN_TYPE))
    if count is not None or size is UNKNOWN:
        return 0
    run.state.lacks_memory = True
    return _OUT_OF_MEMORY


def _new_stream(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaStreamCreate(&stream)`: the stream is another one than all before."""
    if given:
        handle = Pointer(Memory(0), 0, UNKNOWN_TYPE)
        run.state.streams.handles.append(handle.memory)
        run.state.streams.begin(stream_key(handle))
        _write(given[0].load(), handle)
    return 0


def _new_event(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaEventCreate(&event)`: the event is another one than all before."""
    if given:
        handle = Pointer(Memory(0), 0, UNKNOWN_TYPE)
        run.state.streams.handles.append(handle.memory)
        _write(given[0].load(), handle)
    return 0


def _allocate_pitch(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    pointer, pitch, width, height, *_ = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]
    row = -(-width // 512) * 512 if isinstance(width, int) else None
    size = row * height if row is not None and isinstance(height, int) else None
    _write(pitch, row if row is not None else UNKNOWN)
    return _place(run, pointer, size if size is not None else UNKNOWN)


def _allocate_aligned(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `posix_memalign(&pointer, alignment, size)`."""
    pointer, _, size, *_ = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
    _write(pointer, Pointer(run.state.memory(byte_count(size)), 0, UNKNOWN_TYPE))
    return 0


def _mapped(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaHostGetDevicePointer(&pointer, memory, flags)`."""
    pointer, memory, *_ = [*_values(given), UNKNOWN, UNKNOWN]
    _write(pointer, memory)
    return 0


def _malloc(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    count = _values(given)[-1] if given else UNKNOWN
    return Pointer(run.state.memory(byte_count(count)), 0, UNKNOWN_TYPE)


def _calloc(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    count, size = [*_values(given), UNKNOWN, UNKNOWN][:2]
    known = isinstance(count, int) and isinstance(size, int)
    memory = run.state.memory(byte_count(count * size) if known else None)
    if memory.size is not None:
        memory.fill(0, 0, memory.size)
    return Pointer(memory, 0, UNKNOWN_TYPE)


def _set(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    values: list[Any] = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
    pointer, byte, count = values[:3]
    if isinstance(pointer, CellAddress) and isinstance(pointer.cell.value, Structure) and byte == 0:
        zero(pointer.cell.value)
    if isinstance(pointer, Pointer):
        if pointer.offset is None:
            pointer.memory.forget()
        else:
            value = byte & 0xFF if isinstance(byte, int) else None
            pointer.memory.fill(value, pointer.offset, count if isinstance(count, int) else None)
    return 0


def _copy(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    target, source, count, *_ = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
    if isinstance(target, CellAddress):
        target.cell.store(source.cell.load() if isinstance(source, CellAddress) else UNKNOWN)
    if not isinstance(target, Pointer):
        return 0
    if target.offset is None or not isinstance(count, int):
        target.memory.forget()
    elif isinstance(source, Pointer) and source.offset is not None:
        target.memory.copy(target.offset, source.memory, source.offset, count)
    elif isinstance(source, CellAddress):
        type_ = source.cell.type
        if type_.format and type_.size == count:
            target.memory.store(target.offset, type_, source.cell.load())
        else:
            target.memory.forget()
    else:
        target.memory.forget()
    return 0


def _copy_to_symbol(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaMemcpyToSymbol(variable, source, count, offset, kind)`."""
    if len(given) < 3:  # noqa: PLR2004  (of which two have defaults)
        return 0
    values: list[Any] = [*_values(given), 0]
    place, (array, source, count, start) = given[0], values[:4]
    if isinstance(place, Cell) and not any(place is known for known in run.state.symbols):
        run.state.symbols.append(place)
        if isinstance(array, Pointer) and array.memory.contents() is None:  # no initial values
            array.memory.fill(0, 0, array.memory.size)
    if not isinstance(array, Pointer):
        copy_into(place, source if start == 0 else UNKNOWN)
    elif isinstance(start, int) and isinstance(source, Pointer) and isinstance(count, int):
        array.memory.copy(start, source.memory, source.offset if source.offset is not None else -1, count)
    elif isinstance(start, int) and isinstance(source, CellAddress) and source.cell.type.size == count:
        array.memory.store(start, source.cell.type, source.cell.load())
    else:
        array.memory.forget()
    return 0


def _copy_from_symbol(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaMemcpyFromSymbol(target, variable, count)`: a kernel may have written the variable."""
    target = given[0].load() if given else UNKNOWN
    if isinstance(target, Pointer):
        target.memory.forget()
    elif isinstance(target, CellAddress):
        target.cell.store(UNKNOWN)
    return 0


def _copy_rows(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaMemcpy2D(target, pitch, source, pitch, width, height, kind)`, with pitches and width in bytes."""
    values: list[Any] = [*_values(given), *[UNKNOWN] * 6]
    target, target_pitch, source, source_pitch, width, height = values[:6]
    if not isinstance(target, Pointer):
        return 0
    start, origin = target.offset, source.offset if isinstance(source, Pointer) else None
    sizes = (target_pitch, source_pitch, width, height)
    known = all(isinstance(size, int) for size in sizes) and start is not None and origin is not None
    if not known or height > MOST_ITERATIONS:
        target.memory.forget()
        return 0
    for row in range(height):
        target.memory.copy(start + row * target_pitch, source.memory, origin + row * source_pitch, width)
    return 0


# The command line, and numbers


def _parsed(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    value = given[0].load() if given else UNKNOWN
    if not isinstance(value, Text):
        return UNKNOWN
    if value.text is None:
        if value.is_input:
            return InputNumber(assume_number(run, "input"))
        if value.place is None:
            return UNKNOWN
        return assume_number(run, f"argv[{value.place}]")
    match = _NUMBER.match(value.text)
    text = match[1] if match else "0"
    is_integer = re.fullmatch(r"[+-]?(0[xX][0-9a-fA-F]+|[1-9]\d*|0)", text[:MOST_DIGITS])
    return check_bounds(int(text[:MOST_DIGITS], 0) if is_integer else float(text))


def _option(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Return the value of an option `-name=4` of the command line, 0 without, as NVIDIA's helper_string.h does."""
    name = given[2].load() if len(given) > 2 else UNKNOWN  # noqa: PLR2004  (argc, argv and the name)
    if not isinstance(name, Text):
        return UNKNOWN
    options = dict(word.lstrip("-").partition("=")[::2] for word in run.state.given.words or () if word[:1] == "-")
    number = _NUMBER.match(options.get(name.text or "", ""))
    return int(float(number[1])) if number else 0


def _flag(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Return whether the command line has an option, as NVIDIA's helper_string.h does."""
    name = given[2].load() if len(given) > 2 else UNKNOWN  # noqa: PLR2004  (argc, argv and the name)
    if not isinstance(name, Text):
        return UNKNOWN
    return int(any(word.lstrip("-").partition("=")[0] == name.text for word in run.state.given.words or ()))


def _compare(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    one, other, *count = [*_values(given), UNKNOWN, UNKNOWN][: max(len(given), 2)]
    if not (isinstance(one, Text) and isinstance(other, Text)) or one.text is None or other.text is None:
        return UNKNOWN
    most = count[0] if count and isinstance(count[0], int) else None
    first, second = one.text[:most], other.text[:most]
    return (first > second) - (first < second)


def _scan(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    values = _values(given)
    for value in values[1:]:
        if isinstance(value, CellAddress) and value.cell.type.format:
            place = values[0].place if isinstance(values[0], Text) and values[0].text is None else None
            value.cell.store(assume_number(run, f"argv[{place}]" if place is not None else "input"))
    return max(len(values) - 2, 1)


def _random(run: HostRun, frame: HostFrame | None, given: Sequence[Reference]) -> object:  # noqa: ARG001
    run.state.random = (run.state.random * 1103515245 + 12345) & 0x7FFFFFFF
    return run.state.random


def _fraction(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:
    value = _random(run, frame, given)
    return value / 2**31 if isinstance(value, int) else UNKNOWN


def random_number(run: HostRun, generator: Structure) -> object:
    """Return a number of `std::uniform_int_distribution` and its like, or of a generator; UNKNOWN for other objects."""
    name = generator.type.name
    low, high = (cell.load() for cell in (generator.field("low"), generator.field("high")))
    number = _random(run, None, ())
    if "mt19937" in name or "engine" in name or "random_device" in name:
        return number
    if not isinstance(number, int) or "distribution" not in name:
        return UNKNOWN
    if "uniform_int" in name:
        known = isinstance(low, int) and isinstance(high, int) and low <= high
        return low + number % (high - low + 1) if known else UNKNOWN  # type: ignore[operator]
    known = isinstance(low, int | float) and isinstance(high, int | float)
    first, last = (low, high) if known and "uniform" in name else (0.0, 1.0)
    return first + (last - first) * number / 2**31  # type: ignore[operator]


def _exit(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    raise HostStop


def _numeric(function: Callable[..., object]) -> Call:
    def call(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
        values = _values(given)
        if not values or not all(isinstance(value, int | float) for value in values):
            return UNKNOWN
        try:
            result = function(*values)
        except (ArithmeticError, ValueError, TypeError):
            return UNKNOWN
        return check_bounds(result) if isinstance(result, int | float) else UNKNOWN  # a complex root

    return call


def _constant(value: object) -> Call:
    return lambda run, frame, given: value  # noqa: ARG005


# The device


def _properties(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    target = given[0].load() if given else UNKNOWN
    fields = {name: Cell(value, INT) for name, value in PROPERTIES.items()}
    for name, extents in EXTENTS.items():
        data = struct.pack("3i", *extents)
        fields[name] = Cell(Pointer(Memory(len(data), data=bytearray(data), known=bytearray([1] * len(data))), 0, INT))
    _write(target, Structure(target.cell.type if isinstance(target, CellAddress) else UNKNOWN_TYPE, fields))
    return 0


def _function_attributes(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `cudaFuncGetAttributes(&attributes, kernel)`, as of a kernel that needs few registers."""
    target = given[0].load() if given else UNKNOWN
    fields = {"maxThreadsPerBlock": Cell(PROPERTIES["maxThreadsPerBlock"], INT)}
    _write(target, Structure(target.cell.type if isinstance(target, CellAddress) else UNKNOWN_TYPE, fields))
    return 0


def _attribute(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    values = _values(given)
    if len(values) > 1:
        _write(values[0], values[1] if isinstance(values[1], int) else UNKNOWN)
    return 0


def _device_number(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    if given:
        _write(given[0].load(), 0)
    return 0


def _device_count(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    if given:
        _write(given[0].load(), 1)
    return 0


def _block_size(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    values = _values(given)
    for place, value in zip(values, (264, 256), strict=False):
        _write(place, value)
    return 0


def _occupancy(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    if given:
        _write(given[0].load(), 2)
    return 0


def _of_one_process(number: int) -> Call:
    """Return `MPI_Comm_rank` or `MPI_Comm_size` of a program that runs as one process."""

    def number_of(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
        if len(given) > 1:
            _write(given[1].load(), number)
        return 0

    return number_of


def _raw(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    return given[0].load() if given else UNKNOWN


def _rounded(value: float) -> float:
    return float(math.floor(value + 0.5))


_MATH: Mapping[str, Callable[..., object]] = {
    "min": min, "max": max, "fmin": min, "fmax": max, "fminf": min, "fmaxf": max,
    "ceil": lambda x: float(math.ceil(x)), "floor": lambda x: float(math.floor(x)), "round": _rounded,
    "sqrt": math.sqrt, "pow": lambda x, y: float(x) ** y, "log2": math.log2, "log": math.log, "log10": math.log10,
    "exp": math.exp, "sin": math.sin, "cos": math.cos, "tan": math.tan, "abs": abs, "fabs": lambda x: float(abs(x)),
    "exp2": lambda x: 2.0**x, "fmod": math.fmod, "tanh": math.tanh, "trunc": lambda x: float(math.trunc(x)),
}  # fmt: skip

LIBRARY: Mapping[str, Call] = {
    **{name: _numeric(function) for name, function in _MATH.items()},
    **{f"{name}f": _numeric(function) for name, function in _MATH.items() if name not in {"min", "max", "abs"}},
    **dict.fromkeys(("cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc",
                     "cudaMallocFromPoolAsync"), _allocate),
    **dict.fromkeys(("cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"), _new_stream),
    **dict.fromkeys(("cudaEventCreate", "cudaEventCreateWithFlags"), _new_event),
    "cudaMallocPitch": _allocate_pitch,
    "posix_memalign": _allocate_aligned,
    "cudaHostGetDevicePointer": _mapped,
    **dict.fromkeys(("malloc", "valloc", "aligned_alloc", "realloc"), _malloc),
    "calloc": _calloc,
    **dict.fromkeys(("memset", "cudaMemset", "cudaMemsetAsync"), _set),
    **dict.fromkeys(("memcpy", "memmove", "cudaMemcpy", "cudaMemcpyAsync"), _copy),
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), _copy_to_symbol),
    **dict.fromkeys(("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync"), _copy_from_symbol),
    **dict.fromkeys(("cudaMemcpy2D", "cudaMemcpy2DAsync"), _copy_rows),
    **ALGORITHMS,
    **dict.fromkeys(READERS, _parsed),
    "getCmdLineArgumentInt": _option,
    "checkCmdLineFlag": _flag,
    **dict.fromkeys(("scanf", "sscanf", "fscanf"), _scan),
    **dict.fromkeys(("rand", "random"), _random),
    "drand48": _fraction,
    **dict.fromkeys(("strcmp", "strncmp", "strcasecmp"), _compare),
    **dict.fromkeys(("exit", "abort", "_exit", "quick_exit"), _exit),
    **dict.fromkeys(("getopt", "getopt_long"), _constant(-1)),
    "cudaGetDeviceProperties": _properties,
    "cudaDeviceGetAttribute": _attribute,
    "cudaFuncGetAttributes": _function_attributes,
    "cudaGetDevice": _device_number,
    "cudaGetDeviceCount": _device_count,
    "cudaOccupancyMaxPotentialBlockSize": _block_size,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": _occupancy,
    **dict.fromkeys(("forward", "move", "as_const", "raw_pointer_cast", "device_pointer_cast", "device_ptr"), _raw),
    **dict.fromkeys(("nan", "nanf"), _constant(math.nan)),
    "MPI_Comm_rank": _of_one_process(0),
    "MPI_Comm_size": _of_one_process(1),
    **dict.fromkeys(("MPI_Init", "printf", "fprintf", "puts", "time", "clock", "free", "srand"), _constant(0)),
}  # fmt: skip
