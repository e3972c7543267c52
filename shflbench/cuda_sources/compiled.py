"""Compile a CUDA file: with nvcc as it is, or its device code with NVRTC."""

from __future__ import annotations

import concurrent.futures
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from shflbench.core.words import join_words
from shflbench.cuda.compile.ptx_cache import PtxCompiler
from shflbench.cuda.compile.ptx_process import UnfinishedError
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources import nvcc as nvcc_compiler
from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.host_code import enclosing_host_item, host_spans
from shflbench.cuda_sources.jit import compile_device_code
from shflbench.cuda_sources.kernel_file import NEWER_STANDARD, RejectedKernel, SourceNote
from shflbench.cuda_sources.language_standard import needs_newer
from shflbench.cuda_sources.meant_kernels import without_types
from shflbench.cuda_sources.messages import InstanceError, MissingHeaderError, SourceError
from shflbench.cuda_sources.naming import means
from shflbench.cuda_sources.nvcc_device_code import StandInCompiler
from shflbench.cuda_sources.ptx import read_kernels
from shflbench.cuda_sources.removed_names import old_definitions, removed_names
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.ptx.line_table import rename_files
from shflbench.errors import CompileError, CompilerError, TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.cuda_sources.kernel_file import CompileOptions
    from shflbench.cuda_sources.source import CudaSource

_Built = TypeVar("_Built")
_LAUNCH = "kernel launch"  # what compilers say of a launch in device code, if that is the first error
_OLDER = "c++17"
MAXIMUM_REJECTED = 4  # instances of one file that are left out: each takes the time of a compilation
_NO_COMPILER = "Run `shflbench doctor`: it lists what to install."


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """The PTX of a file, and how to compile it without optimization."""

    ptx: str
    compiler: str
    unoptimized: Callable[[], str | None]
    notes: list[SourceNote] = field(default_factory=list)
    is_device_code_only: bool = False  # without what the host code instantiates
    left_out: tuple[str, ...] = ()  # missing headers
    rejected: tuple[RejectedKernel, ...] = ()
    rejected_instances: tuple[RejectedKernel, ...] = ()  # that the host code names, of templates that have others
    unit: PtxUnit | None = None  # what NVRTC was given; None if nvcc compiled the file
    symbols: Mapping[str, str] = field(default_factory=dict)  # of instances whose names differ from what was asked for


