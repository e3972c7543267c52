"""Where a planned launch comes from, and the questions that plans, runs and judgment ask about that."""

from __future__ import annotations

from dataclasses import dataclass

from shflbench.cuda_sources.origin import Origin


@dataclass(frozen=True, slots=True)
class LaunchOrigin:
    """Where the block, the grid and the arguments of a launch come from."""

    block: Origin
    grid: Origin
    arguments: Origin  # of the launch of the host code from which arguments are taken; chosen if there is none

    @property
    def rank(self) -> Origin:
        """The origin of the whole launch: that of its part which is the farthest from the program's own run.

        The arguments of a shape that the user gives, and of one that is chosen, are ranked by themselves.
        """
        return max(self.block, self.grid, self.arguments) if self.is_of_program else self.block

    @property
    def text(self) -> str:
        """What reports call it."""
        return self.block.text

    @property
    def is_given(self) -> bool:
        """Whether the user gives the shape."""
        return self.block is Origin.GIVEN

    @property
    def is_of_program(self) -> bool:
        """Whether it stands for a launch of the host code whose grid and block are known."""
        return self.block is Origin.HOST

    @property
    def is_synthesized(self) -> bool:
        """Whether at least its grid is chosen."""
        return self.block.is_synthesized

    @property
    def is_scaled_down(self) -> bool:
        """Whether it has fewer blocks than the launch of the host code whose arguments it takes."""
        return self.grid is Origin.SCALED_DOWN

    @property
    def is_invented(self) -> bool:
        """Whether it replaces a launch of the host code that was not understood, or is not performed as it is.

        A launch against a condition is one of these, but no launch that the user gives.
        """
        return self.rank >= Origin.FORCED and self.arguments is not Origin.CHOSEN

    @property
    def has_specified_block(self) -> bool:
        """Whether only the grid is chosen: the host code, or the kernel itself, specifies the block."""
        return Origin.REQUIRED <= self.block <= Origin.SPECIFIED

    @property
    def has_synthesized_block(self) -> bool:
        """Whether its block is chosen, too."""
        return self.block > Origin.SPECIFIED

    @property
    def has_suggested_block(self) -> bool:
        """Whether the host code, names, constants or arrays suggest the block of a chosen launch."""
        return Origin.SPECIFIED <= self.block <= Origin.WEAKLY_SUGGESTED
