"""Compare names of kernels as users, sources and symbols write them."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.argument_types import meaning
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.cuda_sources.type_names import KnownAliases

_SHOWN = 8  # names in a message: enough to choose from


_MEMBER = re.compile(r"\w\s*(?:>\s*)?::\s*\w+$")  # the last part of a type that a class or a namespace has
_SCOPED = re.compile(r"(?:::)?\w+(?:::\w+)+")  # without template arguments


def select_kernels(path: Path, kernels: Sequence[SourceKernel], name: str | None) -> tuple[SourceKernel, ...]:
    """Return the kernels that `name` selects, all for None; KernelError if there is none."""
    if name is None:
        return tuple(kernels)
    chosen = tuple(item for item in kernels if item.symbol == name or means_one(name, (item.name, *item.spellings)))
    if not chosen:
        known = [item.name for item in kernels]
        nearest = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{nearest[0]}`? " if nearest else ""
        shown = ", ".join(known[:_SHOWN]) + (", …" if len(known) > _SHOWN else "")
        raise KernelError(f"{path} has no kernel `{name}`", f"{hint}It has: {shown}".capitalize() + ".")
    return chosen


def means_one(spelling: str, known: Sequence[str]) -> bool:
    """Whether the user's `spelling` means a kernel with these names: its own, and those with aliases or enumerators."""
    return any(means(spelling, name) for name in known)


def means(spelling: str, name: str) -> bool:
    """Whether the user's `spelling` means the kernel `name`: without namespaces or last template arguments, too."""
    wanted, wanted_arguments = _parts(spelling)
    full, arguments = _parts(name)
    return names(wanted, full) and arguments[: len(wanted_arguments)] == wanted_arguments


def _parts(name: str) -> tuple[str, list[str]]:
    """Return a name without spaces, and its template arguments in a form in which equal ones are equal."""
    head, bracket, rest = name.partition("<")
    arguments = split_arguments(rest.rstrip().removesuffix(">")) if bracket else []
    return "".join(head.split()).removeprefix("::"), [normalize(item, {}) for item in arguments]


def split_arguments(text: str) -> list[str]:
    """Split a list of template arguments at the commas that are not within brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def last_part(name: str) -> str:
    """Return what stands behind the last `::` outside of brackets: `Add<b::C>` of `Op<a::B>::Add<b::C>`."""
    depth = 0
    for place in range(len(name) - 1, 0, -1):
        depth += (name[place] in ">)") - (name[place] in "<(")
        if depth == 0 and name[place - 1 : place + 1] == "::":
            return name[place + 1 :]
    return name


def names(spelling: str, qualified: str) -> bool:
    """Whether a name as written may mean the kernel of a qualified name."""
    return qualified == spelling or qualified.endswith(f"::{spelling}")


def normalize(argument: str, aliases: KnownAliases) -> str:
    """Return a template argument so that two ways to write it are equal: `256u` and `256`, `real` and `float`."""
    text = " ".join(argument.split()).removeprefix("typename ")
    for _ in range(16):
        target = aliases.get(last_part(text) if _SCOPED.fullmatch(text) else text)
        if target is None:
            break
        text = target
    if re.fullmatch(r"-?[0-9]+[uUlL]*", text):
        return text.rstrip("uUlL")
    if text in {"true", "false"}:
        return str(int(text == "true"))
    text = re.sub(r"^\([\w: ]+\)(?=-?[0-9]+$)", "", text)
    what = meaning(text, aliases)
    if what.element is not None and not what.pointer:
        return f"{what.element}x{what.lanes}"
    if text.endswith(">") or not _MEMBER.search(text):
        return re.sub(r"\s*([*&<>,])\s*", r"\1", text)
    return _member_type(text, aliases)


def _member_type(text: str, aliases: KnownAliases) -> str:
    """Return a type that a class defines, `Table<int32_t>::View`, so that two ways to write the class are equal."""
    member = last_part(text).strip()
    class_ = text.rstrip()[: -len(member)].rstrip().removesuffix("::").rstrip()
    class_ = aliases.get(class_) or class_
    head, bracket, listed = class_.partition("<")
    if bracket and listed.endswith(">"):
        arguments = ",".join(normalize(item, aliases) for item in split_arguments(listed[:-1]))
        class_ = f"{''.join(head.split())}<{arguments}>"
    return f"{class_}::{member}"
