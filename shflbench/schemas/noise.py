"""The JSON of `shflbench noise learn` and `shflbench noise test`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1  # also that of the files of `store/noise_file.py`
ABOUT = "`noise learn`: the noise of a GPU. `noise test`: what a gate would detect, an object per name of a suite."


class HeldOutObject(TypedDict):
    """Comparisons between held-out processes, of which the noise was not learned."""

    draws: Annotated[int, "number of comparisons"]
    alarmed: Annotated[float, "share of the comparisons with a case that was called slower or faster"]
    undecided: Annotated[float, "share of the cases that stayed inconclusive"]


class SpreadObject(TypedDict):
    """The spread of a case's time between processes."""

    variance: Annotated[float, "variance, µs²"]
    freedom: Annotated[int, "degrees of freedom of the variance"]


class LearnedNoiseDocument(TypedDict):
    """The noise of a process's time on one GPU: sd² = a² + (b·time)²."""

    schema: Annotated[Literal[1], NUMBER]
    a_us: Annotated[float, "noise of the shortest kernels, µs"]
    b: Annotated[float, "noise of the longest kernels, as a fraction of their time"]
    cases: Annotated[Mapping[str, SpreadObject], "spread of single cases, by case"]
    held_out: Annotated[Mapping[str, HeldOutObject], "validation, by processes per side"]
    processes: Annotated[int, "number of processes that it was learned from"]
    suites: Annotated[Sequence[str], "suites of the runs"]
    first: Annotated[str, "when the first of the runs started, UTC"]
    last: Annotated[str, "when the last of the runs started, UTC"]
    device: Annotated[str, "product name of the GPU"]
    uuid: Annotated[str, "UUID of the GPU"]
    driver: Annotated[str, "version of the driver"]
    sentinels: Annotated[str, "version of the frozen kernels that gave the offsets of the processes"]
    rule: Annotated[int, "version of what a and b mean"]
    settings: Annotated[Mapping[str, float], "sampling settings of the runs, by name"]


class GateSettingObject(TypedDict):
    """Comparisons of unchanged code with one number of processes and one threshold."""

    processes: Annotated[int, "processes per side"]
    threshold: Annotated[float, "smallest change that matters, as a fraction"]
    certain: Annotated[float, "change from which a case is slower or faster, as a fraction; below it is suspected"]
    draws: Annotated[int, "number of comparisons"]
    refused: Annotated[int, "further comparisons, refused because the sentinels show that the machine changed"]
    alarmed: Annotated[float, "share of the comparisons in which a case was slower or faster"]
    undecided: Annotated[float, "share of the cases that were suspected or inconclusive"]
    disjoint: Annotated[int, "number of comparisons of which no two share a process"]


class TestedSetting(GateSettingObject):
    """Such comparisons, and how certain their false-alarm rate is."""

    ceiling: Annotated[float, "largest share of false alarms that no alarm in the disjoint comparisons allows (95%)"]


class SensitivityObject(TypedDict):
    """What comparisons detect in one case."""

    case_id: Annotated[str, "stable readable name of the case"]
    time_us: Annotated[float, "mean of the fastest half of its samples, µs"]
    detectable: Annotated[float | None, "smallest slowdown that nearly all comparisons find, as a fraction"]
    settled: Annotated[float | None, "smallest threshold at which 95 of 100 comparisons say `same`, as a fraction"]
    own_threshold: Annotated[float | None, "threshold that the case needs, as a fraction; null if it needs none"]


class NoisyCaseObject(TypedDict):
    """A case that is noisier than the machine."""

    case_id: Annotated[str, "stable readable name of the case"]
    times: Annotated[float, "its standard deviation divided by that of the noise model"]
    sentence: Annotated[str, "how its processes differ, in one sentence"]
    manner: Annotated[str, "kind of spread between processes: outliers, levels or wide"]


class SelfTestObject(TypedDict):
    """Runs of unchanged code on one machine, compared with one another."""

    schema: Annotated[Literal[1], NUMBER]
    processes: Annotated[int, "number of processes"]
    runs: Annotated[int, "number of runs"]
    a_us: Annotated[float, "noise of the shortest kernels, µs: sd² = a² + (b·time)²"]
    b: Annotated[float, "noise of the longest kernels, as a fraction of their time"]
    settings: Annotated[Sequence[TestedSetting], "the settings of a gate that were tried"]
    recommended: Annotated[GateSettingObject | None, "the setting to use; null if none is good enough"]
    cases: Annotated[Sequence[SensitivityObject], "what comparisons detect, case by case"]
    noisy: Annotated[Sequence[NoisyCaseObject], "cases that are noisier than the machine"]
    flags: Annotated[str | None, "options of the recommended setting"]


DOCUMENTS = (LearnedNoiseDocument, Mapping[str, SelfTestObject])
