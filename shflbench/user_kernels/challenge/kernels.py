"""The kernels of a user's file that challenge a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.bounds import MAX_NAME
from shflbench.core.files import irregular_kind, read_source
from shflbench.core.model import DTYPES
from shflbench.core.words import did_you_mean, join_words
from shflbench.cuda.compile.source import setting_macros
from shflbench.cuda_sources import kernels_in
from shflbench.errors import InputError, UsageError
from shflbench.patterns.check import NAME, NAME_ALLOWED
from shflbench.user_kernels.challenge.code_text import kernels_by_macros
from shflbench.user_kernels.challenge.signature import matching, parameters_of, signatures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cuda_sources import Definition
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern
    from shflbench.user_kernels.challenge.signature import Signature

MOST_SHOWN = 40  # letters of a name in an error
BOUNDS = "LAUNCH_BOUNDS="  # a macro that shflbench defines for each launch


@dataclass(frozen=True, slots=True)
class Challenger:
    """One kernel of the file, and the variant that it becomes."""

    name: str  # of the variant: that of the kernel without namespaces
    expression: str  # the kernel in C++, with `{T}` for the element type if it is a template
    signature: Signature
    parameters: str  # as the file has them
    line: int


def read_text(path: Path) -> str:
    """Return the text of the user's file; InputError where it cannot be read."""
    try:
        if kind := irregular_kind(path):
            raise InputError(f"{path} is {kind}, not a file", "Give a .cu file.")
        return read_source(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist", "Give a .cu file; `--template` prints one to start from.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8", "Save it as UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def challengers_in(path: Path, text: str, challenged: ChallengedPattern, names: Sequence[str]) -> list[Challenger]:
    """Return the kernels of a text that challenge the pattern: those called `names`, by default all.

    UsageError where there are none, where a name is unknown or taken, or where a kernel has another signature than the
    pattern's.
    """
    for macro, line in kernels_by_macros(text):
        raise UsageError(
            f"{path}:{line}: the macro `{macro}` defines a kernel, whose name and parameters are not in the text",
            "Write `__global__`, the name and the parameters of each kernel without a macro.",
        )
    definitions: dict[str, Definition] = {}
    for item in _definitions(path, text, challenged):
        other = definitions.setdefault(item.plain_name, item)
        if other is not item and (not names or item.plain_name in names):
            lines = f"in line {other.place.line} and in line {item.place.line}"
            raise UsageError(f"{path} has two kernels `{item.plain_name}`, {lines}", "Rename one of them.")
    if not definitions:
        raise UsageError(f"{path} has no `__global__` function", _template_advice(challenged))
    for name in names:
        if name not in definitions:
            raise UsageError(
                f"{path} has no kernel `{name}`{did_you_mean(name, definitions)}",
                f"Its kernels: {', '.join(definitions)}.",
            )
    chosen = [definitions[name] for name in names] if names else list(definitions.values())
    for item in chosen:
        _refuse_name(path, item)
        _refuse_taken(item, challenged)
    return [_challenger(path, item, challenged) for item in dict.fromkeys(chosen)]


def _definitions(path: Path, text: str, challenged: ChallengedPattern) -> list[Definition]:
    """Return the kernels of a text as it is compiled for the dtype and the options."""
    declared = challenged.declared
    macros = setting_macros(declared, challenged.dtype, challenged.options)
    others = {
        name
        for dtype in declared.dtypes
        for options in declared.option_choices
        for name in setting_macros(declared, DTYPES[dtype], options)
    }
    defined = [BOUNDS, *(f"{name}={value}" for name, value in macros.items())]
    return kernels_in(path, text, defined, others - macros.keys())


def _template_advice(challenged: ChallengedPattern) -> str:
    return f"Start from: shflbench challenge {challenged.name} --template"


def _refuse_name(path: Path, kernel: Definition) -> None:
    """Raise UsageError for a name that no variant can have."""
    if not re.fullmatch(NAME, kernel.plain_name) or len(kernel.plain_name) > MAX_NAME:
        name = kernel.plain_name if len(kernel.plain_name) <= MOST_SHOWN else f"{kernel.plain_name[:MOST_SHOWN]}…"
        raise UsageError(
            f"{path}:{kernel.place.line}: the kernel `{name}` needs another name",
            f"Allowed: {NAME_ALLOWED}.",
        )


def _refuse_taken(kernel: Definition, challenged: ChallengedPattern) -> None:
    """Raise UsageError for the name of a published variant or of its kernel: tables would have two rows of a name."""
    taken: dict[str, str] = {}
    for variant in challenged.declared.variants:
        plain = variant.name.replace("-", "_")
        taken |= {plain: variant.name, f"{challenged.name.replace('-', '_')}_{plain}": variant.name}
    if other := taken.get(kernel.plain_name):
        raise UsageError(
            f"the kernel `{kernel.plain_name}` has the name of the published variant `{other}`", "Rename the kernel."
        )


def _challenger(path: Path, kernel: Definition, challenged: ChallengedPattern) -> Challenger:
    place = f"{path}:{kernel.place.line}"
    expression = kernel.name
    if kernel.template is not None:
        first, *rest = kernel.template or (None,)
        if first is None or not first.is_type or first.pack or any(item.default is None for item in rest):
            raise UsageError(
                f"{place}: the template of `{kernel.plain_name}` needs other arguments than the element type",
                "Write `template <typename T>`, or no template.",
            )
        expression = f"{kernel.name}<{{T}}>"
    signature = matching(challenged, kernel)
    if signature is None:
        raise signature_error(challenged, place, kernel.plain_name, parameters_of(kernel))
    return Challenger(kernel.plain_name, expression, signature, parameters_of(kernel), kernel.place.line)


def signature_error(challenged: ChallengedPattern, place: str, name: str, parameters: str) -> UsageError:
    """Return the error that shows the parameters of a kernel and those of the pattern's kernels."""
    wanted = join_words([f"`({item.parameters})`" for item in signatures(challenged)]).replace(" and ", " or ")
    return UsageError(
        f"{place}: `{name}` takes `({parameters})`, and a kernel of {challenged.name} takes {wanted}, "
        f"where T is {challenged.dtype.cuda}",
        _template_advice(challenged),
    )
