"""Where a launch, a size or a value comes from."""

from __future__ import annotations

from enum import IntEnum, auto


class Origin(IntEnum):
    """Where a part of a launch comes from, from what the user gives to what nothing in the program specifies."""

    GIVEN = auto()  # by the user
    HOST = auto()  # the host code, which performs the launch as it is
    SCALED_DOWN = auto()  # the host code, but with fewer blocks
    ASSUMED = auto()  # the host code, for numbers that stand for what the program reads
    FORCED = auto()  # the host code against a condition that did not hold: sizes and contents may be those of others
    SAMPLE = auto()  # of contents: those that the host code begins with, repeated
    REQUIRED = auto()  # of a block: the kernel has no other one
    SPECIFIED = auto()  # of a block: the host code has it with an unknown grid, or the kernel suggests it alone
    SUGGESTED = auto()  # of a block: names or constants of the code suggest it
    WEAKLY_SUGGESTED = auto()  # of a block: the size of an array suggests it
    CHOSEN = auto()  # the signature and the launch; of a block: the usual ones
    VARIED = auto()  # likewise, a number that is not the one of the first seed

    @property
    def is_synthesized(self) -> bool:
        """Whether neither the user nor the host code specifies it."""
        return self > Origin.SAMPLE

    @property
    def text(self) -> str:
        """What reports call it."""
        if self.is_synthesized:
            return "chosen"
        return {Origin.GIVEN: "given", Origin.SAMPLE: "sample"}.get(self, "from the host code")