class FileCompiler:
    """Compiles one file, with one instance of a template or another."""

    def __init__(
        self, source: CudaSource, options: CompileOptions, nvrtc: PtxCompiler | None, nvcc: Path | None
    ) -> None:
        """Use `nvcc` or, without it, `nvrtc`; CompilerError if there is neither."""
        if nvcc is None and nvrtc is None:
            path = source.unit.main.path
            raise CompilerError(f"{path} cannot be compiled: there is no CUDA compiler", _NO_COMPILER)
        self._source = source
        newer = options.standard == NEWER_STANDARD or any(needs_newer(file.text) for file in source.unit.files)
        self._removed = removed_names(source.unit.files, partial(_header_folders, options, nvrtc, nvcc))
        # NVRTC 13.5 crashes on concepts in C++17.
        standard = NEWER_STANDARD if newer else _OLDER
        self._options = replace(options, standard=standard, before=old_definitions(self._removed))
        self._nvrtc = nvrtc
        self._nvcc = nvcc
        self._plain = ""  # nvcc's PTX of the file without further instances
        self._rejected: dict[str, CompileError] = {}  # nvcc's error of that file, by the standard
        self._stand_ins: StandInCompiler | None = None  # nvcc with what stands for missing headers
        self._accepts_stand_ins: bool | None = None  # whether nvcc does; None if that is not known
        self._host_error: CompileError | None = None  # of nvcc, which rejects the host code of the file

    def compile(self, instances: Sequence[str]) -> CompiledFile:
        """Compile the file with `instances` of its templates, beside those that the host code launches.

        Launches in device code are compiled for the device runtime where the options ask for it, if that succeeds.
        CompileError if the compiler rejects the file.
        """
        launch = self._source.device_launch(uncertain=False) if self._options.device_launches else None
        if launch is not None:
            with suppress(CompileError):
                return self._with_launches(instances, *launch)
        self._options = replace(self._options, device_launches=False)
        try:
            return self._in_a_standard(instances)
        except CompileError as error:
            launch = self._source.device_launch(uncertain=_LAUNCH in error.log)
            if launch is None:
                raise
            line, function = launch
            raise CompileError(
                f"{line.file}:{line.line}: device code launches a kernel: "
                f"what `{function}` leaves to it is neither checked nor timed",
                f"Remove `{function}`, or launch its kernels from the host.",
            ) from error

    def _with_launches(self, instances: Sequence[str], line: SourceLine, function: str) -> CompiledFile:
        """Compile launches in device code, too, with a note on the first of them."""
        try:
            compiled = self._in_a_standard(instances)
        finally:
            self._plain, self._rejected, self._host_error = "", {}, None
        text = f"device code launches a kernel: what `{function}` leaves to it is not checked there"
        compiled.notes.append(SourceNote("compiler", text, line))
        return compiled

    def _in_a_standard(self, instances: Sequence[str]) -> CompiledFile:
        """Compile as C++20 if the text looks like it, and as C++17 if it does not or that fails."""
        if self._options.standard != NEWER_STANDARD:
            return self._compiled(instances)
        try:
            return self._compiled(instances)
        except (UnfinishedError, MissingHeaderError):
            raise
        except CompileError as error:
            newer, self._options = self._options, replace(self._options, standard=_OLDER)
            try:
                return self._compiled(instances)
            except CompileError:
                self._options = newer
                raise error from None

    def _compiled(self, instances: Sequence[str]) -> CompiledFile:
        compiled = self._with_nvcc(self._nvcc, instances) if self._nvcc is not None else self._with_nvrtc(instances)
        if self._removed:
            listed = join_words([f"`{name}`" for name in self._removed])
            text = f"names that CUDA 13 removed have their old definitions: {listed}"
            compiled.notes.append(SourceNote("build", text))
        return compiled

    def _with_nvcc(self, nvcc: Path, instances: Sequence[str]) -> CompiledFile:
        """Compile with nvcc, or the device code with NVRTC where nvcc rejects host code."""
        if self._host_error is None:
            try:
                return self._as_it_is(nvcc, instances)
            except CompileError as error:
                if not self._is_of_host(error) and _LAUNCH not in error.log:
                    raise
                self._host_error = error
        return self._device_code(self._host_error, instances)

    def _device_code(self, rejected: CompileError, instances: Sequence[str]) -> CompiledFile:
        """Compile the device code with NVRTC, because nvcc has `rejected` host code; raise that if NVRTC fails, too."""
        needs_header = isinstance(rejected, MissingHeaderError)
        if self._accepts_stand_ins and (other := self._with_stand_ins(rejected, instances)):  # NVRTC rejects the file
            return other
        try:
            compiled = self._with_nvrtc(instances)
        except (CompileError, CompilerError) as error:
            if instances and isinstance(error, SourceError):  # an instance may be the reason
                raise
            other = None if _LAUNCH in rejected.log else self._with_stand_ins(rejected, instances)
            if other and ".entry" in other.ptx:
                return other
            if isinstance(error, MissingHeaderError) and needs_header:  # which device code needs, too
                raise
            raise _with_reason(rejected, error) from error
        reason = "needs headers of host code" if needs_header else "rejects host code"
        reason = "rejects launches in device code" if _LAUNCH in rejected.log else reason
        text = f"NVRTC compiled the device code, because nvcc {reason}: {rejected.reason}"
        compiled.notes.append(SourceNote("compiler", text))
        return compiled

    def _with_stand_ins(self, rejected: CompileError, instances: Sequence[str]) -> CompiledFile | None:
        """Compile the device code with nvcc, without the headers that are missing; None if it rejects that, too.

        Host code that nvcc has `rejected` is left out as well.
        """
        nvcc = self._nvcc
        if nvcc is None or self._accepts_stand_ins is False:
            return None
        self._stand_ins = stand_ins = self._stand_ins or StandInCompiler(self._source, nvcc)
        try:
            build = partial(stand_ins.compile, self._options)
            ptx, expressions, refused = self._without_rejected(instances, build, "nvcc")
        except (CompileError, CompilerError, OSError) as error:
            if self._accepts_stand_ins and isinstance(error, CompileError):  # an instance may be the reason
                raise
            self._accepts_stand_ins = False
            return None
        self._accepts_stand_ins = True
        listed = join_words(stand_ins.left_out) or rejected.reason
        if isinstance(rejected, MissingHeaderError):
            note = SourceNote("build", f"the device code is compiled without headers that are missing: {listed}")
        else:
            text = f"the device code is compiled alone, because nvcc rejects host code: {rejected.reason}"
            note = SourceNote("compiler", text)
        return CompiledFile(
            ptx,
            f"nvcc {nvcc_compiler.version(nvcc)}",
            partial(_unless_rejected, partial(build, expressions, debug=True)),
            [note, *_substitute_notes(self._source)],
            is_device_code_only=True,
            left_out=tuple(stand_ins.left_out),
            rejected_instances=tuple(refused),
        )

    def _is_of_host(self, error: CompileError) -> bool:
        """Whether an error of nvcc is in host code, or in a header that is not the user's."""
        if isinstance(error, MissingHeaderError):  # of a package that is not installed; device code may not need it
            return True
        if not isinstance(error, SourceError) or not error.line:
            return False
        files, macros = self._source.unit.files, self._source.macros
        file = next((item for item in files if item.path.resolve() == Path(error.file).resolve()), None)
        if file is None:
            return True
        if enclosing_host_item(file, error.line, macros, files) is not None:
            return True
        return any(error.line in file.lines(span) for span in host_spans(file, macros))

    def _as_it_is(self, nvcc: Path, instances: Sequence[str]) -> CompiledFile:
        path, options = self._source.unit.main.path, self._options
        if options.standard in self._rejected:  # with other instances, too
            raise self._rejected[options.standard]
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            version = executor.submit(nvcc_compiler.version, nvcc)
            try:
                self._plain = ptx = self._plain or nvcc_compiler.compile_ptx(nvcc, path, options)
            except CompileError as error:
                self._rejected[options.standard] = error
                raise
            added = _unknown(instances, ptx)
            if added:
                ptx = nvcc_compiler.compile_ptx(nvcc, path, options, added)
            debug = partial(nvcc_compiler.compile_ptx, nvcc, path, options, added, debug=True)
            unknown = _unknown(added, ptx)
            symbols = nvcc_compiler.symbols_of(nvcc, path, options, unknown) if unknown else ()
            return CompiledFile(
                ptx,
                f"nvcc {version.result()}",
                partial(_unless_rejected, debug),
                symbols=dict(zip(unknown, symbols, strict=True)),
            )

    def _with_nvrtc(self, instances: Sequence[str]) -> CompiledFile:
        compiler = self._nvrtc = self._nvrtc or PtxCompiler(find(), None)
        source = self._source
        compiler.toolchain.require(self._options.arch)
        build = partial(compile_device_code, source, options=self._options, compiler=compiler)
        jit, _, rejected = self._without_rejected(instances, build, "NVRTC")
        notes: list[SourceNote] = []
        if jit.left_out:
            listed = f"{join_words(jit.left_out)}, which {'is' if len(jit.left_out) == 1 else 'are'} missing"
            notes.append(SourceNote("build", f"compiled without {listed}: the device code compiles without"))
        notes += _substitute_notes(source)
        places = {}
        beside = {file.name: file for file in source.unit.sources}
        # NVRTC names a header as in #include, below the working folder.
        for name, file in (source.unit.headers | beside).items():
            places[name] = places[str(Path.cwd() / name)] = str(file.path.resolve())

        def unoptimized() -> str | None:
            ptx = jit.unoptimized(compiler, self._options.budget)
            return rename_files(ptx, places) if ptx is not None else None

        return CompiledFile(
            rename_files(jit.ptx, places),
            f"NVRTC {compiler.toolchain.version}",
            unoptimized,
            notes,
            is_device_code_only=True,
            left_out=jit.left_out,
            rejected=jit.rejected,
            rejected_instances=tuple(rejected),
            unit=jit.unit,
            symbols={
                without_types(name): symbol
                for name, symbol in zip(jit.unit.expressions, jit.symbols, strict=True)
                if "<" in name
            },
        )

    def _without_rejected(
        self, instances: Sequence[str], compile_instances: Callable[[Sequence[str]], _Built], compiler: str
    ) -> tuple[_Built, list[str], list[RejectedKernel]]:
        """Compile without instances of the host code that the compiler rejects; return those it accepts, and these."""
        expressions = list(dict.fromkeys([*self._source.expressions(), *instances]))
        rejected: list[RejectedKernel] = []
        rounds = 0
        while True:
            try:
                return compile_instances(expressions), expressions, rejected
            except InstanceError as error:
                removable = [item for item in error.rejected if item in expressions and item not in instances]
                rounds += 1
                if not removable or rounds > MAXIMUM_REJECTED:
                    raise
                expressions = [item for item in expressions if item not in removable]
                rejected += [
                    self._rejected_instance(
                        item, f"{compiler} rejects this instance, which the host code names: {error.rejected[item]}"
                    )
                    for item in removable
                ]

    def _rejected_instance(self, instance: str, text: str) -> RejectedKernel:
        """Return an instance that the host code names and the compiler rejects."""
        main = self._source.unit.main.path
        name = without_types(instance)
        template = next(iter(self._source.named(name.partition("<")[0])), None)
        place = template.place if template is not None else SourceLine(main, 1)
        return RejectedKernel(name, place, f"{text}; name its types with --kernel")


