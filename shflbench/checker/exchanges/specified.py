"""The launches that show something: somebody specifies their shape, and the numbers that decide on exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.cluster_plan import UNSPECIFIED
from shflbench.checker.inputs.default_launches import assumed_texts, not_understood
from shflbench.core.words import join_words, one_or_many
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.opcodes.forms import Access, Barrier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import HostLaunch
    from shflbench.emulator.dataflow.slices import Slice, Slicer
    from shflbench.emulator.link.program import Op

NO_LAUNCH = "no launch is specified"
GIVE_LAUNCH = "give --launch GRIDxBLOCK"
NO_CLUSTER = "the launches are in clusters of a size that nothing specifies: give --cluster N"
OF_COMMAND_LINE = "argv["  # numbers that `--host-args` gives


def exchanges(op: Op) -> bool:
    """Whether an op is a barrier, or may access shared memory."""
    is_shared = op.place is not None and op.place.space in {"shared", ""}
    return isinstance(op.form, Barrier) or (isinstance(op.form, Access) and is_shared)


def deciding(slicer: Slicer, without: Collection[int] = ()) -> Slice:
    """Return what decides which threads exchange values: in shared memory, and in buffers that are written and read.

    Apart from the conditions that are decided in the blocks `without`.
    """
    both = _written_and_read(slicer)
    others = [op for op in _global_ops(slicer) if both & slicer.pointers(op)] if both else []
    conditions_in = slicer.program.blocks.keys() - without if without else None
    return slicer.of([*filter(exchanges, slicer.ops), *others], conditions_in=conditions_in)


def _global_ops(slicer: Slicer) -> list[Op]:
    return [op for op in slicer.ops if isinstance(op.form, Access) and not exchanges(op)]


def _written_and_read(slicer: Slicer) -> set[int]:
    """Return the bytes of the pointers to memory that a kernel both writes and reads."""
    loads: set[int] = set()
    stores: set[int] = set()
    for op in _global_ops(slicer):
        (loads if _is_load(op) else stores).update(slicer.pointers(op))
    return loads & stores


def _is_load(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.kind == "ld"


def request_for(item: LaunchEvidence, depends: Slice) -> str:
    """Return what to give, as a sentence, so that a launch shows something; empty if it does as it is.

    With fewer blocks than that of the host code, its blocks are the same. A number that the check chose may be one for
    which rows fit a warp, although those of the program do not.
    """
    launch = item.launch
    if launch.origin.is_synthesized:
        if launch.host is not None and UNSPECIFIED in launch.note:
            return NO_CLUSTER
        return f"{not_understood(launch.host) or NO_LAUNCH}: {GIVE_LAUNCH}"
    host = launch.host
    if host is not None and launch.assumed:
        return _of_assumed(host, _synthesized_numbers(item, depends, is_assumed=True))
    is_assumed = host is not None and bool(host.assumed)
    if names := list(dict.fromkeys(_synthesized_numbers(item, depends, is_assumed=is_assumed))):
        verb = one_or_many(len(names), "is", "are")
        given = " ".join(f"--arg {name}=…" for name in names)
        return f"which threads exchange values depends on {join_words(names)}, which {verb} chosen: give {given}"
    return ""


def is_of_command_line(item: LaunchEvidence) -> bool:
    """Whether a launch is that of the program as it is started with other words, which stand for nothing else."""
    names = [name for name, _ in item.launch.assumed]
    return bool(names) and all(name.startswith(OF_COMMAND_LINE) for name in names)


def _of_assumed(host: HostLaunch, parameters: Iterable[str]) -> str:
    """Return what to give instead of numbers of the command line, of an input, or of the caller of a function.

    Those of a caller are given as the `parameters` of the kernel that follow from them and decide on exchanges.
    """
    option = "--launch GRIDxBLOCK"
    if any(name.startswith(OF_COMMAND_LINE) for name, _ in host.assumed):
        option = f"--host-args, or {option}"
    elif host.takes_parameters:
        option = " ".join([option, *(f"--arg {name}=…" for name in dict.fromkeys(parameters))])
    return f"the launches follow from chosen {join_words(assumed_texts(host))}: give {option}"


def _synthesized_numbers(item: LaunchEvidence, depends: Slice, *, is_assumed: bool) -> Iterator[str]:
    """Yield the numbers that nobody gave; with `is_assumed`, those of the host code follow from such ones."""
    for span in item.arguments.spans(depends.parameters):
        if span.buffer is None and (span.origin.is_synthesized or (is_assumed and span.origin is Origin.HOST)):
            yield span.name


def first_request(requests: Iterable[str]) -> str:
    """Return the request that asks for the least: for a number rather than for a launch."""
    unspecified = f"{NO_LAUNCH}: {GIVE_LAUNCH}"
    return min(requests, key=lambda text: (text.endswith(GIVE_LAUNCH), "--arg" not in text), default=unspecified)
