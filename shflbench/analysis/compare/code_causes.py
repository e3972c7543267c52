"""Explain a change of time by the machine code: how it differs, and why the compiler produced other code."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.compare.cause import Cause, CauseKind
from shflbench.analysis.compare.kernel_changes import count_changes
from shflbench.analysis.limits.units import ExecutionUnit, unit_of
from shflbench.core.files import COPIED
from shflbench.core.model import Instruction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.analysis.compare.cause import CaseChange, CaseRecord
    from shflbench.store.kernel_archive import StoredKernel, StoredLoop

    Contents = Mapping[str, bytes]  # of `kernels.zip`: file → its text

# A comment, or a literal, which may contain what looks like one.
_COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')', re.DOTALL)

# Where the following lines of a unit or of copied code come from.
_ORIGIN = re.compile(rb'^#line \d+ "([^"\n]*)"$', re.MULTILINE)

SHOWN = 4  # opcodes in a sentence
WHOLE = 0.5  # instructions per iteration: less is the overhead of a loop, or its rotation
SHARE = 0.25  # of a change of time: fewer further instructions, as a fraction, do not explain it
LIGHT = {  # units that are about as fast as the issue slots
    *(ExecutionUnit.FP32, ExecutionUnit.HALF2, ExecutionUnit.INTEGER, ExecutionUnit.UNIFORM, ExecutionUnit.OTHER),
}
PADDING = "NOP"  # behind the end of a kernel; within a loop it takes an issue slot


@dataclass(frozen=True, slots=True)
class CodeCounts:
    """The instructions of a kernel on both sides, by opcode."""

    base: Mapping[str, float]
    new: Mapping[str, float]
    scope: str  # "per iteration", or "in the kernel" of one that makes one pass
    unrolling: str = ""

    @property
    def differences(self) -> dict[str, float]:
        """The opcodes whose counts differ, with the difference."""
        opcodes = sorted(self.base.keys() | self.new.keys())
        changes = {opcode: self.new.get(opcode, 0) - self.base.get(opcode, 0) for opcode in opcodes}
        return {opcode: change for opcode, change in changes.items() if change}

    @property
    def totals(self) -> tuple[float, float]:
        """The sums of both sides."""
        return sum(self.base.values()), sum(self.new.values())


def code_causes(change: CaseChange) -> Iterator[Cause]:
    """Yield how the machine code differs if it does; by the counts in the rows alone if the code is unknown."""
    base, new = change.base.kernel, change.new.kernel
    if base is None or new is None:
        yield from _counted_in_rows(change)
    elif not change.same_code:
        counts = _loop_counts(base, new) or _kernel_counts(base, new)
        yield _compared(change, counts) if counts else Cause(CauseKind.MACHINE_CODE, "the machine code changed")


def _counted_in_rows(change: CaseChange) -> Iterator[Cause]:
    rows = change.base.row, change.new.row
    for opcode, text in count_changes(*rows).items():
        before, after = ((row.sass_per_iteration or {}).get(opcode, 0) for row in rows)
        if change.sign * (after - before) > 0:
            yield Cause(CauseKind.INSTRUCTIONS, text, (text,))


def _loop_counts(base: StoredKernel, new: StoredKernel) -> CodeCounts | None:
    """Return the instructions per iteration; None if a side has no timed loop."""
    if base.loop is None or new.loop is None:
        return None
    before, after = base.loop.unroll, new.loop.unroll
    unrolling = "" if before == after else f"the loop is unrolled {after} instead of {before} times"
    return CodeCounts(_per_iteration(base.loop), _per_iteration(new.loop), "per iteration", unrolling)


def _per_iteration(loop: StoredLoop) -> dict[str, float]:
    return {opcode: number / loop.unroll for opcode, number in loop.instructions.items()}


def _kernel_counts(base: StoredKernel, new: StoredKernel) -> CodeCounts | None:
    """Return the instructions of the whole kernel; None if nobody disassembled it."""
    if base.instructions is None or new.instructions is None:
        return None
    return CodeCounts(_without_modifiers(base.instructions), _without_modifiers(new.instructions), "in the kernel")


def _without_modifiers(instructions: Mapping[str, int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for opcode, number in instructions.items():
        counts[opcode.partition(".")[0]] += number
    del counts[PADDING]
    return counts


def _compared(change: CaseChange, counts: CodeCounts) -> Cause:
    """Return the difference of two kernels whose machine code differs."""
    differences, (before, after) = counts.differences, counts.totals
    if not differences:
        same = f"other machine code with the same instruction counts {counts.scope}"
        return Cause(CauseKind.MACHINE_CODE, f"{same}: their order, registers or control codes changed")
    shown = _most_important(differences)
    sentence, changes = _sentence(counts, shown, len(differences)), _covered(change, shown)
    heavier = any(_is_heavy(opcode) and change.sign * number >= WHOLE for opcode, number in differences.items())
    longer = bool(before) and change.explained_by(after / before, SHARE)
    if heavier or longer:
        return Cause(CauseKind.INSTRUCTIONS, sentence, changes)
    return Cause(CauseKind.MACHINE_CODE, f"other machine code: {sentence}", changes)


def _is_heavy(opcode: str) -> bool:
    """Return whether one instruction per iteration may cost more than an issue slot."""
    return unit_of(Instruction(0, "", opcode, ())) not in LIGHT


def _most_important(differences: Mapping[str, float]) -> dict[str, float]:
    """Return the opcodes to show: first the heavy ones, then by the size of the difference."""
    order = sorted(differences, key=lambda opcode: (not _is_heavy(opcode), -abs(differences[opcode])))
    return {opcode: differences[opcode] for opcode in order[:SHOWN]}


def _sentence(counts: CodeCounts, shown: Mapping[str, float], differing: int) -> str:
    """Return `12 instead of 10 instructions per iteration (+2 LDS)`."""
    parts = [f"{number:+.3g} {opcode}" for opcode, number in shown.items()]
    more = differing - len(shown)
    opcodes = ", ".join(parts) + (f" and {more} more opcodes" if more > 1 else " and 1 more opcode" if more else "")
    before, after = (f"{round(total, 2):,g}" for total in counts.totals)
    if before == after:
        text = f"other instructions {counts.scope}: {opcodes}"
    else:
        text = f"{after} instead of {before} instructions {counts.scope} ({opcodes})"
    return f"{text}; {counts.unrolling}" if counts.unrolling else text


def _covered(change: CaseChange, shown: Mapping[str, float]) -> tuple[str, ...]:
    changes = count_changes(change.base.row, change.new.row)
    return tuple(text for opcode, text in changes.items() if opcode in shown)


def origins(change: CaseChange) -> Iterator[Cause]:
    """Yield why the machine code differs: another source, compiler or option."""
    base, new = change.base, change.new
    if base.kernel is None or new.kernel is None or change.same_code:
        return
    known = [*_source(base.kernel, new.kernel, base, new)]
    if base.compiler and new.compiler:
        if base.compiler.nvrtc != new.compiler.nvrtc:
            known.append(Cause(CauseKind.COMPILER, f"NVRTC {base.compiler.nvrtc} → {new.compiler.nvrtc}"))
        known += _options(base.compiler.options, new.compiler.options)
        if not known:
            # Versions of NVRTC are known to the minor release, and CUDA's headers are not stored.
            same = f"the source, the options and NVRTC {new.compiler.nvrtc} are the same"
            known.append(
                Cause(CauseKind.COMPILER, f"{same}: look for another patch release of CUDA, or other CUDA headers")
            )
    yield from known


def _source(base: StoredKernel, new: StoredKernel, before: CaseRecord, after: CaseRecord) -> Iterator[Cause]:
    """Yield what changed in its source, apart from comments."""
    if base.expression != new.expression:
        yield Cause(CauseKind.SOURCE, f"the case runs {new.expression} instead of {base.expression}")
    if files := ", ".join(changed_files(base, new, before.texts, after.texts)):
        yield Cause(CauseKind.SOURCE, f"its source changed: {files}")


def _options(base: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Cause]:
    changed = [f"{option} added" for option in new if option not in base]
    changed += [f"{option} removed" for option in base if option not in new]
    if changed:
        yield Cause(CauseKind.OPTIONS, f"compiler options: {', '.join(changed)}")


def changed_files(base: StoredKernel, new: StoredKernel, before: Contents, after: Contents) -> Iterator[str]:
    """Yield the names of the files that changed, were added or are gone, once each: the unit first, then its headers.

    `before` and `after` are the texts of both sides by file; a file whose text is unknown counts as changed if its name
    did, which contains the hash of its content.
    """
    old = {base.unit: base.source, **base.headers}
    files = {new.unit: new.source, **new.headers}
    if base.unit != new.unit:
        old[new.unit] = old.pop(base.unit)
    names = [
        _written(name, after.get(file))
        for name, file in files.items()
        if name not in old or (old[name] != file and _tokens(before.get(old[name])) != _tokens(after.get(file), b"?"))
    ]
    names += [_written(name, before.get(file)) for name, file in old.items() if name not in files]
    yield from dict.fromkeys(names)


def _written(name: str, text: bytes | None) -> str:
    """Return the name of the file that a user edits: for copied code, the file that its lines come from."""
    origin = _ORIGIN.search(text or b"") if name.startswith(COPIED) else None
    return origin[1].decode(errors="replace") if origin else name


def _tokens(text: bytes | None, unknown: bytes = b"") -> bytes:
    """Return a text without comments and line numbers, and with one space for each sequence of blanks.

    `unknown` if there is no text.
    """
    return unknown if text is None else b" ".join(_COMMENT.sub(_blank_or_literal, _ORIGIN.sub(b"", text)).split())


def _blank_or_literal(match: re.Match[bytes]) -> bytes:
    return match[1] or b" "