def _header_folders(options: CompileOptions, nvrtc: PtxCompiler | None, nvcc: Path | None) -> tuple[Path, ...]:
    """Return the folders in which the compiler searches for headers of CUDA, those of the options first."""
    if nvcc is not None:
        return (*options.include, *nvcc_compiler.header_folders(nvcc))
    return (*options.include, *(nvrtc.toolchain.headers if nvrtc is not None else ()))


def _substitute_notes(source: CudaSource) -> list[SourceNote]:
    text = "{} is not installed: other random numbers stand for those of cuRAND"
    return [SourceNote("build", text.format(name)) for name in source.unit.substitutes]


def _with_reason(rejected: CompileError, error: CompileError | CompilerError) -> CompileError:
    """Return nvcc's error; where it only misses a header, with what NVRTC says of the device code without that."""
    if not isinstance(rejected, MissingHeaderError) or not isinstance(error, SourceError):
        return rejected
    reason = f"{rejected.reason}; without it, NVRTC rejects the device code: {error.reason}"
    return MissingHeaderError(reason, rejected.advice, rejected.subject, rejected.log)


def _unknown(instances: Sequence[str], ptx: str) -> list[str]:
    """Return the instances that no name of a kernel in the PTX is."""
    names = {known.full_name for item in read_kernels(ptx) if (known := demangle(item.symbol))}
    return [instance for instance in instances if not any(means(instance, name) for name in names)]


def _unless_rejected(compile_ptx: Callable[[], str]) -> str | None:
    try:
        return compile_ptx()
    except (CompileError, TimeLimitError, OSError):
        return None
