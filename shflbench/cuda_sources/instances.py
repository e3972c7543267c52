"""Choose the instances of kernel templates to compile beside those that the host code launches."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.compile.ptx_process import UnfinishedError
from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.lexer import without_comments
from shflbench.cuda_sources.messages import SourceError
from shflbench.cuda_sources.naming import means, names
from shflbench.cuda_sources.ptx import read_kernels
from shflbench.errors import CompileError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shflbench.cuda_sources.compiled import CompiledFile
    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.cuda_sources.source import CudaSource

TYPES = ("float", "int")  # that stand for a type parameter nothing restricts, in this order
MAXIMUM_ATTEMPTS = 5  # of compiling with derived instances, before compiling without


@dataclass(frozen=True, slots=True)
class DerivedInstance:
    """An instance that nothing in the file names: a type for each parameter of the template."""

    definition: Definition
    type: str

    @property
    def expression(self) -> str:
        """The instance as C++ writes it, without arguments that have defaults."""
        return f"{self.definition.name}<{', '.join(self.type for _ in _required(self.definition))}>"

    @property
    def values(self) -> tuple[str, ...]:
        """What was chosen: `T = float`."""
        return tuple(f"{name} = {self.type}" for name in _required(self.definition))


def signature(definition: Definition) -> str:
    """Return a template as a reader knows it: `reduce<T, B>`."""
    return f"{definition.name}<{', '.join(item.name for item in definition.template or ())}>"


def choose_instances(source: CudaSource, names_given: Iterable[str], *, skip_unknown: bool = False) -> list[str]:
    """Return the instances that a user names, with the namespaces of their templates.

    KernelError if the plain name occurs nowhere, or belongs to templates of several namespaces. With `skip_unknown`,
    names of no template are left out.
    """
    templates = sorted({item.name for item in source.definitions if item.template is not None})
    result = []
    for text in names_given:
        name, bracket, arguments = text.strip().partition("<")
        plain = "".join(name.split()).removeprefix("::")
        known = [item for item in templates if names(plain, item)]
        if not known and skip_unknown:
            continue
        if not known and not any(_has_word(file.text, plain) for file in source.unit.files):
            listed = ", ".join(dict.fromkeys(f"`{item.name}`" for item in source.definitions)) or "no kernel"
            raise KernelError(f"{source.unit.main.path} has no kernel `{text}`", f"It has {listed}.")
        if len(known) > 1 and plain not in known:
            listed = ", ".join(f"`{item}`" for item in known)
            raise KernelError(
                f"{source.unit.main.path} has several kernel templates `{plain}`: {listed}", "Name the namespace, too."
            )
        qualified = known[0] if len(known) == 1 else plain
        result.append(f"{qualified}{bracket}{arguments}")
    return list(dict.fromkeys(result))


def _has_word(text: bytes, name: str) -> bool:
    """Whether the last part of a name occurs; macros may define kernels that the grammar does not see."""
    return re.search(rb"\b" + re.escape(name.rpartition("::")[2].encode()) + rb"\b", text) is not None


def compile_with_derived(
    source: CudaSource,
    wanted: Sequence[str],
    compile_instances: Callable[[Sequence[str]], CompiledFile],
    *,
    compiles_file_first: bool,
) -> tuple[CompiledFile, list[DerivedInstance]]:
    """Compile with an instance of each template that nothing names, as far as such instances compile.

    None is added where the user names an instance, and none of a template of which the file itself has instances: with
    `compiles_file_first`, the compiler looks for these in any case, and otherwise where the text instantiates one.
    CompileError if the file does not compile without derived instances.
    """
    choices = {item.name: (item, 0) for item in _derivable(source)} if not wanted else {}
    if any(compiles_file_first or _is_instantiated(source, definition) for definition, _ in choices.values()):
        compiled = compile_instances(wanted)
        instantiated = {_template(name) for name in _kernel_names(compiled)}
        choices = {name: choice for name, choice in choices.items() if name not in instantiated}
        if not choices:
            return compiled, []
    for _ in range(MAXIMUM_ATTEMPTS):
        if not choices:
            break
        derived = [DerivedInstance(definition, TYPES[index]) for definition, index in choices.values()]
        try:
            compiled = compile_instances([*wanted, *(item.expression for item in derived)])
        except UnfinishedError:
            break
        except CompileError as error:
            guilty = [item.definition.name for item in derived if _is_in(error, item.definition)] or [*choices]
            for name in guilty:
                definition, index = choices.pop(name)
                if index + 1 < len(TYPES):
                    choices[name] = definition, index + 1
            continue
        names = _kernel_names(compiled)
        needless = [item.definition.name for item in derived if any(_is_other(name, item) for name in names)]
        if not needless:
            return compiled, derived
        choices = {name: choice for name, choice in choices.items() if name not in needless}
    return compile_instances(wanted), []


def with_derived(
    kernels: Sequence[SourceKernel], derived: Sequence[DerivedInstance]
) -> tuple[tuple[SourceKernel, ...], list[SourceNote]]:
    """Return the kernels with what was derived of each, and a note for each of these."""
    by_template = {item.definition.name: item for item in derived}
    result = []
    notes = []
    for kernel in kernels:
        item = by_template.get(_template(kernel.name))
        if item is None:
            result.append(kernel)
            continue
        result.append(replace(kernel, derived=item.values))
        text = (
            f"derived: {', '.join(item.values)} for the kernel template `{signature(item.definition)}`, because no "
            f"launch in the file determines it; choose another instance with --kernel '{_other(item)}'"
        )
        notes.append(SourceNote("derived-instance", text, kernel.place))
    return tuple(result), notes


def _kernel_names(compiled: CompiledFile) -> list[str]:
    """Return the names of the kernels of a compiled file, with their template arguments."""
    return [known.full_name for item in read_kernels(compiled.ptx) if (known := demangle(item.symbol))]


def _template(name: str) -> str:
    """Return the name of a kernel without its template arguments."""
    return name.partition("<")[0]


def _is_other(name: str, item: DerivedInstance) -> bool:
    """Whether a kernel is another instance of the template than the derived one."""
    return _template(name) == item.definition.name and not means(item.expression, name)


def _is_instantiated(source: CudaSource, definition: Definition) -> bool:
    """Whether the text has an explicit instantiation of a template, or a macro that writes one."""
    plain = re.escape(definition.name.rpartition("::")[2].encode())
    directive = re.compile(rb"\btemplate\b(?!\s*<)[^;{}]*\b" + plain + rb"\b")
    return any(directive.search(without_comments(file.text)) for file in source.unit.files)


def _other(item: DerivedInstance) -> str:
    """Return an instance of another type, to copy."""
    return DerivedInstance(item.definition, next(type_ for type_ in TYPES if type_ != item.type)).expression


def _is_in(error: CompileError, definition: Definition) -> bool:
    """Whether an error names a line of a definition."""
    return (
        isinstance(error, SourceError)
        and Path(error.file).resolve() == definition.place.file.resolve()
        and definition.place.line <= error.line <= definition.end
    )


def _derivable(source: CudaSource) -> list[Definition]:
    """Return the templates that have only type parameters, and that nothing names.

    They are those of the main file or, if it has no kernel, those of headers in its folder or below.
    """
    main = source.unit.main.path
    in_main = any(item.place.file == main for item in source.definitions)
    folder = main.resolve().parent
    return [
        item
        for item in source.definitions
        if item.template is not None
        and (item.place.file == main if in_main else item.place.file.resolve().is_relative_to(folder))
        and not source.instances.get(item.name)
        and len(source.named(item.name)) == 1
        and all(one.default is not None or (one.is_type and one.name and not one.pack) for one in item.template)
        and _required(item)
    ]


def _required(definition: Definition) -> list[str]:
    """Return the names of the template parameters without default."""
    return [item.name for item in definition.template or () if item.default is None]
