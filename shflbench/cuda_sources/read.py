"""Read a CUDA file or a PTX file."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shflbench.core.bounds import MILLION
from shflbench.core.files import read_regular
from shflbench.core.words import join_words
from shflbench.cuda.compile.ptx_cache import PtxCompiler
from shflbench.cuda_sources.assemble import kernel_of
from shflbench.cuda_sources.build_options import (
    usual_words,
    with_build_command,
    with_build_macros,
    with_wrapping_macros,
)
from shflbench.cuda_sources.compiled import FileCompiler
from shflbench.cuda_sources.device_functions import MAXIMUM_ROUNDS, with_definitions
from shflbench.cuda_sources.dispatch_notes import dispatch_notes
from shflbench.cuda_sources.example_instances import example
from shflbench.cuda_sources.expansion import require_expandable, require_shallow
from shflbench.cuda_sources.file_cache import ReadFile, cached_file
from shflbench.cuda_sources.guarded_kernels import kernel_guard, no_kernel, not_compiled_with, with_guarding_macros
from shflbench.cuda_sources.header_search import with_found_headers
from shflbench.cuda_sources.hidden_kernels import hidden_kernels
from shflbench.cuda_sources.host.machine import HostBudget
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import is_file, read_limited
from shflbench.cuda_sources.instances import choose_instances, compile_with_synthesized, signature, with_synthesized
from shflbench.cuda_sources.kernel_file import KernelFile, RejectedKernel, SourceNote
from shflbench.cuda_sources.lexer import without_comments
from shflbench.cuda_sources.naming import means, select_kernels
from shflbench.cuda_sources.neighbors import launching_files, neighbors
from shflbench.cuda_sources.nvcc import header_folders
from shflbench.cuda_sources.open_notes import open_notes
from shflbench.cuda_sources.plain_folder import table_name
from shflbench.cuda_sources.ptx import device_variables, dialect_notes, read_kernels
from shflbench.cuda_sources.read_options import HostOptions, KernelNames
from shflbench.cuda_sources.recent_sources import recent_source
from shflbench.cuda_sources.rejected_kernels import refuse_rejected
from shflbench.cuda_sources.stores import Suspects, find_removed
from shflbench.cuda_sources.toolkit_versions import toolkit_versions
from shflbench.cuda_sources.users_kernels import users_kernels
from shflbench.emulator.file_budget import HOST_SHARE
from shflbench.emulator.ptx.line_table import files_of
from shflbench.errors import CompileError, InputError, NoKernelError, TemplatesError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from shflbench.cuda_sources.compiled import CompiledFile
    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.instances import SynthesizedInstance
    from shflbench.cuda_sources.kernel_file import CompileOptions, SourceKernel
    from shflbench.cuda_sources.read_options import Compilers
    from shflbench.cuda_sources.source import CudaSource

REFUSED_WORDS = "the program performs no launch with the command line of --host-args: sizes are chosen as without it"
MAXIMUM_BYTES = 16 * 2**20  # of PTX; a larger file is a library
MAXIMUM_DIGITS = 1000  # of a number in PTX; Python reads 4300
# Of the runtime, the driver and HIP; which attribute of which kernel is set may not be known.
_SET_ATTRIBUTE = re.compile(rb"\b(?:cuda|cu|hip)(?:Func|Kernel)SetAttribute")
_NUMBER = re.compile(rf"[0-9]{{{MAXIMUM_DIGITS + 1}}}")


def read_ptx(path: Path, kernel: str | None = None) -> KernelFile:
    """Return the kernels of the PTX file `path`.

    InputError if it cannot be read or is no PTX, KernelError if it has no kernel, or none of the name `kernel`.
    """
    ptx = _read_text(path)
    if not re.search(r"^[ \t]*\.version\s+[0-9]", ptx, re.MULTILINE) or ".target" not in ptx:
        raise InputError(
            f"{path} is no PTX: it has no .version and .target", "Pass the output of `nvcc -ptx -lineinfo`."
        )
    if number := _NUMBER.search(ptx):
        line = ptx.count("\n", 0, number.start()) + 1
        raise InputError(f"{path} is damaged: line {line} has a number of more than {MAXIMUM_DIGITS} digits")
    files = _user_files(ptx, path)
    kernels = tuple(kernel_of(item, files, None) for item in read_kernels(ptx))
    if not kernels:
        raise NoKernelError(f"{path} has no kernel: its PTX contains no .entry", "Pass PTX of a __global__ function.")
    return KernelFile(path, ptx, select_kernels(path, kernels, kernel), dialect_notes(ptx), files=files)


def read_cuda(  # noqa: PLR0913  (a group per question)
    path: Path,
    compilers: Compilers,
    given: CompileOptions,
    host: HostOptions = HostOptions(),  # noqa: B008  (frozen)
    *,
    names: KernelNames = KernelNames(),  # noqa: B008  (likewise)
    compiled: KernelFile | None = None,
) -> KernelFile:
    """Return the kernels of the CUDA file `path` that `names` choose, compiled with the options that are `given`.

    Templates of which nothing names an instance are compiled for `float` or `int` if all their parameters are types;
    `SourceKernel.chosen` says so. Variables of the `host` code that begin with a constant begin with the changed
    numbers of their names, and function templates that are called with the first arguments of a changed instance are
    called with the second ones. Of a file that has been `compiled`, only the host code is read again.

    UsageError if a folder of headers does not exist, InputError if the file cannot be read, CompileError if it does not
    compile, KernelError if it has no kernel or none of its name, TimeLimitError after that of the budget.
    """
    _require_folders(given.include)
    _read_text(path)
    main = UserFile.of(path, str(path.resolve()), read_limited(path))
    toolchain, nvcc, budget = compilers.toolchain, compilers.nvcc, given.budget
    options, built = with_build_command(path, given)
    headers = toolchain.headers if toolchain is not None else ()
    unit, options, header_notes = with_found_headers(main, options, headers, nvcc)
    options, wrapping_notes = with_wrapping_macros(unit, options)
    require_shallow(unit.files)
    budget.check_time()
    unit.neighbors = neighbors(unit, options.include, budget)
    unit.launchers = launching_files(unit)
    header_notes = [*header_notes, *wrapping_notes, *_launch_notes(unit)]
    folders = partial(header_folders, nvcc) if nvcc is not None else lambda: headers
    unit.versions = toolkit_versions((*unit.files, *unit.neighbors), folders)
    guard = kernel_guard(unit, options.define)
    options, guard_notes = with_guarding_macros(options, guard)
    usual, run_notes = usual_words(path) if host.words is None else ((), [])
    instances = [*names.instances, *([names.kernel] if names.kernel is not None and "<" in names.kernel else [])]
    nvrtc = PtxCompiler(toolchain, compilers.cache) if toolchain is not None else None

    def source_with(options: CompileOptions, files: SourceUnit = unit) -> CudaSource:
        return recent_source(files, options.define, host.words, usual, host.change, budget)

    def compile_unit(files: SourceUnit, options: CompileOptions) -> _Compilation:
        source = source_with(options, files)
        require_expandable(source.unit.files, source.macros)
        wanted = choose_instances(source, instances, skip_unknown=names.skip_unknown)
        compiler = FileCompiler(source, options, nvrtc, nvcc)
        compiled = compile_with_synthesized(source, wanted, compiler.compile, compiles_file_first=nvcc is not None)
        return _Compilation(source, wanted, *compiled)

    def compile_source(options: CompileOptions) -> _Compilation:
        return _with_device_functions(compile_unit(unit, options), options, compile_unit)

    def compile_file() -> tuple[_Compilation, list[SourceNote]]:
        try:
            return _with_macros(unit, options, compile_source)
        except CompileError as error:
            if guard is None or not guard_notes:
                raise
            raise not_compiled_with(path, guard, error) from error

    def read() -> ReadFile:
        macro_notes: list[SourceNote] = []
        if compiled is not None:
            source = source_with(options)
            file = _with_host_code(compiled, source)
        else:
            compilation, macro_notes = compile_file()
            source, notes = compilation.source, [*built, *header_notes, *guard_notes, *macro_notes, *run_notes]
            file = _kernel_file(path, names.kernel, compilation, notes)
        file = replace(file, host_calls=source.host_calls)
        # Notes on macros come from files of the build, and other sources are found only after compilation.
        is_determined = not macro_notes and not source.unit.sources
        return ReadFile(file, is_determined, source.device_launch(uncertain=False) is not None)

    if nvrtc is None or nvcc is not None:
        return read().file
    words = (host.words, usual, host.change.numbers, host.change.instance, compiled)
    kernels = (names.kernel, names.instances, names.skip_unknown)
    decisive = (path, words, kernels, built, header_notes, guard_notes, run_notes, HostBudget(budget).most_work)
    return cached_file(nvrtc, unit, options, decisive, read)


def _launch_notes(unit: SourceUnit) -> list[SourceNote]:
    """Return the note that launches are read from other files, where nothing else joins these with the checked one."""
    names = [f"`{file.path.name}`" for file in unit.launchers]
    text = f"launches of kernels that this file does not launch are read from {join_words(names)}"
    return [SourceNote("launch", text)] if names else []


def _with_device_functions(
    compilation: _Compilation,
    options: CompileOptions,
    compile_unit: Callable[[SourceUnit, CompileOptions], _Compilation],
) -> _Compilation:
    """Return a file compiled with the other sources that have device functions which it calls, if that compiles."""
    for _ in range(MAXIMUM_ROUNDS):
        unit = with_definitions(compilation.source.unit, compilation.compiled.ptx, options.include)
        if unit is None:
            break
        try:
            compilation = compile_unit(unit, replace(options, sources=tuple(file.path for file in unit.sources)))
        except CompileError:
            break
    return compilation


def _kernel_file(
    path: Path, kernel: str | None, compilation: _Compilation, read_notes: Sequence[SourceNote]
) -> KernelFile:
    """Return the kernels of a compiled file, with notes on how it was read; KernelError if it has none."""
    source, wanted, compiled, synthesized = compilation
    compiled = replace(compiled, rejected=(*compiled.rejected, *hidden_kernels(source, compiled.left_out)))
    files = _user_files(compiled.ptx, path)
    compiled_kernels = [kernel_of(item, files, source) for item in read_kernels(compiled.ptx)]
    listed, others = users_kernels(source, [_with_spellings(item, compiled.symbols) for item in compiled_kernels])
    kernels, chosen_types = with_synthesized(listed, synthesized)
    refused = {item.place for item in compiled.rejected}
    open_templates = [item for item in _uninstantiated(source, kernels) if item.place not in refused and not wanted]
    launched = [item for item in open_templates if compiled.is_device_code_only and source.is_launched(item)]
    templates = [_template_note(item, source) for item in open_templates if item not in launched or not kernels]
    if not wanted and compiled.is_device_code_only:
        templates += _unresolved(source, kernels, {item.definition for item in synthesized})
    if kernel is not None:
        refuse_rejected(path, compiled.rejected, [kernel])
    templates = [item for item in templates if item.line not in refused]
    if not kernels:
        if compiled.rejected:
            refuse_rejected(path, compiled.rejected, ())
        if templates:
            reason = "".join(f"; {item.name}: {item.sentence}" for item in compiled.rejected_instances[:1])
            raise TemplatesError(f"{path} has only kernel templates, and {templates[0].text}{reason}")
        raise no_kernel(path, kernel_guard(source.unit, source.define))
    stores, unoptimized = _dead_stores(source, compiled, files)
    of_host = [SourceNote("host-args", REFUSED_WORDS)] if source.refuses_words else []
    of_host += [_unfinished(source.unfinished_host)] if source.unfinished_host is not None else []
    of_host += [*_obscure_launches(source), *open_notes(source)]
    of_host += dispatch_notes(source) if compiled.is_device_code_only and not wanted else []
    notes = (*read_notes, *of_host, *compiled.notes, *chosen_types, *templates, *others, *stores)
    variables = device_variables(compiled.ptx)
    chosen = tuple(replace(item, variables=variables) for item in select_kernels(path, kernels, kernel))
    raises = any(_may_raise_shared_limit(file) for file in source.unit.files)
    return KernelFile(
        path,
        compiled.ptx,
        chosen,
        notes,
        compiled.compiler,
        files,
        raises,
        unoptimized,
        compiled.unit,
        compiled.rejected,
        source.host_numbers,
        chains=source.chains,
        uninstantiated=tuple(
            RejectedKernel(item.name, item.place, _template_note(item, source).text) for item in launched
        ),
        rejected_instances=compiled.rejected_instances,
    )


def _unfinished(host: HostBudget) -> SourceNote:
    """Return the note on host code that was not followed to its end."""
    millions = host.most_work / MILLION
    text = f"the host code was followed for {millions:.3g} million instructions: what it does after that is unknown"
    return SourceNote("budget", f"{text}; give {host.of_file.options[0]} above {HOST_SHARE * millions:.3g}")


def _with_spellings(kernel: SourceKernel, symbols: Mapping[str, str]) -> SourceKernel:
    """Return an instance with the texts that name it although its name is another: `copy<Mode::fast>`."""
    spellings = (text for text, symbol in symbols.items() if symbol == kernel.symbol and not means(text, kernel.name))
    return replace(kernel, spellings=tuple(spellings))


def _with_host_code(file: KernelFile, source: CudaSource) -> KernelFile:
    """Return a compiled file with the launches of its host code as it is read now."""
    launches = {item.symbol: kernel_of(item, file.files, source).host_launches for item in read_kernels(file.ptx)}
    kernels = tuple(replace(item, host_launches=launches.get(item.symbol, ())) for item in file.kernels)
    return replace(file, kernels=kernels, numbers=source.host_numbers, chains=source.chains)


class _Compilation(NamedTuple):
    source: CudaSource
    wanted: list[str]  # instances
    compiled: CompiledFile
    chosen: list[SynthesizedInstance]


def _with_macros(
    unit: SourceUnit, options: CompileOptions, compile_source: Callable[[CompileOptions], _Compilation]
) -> tuple[_Compilation, list[SourceNote]]:
    """Compile a file, if names are undefined with macros of its build; CompileError of the file without them."""
    try:
        return compile_source(options), []
    except CompileError as error:
        known = with_build_macros(unit, options, error)
        if known is None:
            raise
        try:
            return compile_source(known[0]), known[1]
        except CompileError:
            raise error from None


def _require_folders(include: Sequence[Path]) -> None:
    """Raise UsageError for a folder of headers that does not exist: a compiler would pass over it in silence."""
    for folder in include:
        if not folder.is_dir():
            what = "is no folder" if folder.exists() else "does not exist"
            raise UsageError(f"-I: the folder {folder} {what}", "Give the folder that contains the headers.")


def _dead_stores(source: CudaSource, compiled: CompiledFile, files: Mapping[str, Path]) -> tuple[list[SourceNote], str]:
    """Return notes on removed stores, and the PTX that has them."""
    suspects = Suspects(source, compiled.ptx, files)
    debug = compiled.unoptimized() if suspects else None
    if debug is None:
        return [], ""
    path = source.unit.main.path
    shown = {file.path.resolve(): file.path for file in source.unit.files}
    notes = find_removed(suspects, debug, {**files, **_user_files(debug, path)}, shown)
    return notes, debug if notes else ""


def _may_raise_shared_limit(file: UserFile) -> bool:
    """Return whether the code of a file, macros included, names a function that sets an attribute of a kernel."""
    return b"SetAttribute" in file.text and _SET_ATTRIBUTE.search(without_comments(file.text)) is not None


def _uninstantiated(source: CudaSource, kernels: Sequence[SourceKernel]) -> list[Definition]:
    compiled = {kernel.name.partition("<")[0] for kernel in kernels}
    # A specialization has no template parameters.
    return [item for item in source.definitions if item.template and item.name not in compiled]


def _template_note(definition: Definition, source: CudaSource) -> SourceNote:
    text = f"no instance of the kernel template `{signature(definition)}` is compiled; name one, for example --kernel "
    return SourceNote("template", f"{text}'{example(definition, source)}'", definition.place)


def _obscure_launches(source: CudaSource) -> list[SourceNote]:
    """Return a note on each launch of the host code whose kernel is not known: with what it runs is chosen."""
    listed = ", ".join(f"`{name}`" for name in source.obscured)
    whose = f": its kernel may be {listed}, whose launches are chosen; give them by --launch" if listed else ""
    return [
        SourceNote("launch", f"the launch in line {line.line} is not understood{whose}", line)
        for line in source.obscure_launches
    ]


def _unresolved(
    source: CudaSource, kernels: Sequence[SourceKernel], chosen: Collection[Definition]
) -> list[SourceNote]:
    """Return notes on lines of host code whose instances of a kernel only nvcc, which compiles them, would know.

    A kernel without any compiled instance has another note, and so has one of which all instances are chosen.
    """
    compiled = {kernel.name.partition("<")[0] for kernel in kernels}
    return [
        SourceNote(
            "template",
            f"the instance of the kernel template `{signature(definition)}` here depends on host code that NVRTC does "
            f"not compile, and may be missing; name it, for example --kernel '{example(definition, source)}'",
            line,
        )
        for definition, line in source.unresolved
        if definition.name in compiled and definition not in chosen
    ]


def _read_text(path: Path) -> str:
    """Return the text of a file; InputError in one sentence if it is missing, a folder, too large or no text."""
    _require_readable_name(path)
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder", "Pass a .cu or .ptx file.")
        if path.exists() and not path.is_file():  # a pipe or a device may never end
            raise InputError(f"{path} is no regular file", "Pass a .cu or .ptx file.")
        if path.stat().st_size > MAXIMUM_BYTES:
            raise InputError(f"{path} is larger than {MAXIMUM_BYTES // 2**20} MiB", "Pass a file with fewer kernels.")
        content = read_regular(path, MAXIMUM_BYTES)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > MAXIMUM_BYTES:
        raise InputError(f"{path} is larger than {MAXIMUM_BYTES // 2**20} MiB", "Pass a file with fewer kernels.")
    if b"\0" in content:
        raise InputError(f"{path} is no text: it contains zero bytes", "Pass CUDA C++ or PTX.")
    if not content.strip():
        raise InputError(f"{path} is empty", "Pass a file that defines a __global__ function.")
    return content.decode("utf-8", errors="replace")


def _require_readable_name(path: Path) -> None:
    """InputError if the path is not UTF-8, which line tables of compilers are."""
    name = os.path.realpath(path)
    try:
        name.encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(name).decode(errors="backslashreplace")
        raise InputError(f"{shown} cannot be read: its name is not UTF-8", "Rename it.") from error


def _user_files(ptx: str, path: Path) -> Mapping[str, Path]:
    """Return the files of the line table that exist on this machine, by their names there."""
    files = {}
    for name in files_of(ptx).values():
        if name == table_name(str(path.resolve())):
            files[name] = path
            continue
        for candidate in (Path(name), path.parent / name):
            if is_file(candidate):
                files[name] = path if candidate.resolve() == path.resolve() else candidate
                break
    return files
