"""The rules of the SARIF output: a title and a help text for each kind of hazard and each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping


def rule_id(name: str) -> str:
    """Return the id of a rule from the name of a hazard or a verdict: `same-value` for `SAME_VALUE`."""
    return name.lower().replace("_", "-")


HELP: Mapping[str, tuple[str, str]] = {
    **{rule_id(row.kind.name): (row.title, row.help) for row in KINDS.values()},
    "broken": ("Wrong result", "The result depends on the order in which threads run, or is wrong."),
    "doubtful": ("Doubtful", "No difference was seen, but the kernel relies on behavior that is not guaranteed."),
    "dependent": ("The result depends on the schedule", "Equal inputs can lead to different results."),
    "harmless": ("Declared unsafe, and nothing was found", "Declare the variant safe, or check it at other sizes."),
    "needs-arguments": ("Sizes or values are missing", "Give them with --arg, --launch or --shared."),
    "not-compiled": ("Does not compile", "Fix the source, or pass missing folders with -I and macros with -D."),
    "not-checked": ("Not checked", "The kernel uses what the emulator does not support, or takes too long."),
    "removed-store": ("The compiler removed a store", "A race on this memory is no longer in the program."),
    "exchange": (
        "Exchange through shared memory that a shuffle could do",
        "Pass the value by the shuffle that the message names; `shflbench advise FILE --patch` writes it where it can.",
    ),
    "kernel-limit": (
        "What limits a kernel at its launch, as predicted",
        "Change what the message names: a change of anything else brings nothing.",
    ),
    "weaker-barrier": (
        "Barrier of the block that orders lanes of one warp only",
        "Write __syncwarp() instead, if all sizes at which you run the kernel are like those of the launches.",
    ),
    "unneeded-barrier": (
        "Barrier of the block that orders nothing",
        "Remove it, if all sizes at which you run the kernel are like those of the launches.",
    ),
}
