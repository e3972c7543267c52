"""Write the report on one kernel: places in the user's files, threads, launches, lines that never ran."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shflbench.checker.difference_words import difference_words
from shflbench.checker.finding import Finding, FindingAccess, WeakOrderPlace, in_words
from shflbench.checker.inputs.default_launches import assumed_texts
from shflbench.checker.judgment.dead_stores import with_removed
from shflbench.checker.judgment.sentences import unspecified_sentence, unsupported_sentence
from shflbench.checker.judgment.unspecified import is_only_included
from shflbench.checker.report import KernelReport, LaunchRecord, join_first
from shflbench.checker.runs.all_schedules import communicates_by_barriers, shows_all_schedules
from shflbench.checker.runs.coverage import code_lines, executed_blocks, unreached_lines
from shflbench.checker.untested import with_untested
from shflbench.checker.verdict import KernelVerdict
from shflbench.core.words import count_noun, one_or_many
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.link.reach import find_reached
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.threads import coordinates
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role
from shflbench.emulator.ptx.syntax import Location, shorten
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.checker.dead_stores import DeadStores
    from shflbench.checker.finding import Place
    from shflbench.checker.inputs.argument import NamedValue
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.judgment.judge import KernelJudgment
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import Module, PtxInstruction
    from shflbench.emulator.races.facts import HazardAccess

Ranges: TypeAlias = tuple[tuple[int, int], ...]  # of lines

LONGEST_PROBLEM = 400  # characters; a damaged file can have any text in place of a name


class KernelReporter:
    """Writes the report on one kernel."""

    def __init__(self, file: KernelFile, kernel: SourceKernel, *, outputs: bool = False) -> None:
        """Keep where the kernel comes from; with `outputs`, the report holds the buffers after the first launch."""
        self.file, self.kernel, self.outputs = file, kernel, outputs
        self.place = kernel.place or SourceLine(file.path, 1)
        self._short_names = {str(Location(name, 0)).removesuffix(":0"): path for name, path in file.files.items()}

    def not_checked(self, problems: Sequence[str], module: Module | None = None) -> KernelReport:
        """Return the report on a kernel that the emulator cannot run; `module` says where libraries are called."""
        calls = self._library_calls(module) if module is not None else {}
        library = _lines_of({place.rpartition(":")[0] for place in calls})
        named = (self._named(library.sub(lambda place: calls.get(place[0], place[0]), text)) for text in problems)
        texts = tuple(shorten(text, LONGEST_PROBLEM) for text in named)
        more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
        return self._empty(KernelVerdict.NOT_CHECKED, f"{texts[0]}{more}", errors=texts)

    def not_run(self) -> KernelReport:
        """Return the report on a kernel none of whose launches can run."""
        return self._empty(KernelVerdict.NOT_CHECKED, "no other launch ran", errors=())

    def _library_calls(self, module: Module) -> dict[str, str]:
        """Return the user's first line that leads to each line of a library."""
        names = find_reached(module, self.kernel.symbol) & module.functions.keys()
        calls: dict[str, str] = {}
        for instruction in (one for name in sorted(names) for one in module.functions[name].instructions):
            if instruction.location is not None and not self._is_users(instruction.location.file):
                calls.setdefault(str(instruction.location), self.line_of(instruction).shown(Path.cwd()))
        return calls

    def report(
        self,
        linked: LinkedKernel,
        evidence: KernelEvidence,
        judgment: KernelJudgment,
        removed: DeadStores | None = None,
    ) -> KernelReport:
        """Return the report on a kernel that ran, on buffers whose bounds no launch tested, and on removed stores."""
        program = linked.program
        if removed is not None:
            judgment = with_removed(judgment, removed.judged, self.line_of)
        launches = tuple(_records(linked.program, evidence, judgment.refused))
        difference = next(_differences(judgment.differing), "")
        findings = tuple(self._finding(item) for item in judgment.observations if not item.undecided)
        errors = [
            result.error.message
            for launch in evidence.launches
            for result in launch.results
            if result.error is not None and not isinstance(result.error, KernelFault)
        ]
        unreached, in_part = self._unreached(program, evidence, judgment.refused, findings)
        if judgment.verdict is KernelVerdict.CLEAN:
            reason = list(self._clean(program, judgment, (unreached, in_part), evidence))
        else:
            text = f"{judgment.sentence}: {difference}" if judgment.differs else self._named(judgment.sentence)
            reason = [text]
        outputs = tuple(_outcomes(evidence.launches)) if self.outputs else ()
        report = KernelReport(
            name=self.kernel.name,
            symbol=self.kernel.symbol,
            place=self.place,
            verdict=judgment.verdict,
            reason="; ".join([*reason, *self._limits(program, judgment, evidence), *_unjudged(removed)]),
            findings=findings,
            launches=launches,
            causes=judgment.causes,
            difference=difference,
            differs=judgment.differs,
            expectation=evidence.expectation,
            unreached=unreached,
            partly_unreached=in_part,
            printed=tuple(text for launch in evidence.launches for text in launch.printed),
            errors=tuple(self._named(error) for error in dict.fromkeys(errors)),
            outputs=outputs[0] if outputs else {},
            other_outputs=outputs[1:],
            spellings=self.kernel.spellings,
        )
        return with_untested(report, linked, evidence.launches, judgment.refused)

    def _empty(self, verdict: KernelVerdict, reason: str, errors: tuple[str, ...]) -> KernelReport:
        name, symbol, spellings = self.kernel.name, self.kernel.symbol, self.kernel.spellings
        return KernelReport(name, symbol, self.place, verdict, reason, errors=errors, spellings=spellings)

    def _limits(self, program: Program, judgment: KernelJudgment, evidence: KernelEvidence) -> Iterator[str]:
        """Yield what the verdict is limited to."""
        if self.kernel.chosen:
            yield f"for chosen {join_first(self.kernel.chosen)}"
        if judgment.verdict is KernelVerdict.BROKEN:
            return
        if any(has_role(op.instruction, OpcodeRole.TEXTURE) for op in program.ops()):
            yield "what textures hold is chosen, so that outputs are not those of a GPU"
        if evidence.unfinished:
            yield evidence.unfinished

    def _clean(
        self, program: Program, judgment: KernelJudgment, unreached: tuple[Ranges, Ranges], evidence: KernelEvidence
    ) -> Iterator[str]:
        """Yield what `clean` covers, and what it does not."""
        every = dict.fromkeys(str(item.launch.shape) for item in evidence.launches)
        counted = [shape for shape in every if shape not in judgment.refused]
        number = count_noun(len(counted), "launch")
        if judgment.sentence:
            yield judgment.sentence
        yield f"no hazard in {number} ({', '.join(counted)})"
        if judgment.refused:
            verb = one_or_many(len(judgment.refused), "does", "do")
            yield f"{in_words(judgment.refused)} {verb} not fit the kernel"
        if unsupported := unsupported_sentence(judgment.observations):
            yield unsupported
        only_included = is_only_included(self.kernel, self.file)
        if unspecified := unspecified_sentence(judgment.observations, only_included=only_included):
            yield unspecified
        if any(unreached):
            yield f"not checked: {unreached_text(*unreached)}, which never ran"
        hazards = [item.hazard for item in judgment.observations]
        unordered = [hazard for hazard in hazards if hazard.kind is HazardKind.UNORDERED]
        if unordered:
            lines = ", ".join(dict.fromkeys(self.line_of(item.instruction).shown(Path.cwd()) for item in unordered))
            yield f"volatile or relaxed accesses have no fixed order, which is no race ({lines})"
        if not any(isinstance(op.form, Access) and op.form.kind != "ld" for op in program.ops()):
            yield "the compiled kernel writes no memory"

    def _finding(self, judged: Observation) -> Finding:
        hazard, launches, after = judged.hazard, judged.launches, judged.after
        return Finding(
            kind=hazard.kind,
            level=judged.level,
            place=self.line_of(hazard.instruction),
            other=self.line_of(hazard.other) if hazard.other is not None else None,
            threads=tuple(_thread(thread, launches[0].launch.shape) for thread in hazard.threads),
            launches=tuple(dict.fromkeys(str(launch.launch.shape) for launch in launches)),
            memory=hazard.memory,
            problem=self._named(hazard.fault.detail) if hazard.fault is not None else "",
            error=self._named(hazard.fault.message) if hazard.fault is not None and hazard.is_observed else "",
            accesses=tuple(self._access(item, launches[0].launch.shape) for item in hazard.accesses),
            reasons=hazard.reasons,
            weak_orders=tuple(WeakOrderPlace(o.weakness, self._place(o.instruction)) for o in hazard.weak_orders),
            count=hazard.count,
            causes=judged.causes,
            removed=judged.removed,
            across_blocks=len({block for block, _ in hazard.threads}) > 1,
            opcode=hazard.instruction.opcode,
            after=self.line_of(after.hazard.instruction) if after is not None else None,
            absence=hazard.absence,
            elsewhere=self.line_of(hazard.elsewhere) if hazard.elsewhere is not None else None,
            elsewhere_opcode=hazard.elsewhere.opcode if hazard.elsewhere is not None else "",
            full_mask=hazard.full_mask,
        )

    def _access(self, access: HazardAccess, shape: LaunchShape) -> FindingAccess:
        return FindingAccess(
            thread=_thread(access.thread, shape),
            place=self._place(access.instruction),
            kind=access.kind,
            size=access.size,
            order=access.order,
            scope=access.scope,
            barrier=self._place(access.barrier) if access.barrier is not None else None,
        )

    def _place(self, instruction: PtxInstruction) -> Place:
        """Return the line of an instruction in the file of the kernel: that of the call for code of a library."""
        location = instruction.location
        if location is None:
            return instruction.where
        location = location.in_outermost_file
        file = self.file.files.get(location.file)
        return SourceLine(file, location.line) if file is not None else str(location)

    def where(self, instruction: PtxInstruction) -> str:
        """Return the same line as text, relative to the current folder."""
        return self.line_of(instruction).shown(Path.cwd())

    def line_of(self, instruction: PtxInstruction) -> SourceLine:
        """Return the user's line that led to an instruction; a line of the PTX where the compiler names none."""
        step: Location | None = instruction.location
        while step is not None and not self._is_users(step.file):
            step = step.inlined_at
        step = step or (instruction.location.outermost if instruction.location is not None else None)
        if step is None:
            return SourceLine(self.file.path, instruction.line)
        return SourceLine(self.file.files.get(step.file, self.file.path.parent / step.file), step.line)

    def _named(self, text: str) -> str:
        """Return a text of the emulator that names the user's files as findings do: relative to the current folder."""

        def shown(place: re.Match[str]) -> str:
            return SourceLine(self._short_names[place[1]], int(place[2])).shown(Path.cwd())

        return _lines_of(self._short_names).sub(shown, text)

    def _is_users(self, name: str) -> bool:
        """Whether a file of the line table lies beside the target or below; headers of CUDA do not."""
        file = self.file.files.get(name)
        return file is not None and file.absolute().is_relative_to(self.file.path.absolute().parent)

    def _unreached(
        self, program: Program, evidence: KernelEvidence, refused: Collection[str], findings: Sequence[Finding]
    ) -> tuple[Ranges, Ranges]:
        """Return the ranges of lines of the kernel's file that no launch reached, and those that ran in part only.

        A line with a finding ran in part if a fault stopped it.
        """
        home = self.place.file.absolute()
        names = {name for name, file in self.file.files.items() if file.absolute() == home}
        supported = [item for item in evidence.launches if str(item.launch.shape) not in refused]
        runs = [run for item in supported for run in item.runs]
        if not runs:
            return (), ()
        guarded = {number for item in supported for number in item.guarded}
        unreached = unreached_lines(program, executed_blocks(program, runs), guarded)
        lines = sorted({line for name, line in code_lines(program) if name in names})
        wholly = {line for name, line in unreached.wholly if name in names}
        in_part = {line for name, line in unreached.in_part if name in names} - wholly
        places = [place for item in findings if not item.removed for place in (item.place, item.other)]
        faulty = wholly & {place.line for place in places if place is not None and place.file.absolute() == home}
        return ranges(lines, wholly - faulty), ranges(lines, in_part | faulty)


