"""The JSON of `shflbench claims`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER, OpenInterval

SCHEMA: Final = 1
ABOUT = "A list with an object per GPU model: the verdicts on claims. Null is unknown, or not given by the suite."


class SettingObject(TypedDict):
    """One setting in which a claim was tested."""

    run: Annotated[str, "folder of the run"]
    suite: Annotated[str, "name of the run's suite"]
    pattern: Annotated[str, "name of the pattern"]
    setting: Annotated[str, "the setting in words"]
    outcome: Annotated[str, "holds, fails or undecided"]
    measured: Annotated[OpenInterval | str | None, "the measured quantity, with its 95% interval or in words"]
    reason: Annotated[str | None, "why nothing was decided"]
    missing: Annotated[bool, "whether the results lack the setting"]
    why: Annotated[str | None, "what explains the outcome"]
    cases: Annotated[Sequence[str], "cases that it rests on"]


class JudgedClaim(TypedDict):
    """A claim with its verdict."""

    id: Annotated[str, "short name of the claim"]
    says: Annotated[str, "the claim in one sentence"]
    source: Annotated[str | None, "where it was published"]
    figure: Annotated[str | None, "the figure that the source gives"]
    where: Annotated[Mapping[str, Sequence[str | int]], "settings in which it is tested, by axis"]
    holds: Annotated[str | None, "the condition that is tested"]
    quantifier: Annotated[str, "all, some or always: in how many settings it has to hold"]
    required: Annotated[bool, "whether `run` and `claims` fail unless it holds"]
    untestable: Annotated[str | None, "why measurements can neither confirm nor refute it"]
    verdict: Annotated[str, "confirmed, refuted, depends (it holds in some settings), inconclusive or untestable"]
    sentence: Annotated[str, "the verdict in one sentence"]
    measured: Annotated[str | None, "what was measured, in words"]
    quantity: Annotated[str | None, "the measured quantity, unless it is all that the condition contains"]
    condition: Annotated[str | None, "the condition in words"]
    why: Annotated[str | None, "what explains the verdict"]
    why_setting: Annotated[str | None, "setting that the explanation is about"]
    worst: Annotated[SettingObject | None, "setting that is farthest from the claim"]
    settings: Annotated[Sequence[SettingObject], "all settings"]


class JudgedGpu(TypedDict):
    """The verdicts on claims by the runs on one GPU model."""

    schema: Annotated[Literal[1], NUMBER]
    device: Annotated[str | None, "product name of the GPU"]
    backend: Annotated[str, "what ran the kernels: cuda, emulator or none"]
    arch: Annotated[str, "architecture"]
    runs: Annotated[Sequence[str], "folders of the runs"]
    counts: Annotated[Mapping[str, int], "number of claims by verdict"]
    claims: Annotated[Sequence[JudgedClaim], "the claims"]


DOCUMENTS = (Sequence[JudgedGpu],)
