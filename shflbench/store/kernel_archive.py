"""The kernels of a run in `kernels.zip`: their sources, their machine code, and what was counted in it.

| file in it | content |
|---|---|
| `index.json` | `KernelIndex` |
| `sources/<pattern>-<hash>.cu` | a translation unit as the compiler got it |
| `headers/<hash>-<name>` | a header that a unit includes |
| `cubins.tar.xz` | `cubins/<pattern>-<hash>.cubin`: machine code as it was loaded, of one or more kernels of a unit |

Each content is there once, however many kernels share it. The same kernels give the same bytes. In files of schema 1,
cubins are members of the zip as sources are.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from shflbench.core.model import Resources  # noqa: TC001  (likewise)
from shflbench.errors import ResultsError
from shflbench.store import cubin_tar, run_files
from shflbench.store.cubin_tar import CUBIN_TAR
from shflbench.store.json_record import decode, encode
from shflbench.store.record_values import ARCH, wrong_value
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import TypeAdapter

    from shflbench.core.model import Kernel

SCHEMA = 2
INDEX = "index.json"
DIGITS = 12  # of the hash in a file's name: 48 bits, enough for the few hundred files of a run
MOST_ARCHIVE_BYTES = 256 << 20  # of all files together, unpacked: those of `blocks` hold 37 MB
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can hold: the bytes must not depend on the clock
OVERHEAD = 16 << 10  # bytes that each file counts besides: a small tar can hold a million files without content
# What `zipfile` raises for damaged files of all kinds, by experiment, and what a damaged tar raises.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, KeyError, OverflowError, RuntimeError, ValueError),
    *cubin_tar.DAMAGE,
)


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """How all kernels of a run were compiled."""

    arch: str
    nvrtc: str  # version
    options: tuple[str, ...]  # without the folders of headers, which are of the machine


@dataclass(frozen=True, slots=True)
class BuiltKernel:
    """One kernel of a run, the translation unit that it is from, and the cases that run it."""

    name: str  # pattern, variant, dtype and options, e.g. "neighbor/shfl/f32"
    cases: tuple[str, ...]
    unit: str  # name in messages and line tables, e.g. "neighbor/kernels.cu"
    text: str
    headers: Mapping[str, str]  # name in #include → text
    expression: str  # the kernel's name in C++, e.g. "neighbor_shfl<float>"
    kernel: Kernel
    code: bytes  # its machine code within the cubin
    later: tuple[BuiltLaterKernel, ...] = ()
    options: tuple[str, ...] = ()  # of the compiler, beside those of the run


@dataclass(frozen=True, slots=True)
class BuiltLaterKernel:
    """A kernel of the same unit that a case launches after the first."""

    expression: str
    kernel: Kernel
    code: bytes


@dataclass(frozen=True, slots=True)
class StoredLoop:
    """The timed loop."""

    start: int  # address of its first instruction
    end: int  # address of its last instruction
    unroll: int  # iterations of the source loop per pass through the loop
    instructions: Mapping[str, int]  # opcode without modifiers → instructions in the loop


@dataclass(frozen=True, slots=True)
class StoredLaterKernel:
    """A kernel of the same unit that a case launches after the first."""

    expression: str
    symbol: str
    cubin: str  # file
    code_sha256: str
    resources: Resources
    instructions: Mapping[str, int] | None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.expression


@dataclass(frozen=True, slots=True)
class StoredKernel:
    """One kernel of `kernels.zip`, with those that its cases launch after it."""

    name: str
    cases: tuple[str, ...]
    unit: str
    expression: str
    symbol: str
    source: str  # file
    headers: Mapping[str, str]  # name in #include → file
    cubin: str  # file
    code_sha256: str  # of its machine code alone, whatever other kernels are in the cubin
    resources: Resources
    instructions: Mapping[str, int] | None  # opcode with modifiers → instructions; None without a disassembler
    loop: StoredLoop | None  # None without a disassembler, and where a kernel makes one pass
    later: tuple[StoredLaterKernel, ...] = ()
    options: tuple[str, ...] = ()  # of the compiler, beside those of the run; older versions did not record them

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it consists of."""
        return (self.source, *self.headers.values(), self.cubin, *(item.cubin for item in self.later))

    @property
    def code_hashes(self) -> tuple[str, ...]:
        """The hashes of the machine code of all its kernels."""
        return (self.code_sha256, *(item.code_sha256 for item in self.later))

    @property
    def expressions(self) -> tuple[str, ...]:
        """The names of all its kernels in C++."""
        return (self.expression, *(item.expression for item in self.later))


