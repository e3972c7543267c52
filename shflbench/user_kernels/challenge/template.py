"""Write a file to start from: the simplest variant of a pattern as a kernel of the user."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.cuda.compile.source import kernel_name
from shflbench.patterns.copies import editable_copy, timed_namespace
from shflbench.patterns.declare import InOut, Input, Setting
from shflbench.user_kernels.challenge.excerpt import includes_of, kernel_excerpt, with_conditions
from shflbench.user_kernels.challenge.signature import signature_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.patterns.declare import Variant
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern

NAMESPACE = "mine"  # of the functions that a kernel calls: shflbench.cuh has functions of the same names
WIDTH = 117  # columns of a comment, after `// `
USUAL_BLOCK = 256  # at which shared memory is shown, where the pattern has no block sizes of its own


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a file with one kernel, and the variant that the kernel repeats."""

    text: str
    kernel: str
    model: Variant


def template_of(challenged: ChallengedPattern) -> Template:
    """Return the template with the body of the variant that has the shortest code."""
    bodies = {variant.name: _body(challenged, variant) for variant in challenged.models}
    model = min(challenged.models, key=lambda variant: (not bodies[variant.name], bodies[variant.name].count("\n")))
    name = f"my_{challenged.name.replace('-', '_')}"
    head = "\n".join(_head(challenged, model, name))
    body = bodies[model.name].replace(kernel_name(challenged.name, model), name).rstrip("\n")
    return Template(f"{head}\n{body}\n", name, model)


def _body(challenged: ChallengedPattern, variant: Variant) -> str:
    """Return the includes, the functions and the kernel of a variant."""
    folder = challenged.pattern.folder
    text = (folder / variant.source).read_text(encoding="utf-8")
    items = kernel_excerpt(text, kernel_name(challenged.name, variant))
    kernel = "\n\n".join(with_conditions(item, item.text) for item in items)
    code = editable_copy(folder, variant.name, challenged.dtype, challenged.options)
    includes, functions = code or ((), "")
    namespace, mine = timed_namespace(variant.name), ""
    if functions and namespace in kernel:
        mine = f"namespace {NAMESPACE} {{\n\n{functions}\n\n}}\n\n"
        kernel = kernel.replace(namespace, NAMESPACE)
    kept = [line for line in includes_of(text) if "copied/" not in line or _is_used(line, kernel)]
    return "\n".join(dict.fromkeys([*includes, *kept])) + f"\n\n{mine}{kernel}"


def _is_used(include: str, kernel: str) -> bool:
    """Whether a kernel calls the functions of a variant that a line includes as `copied/VARIANT.cuh`."""
    variant = include.partition("copied/")[2].partition(".cuh")[0]
    return f"{timed_namespace(variant)}::" in kernel


def _head(challenged: ChallengedPattern, model: Variant, name: str) -> Iterator[str]:
    """Yield the comment: what the kernel must compute, what it gets, and how it is tried."""
    declared = challenged.declared
    yield from _comment(f"A challenger of `{challenged.name}`, {challenged.setting_words}. {declared.summary}")
    yield "//"
    signature = signature_of(challenged, declared.arguments(model))
    yield from _comment(f"Kernels take ({signature.parameters}), where T is {challenged.dtype.cuda}:")
    for buffer in declared.buffers:
        if buffer.name in signature.arguments:
            use = (
                "read" if isinstance(buffer, Input) else "read and written" if isinstance(buffer, InOut) else "written"
            )
            count = _per_thread(buffer.per_thread, has_size=buffer.elements is not None)
            yield from _comment(f"- `{buffer.name}`: {use}, {count}", "  ")
    yield from _comment(_rule(challenged))
    yield from _comment(_shared(challenged, model))
    yield from _comment(
        "LAUNCH_BOUNDS is __launch_bounds__(threads per block, blocks per SM) of each launch. shflbench.cuh has "
        "thread(), lane(), shared<T>() and shuffles of any element type. The results must be those of the reference, "
        f"for all inputs. This kernel repeats the variant `{model.name}`: change `{name}`, or add others."
    )
    yield "//"
    yield from _comment(f"Try it: shflbench challenge {challenged.name} FILE{_options(challenged)}")


def _per_thread(count: int, *, has_size: bool) -> str:
    if has_size:
        return "its size depends on the launch: see pattern.py"
    return "one element per thread" if count == 1 else f"{count} elements per thread"


def _rule(challenged: ChallengedPattern) -> str:
    if challenged.declared.one_pass:
        return "A launch passes over its data once: there is no timed loop."
    return (
        "REPEAT(iterations) is the timed loop: each iteration takes the results of the one before. It is unrolled by "
        f"{challenged.declared.unroll}, which the machine code is checked for."
    )


def _shared(challenged: ChallengedPattern, model: Variant) -> str:
    """Return the dynamic shared memory per block."""
    block = (challenged.declared.block_sizes or (USUAL_BLOCK,))[-1]
    nbytes = model.shared(Setting(challenged.dtype, challenged.options, 1, block))
    if not nbytes:
        return "Dynamic shared memory per block: none. --shared BYTES or --shared BYTES*threads gives some."
    return (
        f"Dynamic shared memory per block: as `{model.name}`, {nbytes} bytes for {block} threads "
        f"({nbytes * WARP // block} per warp). --shared BYTES or --shared BYTES*threads gives another size."
    )


def _options(challenged: ChallengedPattern) -> str:
    usual = challenged.declared.usual
    words = [] if challenged.dtype.name == usual.dtype else ["--dtype", challenged.dtype.name]
    for name, value in {**challenged.options, **challenged.launch_options}.items():
        words += [] if usual.options.get(name) == value else ["--option", f"{name}={value}"]
    return "".join(f" {word}" for word in words)


def _comment(text: str, indent: str = "") -> Sequence[str]:
    return [f"// {line}" for line in wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)]
