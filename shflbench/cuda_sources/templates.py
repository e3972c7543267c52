"""Resolve which instances of template kernels the host code launches.

Template arguments come from the launch itself, from constants, from typedefs, from the instances of the host template
around the launch, and from the types of the arguments where one type parameter follows from one parameter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.definitions import parameters_of, rest_of, surrounding_parameters, template_parameters
from shflbench.cuda_sources.launch_texts import kernel_name
from shflbench.cuda_sources.member_results import member_result
from shflbench.cuda_sources.name_places import may_call
from shflbench.cuda_sources.named_items import NamedItems
from shflbench.cuda_sources.namespaces import NamespacedTypes, scopes_around
from shflbench.cuda_sources.naming import last_part, names, split_arguments
from shflbench.cuda_sources.syntax_trees import function_declarator, text_of
from shflbench.cuda_sources.template_uses import TemplateUses, argument_nodes, called_name, given_arguments
from shflbench.cuda_sources.written_types import bare_type, written_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.constants import Evaluator
    from shflbench.cuda_sources.definitions import Definition, SourceParameter, TemplateParameter
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.launch_texts import LaunchSite

MAXIMUM_INSTANCES = 64  # of one kernel; a file that has more names those it needs
_MAXIMUM_DEPTH = 5  # host templates that call host templates
_CLASSES = frozenset({"class_specifier", "struct_specifier"})
PACK = "parameter_pack_expansion"
_EXPANSION = re.compile(r"\b(\w+)\s*\.\.\.")
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLAIN_NAME = re.compile(r"(?<![\w:])[A-Za-z_]\w*")  # without a scope before it


class Instances:
    """Resolves launches of template kernels."""

    def __init__(self, files: Sequence[UserFile], evaluator: Evaluator, assumed: str = "") -> None:
        """Index the calls and explicit instances of host templates.

        Where there are none of a function, each of its type parameters is the `assumed` type, if one is given.
        """
        self._files, self._evaluator, self._assumed = files, evaluator, assumed
        self._types = NamespacedTypes(files)
        read: dict[int, TemplateUses] = {}  # by the id of a file

        def uses(file: UserFile) -> TemplateUses:
            if id(file) not in read:
                read[id(file)] = TemplateUses(file.tree.root_node)
            return read[id(file)]

        self._calls = NamedItems(files, lambda file: uses(file).calls, may_call)
        self._classes = NamedItems(files, lambda file: uses(file).classes, may_call)

    def qualified_type(self, name: str) -> str:
        """Return a type with its namespaces, as code outside of them names it."""
        return name if "::" in name else self._types.qualified(name)

    def argument_type(self, node: Node, use: Node) -> str | None:
        """Return the type of an argument of a launch, None where its text does not say it."""
        text = self._type_of(node, use) if node.type != "number_literal" else None
        return self._type(text, use, {}) if text is not None else None

    def parameter_types(self, definition: Definition, arguments: Sequence[str]) -> list[str]:
        """Return the types of the parameters of an instance, with their namespaces."""
        values = {item.name: text for item, text in zip(definition.template or (), arguments, strict=False)}
        texts = (_WORD.sub(lambda match: values.get(match[0], match[0]), item.type) for item in definition.parameters)
        return [_PLAIN_NAME.sub(lambda match: self._types.qualified(match[0]), text) for text in texts]

    def of(self, launch: LaunchSite, definition: Definition) -> list[tuple[str, ...]]:
        """Return the template arguments with which a launch starts a kernel; none if they are not certain."""
        if definition.template is None:
            return []
        has_pack = definition.has_pack
        is_written = has_pack or any(map(self._is_in_class, launch.template_arguments or ()))
        given = (given_arguments(launch.node) if is_written else launch.template_arguments) or ()
        known = launch.performed and len(given) == len(definition.template) and not is_written
        return self._resolved(launch.node, given, definition, launch.argument_nodes, known=known)

    def _is_in_class(self, argument: str) -> bool:
        """Whether a type is one that a class defines, of which the plain name says nothing outside of the class."""
        is_name = _WORD.fullmatch(argument) is not None
        return is_name and not self._types.has(argument) and any(argument.encode() in f.type_words for f in self._files)

    def named(self, node: Node, definition: Definition) -> list[tuple[str, ...]]:
        """Return the template arguments of `kernel<…>` that host code names, as in a table; none if uncertain."""
        return self._resolved(node, kernel_name(node)[1] or (), definition, ())

    def _resolved(
        self, node: Node, given: Sequence[str], definition: Definition, nodes: Sequence[Node], *, known: bool = False
    ) -> list[tuple[str, ...]]:
        instances: list[tuple[str, ...]] = []
        for bound in [{}] if known else self._surroundings(node, 0):
            if self._is_discarded(node, bound):
                continue
            signature = _Signature(definition.template or (), definition.parameters, definition.rest)
            values = self._arguments(given, signature, nodes, node, bound)
            if values is None:
                continue
            arguments = tuple(part for item in signature.template for part in _parts(item, values[item.name]))
            if arguments not in instances:
                instances.append(arguments)
        return instances[:MAXIMUM_INSTANCES]

    def _is_discarded(self, node: Node, bound: Mapping[str, str]) -> bool:
        """Whether a place lies in a branch of `if constexpr` that an instance does not have."""
        inner, outer = node, node.parent
        while outer is not None and outer.type != "function_definition":
            clause = outer.child_by_field_name("condition") if outer.type == "if_statement" else None
            if clause is not None and any(child.type == "constexpr" for child in outer.children):
                holds = self._number(text_of(clause).strip()[1:-1], outer, bound)
                is_first = inner == outer.child_by_field_name("consequence")
                if holds is not None and inner != clause and is_first != (holds not in {"0", "false"}):
                    return True
            inner, outer = outer, outer.parent
        return False

    def _surroundings(self, node: Node, depth: int) -> list[dict[str, str]]:
        """Return the template arguments of the host function around `node`, for each of its instances.

        They include those of the class template that contains the function.
        """
        function = node.parent
        while function is not None and function.type != "function_definition":
            function = function.parent
        outer = function.parent if function is not None else None
        if function is None or outer is None:
            return [{}]
        of_class = self._of_enclosing_class(function)
        template = template_parameters(outer) if outer.type == "template_declaration" else ()
        if not template:  # a specialization has no parameters of its own
            return of_class
        declarator = function_declarator(function)
        if declarator is None or depth > _MAXIMUM_DEPTH:
            return []
        signature = _Signature(template, parameters_of(declarator), rest_of(declarator))
        name = text_of(declarator.child_by_field_name("declarator"))
        member = re.match(r"(?:\w+::)*(\w+)\s*<([^<>]*)>\s*::", name)
        if member is not None:
            known = self._of_class(member[1], member[2], template, name.rpartition("::")[2].strip())
            return known or self._with_assumed(template)
        qualified = "::".join((*scopes_around(function), name))
        result: list[dict[str, str]] = []
        for call in self._calls.get(name.rpartition("::")[2]):
            if not names(called_name(call).removeprefix("::"), qualified):
                continue
            given = given_arguments(call)
            nodes = argument_nodes(call)
            for bound in self._surroundings(call, depth + 1):
                bindings = self._arguments(given, signature, nodes, call, bound)
                if bindings is not None:
                    result += [both for one in of_class if (both := {**one, **bindings}) not in result]
        return result[:MAXIMUM_INSTANCES] or [
            {**one, **bindings} for one in of_class for bindings in self._with_assumed(template)
        ]

    def _with_assumed(self, template: Sequence[TemplateParameter]) -> list[dict[str, str]]:
        """Return the assumed type for each parameter that is a type; nothing for the others."""
        if not self._assumed:
            return []
        return [{item.name: self._assumed for item in template if item.is_type and item.name and not item.pack}]

    def _of_enclosing_class(self, function: Node) -> list[dict[str, str]]:
        """Return the template arguments of the class around a function, for each explicit instance of the class."""
        class_ = function.parent
        while class_ is not None and class_.type in {"template_declaration", "field_declaration_list"}:
            class_ = class_.parent
        name = text_of(class_.child_by_field_name("name")) if class_ is not None and class_.type in _CLASSES else ""
        template = class_.parent if class_ is not None else None
        if template is None or template.type != "template_declaration" or not name:
            return [{}]
        parameters = template_parameters(template)
        declarator = function_declarator(function)
        member = text_of(declarator.child_by_field_name("declarator")) if declarator is not None else ""
        known = self._of_class(name, ", ".join(item.name for item in parameters), parameters, member)
        return known or self._with_assumed(parameters) or [{}]

    def _of_class(
        self, name: str, given: str, template: Sequence[TemplateParameter], member: str
    ) -> list[dict[str, str]]:
        """Return the template arguments of a class for each of its explicit instances, or of its `member`."""
        parameters = [item.name for item in template]
        if [item.strip() for item in given.split(",")] != parameters:
            return []
        known = dict.fromkeys([*self._classes.get(name), *self._classes.get(f"{name}::{member}")])
        instances = [item for item in known if len(item) == len(parameters)]
        return [dict(zip(parameters, item, strict=True)) for item in instances[:MAXIMUM_INSTANCES]]

    def _arguments(
        self,
        given: Sequence[str],
        signature: _Signature,
        nodes: Sequence[Node],
        use: Node,
        bound: Mapping[str, str],
    ) -> dict[str, str] | None:
        """Return the template arguments of a use of a function by name, those of a pack separated by commas."""
        template = signature.template
        given = list(_expanded(given, bound))
        pack = next((place for place, item in enumerate(template) if item.pack), len(template))
        if len(given) > len(template) and pack == len(template):
            return None
        values: dict[str, str] = {}
        for item, text in zip(template[:pack], given, strict=False):
            value = self._given(item, text, use, bound)
            if value is None:
                return None
            values[item.name] = value
        for item in template[min(len(given), pack) :]:
            value = None
            if item.pack:
                value = self._pack(item, given[pack:], signature, nodes, use, bound)
            elif item.is_type:
                value = self._deduced(item, signature.parameters, nodes, use, bound)
            if value is None and item.default is not None:
                value = self._default(item, template, values)
            if value is None:
                return None
            values[item.name] = value
        return values

    def _given(self, item: TemplateParameter, text: str, use: Node, bound: Mapping[str, str]) -> str | None:
        """Return the argument that a use writes for a parameter."""
        names_type = item.is_type or item.kind.startswith("template")
        value = self._type(text, use, bound) if names_type else self._number(text, use, bound)
        if value is None and meaning(text).element is not None:
            value = " ".join(text.split())  # `template <Concept T>`, whose parameter is a type
        return value

    def _pack(  # noqa: PLR0913, PLR0917  (what is written, declared and passed)
        self,
        item: TemplateParameter,
        given: Sequence[str],
        signature: _Signature,
        nodes: Sequence[Node],
        use: Node,
        bound: Mapping[str, str],
    ) -> str | None:
        """Return the arguments of a pack: those of a call behind the parameters or, without such ones, the `given`."""
        rest, of_pack = signature.rest, re.compile(rf"\b{re.escape(item.name)}\b")
        is_deduced = rest is not None and item.is_type and of_pack.search(rest.type) is not None
        passed = nodes[len(signature.parameters) :]
        if rest is None or not is_deduced or not nodes or len(given) == len(passed) > 0:
            if not given and (is_deduced or any(of_pack.search(one.type) for one in signature.parameters)):
                return None  # a name without a call, or a pack that follows from a type such as `Shape<Sizes...>`
            values = [self._given(item, text, use, bound) for text in given]
        else:
            values = []
            for node in passed:
                if node.type == PACK:
                    values.append(bound.get(self._pack_of(node, use) or ""))
                    continue
                type_ = self._type_of(node, use)
                text = _matched(item.name, bare_type(rest.type), type_) if type_ is not None else None
                values.append(self._type(text, use, bound) if text is not None else None)
        known = [value for value in values if value is not None]
        return ", ".join(filter(None, known)) if len(known) == len(values) else None

    def _pack_of(self, node: Node, use: Node) -> str | None:
        """Return the name of the pack of types of the parameters that `args...` or `std::forward<Args>(args)...` is."""
        names_ = set(_WORD.findall(text_of(node)))
        outer = use.parent
        while outer is not None and outer.type != "function_definition":
            outer = outer.parent
        declarator = function_declarator(outer) if outer is not None else None
        rest = rest_of(declarator) if declarator is not None else None
        return bare_type(rest.type) if rest is not None and rest.name in names_ else None

    @staticmethod
    def _default(
        item: TemplateParameter, template: Sequence[TemplateParameter], values: Mapping[str, str]
    ) -> str | None:
        """Return the default of a parameter, in which earlier parameters have their values."""
        used = set(_WORD.findall(item.default or "")) & {one.name for one in template}
        if item.default is None or not used <= values.keys():
            return None
        return _PLAIN_NAME.sub(lambda match: values.get(match[0], match[0]), item.default)

    def _type(self, text: str, use: Node, bound: Mapping[str, str]) -> str | None:
        """Return a type with the host's template parameters and local typedefs replaced."""
        text = _EXPANSION.sub(lambda match: bound.get(match[1]) or match[0], text)
        if "..." in text:
            return None
        result = _WORD.sub(lambda match: bound.get(match[0], match[0]), text)
        for _ in range(8):
            aliased = _WORD.sub(lambda match: self._local_alias(match[0], use) or match[0], result)
            replaced = _WORD.sub(lambda match: bound.get(match[0], match[0]), aliased) if aliased != result else result
            if replaced == result:
                break
            result = replaced
        words = set(_WORD.findall(result))
        if "decltype" in words or words & (surrounding_parameters(use) - bound.keys()):
            return None  # known to a compiler that instantiates the host code only
        result = _PLAIN_NAME.sub(lambda match: self._types.qualified(match[0]), result)
        return " ".join(result.split())

    def _local_alias(self, name: str, use: Node) -> str | None:
        outer = use.parent
        while outer is not None and outer.type not in {"translation_unit", "declaration_list"}:
            for item in outer.named_children if outer.type == "compound_statement" else ():
                if item.type == "alias_declaration" and text_of(item.child_by_field_name("name")) == name:
                    return text_of(item.child_by_field_name("type"))
                if item.type == "type_definition" and text_of(item.child_by_field_name("declarator")) == name:
                    return text_of(item.child_by_field_name("type"))
            outer = outer.parent
        return None

    def _number(self, text: str, use: Node, bound: Mapping[str, str]) -> str | None:
        if text in bound:
            return bound[text]
        replaced = _WORD.sub(lambda match: bound.get(match[0], match[0]), text)
        if replaced in {"true", "false"}:
            return replaced
        value = self._evaluator.at(replaced, use)
        return str(value) if isinstance(value, int) else None

    def _deduced(
        self,
        item: TemplateParameter,
        parameters: Sequence[SourceParameter],
        nodes: Sequence[Node],
        use: Node,
        bound: Mapping[str, str],
    ) -> str | None:
        candidates = set()
        for parameter, node in zip(parameters, nodes, strict=False):
            wanted = bare_type(parameter.type)
            if re.search(rf"\b{re.escape(item.name)}\b", wanted) is None:
                continue
            given = self._type_of(node, use)
            text = _matched(item.name, wanted, given) if given is not None else None
            if text is not None:
                candidates.add(self._type(text, use, bound))
        return candidates.pop() if len(candidates) == 1 else None

    def _type_of(self, node: Node, use: Node) -> str | None:
        """Return the declared type of a variable, of a member of an array of pointers, or of what a call writes."""
        stars = 0
        while node.type == "subscript_expression" and (inside := node.child_by_field_name("argument")) is not None:
            node = inside
            stars += 1
        if node.type != "identifier":
            return (self._constructed(node) or self._of_member(node, use) or written_type(node)) if not stars else None
        declarator = self._evaluator.names.declaration(use, text_of(node))
        declaration = declarator.parent if declarator is not None else None
        if declarator is None or declaration is None:
            return None
        text = text_of(declaration.child_by_field_name("type"))
        inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
        pointers = text_of(inner).count("*") + text_of(inner).count("[") - stars
        value = declarator.child_by_field_name("value") if declarator.type == "init_declarator" else None
        if text == "auto" and value is not None and not stars:
            return written_type(value)
        if text == "auto" or pointers < 0 or pointers > 1:
            return None
        is_const = pointers and any(text_of(item) == "const" for item in declaration.children)
        return ("const " if is_const else "") + bare_type(text) + " *" * pointers

    def _of_member(self, node: Node, use: Node) -> str | None:
        """Return the type of `object.member()`."""
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        member = function.child_by_field_name("field") if function is not None else None
        if function is None or member is None or member.type != "field_identifier":
            return None
        object_ = function.child_by_field_name("argument")
        type_ = self._type_of(object_, use) if object_ is not None and object_.type == "identifier" else None
        is_pointer = text_of(function.child_by_field_name("operator")) == "->"
        if type_ is None or type_.endswith(" *") != is_pointer:
            return None
        return member_result(self._files, bare_type(type_.removesuffix(" *")), text_of(member))

    def _constructed(self, node: Node) -> str | None:
        """Return the class of which `Name<…>()` makes an object."""
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is None or function.type not in {"identifier", "template_function", "qualified_identifier"}:
            return None
        name = kernel_name(function)[0].rpartition("::")[2]
        return " ".join(text_of(function).split()) if self._types.has(name) else None