def ranges(lines: Sequence[int], missing: Collection[int]) -> tuple[tuple[int, int], ...]:
    """Return the lines that are `missing` as ranges that none of the other `lines`, in ascending order, interrupts."""
    result: list[tuple[int, int]] = []
    continues = False
    for line in lines:
        if line in missing:
            result[-1:] = [(result[-1][0], line)] if continues else [*result[-1:], (line, line)]
        continues = line in missing
    return tuple(result)


def unreached_text(wholly: Ranges, in_part: Ranges) -> str:
    """Return what never ran: `lines 40–44 and a part of line 50`."""
    parts = "a part of" if sum(end - start + 1 for start, end in in_part) == 1 else "parts of"
    texts = [*([lines_text(wholly)] if wholly else []), *([f"{parts} {lines_text(in_part)}"] if in_part else [])]
    return " and ".join(texts)


def lines_text(unreached: Sequence[tuple[int, int]]) -> str:
    """Return ranges of lines in words: `line 40`, `lines 40–44 and 50`."""
    parts = [str(start) if start == end else f"{start}–{end}" for start, end in unreached]
    word = "line" if len(parts) == 1 and unreached[0][0] == unreached[0][1] else "lines"
    return f"{word} {parts[0]}" if len(parts) == 1 else f"{word} {', '.join(parts[:-1])} and {parts[-1]}"


