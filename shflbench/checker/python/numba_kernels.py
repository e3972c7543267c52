"""Kernels of Numba: compiled for the types of their arguments; an array becomes several parameters.

Numba passes an array as its structure, member by member (numba/core/datamodel/models.py, ArrayModel): two pointers that
kernels do not use, number of elements, bytes per element, data, and for each dimension its length and its stride.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker.inputs.grammar import ArrayValue, GivenArgument, NullValue, NumberValue
from shflbench.checker.python.arguments import named_values, refuse_overlap
from shflbench.checker.python.prepared import PreparedKernel
from shflbench.checker.python.values import HostValues, memory, to_value
from shflbench.cuda_sources.generators import target_of
from shflbench.cuda_sources.kernel_file import KernelFile, KernelParameter, SourceKernel, SourceNote
from shflbench.cuda_sources.ptx import read_kernels
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.ptx.line_table import files_of
from shflbench.errors import CompileError, CompilerError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.checker.inputs.grammar import ArgumentValue
    from shflbench.checker.python.prepared import Arguments
    from shflbench.cuda_sources.ptx import PtxKernel

ADVICE = "Pass args as in the launch of the kernel, such as [x, y, out]."
SHOWN = 200  # characters of a message of Numba
ENVIRONMENT = "NumbaEnv"  # in the name of a variable that Numba adds to each kernel

# Members that kernels do not use: the memory's owner, and the Python object.
_UNUSED: tuple[tuple[str, ArgumentValue], ...] = ((".meminfo", NullValue()), (".parent", NullValue()))


def is_dispatcher(source: object) -> bool:
    """Return whether `source` is a function with the decorator `@numba.cuda.jit`."""
    return hasattr(source, "py_func") and hasattr(source, "targetoptions")


def is_text(ptx: str) -> bool:
    """Return whether Numba compiled this PTX."""
    return ENVIRONMENT in ptx


def compile_kernel(dispatcher: Any, args: Arguments, capability: tuple[int, int]) -> str:  # noqa: ANN401  (no dependency)
    """Return the PTX of a kernel for the types of `args`; UsageError or CompileError where Numba cannot compile it."""
    from numba import cuda, typeof, types  # noqa: PLC0415  (optional: only users of Numba have it)
    from numba.core.errors import NumbaError  # noqa: PLC0415

    function = dispatcher.py_func
    known = names(dispatcher)
    values = named_values(args, known, function.__name__)
    if missing := [name for name in known if name not in values]:
        raise UsageError(f"the Numba kernel {function.__name__} needs values for {', '.join(missing)}", ADVICE)
    options = {
        key: value for key, value in dispatcher.targetoptions.items() if key in {"fastmath", "max_registers", "opt"}
    }
    try:
        signature = types.void(*(typeof(_hosted(values[name], name)) for name in known))
        ptx, _ = cuda.compile(
            function, signature, device=False, abi="numba", cc=capability, lineinfo=True, output="ptx", **options
        )
    except (NumbaError, ValueError) as error:
        raise CompileError(f"Numba rejects {function.__name__}: {_in_short(error)}") from error
    except (ImportError, OSError, RuntimeError) as error:
        raise CompilerError(f"Numba cannot compile: {_in_short(error)}", "Install numba-cuda[cu13].") from error
    return str(ptx)


def _in_short(error: Exception) -> str:
    """Return the beginning of a message, which may have many lines, in one."""
    return " ".join(str(error).split())[:SHOWN] or type(error).__name__


def _hosted(value: object, name: str) -> object:
    return tuple(_hosted(item, name) for item in value) if isinstance(value, tuple) else to_value(value, name)


def names(dispatcher: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the names of a kernel's arguments."""
    code = dispatcher.py_func.__code__
    return tuple(code.co_varnames[: code.co_argcount])


