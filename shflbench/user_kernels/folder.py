"""Write the pattern folder of a comparison: the device code of the file, its headers, the declaration, the inputs."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker import BufferUse
from shflbench.core.dimensions import NO_CLUSTER, LaunchDims
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.cuda.compile.host_headers import stub
from shflbench.errors import UsageError
from shflbench.patterns.declare import ITERATIONS
from shflbench.user_kernels.comparison import by_size
from shflbench.user_kernels.functions import inputs_function, reference_stub, varied_function
from shflbench.user_kernels.pattern_text import at_size, buffer_dtype, contents_key, element_count, number_value
from shflbench.user_kernels.replaced_inputs import needs_other_inputs
from shflbench.user_kernels.varied_inputs import is_varied, left_out, other_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.checker import CandidateBuffer, CandidateNumber, CandidateStep, KernelCandidate
    from shflbench.core.dimensions import Dims
    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.user_kernels.comparison import ComparedKernel, KernelComparison, Size

# Allowed error of a floating-point output, see `measure.verify`: a sum of thousands of terms in another order.
TOLERANCES = {"f64": 1e-10, "f32": 1e-4, "f16": 2e-2, "bf16": 5e-2}
USUAL_OPTIONS = ("-arch=", "-lineinfo")  # that NVRTC gets for every pattern

_INCLUDE = re.compile(rb'^([ \t]*#[ \t]*include[ \t]*[<"])([^>"\n]+)([>"])', re.MULTILINE)
_MECHANISMS = (  # in the PTX of a kernel, the strongest evidence first
    (Mechanism.SHFL, r"\bshfl\.sync"),
    (Mechanism.COLLECTIVE, r"\b(?:vote|redux|match)\.sync"),
    (Mechanism.SMEM, r"\bst\.(?:volatile\.)?shared(?s:.*)\bld\.(?:volatile\.)?shared"),
    (Mechanism.ATOMIC, r"\b(?:atom|red)\.(?:\w+\.)*global"),
)


@dataclass(frozen=True, slots=True)
class Equality:
    """When the results of two kernels count as equal. Fields are parameters of `bench`."""

    tolerance: float | None = None  # relative, of floating-point results; None: the usual one of their type
    unordered: tuple[str, ...] = ()  # outputs whose elements may have any order


@dataclass(frozen=True, slots=True)
class Texts:
    """The files of a pattern folder, by name."""

    files: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        """A hash of names and contents."""
        parts = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            parts.update(hashlib.sha256(name.encode() + b"\0" + content).digest())
        return parts.hexdigest()[:32]


def pattern_files(comparison: KernelComparison, file: str, equality: Equality, *, in_numpy: bool = False) -> Texts:
    """Return the files of the folder; `file` names the user's file.

    The first kernel is the reference, or `in_numpy` a function that the user has to write.
    """
    files: dict[str, bytes] = {}
    for kernel in comparison.kernels:
        files |= _sources(kernel.unit, f"{kernel.folder}/" if kernel.folder else "")
    files["pattern.py"] = "".join(_declaration(comparison, file, equality, in_numpy=in_numpy)).encode()
    contents = {
        contents_key(buffer.name, size): buffer.contents
        for size, launch in comparison.sizes.items()
        for buffer in launch.buffers
        if comparison.use(buffer) is not BufferUse.WRITTEN
    }
    if contents:
        stream = io.BytesIO()
        np.savez(stream, allow_pickle=False, **contents)
        files["inputs.npz"] = stream.getvalue()
    return Texts(files)


def write_folder(texts: Texts, name: str, below: Path) -> Path:
    """Write the files to a folder called `name` below another one, unless it exists, and return it."""
    folder = below / texts.digest / name
    if (folder / "pattern.py").is_file():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    _write(texts, aside)
    try:
        aside.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def write_new(texts: Texts, folder: Path, suite: Path, suite_text: str) -> None:
    """Write the files to a folder, and a suite; UsageError if one of them exists, and nothing is written."""
    for path in (folder, suite):
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"{path} exists; nothing was written", "Choose another name, or another folder by --output."
            )
    folder.mkdir(parents=True)
    _write(texts, folder)
    suite.write_text(suite_text, encoding="utf-8")


def _write(texts: Texts, folder: Path) -> None:
    for file, content in texts.files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)


def _sources(unit: PtxUnit, below: str) -> dict[str, bytes]:
    """Return the device code and each header that it includes, under names without a place on this machine.

    Line tables name the files in the folder `below`, so that files of one name from several sources differ.
    """
    line = _line(f"{below}{Path(unit.name).name}")
    files = {f"{below}kernels.cu": _renamed(unit.text.replace(_line(unit.name), line))}
    for name, content in _headers(unit):
        line = _line(f"{below}{Path(name).name}") + b"\n" if below else b""
        files[f"{below}{name}"] = line + content
    return {name: _as_utf8(content) for name, content in files.items()}


def _as_utf8(text: bytes) -> bytes:
    """Return a text of any encoding as UTF-8: other bytes, of comments and literals, as octal escapes."""
    decoded = text.decode(errors="surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda match: f"\\{ord(match[0]) - 0xDC00:03o}", decoded).encode()


def _line(name: str) -> bytes:
    return f'#line 1 "{name}"'.encode()


def _headers(unit: PtxUnit) -> Iterator[tuple[str, bytes]]:
    waiting, known = [unit.text], set()
    while waiting:
        for match in _INCLUDE.finditer(waiting.pop()):
            name = match[2].decode(errors="replace")
            if name in known or name not in unit.headers:
                continue
            known.add(name)
            waiting.append(unit.headers[name])
            if unit.headers[name] != stub(name):
                yield _plain_name(name), _renamed(unit.headers[name])


def _renamed(text: bytes) -> bytes:
    return _INCLUDE.sub(
        lambda match: match[1] + _plain_name(match[2].decode(errors="replace")).encode() + match[3], text
    )


def _plain_name(name: str) -> str:
    """Return the name of a header below the folder: `common.h` of `../common.h`."""
    return re.sub(r"^(?:\.{0,2}/)+", "", os.path.normpath(name))


def _declaration(comparison: KernelComparison, file: str, equality: Equality, *, in_numpy: bool) -> Iterator[str]:
    first = comparison.first
    numbers = dict(_numbers(comparison))
    sizes = [size for size in comparison.sizes if size is not None]
    dtype = result_dtype(comparison)
    relative = TOLERANCES.get(dtype, 0.0) if equality.tolerance is None else equality.tolerance
    options = compiler_options(comparison.kernels[-1].unit)
    classes = sorted({"Mechanism", "Pattern", "Variant", *(_class(comparison, item) for item in first.buffers)})
    classes += ["Scalar"] if numbers else []
    steps = [(kernel, step) for kernel in comparison.kernels for step in range(len(kernel.candidate.kernels))]
    moved = any(_is_moved(kernel, step, place) for kernel, step in steps for place in _step(kernel, step).pointers)
    classes += ["PointerInto"] if moved else []
    classes += ["ByValue"] if any(_step(kernel, step).structures for kernel, step in steps) else []
    classes += ["LaterKernel"] if comparison.has_sequences else []
    read = [item for item in first.buffers if comparison.use(item) is not BufferUse.WRITTEN]
    yield f'"""The kernels of {file} as a pattern."""\n\n'
    bf16 = "import ml_dtypes  # noqa: F401  (NumPy knows bfloat16 then)\n" if "bf16" in map(buffer_dtype, read) else ""
    yield "from pathlib import Path\n\n" if read else ""
    yield f"{bf16}import numpy as np\n\n" if read or in_numpy else ""
    draws = [item for item in read if is_varied(comparison, item) and not in_numpy]
    yield "from shflbench.model import Mechanism\n"
    yield "from shflbench.patterns.data import varied\n" if draws else ""
    yield f"from shflbench.patterns.declare import {', '.join(item for item in classes if item != 'Mechanism')}\n\n"
    yield "PATTERN = Pattern(\n"
    yield f"    summary={f'kernels of {file}'!r},\n    source={file!r},\n"
    yield f"    dtypes=({dtype!r},),\n    one_pass=True,\n    fixed_sizes=True,\n"
    yield "" if in_numpy else f"    reference_variant={comparison.kernels[0].variant!r},\n"
    yield f"    relative_tolerance={relative!r},\n"
    yield from () if in_numpy else _verification(comparison, read)
    yield from _launches(comparison)
    yield f"    compiler_options={tuple(options)!r},\n"
    yield f"    options={ {sizes[0][0]: tuple(value for _, value in sizes)}!r},\n" if sizes else ""
    yield "    buffers=(\n"
    for buffer in first.buffers:
        yield f"        {_buffer_text(comparison, buffer, equality)},\n"
    yield "    ),\n    scalars=(\n"
    for name, of_size in numbers.items():
        values = {size: number_value(number) for size, number in of_size.items()}
        text = at_size({size: value for size, (value, _) in values.items()})
        other = None if in_numpy else other_value(comparison, name, of_size)
        words = f"dtype={next(iter(values.values()))[1]!r}" + (f", other={other!r}" if other is not None else "")
        yield f"        Scalar({name!r}, lambda at: {text}, {words}),\n"
    yield "    ),\n    variants=(\n"
    for kernel in comparison.kernels:
        yield from _variant(comparison, kernel)
    yield "    ),\n)\n"
    if in_numpy:
        yield from reference_stub(comparison, read)
    if read:
        yield from inputs_function(comparison, read)
    if not in_numpy:
        yield from varied_function(comparison, read)


def _verification(comparison: KernelComparison, read: Sequence[CandidateBuffer]) -> Iterator[str]:
    """Yield which buffers have other contents in the varied inputs, and what is not compared."""
    yield f"    varied={tuple(item.name for item in read if is_varied(comparison, item))!r},\n"
    yield f"    not_compared={tuple(left_out(comparison))!r},\n"


def _launches(comparison: KernelComparison) -> Iterator[str]:
    """Yield how many dimensions the launches have, and one that stands for all, since kernels may need its block."""
    launches = [launch for kernel in comparison.kernels for launch in kernel.launches]
    every = [LaunchDims(launch.grid, launch.block) for launch in launches]
    dimensions = max(dims.dimensions for dims in every)
    if dimensions > 1:
        yield f"    dimensions={dimensions},\n"
    yield f"    representative={ {'launch': str(every[0])}!r},\n"


def _class(comparison: KernelComparison, buffer: CandidateBuffer) -> str:
    return {BufferUse.READ: "Input", BufferUse.WRITTEN: "Output", BufferUse.CHANGED: "InOut"}[comparison.use(buffer)]


def _buffer_text(comparison: KernelComparison, buffer: CandidateBuffer, equality: Equality) -> str:
    dtype = buffer_dtype(buffer)
    count = element_count(comparison, buffer)
    is_restored = comparison.use(buffer) is BufferUse.CHANGED and not buffer.variable
    restored = ", restored=True" if is_restored else ""
    variable = f", variable={buffer.variable!r}" if buffer.variable else ""
    kind = _class(comparison, buffer)
    ignored = ", compared=False" if kind != "Input" and not comparison.is_compared(buffer) else ""
    unordered = ", unordered=True" if kind != "Input" and buffer.name in equality.unordered else ""
    return (
        f"{kind}({buffer.name!r}, elements=lambda at: {count}, dtype={dtype!r}{variable}{restored}{unordered}{ignored})"
    )


def _variant(comparison: KernelComparison, kernel: ComparedKernel) -> Iterator[str]:
    yield f"        Variant(\n            name={kernel.variant!r},\n"
    yield f"            kernel={kernel.candidate.kernels[0]!r},\n"
    yield f"            source={f'{kernel.folder}/kernels.cu'!r},\n" if kernel.folder else ""
    yield f"            mechanism=Mechanism.{mechanism(kernel.candidate).name},\n"
    yield f"            summary={f'`{kernel.candidate.name}`'!r},\n"
    yield "            baseline=True,\n" if kernel is comparison.kernels[0] else ""
    yield f"            arguments={_arguments_text(comparison, kernel, 0)},\n"
    yield "            other_inputs=True,\n" if needs_other_inputs(comparison, kernel) else ""
    yield from _shared(kernel)
    yield from _cluster(kernel.launches[0].cluster, "            ")
    if kernel.launches[0].later:
        yield "            later=(\n"
        for step in range(1, len(kernel.candidate.kernels)):
            yield from _later(comparison, kernel, step)
        yield "            ),\n"
    yield "        ),\n"


def _later(comparison: KernelComparison, kernel: ComparedKernel, step: int) -> Iterator[str]:
    """Yield a kernel that follows the first one, with its launch."""
    launches = {size: launch.steps[step] for size, launch in by_size(kernel.launches).items()}
    dims = {size: (launch.grid, launch.block) for size, launch in launches.items()}
    shared = at_size({size: launch.shared_bytes for size, launch in launches.items()})
    yield "                LaterKernel(\n"
    yield f"                    kernel={kernel.candidate.kernels[step]!r},\n"
    yield f"                    dims=lambda at: {at_size(dims)},\n"
    yield f"                    arguments={_arguments_text(comparison, kernel, step)},\n"
    yield f"                    shared=lambda at: {shared},\n" if shared != "0" else ""
    yield from _cluster(launches[next(iter(launches))].cluster, "                    ")
    yield "                ),\n"


def _cluster(cluster: Dims, indent: str) -> Iterator[str]:
    """Yield the blocks of a cluster unless there are no clusters."""
    if cluster != NO_CLUSTER:
        yield f"{indent}cluster={cluster!r},\n"


def _step(kernel: ComparedKernel, step: int, size: Size | None = None) -> CandidateStep:
    """Return a launch of a sequence at one size, or at the first one."""
    return by_size(kernel.launches).get(size, kernel.launches[0]).steps[step]


def _arguments_text(comparison: KernelComparison, kernel: ComparedKernel, step: int) -> str:
    launch = _step(kernel, step)
    values = [_argument_text(comparison, kernel, step, place) for place in range(len(launch.arguments))]
    texts, end = [], 0
    for structure in launch.structures:
        texts += values[end : structure.first]
        end = structure.first + len(structure.offsets)
        fields = zip(structure.offsets, values[structure.first : end], strict=True)
        listed = _tuple_text(f"({start}, {value})" for start, value in fields)
        texts.append(f"ByValue({structure.name!r}, {structure.size}, {listed})")
    return _tuple_text([*texts, *values[end:]])


def _tuple_text(items: Iterable[str]) -> str:
    return f"({''.join(f'{item}, ' for item in items).rstrip()})"


def _argument_text(comparison: KernelComparison, kernel: ComparedKernel, step: int, place: int) -> str:
    """Return an argument of a launch as Python: a name, or a pointer into a buffer."""
    name = _argument(comparison, kernel, _step(kernel, step).arguments[place])
    if not _is_moved(kernel, step, place):
        return repr(name)
    bytes_of = {size: _step(kernel, step, size).pointers[place].byte for size in by_size(kernel.launches)}
    return f"PointerInto({name!r}, lambda at: {at_size(bytes_of)})"


def _is_moved(kernel: ComparedKernel, step: int, place: int) -> bool:
    """Whether a launch gets a pointer into a buffer there."""
    pointers = [_step(kernel, step, size).pointers for size in by_size(kernel.launches)]
    return any(place in item and item[place].byte for item in pointers)


def _shared(kernel: ComparedKernel) -> Iterator[str]:
    """Yield the dynamic shared memory of the launches, which may differ by the size of the blocks and of the data."""
    by_block = {
        threads: at_size({size: launch.shared_bytes for size, launch in by_size(launches).items()})
        for threads, launches in group_by(kernel.launches, lambda launch: prod(launch.block)).items()
    }
    first, *others = dict.fromkeys(by_block.values())
    if others:
        listed = ", ".join(f"{threads}: {text}" for threads, text in by_block.items())
        yield f"            shared=lambda at: {{{listed}}}.get(at.block, 0),\n"
    elif first != "0":
        yield f"            shared=lambda at: {first},\n"


def compiler_options(unit: PtxUnit) -> tuple[str, ...]:
    """Return the options of the compiler that a pattern must state."""
    return tuple(option for option in unit.options if not option.startswith(USUAL_OPTIONS))


def result_dtype(comparison: KernelComparison) -> str:
    """Return the element type of the first buffer that the kernels write, which names the cases."""
    outputs = [item for item in comparison.first.buffers if comparison.use(item) is not BufferUse.READ]
    return buffer_dtype((outputs or list(comparison.first.buffers))[0]) if comparison.first.buffers else "i32"


def _numbers(comparison: KernelComparison) -> Iterator[tuple[str, Mapping[Size, CandidateNumber]]]:
    """Yield the numbers of all kernels at each size, by the names of their scalars."""
    for kernel in comparison.kernels:
        for number in kernel.launches[0].numbers:
            yield _argument(comparison, kernel, number.name), _by_size(kernel, number.name)


def _by_size(kernel: ComparedKernel, name: str) -> dict[Size, CandidateNumber]:
    """Return the number called `name` at each size; empty if the kernel has no such number."""
    return {
        size: number
        for size, launch in by_size(kernel.launches).items()
        for number in launch.numbers
        if number.name == name
    }


def _argument(comparison: KernelComparison, kernel: ComparedKernel, name: str) -> str:
    """Return the name of the buffer or the scalar that a kernel gets: of another value, one of its own."""
    known = kernel.names[name]
    mine, base = _by_size(kernel, name), _by_size(comparison.kernels[0], known)
    if not mine:
        return known
    taken = {buffer.name for buffer in comparison.first.buffers} | {ITERATIONS}
    data, given = ({size: number.data for size, number in one.items()} for one in (mine, base))
    if data == given and known not in taken:
        return known
    return f"{known}_of_{kernel.variant}"


def mechanism(candidate: KernelCandidate) -> Mechanism:
    """Return the mechanism that the PTX of a kernel shows."""
    return next((one for one, form in _MECHANISMS if re.search(form, candidate.ptx)), Mechanism.GLOBAL)