def _unjudged(removed: DeadStores | None) -> Iterator[str]:
    """Yield which removed stores could not be judged."""
    if removed is not None and removed.unjudged:
        lines = lines_text([(place.line, place.line) for place in removed.lines])
        yield f"the compiler removed stores of {lines}, which were not judged: {removed.unjudged}"


def _outcomes(launches: Sequence[LaunchEvidence]) -> Iterator[Mapping[str, NDArray[np.uint8]]]:
    """Yield the bytes of all buffers after the first launch that ran whole, if its first schedule ended.

    Those of further schedules follow where they differ from all before.
    """
    launch = next((item for item in launches if not item.launch.shape.sample), None)
    if launch is None or launch.results[0].error is not None:
        return
    known: set[bytes] = set()
    for result in launch.results:
        contents = b"" if result.error is not None else b"".join(array.tobytes() for array in result.outputs)
        if result.error is None and contents not in known:
            known.add(contents)
            names = (buffer.name for buffer in launch.arguments.buffers)
            yield dict(zip(names, (array.view(np.uint8) for array in result.outputs), strict=True))


def _records(
    program: Program, evidence: KernelEvidence, refused: Mapping[str, Sequence[HazardKind]]
) -> Iterator[LaunchRecord]:
    """Yield a record per launch; its seeds differ in contents, and in numbers that nobody gave."""
    by_barriers = communicates_by_barriers(program)
    groups: dict[int, list[LaunchEvidence]] = {}
    for item in evidence.launches:
        groups.setdefault(id(item.launch), []).append(item)
    for items in groups.values():
        first = items[0]
        shape = str(first.launch.shape)
        yield LaunchRecord(
            shape=shape,
            cluster=first.launch.shape.in_clusters,
            threads=first.launch.shape.threads,
            origin=first.launch.origin.text,
            arguments=tuple(_values(items)),
            shared_bytes=items[0].arguments.shared_bytes,
            seeds=tuple(item.seed for item in items),
            schedules=tuple(dict.fromkeys(result.policy for item in items for result in item.results)),
            synthesized_numbers=assumed_texts(first.launch.host),
            program=first.launch.program,
            exhaustive=by_barriers and all(shows_all_schedules(item, program) for item in items),
            note=first.launch.note or (_refusal(refused[shape]) if shape in refused else ""),
        )


