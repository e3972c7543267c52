"""Choose the instances of kernel templates to compile beside those that the host code launches."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda.compile.ptx_process import UnfinishedError
from shflbench.cuda_sources.demangle import demangle
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.lexer import without_comments
from shflbench.cuda_sources.messages import InstanceError, SourceError
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
MAXIMUM_LAUNCHED = 8  # instances of one template that functions launch which nothing instantiates
MAXIMUM_ATTEMPTS = 5  # of compiling with chosen instances, before compiling without


@dataclass(frozen=True, slots=True)
class SynthesizedInstance:
    """Instances that nothing in the file names: a type for each parameter of the template, or of what launches it."""

    definition: Definition
    type: str
    expressions: tuple[str, ...]  # without arguments that have defaults
    values: tuple[str, ...]  # what was chosen: `T = float`; empty if the launches are the same for any type


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


def compile_with_synthesized(
    source: CudaSource,
    wanted: Sequence[str],
    compile_instances: Callable[[Sequence[str]], CompiledFile],
    *,
    compiles_file_first: bool,
) -> tuple[CompiledFile, list[SynthesizedInstance]]:
    """Compile with an instance of each template that nothing names, as far as such instances compile.

    None is added where the user names an instance, and none of a template of which the file itself has instances: with
    `compiles_file_first`, the compiler looks for these in any case, and otherwise where the text instantiates one.
    CompileError if the file does not compile without chosen instances.
    """
    plain: CompiledFile | None = None  # without chosen instances
    choices = (
        {items[0].definition.name: items for items in _derivable(source, compiles_file_first=compiles_file_first)}
        if not wanted
        else {}
    )
    if any(compiles_file_first or _is_instantiated(source, items[0].definition) for items in choices.values()):
        plain = compile_instances(wanted)
        instantiated = {_template(name) for name in _kernel_names(plain)}
        choices = {name: items for name, items in choices.items() if name not in instantiated}
    for _ in range(MAXIMUM_ATTEMPTS):
        if not choices:
            break
        chosen = [items[0] for items in choices.values()]
        try:
            compiled = compile_instances([*wanted, *(text for item in chosen for text in item.expressions)])
        except UnfinishedError:
            break
        except CompileError as error:
            guilty = [item.definition.name for item in chosen if _is_of(error, item)] or [*choices]
            choices = {name: items[1:] if name in guilty else items for name, items in choices.items()}
            choices = {name: items for name, items in choices.items() if items}
            continue
        names = _kernel_names(compiled)
        needless = [item.definition.name for item in chosen if any(_is_other(name, item) for name in names)]
        if not needless:
            return compiled, chosen
        choices = {name: items for name, items in choices.items() if name not in needless}
    return plain or compile_instances(wanted), []


def with_synthesized(
    kernels: Sequence[SourceKernel], chosen: Sequence[SynthesizedInstance]
) -> tuple[tuple[SourceKernel, ...], list[SourceNote]]:
    """Return the kernels with what was chosen of each, and a note for each of these."""
    by_template = {item.definition.name: item for item in chosen}
    result = []
    notes: dict[str, SourceNote] = {}
    for kernel in kernels:
        item = by_template.get(_template(kernel.name))
        if item is None or not item.values:
            result.append(kernel)
            continue
        result.append(replace(kernel, chosen=item.values))
        text = (
            f"chosen: {', '.join(item.values)} for the kernel template `{signature(item.definition)}`, because no "
            f"launch in the file determines it; choose another instance with --kernel '{_other(item)}'"
        )
        notes[text] = SourceNote("chosen-instance", text, kernel.place)
    return tuple(result), [*notes.values()]


def _kernel_names(compiled: CompiledFile) -> list[str]:
    """Return the names of the kernels of a compiled file, with their template arguments."""
    return [known.full_name for item in read_kernels(compiled.ptx) if (known := demangle(item.symbol))]


def _template(name: str) -> str:
    """Return the name of a kernel without its template arguments."""
    return name.partition("<")[0]


def _is_other(name: str, item: SynthesizedInstance) -> bool:
    """Whether a kernel is another instance of the template than the chosen one."""
    return _template(name) == item.definition.name and not any(means(text, name) for text in item.expressions)


def _is_instantiated(source: CudaSource, definition: Definition) -> bool:
    """Whether the text has an explicit instantiation of a template, or a macro that writes one."""
    plain = re.escape(definition.name.rpartition("::")[2].encode())
    directive = re.compile(rb"\btemplate\b(?!\s*<)[^;{}]*\b" + plain + rb"\b")
    return any(directive.search(without_comments(file.text)) for file in source.unit.files)


def _other(item: SynthesizedInstance) -> str:
    """Return an instance of another type, to copy."""
    other = next(type_ for type_ in TYPES if type_ != item.type)
    return re.sub(rf"\b{item.type}\b", other, item.expressions[0])


def _is_of(error: CompileError, item: SynthesizedInstance) -> bool:
    """Whether an error names a line of a definition, or one of its instances."""
    if isinstance(error, InstanceError):
        return not error.rejected.keys().isdisjoint(item.expressions)
    definition = item.definition
    return (
        isinstance(error, SourceError)
        and Path(error.file).resolve() == definition.place.file.resolve()
        and definition.place.line <= error.line <= definition.end
    )


def _derivable(source: CudaSource, *, compiles_file_first: bool) -> list[list[SynthesizedInstance]]:
    """Return what may be chosen of each template that nothing names, with one type and with another.

    The templates are those of the main file or, if it has no kernel, those of headers in its folder or below.
    """
    main = source.unit.main.path
    in_main = any(item.place.file == main for item in source.definitions)
    folder = main.resolve().parent
    templates = [
        item
        for item in source.definitions
        if item.template
        and (item.place.file == main if in_main else item.place.file.resolve().is_relative_to(folder))
        and (compiles_file_first or not source.instances.get(item.name))
        and len(source.named(item.name)) == 1
    ]
    return [
        chosen for item in templates if (chosen := _named(item, source) or _launched(item, source) or _of_types(item))
    ]


def _named(definition: Definition, source: CudaSource) -> list[SynthesizedInstance]:
    """Return the instances that launches name in functions which a compiler of the whole file does not instantiate."""
    instances = dict.fromkeys(item for _, item in source.instances_of(definition))
    texts = tuple(source.text_of(definition, item) for item in list(instances)[:MAXIMUM_LAUNCHED])
    return [SynthesizedInstance(definition, "", texts, ())] if texts else []


def _launched(definition: Definition, source: CudaSource) -> list[SynthesizedInstance]:
    """Return the instances that function templates launch which nothing instantiates, for each type of theirs."""
    by_type = {
        type_: list(dict.fromkeys(item for _, item in source.assumed_instances(definition, type_))) for type_ in TYPES
    }
    names = [item.name for item in definition.template or ()]
    result = []
    for (type_, instances), others in zip(by_type.items(), reversed(by_type.values()), strict=True):
        values = [
            f"{name} = {text}"
            for one, other in zip(instances, others, strict=False)
            for name, text, different in zip(names, one, other, strict=False)
            if text != different
        ]
        texts = tuple(source.text_of(definition, item) for item in instances[:MAXIMUM_LAUNCHED])
        if texts:
            result.append(SynthesizedInstance(definition, type_, texts, tuple(dict.fromkeys(values))))
    return result if any(item.values for item in result) else result[:1]


def _of_types(definition: Definition) -> list[SynthesizedInstance]:
    """Return the instances of a template of which each parameter without default is one type; none of another one."""
    required = [item for item in definition.template or () if item.default is None]
    if not required or not all(item.is_type and item.name and not item.pack for item in required):
        return []
    return [
        SynthesizedInstance(
            definition,
            type_,
            (f"{definition.name}<{', '.join(type_ for _ in required)}>",),
            tuple(f"{item.name} = {type_}" for item in required),
        )
        for type_ in TYPES
    ]
