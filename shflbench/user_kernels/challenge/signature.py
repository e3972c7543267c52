"""The parameters that a challenger's kernel must have: those of the pattern's variants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import DTYPES
from shflbench.cuda_sources import meaning
from shflbench.patterns.declare import ITERATIONS, Input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources import Definition
    from shflbench.patterns.declare import DeclaredArgument
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern

ELEMENT = "T"  # the element type in a signature
RAW = frozenset({"i1", "u1", "?"})  # bytes, as which a kernel may see any buffer


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a variant by name, and their types in C++ with `T` for the element type."""

    arguments: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def parameters(self) -> str:
        """The parameters as C++ declares them: `const T* values, T* result, int iterations`."""
        return ", ".join(f"{type_} {name}" for type_, name in zip(self.types, self.arguments, strict=True))


def signatures(challenged: ChallengedPattern) -> tuple[Signature, ...]:
    """Return the signatures of the variants whose place a challenger can take, the usual one first."""
    declared = challenged.declared
    usual = declared.arguments(declared.baseline)
    every = dict.fromkeys(declared.arguments(variant) for variant in challenged.models)
    ordered = sorted(every, key=lambda arguments: arguments != usual)
    return tuple(signature_of(challenged, arguments) for arguments in ordered)


def signature_of(challenged: ChallengedPattern, arguments: Sequence[DeclaredArgument]) -> Signature:
    """Return the signature of a variant with these arguments."""
    names = tuple(argument for argument in arguments if isinstance(argument, str))
    types = dict(_types(challenged))
    return Signature(names, tuple(types[name] for name in names))


def _types(challenged: ChallengedPattern) -> Iterator[tuple[str, str]]:
    for buffer in challenged.declared.buffers:
        element = DTYPES[buffer.dtype].cuda if buffer.dtype else ELEMENT
        yield buffer.name, f"const {element}*" if isinstance(buffer, Input) else f"{element}*"
    for scalar in challenged.declared.scalars:
        yield scalar.name, DTYPES[scalar.dtype].cuda if scalar.dtype else ELEMENT
    yield ITERATIONS, "int"


def matching(challenged: ChallengedPattern, kernel: Definition) -> Signature | None:
    """Return the signature of the pattern that a kernel has; None if it has none of them.

    Pointers may point to vectors of the element, to its unsigned counterpart or to bytes; a type that the text does not
    define is taken as it is, and compared when it is compiled.
    """
    element = challenged.dtype.cuda
    taken = [_with_element(item.type, kernel, element) for item in kernel.parameters]
    return next((item for item in signatures(challenged) if _agrees(item, taken, element)), None)


def _with_element(type_: str, kernel: Definition, element: str) -> str:
    """Return a parameter's type with the element type in place of the template parameter."""
    names = [item.name for item in kernel.template or () if item.is_type][:1]
    return re.sub(rf"\b{re.escape(names[0])}\b", element, type_) if names and names[0] else type_


def _agrees(signature: Signature, taken: Sequence[str], element: str) -> bool:
    if len(taken) != len(signature.types):
        return False
    wanted = [re.sub(rf"\b{ELEMENT}\b", element, type_) for type_ in signature.types]
    return all(_is_like(one, other) for one, other in zip(taken, wanted, strict=True))


def _is_like(taken: str, wanted: str) -> bool:
    one, other = meaning(taken), meaning(wanted)
    if one.pointer != other.pointer:
        return False
    if one.element is None or other.element is None:
        return True
    if one.pointer and one.element in RAW:
        return True
    signless = [item.element.replace("u", "i") for item in (one, other) if item.element]
    return signless[0] == signless[1] and (one.pointer or one.lanes == other.lanes)


def parameters_of(kernel: Definition) -> str:
    """Return the parameters of a kernel as its file has them."""
    return ", ".join(f"{item.type} {item.name}".replace(" *", "* ").replace("  ", " ") for item in kernel.parameters)
