"""The pattern that a user challenges, at one dtype and one choice of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import NO_CHOICE
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.core.model import DTYPES, Mechanism, Target
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import builtin, load
from shflbench.suite.pattern_names import did_you_mean_pattern
from shflbench.suite.pattern_values import require_options
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.model import Dtype
    from shflbench.patterns.declare import Pattern, Variant
    from shflbench.patterns.discover import LoadedPattern

ANY_CCCL = (99, 0)  # what a library call needs is known when it compiles


@dataclass(frozen=True, slots=True)
class ChallengedPattern:
    """A pattern that comes with shflbench, at one element type and one choice of its options."""

    pattern: LoadedPattern
    dtype: Dtype
    options: Mapping[str, str]  # of the pattern: each has a value
    launch_options: Mapping[str, str]  # of the launch, such as `l2`: those that are set
    arch: str  # the oldest that the variants must support

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.pattern.name

    @property
    def declared(self) -> Pattern:
        """The pattern's declaration."""
        return self.pattern.declaration

    @property
    def setting_words(self) -> str:
        """The element type and the options in words: `f32, width=32`."""
        options = {**self.options, **self.launch_options}
        return ", ".join((self.dtype.name, *(f"{name}={value}" for name, value in options.items())))

    @property
    def rivals(self) -> tuple[Variant, ...]:
        """The published variants that a challenger is timed beside: safe ones of this dtype and these options."""
        return tuple(
            variant
            for variant in self.declared.variants
            if variant.safe and not variant.other_layout and variant.has(self.dtype.name, self.options)
        )

    @property
    def models(self) -> tuple[Variant, ...]:
        """The rivals whose launch and arguments a challenger can have: one kernel at the launch of the case."""
        target = Target(self.arch, ANY_CCCL)
        return tuple(
            variant
            for variant in self.rivals
            if not variant.later
            and variant.dims is None
            and variant.cluster == NO_CLUSTER
            and variant.mechanism is not Mechanism.LIBRARY
            and not variant.unsupported_reason(target)
        )


def challenged_pattern(name: str, dtype: str | None, options: Mapping[str, str], arch: str) -> ChallengedPattern:
    """Return the pattern with the values of a user, where open with its usual ones.

    UsageError for a pattern that does not come with shflbench or cannot be challenged, and for a dtype, an option or a
    value that it does not have.
    """
    folders = builtin()
    if name not in folders:
        near = did_you_mean_pattern(name, folders)
        raise UsageError(f"unknown pattern {quote(name)}{near}", f"Choose one of: {', '.join(folders)}.")
    if name in NO_CHOICE:
        reason = "its variants read different memories, and none can replace another"
        raise UsageError(f"{name} cannot be challenged: {reason}", "Choose another pattern.")
    pattern = load(folders[name])
    declared = pattern.declaration
    chosen = dtype or declared.usual.dtype
    if chosen not in declared.dtypes:
        near = did_you_mean(chosen, declared.dtypes)
        raise UsageError(f"{name} has no dtype {quote(chosen)}{near}", f"Choose one of: {', '.join(declared.dtypes)}.")
    require_options(name, declared, options)
    chosen_options = {
        **declared.usual.options,
        **{word: value for word, value in options.items() if word in declared.options},
    }
    of_launch = {word: value for word, value in options.items() if word in LAUNCH_OPTIONS}
    challenged = ChallengedPattern(pattern, DTYPES[chosen], chosen_options, of_launch, arch)
    _require_model(challenged)
    return challenged


def _require_model(challenged: ChallengedPattern) -> None:
    """Raise UsageError for a pattern without a variant that consists of one kernel at the launch of its case."""
    if challenged.models:
        return
    if not challenged.rivals:
        raise UsageError(f"{challenged.name} has no safe variant for {challenged.setting_words}", "Choose others.")
    raise UsageError(
        f"{challenged.name} cannot be challenged: each of its variants for {challenged.setting_words} launches several "
        "kernels, or has a launch shape of its own",
        "Write a pattern of your own: `shflbench new my-exchange`.",
    )
