"""Read the source of a CUDA file: its kernels, the types of their parameters, and the launches of the host."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.cuda_sources import definitions as kernel_definitions
from shflbench.cuda_sources.definitions import surrounding_parameters
from shflbench.cuda_sources.host.chosen_runs import performed_launches, refuses
from shflbench.cuda_sources.host.launched_kernels import without_casts
from shflbench.cuda_sources.host_code import DEVICE_WORDS, prefix
from shflbench.cuda_sources.host_source import HostSource
from shflbench.cuda_sources.kernel_file import HostChange
from shflbench.cuda_sources.launch_macros import with_kernels
from shflbench.cuda_sources.launch_texts import LaunchSite, kernel_name, launching_nodes
from shflbench.cuda_sources.macros import Macros
from shflbench.cuda_sources.meant_kernels import SameNames, with_types
from shflbench.cuda_sources.naming import names
from shflbench.cuda_sources.neighbors import SUFFIXES
from shflbench.cuda_sources.preprocessor import Preprocessor
from shflbench.cuda_sources.reached_names import reached_names
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.syntax_trees import enclosing_function, function_name, line_of, nodes_of, text_of
from shflbench.cuda_sources.templates import Instances
from shflbench.emulator.file_budget import NEVER, FileBudget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.constants import Evaluator
    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.host.machine import HostBudget, Performed
    from shflbench.cuda_sources.host_code import UserFile
    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import HostCall, HostNumber, LaunchChain
    from shflbench.cuda_sources.layouts import Types

    _LaunchedInstance = tuple[LaunchSite, tuple[str, ...]]  # a launch, and the template arguments that it gives

_OF_DEVICE = frozenset({"__CUDA_ARCH__"})  # macros of device code only
_TEMPLATE_FUNCTIONS = frozenset({"template_function"})
_NAMES = frozenset({"identifier"})
_LANGUAGE_TYPES = frozenset({"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double"})


class CudaSource:
    """The parsed files of one translation unit."""

    def __init__(  # noqa: PLR0913, PLR0917  (what determines what the files do)
        self,
        unit: SourceUnit,
        define: Sequence[str],
        words: Sequence[str] | None = None,
        usual: Sequence[str] = (),
        change: HostChange | None = None,
        budget: FileBudget = NEVER,
    ) -> None:
        """Keep the files, the words of the program's command line if they are given, and else its `usual` ones.

        The host code is that of the files with the `change`, and is run within the `budget`.
        """
        self.unit, self.words, self.usual, self.change = unit, words, usual, change or HostChange()
        self.macros = Macros([file.lexed for file in unit.files], define)
        self.define, self._budget = (*unit.versions, *define), budget
        self._assuming: dict[str, Instances] = {}  # by the type that is assumed

    @property
    def has_timed_out(self) -> bool:
        """Whether the time was up while the host code ran, of which then only a part is known."""
        return self._budget.has_timed_out

    def of_equal(self, unit: SourceUnit, budget: FileBudget) -> CudaSource:
        """Return the source of a unit with the same texts, and what is known of it."""
        source = copy(self)
        source.unit, source._budget = unit, budget  # noqa: SLF001  (of its own kind)
        return source

    @cached_property
    def definitions(self) -> list[Definition]:
        """The kernels that the files define."""
        return kernel_definitions.kernels(self._device_files, self.macros)

    @cached_property
    def _device_files(self) -> list[UserFile]:
        """The files as the compiler of device code sees them."""
        device = Macros((), self.define).of_command_line()
        preprocessor = Preprocessor([self.unit.main, *self.unit.sources], self.unit.files, device, _OF_DEVICE)
        return list(with_kernels(map(preprocessor.compiled, self.unit.files), self.macros))

    @cached_property
    def same_names(self) -> SameNames:
        """The overloads and specializations among the kernels, with the templates that the files only declare."""
        is_specialized = any(item.is_specialization for item in self.definitions)
        declared = kernel_definitions.declared_templates(self._device_files, self.macros) if is_specialized else []
        return SameNames(self.definitions, declared)

    def named(self, name: str, *, plain: bool = False) -> list[Definition]:
        """Return the definitions of a qualified name; with `plain`, also those in any namespace."""
        return self._by_plain_name.get(name, []) if plain else self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Definition]]:
        result: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            result.setdefault(definition.name, []).append(definition)
        return result

    @cached_property
    def _by_plain_name(self) -> dict[str, list[Definition]]:
        result: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            result.setdefault(definition.plain_name, []).append(definition)
        return result

    @cached_property
    def _host_kernels(self) -> dict[str, list[Definition]]:
        """The kernels that host code may launch, by their plain names."""
        result = {name: list(known) for name, known in self._by_plain_name.items()}
        for item in self.same_names.templates:
            known = result.setdefault(item.plain_name, [])
            known += [item] if item not in known else []
        return result

    @cached_property
    def _host(self) -> HostSource:
        """The host code of the unit."""
        unit = self.unit
        return HostSource([unit.main], unit.files, self.define, self._host_kernels, self.change, self._budget)

    @cached_property
    def _program(self) -> HostSource:
        """The host code of the unit and of its neighbors."""
        files = [*self.unit.files, *self.unit.neighbors]
        roots = [*(file for file in self.unit.neighbors if file.path.suffix in SUFFIXES), self.unit.main]
        known = {file.name: file for file in self._host.files}
        return HostSource(roots, files, self.define, self._host_kernels, self.change, self._budget, known)

    @property
    def _launching(self) -> HostSource:
        """The host code in which functions that nothing calls may launch kernels of the unit."""
        return self._program if self.unit.launchers else self._host

    @property
    def evaluator(self) -> Evaluator:
        """Constants of the host code."""
        return self._host.evaluator

    @property
    def _host_files(self) -> list[UserFile]:
        """The files as the interpreter of host code reads them."""
        return self._host.files

    @property
    def types(self) -> Types:
        """Typedefs and structures."""
        return self._host.types

    @cached_property
    def launches(self) -> list[LaunchSite]:
        """The launches that the host code performs, and those in its text that it was not seen to perform."""
        reached = {item.node.id for item in self._performed}
        seen = [
            LaunchSite(item.kernel, item.template, item.node, item.arguments, item.launch, performed=item.is_instance)
            for item in self._performed
        ]
        return seen + [site for site in self._sites if site.node.id not in reached]

    @cached_property
    def host_calls(self) -> tuple[HostCall, ...]:
        """The first call of each function that launches kernels, in the first of the runs that reaches it."""
        calls: dict[str, HostCall] = {}
        for recorded in {id(item.calls): item.calls for item in self._performed}.values():
            for name, call in recorded.items():
                calls.setdefault(name, call.named(name))
        return tuple(calls.values())

    @cached_property
    def chains(self) -> tuple[LaunchChain, ...]:
        """The different launches that may overlap those before them in their stream, each with these."""
        runs = {id(item.streams): item.streams for item in self._performed}
        return tuple(dict.fromkeys(chain for streams in runs.values() for chain in streams.chains))

    @cached_property
    def _sites(self) -> list[LaunchSite]:
        """The launches in the text of the host code."""
        return self._launching.sites

    @cached_property
    def _performed(self) -> list[Performed]:
        """The launches that the whole program performs, and those of functions that it was not seen to call."""
        performed = list(self._of_program)
        reached = {item.node.id for item in performed}
        missing = {site.node.id for site in self._sites} - reached
        if missing or not performed:
            of_unit = performed_launches(self._launching.interpreter, missing, self.words, self.usual)
            performed += [item for item in of_unit if item.node.id not in reached]
        return performed

    @cached_property
    def _of_program(self) -> list[Performed]:
        """The launches that `main` of the program performs in several files, as far as their grids are known."""
        if not self.unit.neighbors or self.unit.launchers:
            return []
        performed = performed_launches(self._program.interpreter, (), self.words, self.usual)
        return [item for item in performed if item.launch.grid is not None]

    @property
    def undecided(self) -> tuple[list[SourceLine], list[tuple[str, SourceLine]]]:
        """The conditions that the files leave open, and the calls of which they do not say the function.

        Those that the host code met as far as it was run.
        """
        if not self.launches:
            return [], []
        hosts = [self._host, *([self._program] if self.unit.neighbors else [])]
        runs = [host.interpreter for host in hosts]
        conditions = [run.site(node)[1] for run in runs for node in run.program.undecided.conditions.values()]
        calls = [(text_of(node), run.site(node)[1]) for run in runs for node in run.program.undecided.calls.values()]
        return list(dict.fromkeys(conditions)), list(dict.fromkeys(calls))

    @property
    def refuses_words(self) -> bool:
        """Whether the program performs no launch with the command line that the user gives."""
        host = self._program if self.unit.neighbors else self._host
        return self.words is not None and refuses(host.interpreter, self.words)

    @property
    def unfinished_host(self) -> HostBudget | None:
        """The budget of the host code, if that took all of it, so that what it does after that is not known."""
        hosts = (self._host, self._program) if self.unit.neighbors else (self._host,)
        return next((host.budget for host in hosts if host.budget.is_spent), None)

    @property
    def host_numbers(self) -> tuple[HostNumber, ...]:
        """The numbers that variables of the host code begin with, as far as it runs to perform its launches."""
        if not self.launches:
            return ()
        begun = self._program.interpreter.begun if self.unit.neighbors else {}
        return tuple({**self._host.interpreter.begun, **begun}.values())

    @cached_property
    def obscure_launches(self) -> list[SourceLine]:
        """The lines of the host code that launch a kernel of which is not known which one it is.

        In headers only those that the program performs: a function there may launch the kernels of other files.
        """
        is_known: dict[int, bool] = {}  # by the id of a place, which may launch several kernels
        for item in self.launches:
            of_files = item.kernel.rpartition("::")[2] in self._by_plain_name
            is_known[item.node.id] = of_files and is_known.get(item.node.id, True)
        lines = [
            SourceLine(file.path, line_of(node))
            for file, node, kernel in launching_nodes(self._host_files)
            if not is_known.get(node.id, file.path != self.unit.main.path)
            and not self._is_in_device_code(node)
            and not self._is_of_other_file(node, kernel)
        ]
        return list(dict.fromkeys(lines))

    def _is_of_other_file(self, node: Node, kernel: Node) -> bool:
        """Whether a launch names a kernel by its name that the files only declare."""
        name = kernel_name(without_casts(kernel))[0]
        is_name = re.fullmatch(r"(?:::)?\w+(?:::\w+)*", name) is not None
        if not is_name or name in surrounding_parameters(node):
            return False
        declarator = self.evaluator.names.declaration(node, name)
        return declarator is None or "__global__" in text_of(declarator.parent)

    @cached_property
    def obscured(self) -> dict[str, SourceLine]:
        """The kernels that such a launch may be of: those that the host code names and never launches; and its line."""
        if not self.obscure_launches:
            return {}
        unlaunched = {item.plain_name: item.name for item in self.definitions if not self.launches_of(item)}
        named = {
            unlaunched[text_of(node)]
            for file in self._host_files
            if any(name.encode() in file.text for name in unlaunched)
            for node in nodes_of(file.tree.root_node, _NAMES)
            if text_of(node) in unlaunched and not self._is_declared_at(node) and not self._is_in_device_code(node)
        }
        return dict.fromkeys((item.name for item in self.definitions if item.name in named), self.obscure_launches[0])

    def _is_declared_at(self, node: Node) -> bool:
        """Whether a name is the one that a declaration of a function gives it."""
        outer = node.parent
        while outer is not None and outer.type in {"qualified_identifier", "template_function"}:
            outer = outer.parent
        return outer is not None and outer.type == "function_declarator"

    @cached_property
    def instances(self) -> dict[str, list[_LaunchedInstance]]:
        """The instances of the kernel templates that the unit launches, by the kernels' names.

        Of templates in the checked file itself, and of those without a body, also those that the other files of its
        program launch, or its launchers.
        """
        result: dict[str, list[_LaunchedInstance]] = {}
        for definition, instances in self._instances.items():
            result.setdefault(definition.name, []).extend(instances)
        return result

    def instances_of(self, definition: Definition) -> list[_LaunchedInstance]:
        """Return the instances of one of the kernel templates that the unit or its launchers launch."""
        return self._instances.get(definition, [])

    def assumed_instances(self, definition: Definition, type_: str) -> list[_LaunchedInstance]:
        """Return the instances of a kernel template that functions launch if their own type parameters are a type.

        These are function templates that the files neither call nor instantiate.
        """
        resolver = self._assuming.setdefault(type_, Instances(self._launching.files, self._launching.evaluator, type_))
        of_type = re.compile(rf"\b{type_}\s*::")  # a member that only a class has
        return [
            (launch, item)
            for launch in self.meant_launches(definition)
            for item in resolver.of(launch, definition)
            if not any(map(of_type.search, item))
        ]

    def text_of(self, definition: Definition, arguments: Sequence[str]) -> str:
        """Return an instance of a kernel template as C++ writes it, with the namespaces of types."""
        return definition.instance(arguments, self._resolver.qualified_type)

    @cached_property
    def _instances(self) -> dict[Definition, list[_LaunchedInstance]]:
        resolver, of_unit = self._resolver, {file.path for file in self.unit.files}
        of_others = {file.path for file in self.unit.launchers or self.unit.neighbors}
        result: dict[Definition, list[_LaunchedInstance]] = {}
        for definition in self.same_names.templates:
            is_compiled = definition in self.definitions and definition.place.file != self.unit.main.path
            places = of_unit if is_compiled else of_unit | of_others
            for launch in self.meant_launches(definition):
                if launch.launch.line.file in places:
                    instances = resolver.of(launch, definition)
                    is_open = definition.has_pack and len(instances) > 1
                    site = launch.of_unknown_shape if is_open else launch
                    result.setdefault(definition, []).extend((site, item) for item in instances)
        return result

    def meant_launches(self, definition: Definition) -> list[LaunchSite]:
        """Return the launches of a kernel; of overloads, those that their arguments settle, or leave to a template."""
        calls = self.launches_of(definition)
        if not self.same_names.is_overloaded(definition):
            return calls
        type_of, aliases = self._resolver.argument_type, self.types.aliases
        return [call for call in calls if self.same_names.may_mean(call, definition, type_of, aliases)]

    @cached_property
    def _resolver(self) -> Instances:
        return Instances(self._launching.files, self._launching.evaluator)

    @cached_property
    def _mentions(self) -> list[tuple[Definition, UserFile, Node]]:
        """The places in host code that name an instance of a kernel template: launches, tables, pointers."""
        templates = [item for item in self.definitions if item.template]
        names_of = {item.plain_name for item in templates}
        result = []
        for file in self._host_files:
            if not any(name.encode() in file.text for name in names_of):
                continue
            for node in nodes_of(file.tree.root_node, _TEMPLATE_FUNCTIONS):
                name = kernel_name(node)[0].removeprefix("::")
                if name and name.rpartition("::")[2] in names_of and not self._is_in_device_code(node):
                    result += [(item, file, node) for item in templates if names(name, item.name)]
        return result

    @cached_property
    def mentioned(self) -> dict[str, list[tuple[str, ...]]]:
        """The instances of each template kernel that the host code names, also without launching them there."""
        result: dict[str, list[tuple[str, ...]]] = {}
        for definition, _, node in self._mentions:
            result.setdefault(definition.name, []).extend(self._resolver.named(node, definition))
        return result

    @cached_property
    def unresolved(self) -> list[tuple[Definition, SourceLine]]:
        """The lines of the host code that name or launch a template kernel in an instance that depends on more."""
        places: dict[tuple[str, SourceLine], Definition] = {}
        for definition, file, node in self._mentions:
            if not (self._resolver.named(node, definition) or _is_explicit_instance(node)):
                places.setdefault((definition.name, SourceLine(file.path, line_of(node))), definition)
        of_unit = {file.path for file in self.unit.files}
        known = {id(launch) for sites in self.instances.values() for launch, _ in sites}
        lines = {launch.launch.line for name in self.instances for launch, _ in self.instances[name]}
        for definition in self.definitions:
            for launch in self.launches_of(definition) if definition.template is not None else ():
                if id(launch) not in known and launch.launch.line.file in of_unit:
                    places.setdefault((definition.name, launch.launch.line), definition)
        return [(definition, line) for (_, line), definition in places.items() if line not in lines]

    def _is_in_device_code(self, node: Node) -> bool:
        function = enclosing_function(node)
        return function is not None and bool(self.macros.words(prefix(function)) & DEVICE_WORDS)

    def device_launch(self, *, uncertain: bool) -> tuple[SourceLine, str] | None:
        """Return the line of the first launch in device code (dynamic parallelism), and the function that has it.

        A function with a syntax error may seem to go on into the next one; its launches count if they are `uncertain`.
        """
        for launch in self._sites:
            function = enclosing_function(launch.node)
            is_certain = function is not None and not function.has_error
            if function is not None and (is_certain or uncertain) and self._is_in_device_code(launch.node):
                return launch.launch.line, function_name(function)
        return None

    def launches_of(self, definition: Definition) -> list[LaunchSite]:
        """Return the launches that name a kernel; those of kernels with equal plain names need the namespace."""
        plain = self._launches_by_plain_name.get(definition.plain_name, [])
        return [launch for launch in plain if names(launch.kernel, definition.name)]

    def is_launched(self, definition: Definition) -> bool:
        """Whether a kernel is launched by a function that is no template, or by one that the files name elsewhere.

        A function of a header has to be reached from the checked file: a class has members that nobody calls.
        """
        headers = {file.path for file in self.unit.headers.values()}
        for launch in self.launches_of(definition):
            function = enclosing_function(launch.node)
            if function is None or not surrounding_parameters(launch.node):
                return True
            name = function_name(function).rpartition("::")[2].encode()
            if launch.launch.line.file in headers:
                if not name or name in self._reached:  # destructors and operators are called without a name
                    return True
            elif sum(len(re.findall(rb"\b%s\b" % re.escape(name), file.text)) for file in self.unit.files) > 1:
                return True
        return False

    @cached_property
    def _reached(self) -> frozenset[bytes]:
        return reached_names(self.unit)

    @cached_property
    def _launches_by_plain_name(self) -> dict[str, list[LaunchSite]]:
        result: dict[str, list[LaunchSite]] = {}
        for launch in self.launches:
            result.setdefault(launch.kernel.rpartition("::")[2], []).append(launch)
        return result

    def expressions(self) -> list[str]:
        """Return what a compiler without host code must instantiate: launched instances and static kernels."""
        result: dict[str, None] = {}
        of_unit = {file.path for file in self.unit.files}
        for definition in self.definitions:
            if definition.template:
                sites = self.instances_of(definition)
                launched = [
                    item for site, item in sites if site.launch.line.file in of_unit or all(map(_is_known, item))
                ]
                is_overloaded = self.same_names.is_overloaded(definition) and not definition.has_pack
                for arguments in (*launched, *self.mentioned.get(definition.name, ())):
                    text = definition.instance(arguments, self._resolver.qualified_type)
                    types = self._resolver.parameter_types(definition, arguments) if is_overloaded else ()
                    result[with_types(text, types) if is_overloaded else text] = None
            elif definition.internal and len(self.named(definition.name)) == 1:
                result[definition.name] = None
        return list(result)


def _is_known(argument: str) -> bool:
    """Whether a template argument means the same in all files: a number, a truth value or a type of the language."""
    return re.fullmatch(r"-?\d+|true|false", argument) is not None or set(argument.split()) <= _LANGUAGE_TYPES


def _is_explicit_instance(node: Node) -> bool:
    """Whether a place belongs to `template __global__ void kernel<…>(…);`, which is no host code."""
    outer = node.parent
    while outer is not None and outer.type in {"function_declarator", "pointer_declarator", "qualified_identifier"}:
        outer = outer.parent
    return outer is not None and outer.type == "template_instantiation"
