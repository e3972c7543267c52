"""Find the definitions of kernels in the source: names, template parameters, parameters with their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host_code import UserFile, prefix
from shflbench.cuda_sources.macros import Macros
from shflbench.cuda_sources.preprocessor import Preprocessor
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import function_declarator, line_of, text_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from tree_sitter import Node

_CONDITIONS = re.compile(r"^[ \t]*#[ \t]*(?:el)?if[^\n]*", re.MULTILINE)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)

_INTEGERS = frozenset(
    {"int", "unsigned", "signed", "short", "long", "char", "auto", "size_t", "ptrdiff_t", "uint", "ushort", "uchar"}
    | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
_QUALIFIERS = frozenset({"const", "std", "typename", "enum"})


@dataclass(frozen=True, slots=True)
class SourceParameter:
    """One parameter as the source declares it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """One parameter of a template."""

    name: str
    is_type: bool
    default: str | None
    pack: bool = False
    kind: str = ""  # of a parameter that is no type: `bool`, `unsigned int`, `Mode`, `template <class> class`

    @property
    def _words(self) -> set[str]:
        return set(re.findall(r"\w+", self.kind)) - _QUALIFIERS

    @property
    def is_bool(self) -> bool:
        """Whether it is true or false."""
        return self._words == {"bool"}

    @property
    def is_integer(self) -> bool:
        """Whether it is a number."""
        return self._words <= _INTEGERS

    @property
    def may_be_enumeration(self) -> bool:
        """Whether it may be an enumerator, which is no number in C++."""
        is_name = re.fullmatch(r"(?:\w+::)*\w+", self.kind.removeprefix("const ")) is not None
        return not self.is_type and is_name and not self.is_bool and not self.is_integer


@dataclass(frozen=True, slots=True)
class Definition:
    """One kernel as the source defines it."""

    name: str  # qualified
    parameters: tuple[SourceParameter, ...]
    template: tuple[TemplateParameter, ...] | None  # None if it is no template
    place: SourceLine
    end: int  # its last line
    internal: bool  # static, or in a namespace without a name
    rest: SourceParameter | None = None  # a parameter pack behind the parameters: `Args... args`

    @property
    def plain_name(self) -> str:
        """The name without namespaces."""
        return self.name.rpartition("::")[2]

    @property
    def is_specialization(self) -> bool:
        """Whether it is one instance of a template, with a body of its own: `template <> … scale<float>(…)`."""
        return self.template == ()

    @property
    def base_name(self) -> str:
        """The qualified name without the arguments of a specialization."""
        return self.name.partition("<")[0] if self.is_specialization else self.name

    @property
    def has_pack(self) -> bool:
        """Whether it is a template with a parameter pack."""
        return any(item.pack for item in self.template or ())

    def parameters_of(self, count: int) -> tuple[SourceParameter, ...] | None:
        """Return the parameters of an instance that has `count` of them, a number behind the name of each of a pack."""
        rest, more = self.rest, count - len(self.parameters)
        if rest is None or more < 0:
            return self.parameters if not more else None
        return (*self.parameters, *(SourceParameter(f"{rest.name}{place}", rest.type) for place in range(more)))

    def instance(self, arguments: Sequence[str], qualified: Callable[[str], str] = str) -> str:
        """Return an instance of the template as C++ writes it, with the type of an enumeration before a number.

        `qualified` returns a type with its namespaces.
        """
        kinds = {item.name for item in self.template or () if item.is_type}
        listed = [
            f"({qualified(item.kind.removeprefix('const '))}){text}"
            if text.lstrip("-").isdecimal() and item.may_be_enumeration and item.kind not in kinds
            else text
            for item, text in zip(self.template or (), arguments, strict=False)
        ]
        return f"{self.name}<{', '.join([*listed, *arguments[len(listed) :]])}>"


def kernels_in(path: Path, text: str, define: Sequence[str] = (), undefined: Collection[str] = ()) -> list[Definition]:
    """Return the kernels that one text defines under macros such as `WIDTH=32`.

    Conditions count as met if they have names that nobody defines, and that are not known to be `undefined`.
    """
    file = UserFile.of(path, path.name, text.encode())
    known = {word.partition("=")[0] for word in define} | {*_DEFINED.findall(text), *undefined}
    unknown = {word for line in _CONDITIONS.findall(text) for word in re.findall(r"[A-Za-z_]\w*", line)} - known
    preprocessor = Preprocessor([file], [file], Macros((), define).of_command_line(), unknown)
    return kernels([preprocessor.compiled(file)], Macros([file.lexed], define))


def kernels(files: Iterable[UserFile], macros: Macros) -> list[Definition]:
    """Return the definitions of kernels in files as the compiler sees them, in order of files and lines."""
    return _kernels_of("function_definition", files, macros)


def declared_templates(files: Iterable[UserFile], macros: Macros) -> list[Definition]:
    """Return the declarations of kernel templates without a body, as `kernels` returns definitions."""
    return [item for item in _kernels_of("declaration", files, macros) if item.template]


