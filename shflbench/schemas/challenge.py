"""The JSON of `shflbench challenge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "Challengers of a pattern: what was checked, the verdicts of a timed run, and the estimates without one."


class ChallengerObject(TypedDict):
    """The check of a challenger."""

    kernel: Annotated[str, "name of the challenger"]
    verdict: Annotated[str, "verdict of the check, as in `check`"]
    sentence: Annotated[str, "the reason of the verdict"]
    doubt: Annotated[str, "why its times are not compared; empty if they are"]


class RivalObject(TypedDict):
    """A challenger and the fastest published variant of one mechanism."""

    challenger: Annotated[str, "name of the challenger"]
    published: Annotated[str, "name of the published variant"]
    mechanism: Annotated[str, "mechanism of the published variant"]
    verdict: Annotated[str, "beats, ties, slower, undecided or doubtful"]
    doubt: Annotated[str, "why its times cannot be those of the pattern's work; empty if they can"]
    factor: Annotated[float, "time of the published variant divided by that of the challenger"]
    factor_low: Annotated[float, "lower end of its 95% interval"]
    factor_high: Annotated[float, "upper end of its 95% interval"]


class CodeObject(TypedDict):
    """What explains the time of a variant."""

    variant: Annotated[str, "name of the variant"]
    mechanism: Annotated[str, "its mechanism"]
    instructions: Annotated[float | None, "instructions per iteration of a warp; null without a timed loop"]
    moves: Annotated[Mapping[str, float], "instructions among them that move values or wait, by opcode"]
    limit_us: Annotated[float | None, "limit: the least time of one launch, µs"]
    limit_cycles: Annotated[float | None, "the limit in SM clock cycles per iteration"]
    limit_by: Annotated[str | None, "what sets the limit"]
    limit_fraction: Annotated[float | None, "limit divided by the measured time"]


class ChallengedLaunch(TypedDict):
    """The comparisons at one launch."""

    launch: Annotated[str, "the launch"]
    iterations: Annotated[int, "iterations of the timed loop"]
    times_per: Annotated[str, "iteration or launch: what the compared times are of"]
    comparisons: Annotated[Sequence[RivalObject], "challengers and published variants"]
    published_missing: Annotated[Sequence[str], "published variants without a time"]
    code: Annotated[Sequence[CodeObject], "what explains the times"]


class EstimateObject(TypedDict):
    """A variant that was not timed; values are of one iteration of all warps of an SM."""

    variant: Annotated[str, "name of the variant"]
    mechanism: Annotated[str, "its mechanism"]
    is_challenger: Annotated[bool, "whether it is a challenger, else it is published"]
    instructions: Annotated[float | None, "instructions"]
    limit_cycles: Annotated[float | None, "limit: the least cycles that the hardware allows"]
    limit_by: Annotated[str, "what sets the limit; empty without one"]
    predicted_cycles: Annotated[float | None, "predicted cycles"]
    remark: Annotated[str, "why there is no limit; empty if there is one"]


class EstimatedLaunch(TypedDict):
    """The estimates at one launch."""

    launch: Annotated[str, "the launch"]
    arch: Annotated[str, "architecture"]
    variants: Annotated[Sequence[EstimateObject], "the variants, fewest cycles first"]


class ChallengeDocument(TypedDict):
    """A challenge."""

    schema: Annotated[Literal[1], NUMBER]
    pattern: Annotated[str, "name of the challenged pattern"]
    dtype: Annotated[str, "element type"]
    options: Annotated[Mapping[str, str], "options of the pattern, by name"]
    file: Annotated[str, "file of the challengers"]
    folder: Annotated[str | None, "folder of the run; null without one"]
    challengers: Annotated[Sequence[ChallengerObject], "the challengers"]
    launches: Annotated[Sequence[ChallengedLaunch], "comparisons of the run, by launch"]
    estimates: Annotated[Sequence[EstimatedLaunch], "estimates, where nothing was timed"]


DOCUMENTS = (ChallengeDocument,)