def _values(items: Sequence[LaunchEvidence]) -> Iterator[NamedValue]:
    """Yield the arguments of a launch; a number that differs between its seeds has all of its values."""
    for values in zip(*(item.arguments.values for item in items), strict=True):
        yield replace(values[0], value=" or ".join(dict.fromkeys(value.value for value in values)))


def _refusal(kinds: Sequence[HazardKind]) -> str:
    why = f"because the kernel seems to need another block size or grid ({in_words(kinds)})"
    return f"not judged, {why}; give --launch to judge it"


def _differences(launches: Sequence[LaunchEvidence]) -> Iterator[str]:
    """Yield the differences between schedules in words, launch by launch."""
    return (difference_words(launch, item) for launch in launches for item in launch.differences)


def _thread(thread: tuple[int, int], shape: LaunchShape) -> str:
    running, index = thread
    block = shape.sample[running] if shape.sample else running
    if shape.grid[1:] == shape.block[1:] == (1, 1):
        return f"thread {index} of block {block}"
    return f"thread {_coordinates(index, shape.block)} of block {_coordinates(block, shape.grid)}"


def _coordinates(number: int, dims: tuple[int, int, int]) -> str:
    return f"({', '.join(map(str, coordinates(number, dims)))})"


def _lines_of(names: Collection[str]) -> re.Pattern[str]:
    """Return what matches a line of one of these files, as `Location` writes it; names may have spaces."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![^\s()`:])({'|'.join(map(re.escape, longest_first)) or '(?!)'}):([0-9]+)")
