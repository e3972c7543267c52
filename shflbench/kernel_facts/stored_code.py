"""The machine code of the kernels of a run, from its `kernels.zip`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda.compile.certain_code import one_pass_code
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.sass import disassemble
from shflbench.cuda.compile.timed_code import timed_loop_of
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import CompilerError, ResultsError
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Instruction, OnePassCode, TimedCode
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel, StoredLaterKernel


@dataclass(frozen=True, slots=True)
class StoredCode:
    """The machine code of one kernel; None where it is not known, of which `reason` says why."""

    loop: TimedCode | None = None  # the timed loop
    one_pass: OnePassCode | None = None  # of a kernel without one
    reason: str = ""
    kernels: int = 1  # that a case launches one after another
    later: tuple[OnePassCode, ...] = ()  # of the kernels after the first, where all of them make one pass


KnownCodes: TypeAlias = "dict[Hashable, StoredCode]"  # by architecture, machine code and place of the timed loop


def stored_codes(
    archive: KernelArchive | None,
    cases: Collection[str],
    known: KnownCodes | None = None,
    cache_folder: Path | None = None,
) -> Mapping[str, StoredCode]:
    """Return the code of the kernel of each of the `cases`; one call of nvdisasm reads all kernels.

    Kernels that are `known` are not read again, and the others are added. With `cache_folder`, nvdisasm is not called
    again for the same few kernels. CompilerError if nvdisasm does not run or is not there.
    """
    codes: dict[str, StoredCode] = defaultdict(lambda: StoredCode(reason="its machine code was not kept"))
    wanted = set(cases)
    kernels = [kernel for kernel in archive.index.kernels if wanted.intersection(kernel.cases)] if archive else []
    if archive is None or not kernels:
        return codes
    known = {} if known is None else known
    arch = archive.index.compiler.arch
    _add_new([kernel for kernel in kernels if _key(kernel, arch) not in known], archive, known, cache_folder)
    for kernel in kernels:
        codes |= dict.fromkeys(kernel.cases, known[_key(kernel, arch)])
    return codes


def machine_code(archive: KernelArchive, kernels: Sequence[StoredKernel | StoredLaterKernel]) -> list[bytes]:
    """Return the machine code of kernels of an archive; ResultsError where it is not the code that was recorded."""
    codes: dict[str, Mapping[str, bytes]] = {}
    for name in sorted({kernel.cubin for kernel in kernels}):
        try:
            codes[name] = kernel_code(archive.contents[name])
        except CompilerError as error:
            raise ResultsError(f"{archive.path} is damaged: {name} is not an ELF file", RESTORE) from error
    texts = [codes[kernel.cubin].get(kernel.symbol, b"") for kernel in kernels]
    for kernel, text in zip(kernels, texts, strict=True):
        if sha256(text).hexdigest() != kernel.code_sha256:
            raise ResultsError(
                f"{archive.path} is damaged: the machine code of {kernel.name} is missing or was changed", RESTORE
            )
    return texts


def _key(kernel: StoredKernel, arch: str) -> Hashable:
    """Return what determines the code of a kernel."""
    loop = kernel.loop
    return arch, kernel.code_hashes, (loop.start, loop.end, loop.unroll) if loop else None


def _add_new(
    kernels: Sequence[StoredKernel], archive: KernelArchive, known: KnownCodes, cache_folder: Path | None
) -> None:
    """Disassemble these kernels of an archive, and add their codes to `known`."""
    every: list[StoredKernel | StoredLaterKernel] = []
    for kernel in kernels:
        every += (kernel, *kernel.later)
    texts = machine_code(archive, every)
    arch = archive.index.compiler.arch
    listings = disassemble(texts, arch, find().nvdisasm, cache_folder) if texts else []
    place = 0
    for kernel in kernels:
        end = place + 1 + len(kernel.later)
        if listings is None:
            known[_key(kernel, arch)] = StoredCode(reason=f"no disassembler here can read {arch}")
        else:
            known[_key(kernel, arch)] = _code(kernel, listings[place:end], texts[place:end])
        place = end


def _code(kernel: StoredKernel, listings: Sequence[Sequence[Instruction]], texts: Sequence[bytes]) -> StoredCode:
    """Return the code of a kernel, whose listing and machine code are the first, and of those that follow it."""
    sass, text = listings[0], texts[0]
    if kernel.later:
        count = 1 + len(kernel.later)
        reason = f"it launches {count} kernels, and a limit is that of one"
        if kernel.loop is not None:
            return StoredCode(reason=reason, kernels=count)
        first, *later = map(one_pass_code, listings, texts)
        return StoredCode(one_pass=first, reason=reason, kernels=count, later=tuple(later))
    if kernel.loop is None:
        return StoredCode(one_pass=one_pass_code(sass, text), reason="no timed loop was found in its machine code")
    loop = timed_loop_of(sass, text, kernel.loop.start, kernel.loop.end, kernel.loop.unroll)
    return StoredCode(loop=loop, reason="" if loop else "its timed loop was not found in its machine code")