@dataclass(frozen=True, slots=True)
class KernelIndex:
    """What `index.json` says."""

    compiler: CompilerCall
    kernels: tuple[StoredKernel, ...]  # by name
    files: Mapping[str, str]  # name → SHA-256 of the content

    def revision_of(self, kernel: StoredKernel) -> str:
        """Return the `kernel_revision` of one of its kernels."""
        headers = {name: self.files[file] for name, file in kernel.headers.items()}
        return _revision(self.files[kernel.source], headers, "+".join(kernel.expressions))


@dataclass(frozen=True)
class KernelArchive:
    """The kernels of a run, with the content of each file."""

    index: KernelIndex
    contents: Mapping[str, bytes]
    path: Path = field(default=Path(run_files.KERNELS_FILE), compare=False)  # from which it was read

    @classmethod
    def of(cls, built: Iterable[BuiltKernel], compiler: CompilerCall) -> KernelArchive:
        """Return the archive of these kernels."""
        contents: dict[str, bytes] = {}
        return cls._make(compiler, [_stored(item, contents) for item in built], contents)

    @classmethod
    def _make(
        cls, compiler: CompilerCall, kernels: Iterable[StoredKernel], contents: Mapping[str, bytes]
    ) -> KernelArchive:
        """Return an archive of these kernels, with those of the contents that belong to them."""
        ordered = tuple(sorted(kernels, key=lambda kernel: kernel.name))
        names = sorted({file for kernel in ordered for file in kernel.files})
        hashes = {name: sha256(contents[name]).hexdigest() for name in names}
        return cls(KernelIndex(compiler, ordered, hashes), {name: contents[name] for name in names})

    def kernel_of(self, case_id: str) -> StoredKernel | None:
        """Return the kernel that a case runs; None where it does not compile."""
        return next((kernel for kernel in self.index.kernels if case_id in kernel.cases), None)

    def with_further(self, later: KernelArchive) -> KernelArchive:
        """Return the kernels of both; of one that is in both, what is here."""
        kernels = {kernel.name: kernel for kernel in (*later.index.kernels, *self.index.kernels)}
        return self._make(self.index.compiler, kernels.values(), {**later.contents, **self.contents})

    def differing(self, later: KernelArchive) -> list[str]:
        """Return the names of the kernels whose machine code is not the same in `later`."""
        code = {kernel.name: kernel.code_hashes for kernel in later.index.kernels}
        return [kernel.name for kernel in self.index.kernels if code.get(kernel.name) not in {None, kernel.code_hashes}]

    def encode(self) -> bytes:
        """Return the content of `kernels.zip`."""
        return self._encoded

    @cached_property
    def _encoded(self) -> bytes:
        """The content of `kernels.zip`, compressed once unless threads ask for it at the same time."""
        file = io.BytesIO()
        cubins = {name: content for name, content in self.contents.items() if cubin_tar.is_cubin(name)}
        others = {name: content for name, content in self.contents.items() if name not in cubins}
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in {INDEX: encode(self.index, SCHEMA).encode(), **others}.items():
                archive.writestr(_member(name), content, zipfile.ZIP_DEFLATED)
            archive.writestr(_member(CUBIN_TAR), cubin_tar.pack(cubins), zipfile.ZIP_STORED)
        return file.getvalue()

    @classmethod
    def read(cls, path: Path) -> KernelArchive:
        """Read the file at `path`; ResultsError where it is missing or damaged, or a hash does not fit its content."""
        content = run_files.read(path)
        try:
            members = _members(content)
        except _DAMAGE as error:
            raise ResultsError(f"{path} is damaged: {error}", RESTORE) from error
        inside = path / INDEX
        if INDEX not in members:
            raise ResultsError(f"{path} is damaged: it has no {INDEX}", RESTORE)
        index = decode(_adapter, run_files.text(members.pop(INDEX), inside), inside, SCHEMA)
        if not ARCH.fullmatch(index.compiler.arch):
            raise wrong_value(inside, "compiler.arch", index.compiler.arch, "an architecture such as sm_90")
        for name in sorted({*index.files, *(file for kernel in index.kernels for file in kernel.files)}):
            if name not in members or sha256(members[name]).hexdigest() != index.files.get(name):
                raise ResultsError(f"{path} is damaged: {name} is missing or was changed", RESTORE)
        return cls(index, {name: members[name] for name in index.files}, path)


