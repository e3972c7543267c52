"""Choose the kernel that a launch means where several have its name: overloads, and specializations of templates."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.naming import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.argument_types import ElementMeaning
    from shflbench.cuda_sources.definitions import Definition, SourceParameter
    from shflbench.cuda_sources.launch_texts import LaunchSite
    from shflbench.cuda_sources.type_names import KnownAliases

    TypeOf = Callable[[Node, Node], str | None]  # the type of an argument at a launch, None where it is not known

_WORD = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(r"^\(void \(\*\)\([^()]*\)\)")


class SameNames:
    """The kernels of a file by their names, where several have the same one."""

    def __init__(self, defined: Sequence[Definition], declared: Iterable[Definition]) -> None:
        """Keep the kernels that files define, and the templates that they only declare, as for specializations."""
        bodies = [item for item in defined if item.template]
        known = set(map(_shape, bodies))
        only_declared = {shape: item for item in declared if (shape := _shape(item)) not in known}
        self.templates = [*bodies, *only_declared.values()]
        self._specializations: dict[str, list[Definition]] = defaultdict(list)
        self._overloads: dict[str, list[Definition]] = defaultdict(list)
        for item in defined:
            if item.is_specialization:
                self._specializations[item.base_name].append(item)
            elif item.template is None:
                self._overloads[item.name].append(item)
        for item in self.templates:
            self._overloads[item.name].append(item)

    def specializations(self, name: str) -> Sequence[Definition]:
        """Return the specializations of the templates of a qualified name."""
        return self._specializations.get(name, ())

    def is_overloaded(self, definition: Definition) -> bool:
        """Whether other kernels have the name of one."""
        return len(self._overloads.get(definition.name, ())) > 1

    def may_mean(self, call: LaunchSite, definition: Definition, type_of: TypeOf, aliases: KnownAliases) -> bool:
        """Whether the arguments of a launch settle that it means a kernel, or leave it to a template."""
        fits = _fitting(self._overloads.get(definition.name, ()), call, type_of, aliases)
        return fits == [definition] or (definition.template is not None and (not fits or definition in fits))

    def template_of(
        self, specialization: Definition, arguments: Sequence[str], aliases: KnownAliases
    ) -> Definition | None:
        """Return the template that has a specialization with these arguments, None if it is not known."""
        wanted = [_comparable(item.type, aliases) for item in specialization.parameters]
        exact, similar = [], []
        for item in self.templates:
            values = {one.name: text for one, text in zip(item.template or (), arguments, strict=False)}
            types = [_comparable(_replaced(one.type, values), aliases) for one in item.parameters]
            if item.name == specialization.base_name and len(types) == len(wanted) and not item.has_pack:
                similar.append(item)
                exact += [item] if types == wanted else []
        chosen = exact or similar
        return chosen[0] if len(chosen) == 1 else None


def _shape(definition: Definition) -> tuple[str, tuple[str, ...], bool]:
    """Return what a template and its declaration have in common: parameters of templates by their numbers."""
    numbers = {item.name: str(place) for place, item in enumerate(definition.template or ())}
    types = (_replaced(item.type, numbers) for item in definition.parameters)
    return definition.name, tuple("".join(text.split()) for text in types), definition.rest is not None


def _replaced(text: str, values: dict[str, str]) -> str:
    return _WORD.sub(lambda match: values.get(match[0], match[0]), text)


def _fitting(
    candidates: Sequence[Definition], call: LaunchSite, type_of: TypeOf, aliases: KnownAliases
) -> list[Definition]:
    """Return those of several kernels that the arguments of a launch do not rule out."""
    count = len(call.argument_nodes)
    known = [(item, parameters) for item in candidates if (parameters := item.parameters_of(count)) is not None]
    if call.template_arguments is not None:
        known = [(item, parameters) for item, parameters in known if item.template]
    texts = [type_of(node, call.node) for node in call.argument_nodes] if len(known) > 1 else []
    given = [meaning(text, aliases) if text is not None else None for text in texts]
    return [
        item
        for item, parameters in known
        if all(
            _may_take(item, parameter, argument, aliases)
            for parameter, argument in zip(parameters, given, strict=False)
            if argument is not None
        )
    ]


def _may_take(definition: Definition, parameter: SourceParameter, given: ElementMeaning, aliases: KnownAliases) -> bool:
    """Whether a parameter may take an argument: numbers convert to one another, and pointers only to `const`."""
    wanted = meaning(parameter.type, aliases)
    if not {item.name for item in definition.template or ()}.isdisjoint(_WORD.findall(parameter.type)):
        return given.pointer or not wanted.pointer
    if wanted.pointer != given.pointer:
        return wanted.element is None or given.element is None
    if not wanted.pointer or wanted.base == "void":
        return True
    if given.const and not wanted.const:
        return False
    elements = (wanted.element, given.element)
    return None in elements or (wanted.element, wanted.lanes) == (given.element, given.lanes)


def _comparable(type_: str, aliases: KnownAliases) -> tuple[bool, bool, str]:
    what = meaning(type_, aliases)
    return what.pointer, what.const, normalize(what.base, aliases)


def with_types(expression: str, types: Sequence[str]) -> str:
    """Return an instance of an overloaded template as its types of parameters choose it, as far as these can."""
    listed = ", ".join(types)
    return expression if "(" in listed else f"(void (*)({listed})){expression}"


def without_types(expression: str) -> str:
    """Return an instance as `with_types` is given it."""
    return _CAST.sub("", expression)
