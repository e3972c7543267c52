"""The JSON of `shflbench tune`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "The fastest members of a pattern's family at several launches, or their ranking where nothing was measured."


class TuneRequestObject(TypedDict):
    """What was tuned."""

    pattern: Annotated[str, "name of the pattern"]
    dtype: Annotated[str, "element type"]
    options: Annotated[Mapping[str, str], "all options of the pattern, by name"]
    launches: Annotated[Sequence[str], "launches, `2*sms x 1024`"]
    iterations: Annotated[int | None, "iterations of the timed loop; null: so many that a launch takes about 0.1 ms"]
    seed: Annotated[int, "seed of contents"]


class TunedLaunch(TypedDict):
    """The answer at one launch."""

    launch: Annotated[str, "the launch"]
    sentence: Annotated[str, "the answer in one sentence"]
    rung: Annotated[int, "number of the last round of measurements, from 1; 0 if none measured the launch"]
    mechanisms: Annotated[Mapping[str, str], "fastest variant of each mechanism"]


class CandidateObject(TypedDict):
    """A candidate at a launch; null where nothing is known."""

    launch: Annotated[str, "the launch"]
    variant: Annotated[str, "name of the variant, or of the member of the family"]
    mechanism: Annotated[str, "hardware or software that moves the values"]
    is_member: Annotated[bool, "whether it is a member of the family, else a variant of the pattern"]
    limit_cycles: Annotated[float | None, "limit: least cycles per iteration of all resident warps"]
    predicted_cycles: Annotated[float | None, "predicted cycles per iteration of all resident warps"]
    rung: Annotated[int | None, "last round of measurements that measured it; null if none did"]
    time_us: Annotated[float | None, "median time of one launch in that round, µs"]
    time_low_us: Annotated[float | None, "lower end of its 95% interval, µs"]
    time_high_us: Annotated[float | None, "upper end of its 95% interval, µs"]
    left_out: Annotated[str, "why it was not measured, or no longer; empty if it reached the last round"]
    has_failed: Annotated[bool, "whether it failed to compile or to run, or computed a wrong result"]


class TuneDocument(TypedDict):
    """The result of tuning."""

    schema: Annotated[Literal[1], NUMBER]
    folder: Annotated[str, "folder of the measurements"]
    request: Annotated[TuneRequestObject, "what was tuned"]
    arch: Annotated[str, "architecture"]
    device: Annotated[str, "product name of the GPU; empty if nothing was measured"]
    answers: Annotated[Sequence[TunedLaunch], "the answers; none if nothing was measured"]
    winners: Annotated[Mapping[str, Sequence[str]], "best variants of each mechanism, fastest first, by launch"]
    tried: Annotated[Sequence[CandidateObject], "all candidates"]
    gpu_seconds: Annotated[float, "time in which samples were taken, s"]


DOCUMENTS = (TuneDocument,)