def _member(name: str) -> zipfile.ZipInfo:
    """Return the header of a file in `kernels.zip`."""
    member = zipfile.ZipInfo(name, EPOCH)
    member.external_attr = 0o644 << 16  # or `unzip` makes files that nobody may read
    return member


def _members(content: bytes) -> dict[str, bytes]:
    """Return all files of a `kernels.zip`; BadZipFile or another of `_DAMAGE` where it is damaged."""
    members: dict[str, bytes] = {}
    room = MOST_ARCHIVE_BYTES
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name, text in _unpacked(archive):
            room -= OVERHEAD + len(text)
            if room < 0:
                raise zipfile.BadZipFile(f"its files hold more than {MOST_ARCHIVE_BYTES:,} bytes")
            if name in members:
                raise zipfile.BadZipFile("a file is there twice")
            members[name] = text
    return members


def _unpacked(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file, those in the tar as if they were members; unpacked when it is taken."""
    for member in archive.infolist():
        content = _unpack(archive, member)
        if member.filename == CUBIN_TAR:
            yield from cubin_tar.unpack(content)
        else:
            yield member.filename, content


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the content of a file, at most as many bytes as the archive says; BadZipFile if there are more.

    `ZipFile.read` unpacks everything before it cuts it to that size, and the other methods in one step.
    """
    if member.file_size > run_files.MOST_FILE_BYTES:
        raise zipfile.BadZipFile(f"{member.filename} has more than {run_files.MOST_FILE_BYTES:,} bytes")
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise zipfile.BadZipFile(f"{member.filename} is compressed by another method than `deflate`")
    with archive.open(member) as file:
        return file.read(member.file_size)


def kernel_revision(text: str, headers: Mapping[str, str], expression: str) -> str:
    """Return the SHA-256 of a kernel's source: the texts of its unit and of the headers, and the kernel's name.

    It does not depend on the compiler, the architecture and the launch.
    """
    hashes = {name: sha256(content.encode()).hexdigest() for name, content in headers.items()}
    return _revision(sha256(text.encode()).hexdigest(), hashes, expression)


def _revision(text_sha256: str, headers_sha256: Mapping[str, str], expression: str) -> str:
    parts = [text_sha256, *(f"{name} {digest}" for name, digest in sorted(headers_sha256.items())), expression]
    return sha256("\n".join(parts).encode()).hexdigest()


@cache
def _adapter() -> TypeAdapter[KernelIndex]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import, and only readers need it)

    return TypeAdapter(KernelIndex)


def _stored(built: BuiltKernel, contents: dict[str, bytes]) -> StoredKernel:
    """Return the record of a kernel, and add its files to `contents`."""

    def add(form: str, content: bytes) -> str:
        name = form.format(sha256(content).hexdigest()[:DIGITS])
        contents[name] = content
        return name

    kernel = built.kernel
    pattern = built.name.partition("/")[0]
    loop = kernel.loop
    return StoredKernel(
        name=built.name,
        cases=built.cases,
        unit=built.unit,
        expression=built.expression,
        symbol=kernel.symbol,
        source=add(f"sources/{pattern}-{{}}.cu", built.text.encode()),
        headers={
            name: add(f"headers/{{}}-{PurePosixPath(name).name}", text.encode()) for name, text in built.headers.items()
        },
        cubin=add(f"cubins/{pattern}-{{}}.cubin", kernel.cubin),
        code_sha256=sha256(built.code).hexdigest(),
        resources=kernel.resources,
        instructions=_instructions(kernel),
        loop=StoredLoop(loop.start, loop.end, loop.unroll, dict(loop.counts)) if loop else None,
        later=tuple(
            StoredLaterKernel(
                expression=item.expression,
                symbol=item.kernel.symbol,
                cubin=add(f"cubins/{pattern}-{{}}.cubin", item.kernel.cubin),
                code_sha256=sha256(item.code).hexdigest(),
                resources=item.kernel.resources,
                instructions=_instructions(item.kernel),
            )
            for item in built.later
        ),
        options=built.options,
    )


def _instructions(kernel: Kernel) -> dict[str, int] | None:
    """Return the instructions of a whole kernel by opcode; None if no disassembler could read it."""
    return None if kernel.sass is None else dict(Counter(item.opcode for item in kernel.sass).most_common())