def prepare(ptx: str, args: Arguments, name: str = "", names: Sequence[str] = ()) -> PreparedKernel:
    """Return a kernel of Numba without its launch; UsageError where the arguments are not those it was compiled for.

    `name` is that of the kernel as Python knows it, or part of the mangled one, and `names` those of its arguments.
    """
    entry = _entry(ptx, name)
    if args is None:
        raise UsageError("a Numba kernel needs its arguments", ADVICE)
    if isinstance(args, Mapping) and not names:
        raise UsageError("the names of the arguments are not in the PTX of Numba", "Pass args as a list.")
    labels = names or [f"args[{position}]" for position in range(len(args))]
    values = named_values(args, labels, name or plain_name(entry.symbol))
    flat: list[tuple[str, ArgumentValue]] = []
    arrays: dict[str | int, tuple[int, NDArray[Any]]] = {}
    host = HostValues()
    for position, (label, value) in enumerate(values.items()):
        for part, what in _members(value, label, host):
            if isinstance(what, np.ndarray):
                refuse_overlap(what, part, [array for _, array in arrays.values()])
                arrays[label if isinstance(args, Mapping) else position] = (len(flat), what)
                flat.append((part, ArrayValue(memory(what))))
            else:
                flat.append((part, what))
    if len(flat) != len(entry.parameters):
        raise UsageError(
            f"the Numba kernel {plain_name(entry.symbol)} has {len(entry.parameters)} parameters, and the arguments "
            f"make {len(flat)}: an array counts as 5, and 2 for each dimension",
            ADVICE,
        )
    parameters = tuple(
        KernelParameter(
            part, "", _element(value, item.size), isinstance(value, ArrayValue | NullValue), item.size, item.offset
        )
        for (part, value), item in zip(flat, entry.parameters, strict=True)
    )
    files = {file: Path(file) for file in files_of(ptx).values()}
    place = SourceLine(Path(entry.file), entry.line) if entry.line else None
    kernel = SourceKernel(plain_name(entry.symbol), entry.symbol, parameters, place, (), entry.bounds)
    notes = (SourceNote("target", f"compiled by Numba for {target_of(ptx)}"),)
    file = KernelFile(Path(entry.file or "kernel.py"), ptx, (kernel,), notes, "Numba", files)
    given = tuple(GivenArgument(part, value) for part, value in flat)
    return PreparedKernel(file, entry.symbol, None, None, given, arrays)


def _entry(ptx: str, name: str) -> PtxKernel:
    entries = read_kernels(ptx)
    chosen = [entry for entry in entries if name in {"", entry.symbol, plain_name(entry.symbol)}]
    if len(chosen) != 1:
        names = ", ".join(plain_name(entry.symbol) for entry in entries)
        raise UsageError(
            f"the PTX has {len(chosen)} kernels {name}".rstrip(), f"Pass kernel=…; it has {names or 'none'}."
        )
    return chosen[0]


def plain_name(symbol: str) -> str:
    """Return the name of the Python function from the mangled one, `block_sum` for `_ZN13numba_kernels9block_sumB2v2…`.

    Source: Itanium C++ ABI, 5.1 (nested names); Numba appends the version of the compiled code as an ABI tag.
    """
    name, position = symbol, len("_ZN")
    while symbol.startswith("_ZN") and (length := re.match(r"\d+", symbol[position:])):
        start = position + length.end()
        position = start + int(length[0])
        name = symbol[start:position]
    return re.sub(r"_(?:dollar|24)\w+$", "", name)


def _members(value: object, label: str, host: HostValues) -> list[tuple[str, ArgumentValue | NDArray[Any]]]:
    """Return the parameters that one argument becomes, by their names."""
    if isinstance(value, tuple):
        return [part for place, item in enumerate(value) for part in _members(item, f"{label}[{place}]", host)]
    item = host.of(value, label)
    if item is None:
        raise UsageError(f"argument {label} is None, which has no place among the parameters of Numba", ADVICE)
    if isinstance(item, np.ndarray):
        sizes = ((".size", item.size), (".itemsize", item.itemsize))
        dimensions = [*_numbered(label, "shape", item.shape), *_numbered(label, "strides", item.strides)]
        return [
            *((label + part, unused) for part, unused in _UNUSED),
            *((label + part, NumberValue(size)) for part, size in sizes),
            (label, item),
            *dimensions,
        ]
    number = item.item() if isinstance(item, np.generic) else item
    if isinstance(number, complex):
        return [(f"{label}.real", NumberValue(number.real)), (f"{label}.imag", NumberValue(number.imag))]
    return [(label, NumberValue(int(number) if isinstance(number, bool) else number))]


def _numbered(label: str, what: str, sizes: Sequence[int]) -> list[tuple[str, ArgumentValue]]:
    return [(f"{label}.{what}[{place}]", NumberValue(int(size))) for place, size in enumerate(sizes)]


def _element(value: ArgumentValue, size: int) -> str | None:
    match value:
        case ArrayValue(values=values):
            return values.dtype.str.lstrip("<|=")
        case NumberValue(value=number):
            return f"{'f' if isinstance(number, float) else 'i'}{size}"
        case _:
            return None
