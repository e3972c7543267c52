"""The JSON of `shflbench advise`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired, TypedDict

from shflbench.analysis.answers.costs import ExchangeCost
from shflbench.core.json_objects import NUMBER, IntervalObject, MachineNoise, OpenInterval
from shflbench.core.json_schema import ColumnsOf

SCHEMA: Final = 1
ABOUT = (
    "Of a pattern: which variant to use. Of a file: what its kernels exchange through shared memory, and which of its "
    "barriers they need. With `--costs`: what an exchange costs. Measured and predicted values never share a key."
)


class AdviceRequest(TypedDict):
    """What was asked for; null where it was left open."""

    pattern: Annotated[str, "name of the pattern"]
    dtype: Annotated[str | None, "element type"]
    options: Annotated[Mapping[str, str], "options of the pattern, by name"]
    block: Annotated[int | None, "threads per block"]
    launch: Annotated[str | None, "the launch"]


class RankedVariantObject(TypedDict):
    """A timed variant of a setting."""

    variant: Annotated[str, "name of the variant"]
    mechanism: Annotated[str, "hardware or software that moves the values"]
    role: Annotated[str, "candidate, unsafe or library: whether it can be recommended, and if not, why"]
    case_id: Annotated[str, "stable readable name of the case"]
    time_us: Annotated[OpenInterval, "median time of one launch, µs"]
    slowdown: Annotated[OpenInterval, "its time divided by that of the recommended variant"]
    limit_fraction: Annotated[float | None, "limit divided by the time, 0 to 1"]
    limit_by: Annotated[str | None, "what sets the limit"]


class EarlierAnswerObject(TypedDict):
    """The answer of an earlier run of the same setting."""

    run: Annotated[str, "folder of the run"]
    variant: Annotated[str, "the variant that it recommends"]
    other: Annotated[str | None, "the next best variant"]
    over: Annotated[OpenInterval | None, "time of the next best variant divided by that of the recommended one"]


class MeasuredAnswer(TypedDict):
    """Which variant to use in the measured setting that is nearest to the request."""

    run: Annotated[str, "folder of the run"]
    suite: Annotated[str, "name of the suite"]
    gpu: Annotated[str, "product name of the GPU; empty if the run does not say"]
    arch: Annotated[str, "architecture"]
    pattern: Annotated[str, "name of the pattern"]
    dtype: Annotated[str, "element type"]
    launch: Annotated[str, "launch as the suite has it: `2*sms x 1024`"]
    grid: Annotated[int | None, "blocks"]
    block: Annotated[int, "threads per block"]
    iterations: Annotated[int, "iterations of the timed loop"]
    options: Annotated[Mapping[str, str], "options of the pattern, by name"]
    setting: Annotated[str, "the setting in words"]
    variant: Annotated[str, "the recommended variant: the fastest; of those as fast, the simplest"]
    mechanism: Annotated[str, "its mechanism"]
    certainty: Annotated[str, "clear, tie or undecided: how sure it is which candidate is the fastest"]
    tied: Annotated[Sequence[str], "candidates that tie with it, or cannot be distinguished; fastest first"]
    libraries: Annotated[Sequence[str], "library calls that are at least as fast, fastest first"]
    undecided_libraries: Annotated[Sequence[str], "library calls that are not shown to be slower"]
    baseline: Annotated[str | None, "variant that others are compared with; null if it has no time"]
    over_baseline: Annotated[OpenInterval | None, "time of the baseline divided by that of the recommended variant"]
    runner_up: Annotated[str | None, "fastest candidate that is clearly slower; null if all tie"]
    over_runner_up: Annotated[OpenInterval | None, "its time divided by that of the recommended variant"]
    rival: Annotated[str | None, "fastest candidate of another mechanism; null without one, or if it leads, too"]
    over_rival: Annotated[OpenInterval | None, "its time divided by that of the recommended variant"]
    limit_fraction: Annotated[float | None, "limit of the recommended variant divided by its time, 0 to 1"]
    limit_by: Annotated[str | None, "what sets the limit"]
    notes: Annotated[Sequence[str], "notes on safety, a sentence each"]
    ranking: Annotated[Sequence[RankedVariantObject], "all timed variants, fastest first"]
    earlier: Annotated[Sequence[EarlierAnswerObject], "answers of earlier runs, newest first"]
    is_unreached: Annotated[bool, "whether something else than the limit takes most of the time"]
    case_ids: Annotated[Sequence[str], "cases that the answer rests on, fastest first"]


class PredictedVariantObject(TypedDict):
    """A variant as compiled; cycles are those in which an SM executes one iteration of all its resident warps."""

    variant: Annotated[str, "name of the variant"]
    mechanism: Annotated[str, "hardware or software that moves the values"]
    role: Annotated[str, "candidate, unsafe or library: whether it can be recommended, and if not, why"]
    limit_cycles: Annotated[float | None, "limit: a lower bound, cycles"]
    limit_by: Annotated[str | None, "what sets the limit"]
    limit_omits: Annotated[Sequence[str], "what the limit leaves out, because no figure of it is known"]
    predicted_cycles: Annotated[float | None, "predicted cycles"]
    remark: Annotated[str, "why it has no limit; empty if it has one"]


class PredictedAnswerObject(TypedDict):
    """Which variant to use, predicted from machine code."""

    arch: Annotated[str, "architecture"]
    pattern: Annotated[str, "name of the pattern"]
    dtype: Annotated[str, "element type"]
    options: Annotated[Mapping[str, str], "options of the pattern, by name"]
    block: Annotated[int, "threads per block"]
    blocks_per_sm: Annotated[int, "blocks of every variant that are resident on an SM at a time"]
    basis: Annotated[str, "prediction or limit: what variants are ranked by"]
    variant: Annotated[str, "the recommended variant"]
    mechanism: Annotated[str, "its mechanism"]
    tied: Annotated[Sequence[str], "candidates that are not distinguished from it"]
    over_runner_up: Annotated[float | None, "cycles of the runner-up divided by those of the recommended variant"]
    runner_up: Annotated[str | None, "next candidate that is not tied"]
    ranking: Annotated[Sequence[PredictedVariantObject], "the variants, fewest cycles first"]


class SettingDifference(TypedDict):
    """A factor in which the measured setting differs from the request."""

    factor: Annotated[str, "dtype, an option, block or launch"]
    requested: Annotated[str, "value of the request"]
    measured: Annotated[str, "value of the measured setting"]


class SettlingObject(TypedDict):
    """A run that would answer the request more exactly."""

    command: Annotated[str, "the command"]
    suite: Annotated[str, "text of the suite file to write first; empty for a suite that comes with shflbench"]


class CodeToCopy(TypedDict):
    """Code of the recommended variant."""

    text: Annotated[str, "the code"]
    origin: Annotated[str, "where it is from, in words"]
    is_complete: Annotated[bool, "whether it compiles as it is"]


class GpuAdviceObject(TypedDict):
    """The advice for one GPU model that was measured, or for one architecture by prediction."""

    gpu: Annotated[str | None, "product name of the GPU; null for a prediction"]
    arch: Annotated[str, "architecture"]
    request: NotRequired[Annotated[AdviceRequest, "what was asked for; missing in a prediction, as all that follows"]]
    measured: Annotated[MeasuredAnswer | None, "the answer by results; null for a prediction"]
    untimed: NotRequired[Annotated[Sequence[str], "variants without a time"]]
    predicted: Annotated[PredictedAnswerObject | None, "the answer by prediction; null where results are known"]
    noise: NotRequired[Annotated[MachineNoise | None, "verdict on the machine of the run"]]
    differences: NotRequired[Annotated[Sequence[SettingDifference], "between the measured setting and the request"]]
    depends: NotRequired[Annotated[Sequence[str], "variants that are faster in settings that the request allows"]]
    robust: NotRequired[Annotated[str | None, "a variant that ties, and that no other beats in settings around it"]]
    elsewhere: NotRequired[Annotated[Sequence[str], "variants that are faster in the other settings of the pattern"]]
    settled_by: NotRequired[Annotated[SettlingObject | None, "a run that would answer more exactly"]]
    code: Annotated[CodeToCopy | None, "code of the recommended variant; null if there is none to copy"]


class AdviceDocument(TypedDict):
    """The advice on a pattern."""

    schema: Annotated[Literal[1], NUMBER]
    advice: Annotated[Sequence[GpuAdviceObject], "the advice by GPU model, or the predicted one"]


class CostsDocument(TypedDict):
    """The cost of an exchange in each case (`--costs`)."""

    schema: Annotated[Literal[1], NUMBER]
    fields: Annotated[Mapping[str, str], "meaning and unit of each key of a cost"]
    costs: Annotated[Sequence[Annotated[dict[str, Any], ColumnsOf(ExchangeCost)]], "the costs"]


class MissingBarrier(TypedDict):
    """A place where a barrier is missing."""

    first: Annotated[str, "line of the first access, `FILE:LINE`"]
    last: Annotated[str, "line of the second access, `FILE:LINE`"]
    enough: Annotated[str, "barrier that would be enough between them"]


class ExchangeObject(TypedDict):
    """A flow of values through shared memory."""

    store: Annotated[str, "line that stores the values, `FILE:LINE`"]
    load: Annotated[str, "line that loads the values, `FILE:LINE`"]
    values: Annotated[int, "number of values"]
    executions: Annotated[Mapping[str, int], "executions of the load by a warp, by where the values are from"]
    distances: Annotated[Sequence[int], "distances in lanes between who stored and who loads"]
    instead: Annotated[str, "shuffle that could replace it; empty if there is none"]
    reason: Annotated[str, "why it is not known whether a shuffle could; else empty"]
    proved: Annotated[bool, "whether it holds in all launches with blocks of these shapes"]


class CollectiveObject(TypedDict):
    """A collective that does all steps of an exchange at once."""

    load: Annotated[str, "line that loads the values, `FILE:LINE`"]
    instead: Annotated[Sequence[str], "what could replace all steps"]


class BarrierAlternativeObject(TypedDict):
    """What a barrier is needed for while others stay that are weakened instead."""

    need: Annotated[str, "what it is then needed for"]
    stay: Annotated[Sequence[str], "lines of the barriers that stay, `FILE:LINE`"]


class BarrierObject(TypedDict):
    """A barrier of the block."""

    line: Annotated[str, "its line, `FILE:LINE`"]
    need: Annotated[str, "needed, `__syncwarp() is enough`, not needed or not enough evidence"]
    reason: Annotated[str, "why; empty if the need says it"]
    proved: Annotated[bool, "whether a weaker need holds for all sizes, grids and contents"]
    alternative: Annotated[BarrierAlternativeObject | None, "its need if other barriers stay"]


class TrafficObject(TypedDict):
    """What a launch moves through memory."""

    read_bytes: Annotated[float, "bytes that are read, each once"]
    written_bytes: Annotated[float, "bytes that are written, each once"]
    bytes_per_us: Annotated[float, "rate of the memory, bytes per µs"]
    fits_in_l2: Annotated[bool, "whether the L2 cache holds them"]
    l2_bytes: Annotated[int | None, "size of the L2 cache, bytes"]


class ConflictObject(TypedDict):
    """Bank conflicts of a line."""

    line: Annotated[int | None, "number of the line"]
    ways: Annotated[float, "passes per request divided by those that it needs at least"]
    requests_per_block: Annotated[float, "requests per block"]


class LaunchLimitsObject(TypedDict):
    """The predicted times of a launch, by what needs them."""

    launch: Annotated[str, "the launch"]
    gpu: Annotated[str, "product name of the GPU that it is predicted for"]
    arch: Annotated[str, "architecture"]
    counted: Annotated[str, "blocks in which the emulator counted what the launch does"]
    limited_by: Annotated[str, "what needs most of the time"]
    sentence: Annotated[str, "the same in one sentence"]
    predicted_us: Annotated[Mapping[str, float], "predicted time of each unit, µs, the longest first"]
    launch_us: Annotated[float | None, "predicted time of the launch, µs"]
    launch_overhead_us: Annotated[float, "part of it that a launch takes without work, µs"]
    waits_us: Annotated[float | None, "waits that few warps do not hide, at most, µs"]
    resident_warps: Annotated[float, "warps that the busiest SM executes at a time"]
    memory: Annotated[TrafficObject | None, "traffic of global memory; null if it is not known"]
    bank_conflicts: Annotated[Sequence[ConflictObject], "bank conflicts of shared memory, the most passes first"]
    unknown: Annotated[str, "why the parts are less than what the launch needs; empty if they are not"]


class GainObject(TypedDict):
    """What a change, or several, are predicted to bring."""

    speedup: Annotated[float | None, "time of the launch divided by that with the change"]
    limited_by: Annotated[str | None, "what limits the kernel"]
    later_limited_by: Annotated[str | None, "what would limit it with the change"]
    later_launch_us: Annotated[float | None, "predicted time of the launch with the change, µs"]
    at_most: Annotated[float | None, "bound of the speedup, where few warps are resident"]
    unknown: Annotated[str, "why the speedup is not known; empty if it is"]
    sentence: Annotated[str, "the gain in one sentence"]


class ExchangeGain(GainObject):
    """The predicted gain of a shuffle."""

    store: Annotated[str, "line that stores the values, `FILE:LINE`"]
    load: Annotated[str, "line that loads the values, `FILE:LINE`"]


class BarrierGain(GainObject):
    """The predicted gain of a weaker barrier."""

    line: Annotated[str, "line of the barrier, `FILE:LINE`"]


class PredictedGains(TypedDict):
    """The predicted gains of changes."""

    exchanges: Annotated[Sequence[ExchangeGain], "of each exchange alone"]
    barriers: Annotated[Sequence[BarrierGain], "of each barrier alone"]
    together: Annotated[GainObject | None, "of all changes; null if there is none"]
    saved_shared_bytes: Annotated[int, "shared memory per block that they save, bytes"]
    resident_warps: Annotated[int | None, "warps that fit on an SM at a time"]
    later_resident_warps: Annotated[int | None, "likewise, with the changes"]


class AloneObject(TypedDict):
    """The measured speed of a shuffle relative to shared memory, where a kernel does nothing else."""

    load: Annotated[int | None, "number of the line of the exchange's load"]
    pattern: Annotated[str, "the measured pattern in words"]
    setting: Annotated[str, "the measured setting in words"]
    gpu: Annotated[str, "product name of the GPU"]
    run: Annotated[str, "folder of the run"]
    speedup: Annotated[OpenInterval, "time by shared memory divided by that by shuffles"]


class WorthObject(TypedDict):
    """Whether changes of a kernel are worth it."""

    limits: Annotated[LaunchLimitsObject | None, "what limits the kernel; null if it is not known"]
    unknown: Annotated[str, "why it is not known; empty if it is"]
    predicted: Annotated[PredictedGains, "predicted gains"]
    alone: Annotated[Sequence[AloneObject], "measured: the same exchange, alone"]


class MeasuredChange(TypedDict):
    """What `--measure` measured of a kernel and its changed copy."""

    time_us: Annotated[Mapping[str, float | None], "median time of one launch of each version, µs"]
    status: Annotated[Mapping[str, str], "status of each version, as in `bench`"]
    left_out: Annotated[str, "why a version was not run; empty if both were"]
    speedup: Annotated[IntervalObject | None, "time of the old version divided by that of the new one"]


class AdvisedKernel(TypedDict):
    """The advice on one kernel of a file."""

    kernel: Annotated[str, "name of the kernel"]
    line: Annotated[str, "line where it is defined, `FILE:LINE`"]
    verdict: Annotated[str, "verdict of its check, as in `check`"]
    launches: Annotated[Sequence[str], "launches that the advice rests on"]
    same_in_all_launches_of_these_blocks: Annotated[bool, "whether exchanges are the same for all sizes and grids"]
    only_for: Annotated[Sequence[str], "values that decide on the exchanges, of which no others were tried"]
    missing: Annotated[str, "why there is no advice, and what to give; else empty"]
    missing_barriers: Annotated[Sequence[MissingBarrier], "where barriers are missing, if that is why"]
    exchanges: Annotated[Sequence[ExchangeObject], "its exchanges through shared memory"]
    collectives: Annotated[Sequence[CollectiveObject], "collectives that could replace all steps of an exchange"]
    barriers: Annotated[Sequence[BarrierObject], "its barriers"]
    worth: NotRequired[Annotated[WorthObject, "whether changes are worth it; missing if there is none to judge"]]
    measured: NotRequired[Annotated[MeasuredChange, "with `--measure`: times of the kernel and its changed copy"]]


class KernelPairObject(TypedDict):
    """Two kernels that do the same work; lists have a value per kernel, in the order of `kernels`."""

    kernels: Annotated[Sequence[str], "names of both kernels"]
    launches: Annotated[Sequence[str], "their launches"]
    results: Annotated[str, "equal, equal where counted (in the blocks that were counted), different or not compared"]
    gpu: Annotated[str, "product name of the GPU that it is predicted for"]
    arch: Annotated[str, "architecture"]
    faster: Annotated[str, "same, first, second or unknown: which one is predicted to be faster"]
    launch_us: Annotated[Sequence[float | None], "predicted time of a launch, µs"]
    ratio: Annotated[float | None, "time of the slower one divided by that of the faster one"]
    limited_by: Annotated[Sequence[str], "what limits each"]
    predicted_us: Annotated[Mapping[str, Sequence[float | None]], "predicted time of each unit, µs"]
    counted: Annotated[Sequence[str], "blocks in which the emulator counted what each launch does"]
    different_amounts: Annotated[Mapping[str, Sequence[float]], "amounts of work in which they differ"]
    reasons: Annotated[Sequence[str], "what they do differently, a sentence each"]
    sentence: Annotated[str, "the comparison in one sentence"]


class FileAdviceDocument(TypedDict):
    """The advice on the kernels of a file."""

    schema: Annotated[Literal[1], NUMBER]
    comparisons: Annotated[Sequence[KernelPairObject], "kernels that do the same work, compared"]
    kernels: Annotated[Sequence[AdvisedKernel], "the kernels"]


DOCUMENTS = (AdviceDocument, FileAdviceDocument, CostsDocument)
