"""The reason of a verdict that findings lead to: their kinds, the launch, and what the user has to give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.finding import in_words
from shflbench.checker.finding_kinds import KINDS
from shflbench.checker.inputs.argument_options import HOST_ARGS
from shflbench.checker.inputs.default_launches import assumed_texts
from shflbench.checker.judgment.causes import LAUNCH, SHARED, TEXTURES, find_spared
from shflbench.checker.runs.fitting import OF_SIZE
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker.finding import Finding
    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import Expectation, KernelEvidence, LaunchEvidence
    from shflbench.cuda_sources.kernel_file import HostLaunch
    from shflbench.emulator.dataflow.slices import Slicer


ALL_SCHEDULES = f"all {len(POLICIES)} schedules"


def broken_sentence(broken: Sequence[Observation], evidence: KernelEvidence) -> str:
    """Return the kinds of findings that break a kernel, and the launch in which the first one happened."""
    kinds = _kinds(broken)
    where = f"{kinds} (first in launch {broken[0].launches[0].launch.shape})"
    is_file = evidence.expectation is None
    if is_file and all(_may_be_of_block(item, evidence.launches) for item in broken):
        return f"{where}; if the kernel is written for another block size, give another --launch"
    return where


def result_faults(expected: Expectation) -> list[str]:
    """Return under how many schedules the result is wrong, and what the machine code lacks."""
    number = len(expected.wrong)
    under = ALL_SCHEDULES if number == len(POLICIES) else f"{number} of {len(POLICIES)} schedules"
    return [*([f"wrong under {under}"] if number else []), *expected.violations]


def needs_sentence(
    causes: Sequence[str], judged: Sequence[Observation], launches: Sequence[LaunchEvidence], slicer: Slicer
) -> str:
    """Return what happened with which chosen inputs, and the options that decide whether it is a fault."""
    first = next(item for item in judged if item.causes)
    kinds = _kinds([item for item in judged if item.causes], is_open=True)
    launch = first.launches[0]
    names = [cause for cause in causes if cause not in {LAUNCH, SHARED, HOST_ARGS}]
    values = [_input(name, first, launch.arguments) for name in names]
    is_synthesized = launch.launch.origin.is_synthesized
    is_cause = is_synthesized and LAUNCH in causes
    where = f"in the chosen launch {launch.launch.shape}" if is_cause else f"in launch {launch.launch.shape}"
    host = launch.launch.host
    if not is_synthesized:
        where += _with_number(host)
    inputs = f" with chosen {' and '.join(values)}" if values else ""
    others = find_spared(first, launches, slicer) if LAUNCH in causes else []
    spares = f", but not in {in_words(others)}" if others else ""
    if is_synthesized and host is not None and (missing := _missing(host)):
        spares += f" (the {missing} of the launch in line {host.line.line} was not understood)"
    text = f"{kinds} {where}{inputs}{spares}; to decide, {options_text(causes)}"
    if LAUNCH not in causes and _may_be_of_block(first, launches):
        return f"{text}, or another --launch if the kernel is written for another block size"
    return text


def unsupported_sentence(judged: Sequence[Observation]) -> str:
    """Return what happened only with chosen values, or in a launch, that do not fit; empty if nothing did."""
    unsupported = [item for item in judged if item.unsupported_input]
    if not unsupported:
        return ""
    first = unsupported[0]
    launch = first.launches[0]
    if all(item.kind is HazardKind.ENDLESS for item in unsupported):
        return f"launch {launch.launch.shape} did not end within the limit of instructions, a shorter one did"
    names = dict.fromkeys(name for item in unsupported for name in item.unsupported_input)
    values = [_input(name, first, launch.arguments) for name in names if name not in {LAUNCH, SHARED, HOST_ARGS}]
    one = f"in launch {launch.launch.shape}{_with_number(launch.launch.host)}"
    where = f"with chosen {' and '.join(values)}" if values else one
    return f"{_kinds(unsupported)} only {where}, and not {'with' if values else 'in'} others"


def unspecified_sentence(judged: Sequence[Observation], *, only_included: bool) -> str:
    """Return what happened only in launches that nothing specifies, and why it does not count; empty if nothing did."""
    items = [item for item in judged if item.unspecified]
    if not items:
        return ""
    shapes = dict.fromkeys(str(launch.launch.shape) for item in items for launch in item.launches)
    noun = "launch" if len(shapes) == 1 else "launches"
    why = "nothing in this file launches the kernel" if only_included else "nobody specifies such a block"
    return f"{_kinds(items)} only in chosen {noun} {in_words(shapes)}: {why}"


def _with_number(host: HostLaunch | None) -> str:
    """Return the first number that stands for one which the host code gets from outside; empty if there is none."""
    return "".join(f" with chosen {text}" for text in assumed_texts(host)[:1]) if host is not None else ""


def _missing(host: HostLaunch) -> str:
    """Return what of a launch of the host code was not understood."""
    return "grid" if host.grid is None else "block" if host.block is None else ""


def idle_sentence(causes: Sequence[str], launches: Sequence[LaunchEvidence]) -> str:
    """Return that no thread accessed memory with chosen values, and the options that decide whether one does."""
    texts = {item.name: item.value for item in launches[0].arguments.values}
    buffers = {buffer.name for buffer in launches[0].arguments.buffers}
    names = [cause for cause in causes if cause not in {LAUNCH, SHARED}]
    values = ["values of textures"] if TEXTURES in names else []
    names = [name for name in names if name != TEXTURES]
    values += [f"values of `{name}`" if name in buffers else f"{name} = {texts.get(name, '…')}" for name in names]
    inputs = f" with chosen {' and '.join(values)}" if values else " in the chosen launches"
    return f"no thread executed the body of the kernel{inputs}; to check it, {options_text(causes)}"


def finding_message(finding: Finding, base: Path) -> str:
    """Return the sentence of a finding with what the user has to give, where it may be no fault."""
    sentence = finding.sentence(base)
    return f"{sentence}; to decide, {options_text(finding.causes)}" if finding.causes else sentence


def options_text(causes: Sequence[str]) -> str:
    """Return what to give, as an imperative: `give --arg n=… --launch GRIDxBLOCK`."""
    causes = [cause for cause in causes if cause != TEXTURES]
    if not causes:
        return "run it on a GPU: no option gives the values"
    values = {LAUNCH: f"{LAUNCH} GRIDxBLOCK", SHARED: f"{SHARED} BYTES", HOST_ARGS: f'{HOST_ARGS} "…"'}
    arguments = [f"--arg {cause}=…" for cause in causes if cause not in values]
    return f"give {' '.join([*arguments, *(values[cause] for cause in causes if cause in values)])}"


def _kinds(items: Sequence[Observation], *, is_open: bool = False) -> str:
    """Return the kinds of findings in words, in one order for all kernels; equal values only without others."""
    kinds = {item.kind for item in items}
    if HazardKind.WAW in kinds:
        kinds.discard(HazardKind.SAME_VALUE)
    return in_words((is_open and row.open_name) or str(kind) for kind, row in KINDS.items() if kind in kinds)


def _input(name: str, observation: Observation, arguments: Arguments) -> str:
    """Return a chosen number, `n = 256`, or what is chosen of a buffer: its size, or its values."""
    if name == TEXTURES:
        return "values of textures"
    buffer = next((item for item in arguments.buffers if item.name == name), None)
    if buffer is None:
        return next((str(value) for value in arguments.values if value.name == name), name)
    is_size = observation.kind is HazardKind.OUT_OF_BOUNDS and arguments.buffer(observation.hazard.buffer) is buffer
    return f"{'size' if is_size and buffer.size is Origin.CHOSEN else 'values'} of `{name}`"


def _may_be_of_block(observation: Observation, launches: Sequence[LaunchEvidence]) -> bool:
    """Whether a finding may only say that the kernel is written for blocks of another size.

    It concerns the size of shared memory, which may suit one block; the launch is not that of the host code; and the
    finding does not happen in every one of several launches.
    """
    if observation.kind not in OF_SIZE or observation.hazard.space != "shared":
        return False
    if any(item.launch.origin.is_of_program for item in observation.launches):
        return False
    shapes = {str(item.launch.shape) for item in launches}
    return len(shapes) == 1 or {str(item.launch.shape) for item in observation.launches} != shapes
