"""Choose the function that a call means: by its scope, template arguments, and the number and types of arguments.

Where that does not decide, no function is chosen: the first one of the text would be a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.argument_types import BOOL, FLOATING, INTEGER, type_of
from shflbench.cuda_sources.host.contents import namespaces_of
from shflbench.cuda_sources.host.machine import HostFrame
from shflbench.cuda_sources.host.templates import bound_arguments
from shflbench.cuda_sources.host.types import UNKNOWN_TYPE, HostType
from shflbench.cuda_sources.host.values import Cell
from shflbench.cuda_sources.naming import normalize
from shflbench.cuda_sources.syntax_trees import root_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from shflbench.cuda_sources.host.contents import HostFunction
    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.values import Structure

FEW = 8  # functions of one name; the choice among more counts as work
RANK_NODES = 56  # of the syntax tree of what runs, which take as long as one function that a call may mean
_EXACT, _PROMOTED, _CONVERTED, _CONSTRUCTED = range(4)  # how an argument becomes a parameter, the best first
_OPEN = -1  # nothing says how
_PROMOTIONS = {**dict.fromkeys("bBhH", "i"), "f": "d"}


@dataclass(frozen=True, slots=True)
class HostCallSite:
    """What a call says about the function that it means."""

    node: Node  # the name of the function
    given: Sequence[Reference]
    template: Sequence[object]  # arguments that the call writes
    arguments: Sequence[Node]
    frame: HostFrame
    bound: Mapping[str, object] = field(default_factory=dict)  # arguments of the template of the object's class

    @property
    def scope(self) -> tuple[str, ...]:
        """The scopes that the call writes: `a` of `a::size()`."""
        if self.node.type != "qualified_identifier":
            return ()
        name = "".join(text_of(self.node).split()).partition("<")[0]
        return tuple(part for part in name.split("::")[:-1] if part)

    def types(self, run: HostRun) -> list[HostType]:
        """Return the types of the arguments."""
        whole = len(self.arguments) == len(self.given)  # else one of them is a pack
        nodes = self.arguments if whole else [None] * len(self.given)
        return [type_of(run, node, place, self.frame) for node, place in zip(nodes, self.given, strict=True)]


def chosen(run: HostRun, functions: Sequence[HostFunction], call: HostCallSite) -> HostFunction | None:
    """Return the function that a call means; None if none takes its arguments, or if it is not certain which does."""
    fitting: Sequence[HostFunction] = [item for item in functions if _takes(item, len(call.given))]
    if not fitting:  # the defaults of a member function stand in its class
        fitting = [item for item in functions if item.owner and len(call.given) <= len(item.parameters)]
    if len(fitting) > 1:
        fitting = _in_scope(fitting, call)
    special = [item for item in fitting if item.specialization is not None]
    plain = [item for item in fitting if item.specialization is None]
    if call.template:
        plain = [item for item in plain if len(item.template) >= len(call.template)] or plain
    best = _best(run, plain, call)
    if not special or (plain and (best is None or not best.template)):
        return best
    return _specialized(run, best, special, call)


def call_chosen(
    run: HostRun, functions: Sequence[HostFunction], call: HostCallSite, receiver: Structure | None
) -> Reference:
    """Return the result of the function that a call means; unknown if that is not certain."""
    within = replace(call, bound=receiver.bound) if receiver is not None else call
    function = chosen(run, functions, within)
    if function is None:
        run.program.undecided.calls[call.node.id] = call.node
        return Cell()
    return run.called(function, call.given, call.template, receiver, within.bound)


def _takes(function: HostFunction, count: int) -> bool:
    required = sum(item.type == "parameter_declaration" for item in function.parameters)
    return required <= count and (bool(function.pack) or count <= len(function.parameters))


def _in_scope(functions: Sequence[HostFunction], call: HostCallSite) -> Sequence[HostFunction]:
    """Return the functions that the scopes around the call, or those that it writes, do not exclude."""
    if call.scope:
        return [item for item in functions if item.scope[-len(call.scope) :] == call.scope] or functions
    around = namespaces_of(call.node)
    visible = [item for item in functions if item.scope == around[: len(item.scope)]]
    deepest = max((len(item.scope) for item in visible), default=0)
    return [item for item in visible if len(item.scope) == deepest] or functions


def _best(run: HostRun, functions: Sequence[HostFunction], call: HostCallSite) -> HostFunction | None:
    """Return the function whose parameters fit the arguments best."""
    if len(functions) < 2:  # noqa: PLR2004  (several)
        return next(iter(functions), None)
    if len(functions) > FEW:
        run.state.step(RANK_NODES * len(functions))
    ranked = [(item, ranks) for item in functions if (ranks := _ranks(run, item, call)) is not None]
    best = [
        one for one, ranks in ranked if all(_is_better(ranks, others) for other, others in ranked if other is not one)
    ]
    if len(best) == 1:
        return best[0]
    return _only([item for item, _ in ranked], call) if _are_alike(ranked) else None


def _only(functions: Sequence[HostFunction], call: HostCallSite) -> HostFunction | None:
    """Return the function among those of equal parameters: of the file of the call, and not for constants."""
    variable = [item for item in functions if not re.search(r"\)\s*const\b", text_of(item.node).partition("{")[0])]
    of_file = [item for item in variable if root_of(item.node) == root_of(call.node)] or variable
    return of_file[0] if len({text_of(item.body) for item in of_file}) == 1 else None


_Rank = tuple[int, int, tuple[str, str]]  # conversion, how general the parameter is, the parameter's type


def _ranks(run: HostRun, function: HostFunction, call: HostCallSite) -> list[_Rank] | None:
    """Return how each argument becomes a parameter; None if one cannot."""
    bound = {**call.bound, **bound_arguments(function, call.given, call.template)}
    ranks = []
    for parameter, type_ in zip(function.parameters, call.types(run), strict=False):
        wanted, generality = _parameter_type(run, parameter, function, bound)
        rank = _OPEN if wanted is UNKNOWN_TYPE and not generality else _rank(wanted, type_, generality)
        if rank is None:
            return None
        ranks.append((rank, generality, _key(wanted)))
    return ranks


def _parameter_type(
    run: HostRun, parameter: Node, function: HostFunction, bound: Mapping[str, object]
) -> tuple[HostType, int]:
    """Return the type of a parameter, and how general it is: 0, 1 for `T *`, 2 for `T`."""
    declarator = parameter.child_by_field_name("declarator")
    head = text_of(declarator).partition("=")[0] if declarator is not None else ""
    stars = head.count("*") + head.count("[")
    text = text_of(parameter.child_by_field_name("type"))
    names = {item.name for item in function.template}
    general = "auto" in text.split() or not names.isdisjoint(re.findall(r"\w+", text))
    type_ = run.type(text + " *" * stars, HostFrame(bound=bound))
    return type_, (1 if stars else 2) if general else 0


def _rank(wanted: HostType, given: HostType, generality: int) -> int | None:  # noqa: PLR0911  (one per kind)
    """Return how a value becomes a parameter; None if it does not."""
    if given is UNKNOWN_TYPE or not given.name:
        return _OPEN
    if generality > 1:
        return _EXACT
    if wanted.target is not None or given.target is not None:
        return _rank_of_pointer(wanted, given, generality)
    numbers = wanted.format or wanted.name == "bool", given.format or given in {BOOL, INTEGER, FLOATING}
    if not any(numbers):
        return _EXACT if _key(wanted) == _key(given) else _CONSTRUCTED
    if not all(numbers):
        return _CONSTRUCTED if numbers[1] else None
    if given in {INTEGER, FLOATING}:
        is_floating = wanted.format in set("efd")
        return _OPEN if is_floating == (given is FLOATING) else _CONVERTED
    if _key(wanted) == _key(given):
        return _EXACT
    is_promoted = wanted.format == ("i" if given.name == "bool" else _PROMOTIONS.get(given.format))
    return _PROMOTED if is_promoted else _CONVERTED


def _rank_of_pointer(wanted: HostType, given: HostType, generality: int) -> int | None:
    if given.target is None:
        return _OPEN if given is INTEGER and wanted.target is not None else None  # a null pointer
    if wanted.target is None:
        return _CONVERTED if wanted.name == "bool" else None
    if generality or _key(wanted) == _key(given):
        return _EXACT
    if not given.target.name:
        return _OPEN
    return _CONVERTED if wanted.target.name == "void" else None


def _key(type_: HostType) -> tuple[str, str]:
    """Return what makes types equal for a call."""
    if type_.target is not None:
        return "*", "".join(_key(type_.target))
    return ("number", type_.format) if type_.format else ("name", type_.name)


def _is_better(ranks: Sequence[_Rank], others: Sequence[_Rank]) -> bool:
    """Whether a function fits a call better than another one, for certain."""
    is_better = False
    for (rank, generality, key), (other, other_generality, other_key) in zip(ranks, others, strict=False):
        if key == other_key and generality == other_generality:
            continue
        if _OPEN in {rank, other}:
            if rank == other or max(rank, other) < _CONVERTED or rank != _OPEN:
                return False
            is_better = True  # a number of unknown type to one of its kind, against a conversion
        elif rank > other or (rank == other and generality > other_generality):
            return False
        else:
            is_better = is_better or (rank, generality) < (other, other_generality)
    return is_better


def _are_alike(ranked: Sequence[tuple[HostFunction, Sequence[_Rank]]]) -> bool:
    """Whether the functions have equal parameters."""
    return len({tuple(key for _, _, key in ranks) for _, ranks in ranked}) == 1


def _specialized(
    run: HostRun, primary: HostFunction | None, special: Sequence[HostFunction], call: HostCallSite
) -> HostFunction | None:
    """Return the specialization for the arguments of the template, or else the template itself."""
    values = list(call.template)
    if primary is not None:
        bound = bound_arguments(primary, call.given, call.template)
        if len(bound) < len(primary.template):
            return None
        values = list(bound.values())
    wanted = [_normalized(run, value) for value in values]
    for item in special:
        named = [_normalized(run, text) for text in item.specialization or ()]
        if named and named == wanted[: len(named)] and len(named) == len(wanted):
            return item
    deduced = [item for item in special if not item.specialization]
    named_less = [item for item in special if item.specialization and len(item.specialization) != len(wanted)]
    if named_less:
        return None
    for item in deduced:
        ranks = _ranks(run, item, call)
        if ranks is not None and all(rank == _EXACT for rank, _, _ in ranks):
            return item
        if ranks is not None and any(rank == _OPEN for rank, _, _ in ranks):
            return None
    return primary


def _normalized(run: HostRun, value: object) -> str:
    return normalize(str(value), run.types.aliases)