def _kernels_of(kind: str, files: Iterable[UserFile], macros: Macros) -> list[Definition]:
    """Return the kernels that nodes of one kind define or declare."""
    definitions = []
    marks = [name.encode() for name in macros.leading_to("__global__")]
    for file in files:
        if not any(mark in file.text for mark in marks):
            continue
        for node in walk(file.tree.root_node, lambda item: item.type != "compound_statement"):
            if node.type == kind and "__global__" in macros.words(prefix(node)):
                definition = _definition(file, node, macros)
                if definition is not None:
                    definitions.append(definition)
    return definitions


def _definition(file: UserFile, node: Node, macros: Macros) -> Definition | None:
    declarator = function_declarator(node)
    if declarator is None:
        return None
    name = text_of(declarator.child_by_field_name("declarator"))
    scopes, internal, template = _surroundings(node)
    if not re.fullmatch(r"[\w:~<>, ]+", name):
        return None
    return Definition(
        name="::".join([*scopes, name]),
        parameters=parameters_of(declarator),
        template=template,
        place=SourceLine(file.path, line_of(node)),
        end=node.end_point[0] + 1,
        internal=internal or "static" in macros.words(prefix(node)),
        rest=rest_of(declarator),
    )


def _surroundings(node: Node) -> tuple[list[str], bool, tuple[TemplateParameter, ...] | None]:
    """Return the namespaces and classes around a function, whether one has no name, and its template parameters."""
    scopes: list[str] = []
    internal = False
    template = None
    outer, is_direct = node.parent, True
    while outer is not None:
        if outer.type == "namespace_definition":
            name = text_of(outer.child_by_field_name("name"))
            internal = internal or not name
            scopes[:0] = name.split("::") if name else []
        elif outer.type in {"struct_specifier", "class_specifier"}:
            scopes.insert(0, text_of(outer.child_by_field_name("name")))
        elif outer.type == "template_declaration" and is_direct and template is None:
            template = template_parameters(outer)
        is_direct = is_direct and outer.type == "template_declaration"
        outer = outer.parent
    return scopes, internal, template


def template_parameters(node: Node) -> tuple[TemplateParameter, ...]:
    """Return the parameters of a template declaration, or of a lambda expression that is a template."""
    is_lambda = node.type == "lambda_expression"
    listed = node.child_by_field_name("template_parameters" if is_lambda else "parameters")
    result = []
    for item in listed.named_children if listed is not None else ():
        if item.type == "comment":
            continue
        text = text_of(item)
        head, _, default = text.partition("=")
        words = re.findall(r"[A-Za-z_]\w*", head)
        is_type = bool(words) and words[0] in {"typename", "class"}
        name = words[-1] if len(words) > is_type else ""
        kind = "" if is_type else type_without(head, name if len(words) > 1 else "")
        result.append(TemplateParameter(name, is_type, default.strip() or None, pack="..." in head, kind=kind))
    return tuple(result)


def surrounding_parameters(node: Node) -> set[str]:
    """Return the names of the parameters of the templates around a place."""
    names: set[str] = set()
    outer = node.parent
    while outer is not None:
        if outer.type in {"template_declaration", "lambda_expression"}:
            names.update(item.name for item in template_parameters(outer))
        outer = outer.parent
    return names


def parameters_of(declarator: Node) -> tuple[SourceParameter, ...]:
    """Return the parameters of a function."""
    listed = declarator.child_by_field_name("parameters")
    result = []
    for item in listed.named_children if listed is not None else ():
        if item.type in {"parameter_declaration", "optional_parameter_declaration"}:
            text = text_of(item)
            value = item.child_by_field_name("default_value")
            if value is not None:
                text = text[: value.start_byte - item.start_byte].rstrip().removesuffix("=")
            name = _name(item)
            result.append(SourceParameter(name, type_without(text, name)))
    if len(result) == 1 and result[0].type == "void":
        return ()
    return tuple(result)


def rest_of(declarator: Node) -> SourceParameter | None:
    """Return the parameter pack of a function: `Args... args`."""
    listed = declarator.child_by_field_name("parameters")
    last = listed.named_children[-1] if listed is not None and listed.named_children else None
    if last is None or last.type != "variadic_parameter_declaration":
        return None
    name = _name(last)
    return SourceParameter(name, type_without(text_of(last).replace("...", " "), name))


def _name(item: Node) -> str:
    node = item.child_by_field_name("declarator")
    while node is not None and node.type not in {"identifier", "field_identifier"}:
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type.endswith(("declarator", "identifier"))), None
        )
    return text_of(node)


def type_without(text: str, name: str) -> str:
    """Return a declaration's type: its text without comments and the name that it declares."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    if name:
        text = re.sub(rf"\b{re.escape(name)}\b(?!.*\b{re.escape(name)}\b)", " ", text, count=1, flags=re.DOTALL)
    return re.sub(r"\s*\*\s*", " *", " ".join(text.split())).replace("* *", "**").strip()