class _Signature(NamedTuple):
    """The parameters of a function template."""

    template: Sequence[TemplateParameter]
    parameters: Sequence[SourceParameter]
    rest: SourceParameter | None


def _expanded(given: Sequence[str], bound: Mapping[str, str]) -> Iterator[str]:
    """Yield template arguments with those that `Args...` stands for."""
    for text in given:
        match = _EXPANSION.fullmatch(text.strip())
        if match is not None and match[1] in bound:
            yield from _listed(bound[match[1]])
        else:
            yield text


def _listed(text: str) -> list[str]:
    return [part.strip() for part in split_arguments(text)] if text else []


def _parts(item: TemplateParameter, value: str) -> Sequence[str]:
    """Return the arguments that a value of a parameter stands for: as many as it likes for a pack."""
    return _listed(value) if item.pack else [value]


def _matched(name: str, wanted: str, given: str) -> str | None:
    """Return what a type parameter is if the type `wanted` with it is the one `given`: `T`, `T *`, `Array<T, 3>`."""
    if wanted == name:
        return given
    if wanted.endswith(" *") != given.endswith(" *"):
        return None
    wanted, given = wanted.removesuffix(" *"), bare_type(given.removesuffix(" *"))
    if wanted == name:
        return given
    template, _, listed = wanted.partition("<")
    other, _, texts = given.partition("<")
    if last_part(template.strip()) != last_part(other.strip()) or not (listed.endswith(">") and texts.endswith(">")):
        return None
    parameters, arguments = split_arguments(listed[:-1]), split_arguments(texts[:-1])
    return next((text.strip() for part, text in zip(parameters, arguments, strict=False) if part.strip() == name), None)
