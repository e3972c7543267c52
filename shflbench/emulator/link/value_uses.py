"""Whether the value that a load returns can have an effect, for a thread of which some conditions are known.

A compiler moves loads out of conditions: a thread then executes `s[0]` of `if (t == 0) sum += s[0];` whatever `t` is,
and drops the value. The value is followed forward through registers, along the branches that the thread may take. Only
instructions that compute registers pass it on; all others that read it count as an effect, and so does a branch.
"""

from collections.abc import Iterator, Mapping

from shflbench.emulator.link.program import BasicBlock, Op, Program, Slot
from shflbench.emulator.opcodes.forms import Access, Branch, Exit, Nothing, Pure

_END = -1


class ValueUses:
    """Follows the values of loads through one program."""

    def __init__(self, program: Program) -> None:
        """Index where each op is, and which ops write each register."""
        self._program = program
        self._places: dict[int, tuple[int, int]] = {}  # by the id of an op: its block, and its place there
        self._writers: dict[int, list[Op]] = {}
        for start, block in program.blocks.items():
            for at, op in enumerate(_ops(block)):
                self._places[id(op)] = start, at
                for slot in op.results:
                    if slot is not None:
                        self._writers.setdefault(slot.number, []).append(op)

    @property
    def size(self) -> int:
        """The number of ops of the program."""
        return len(self._places)

    def writers(self, register: int) -> list[Op]:
        """Return the ops that write a register."""
        return self._writers.get(register, [])

    def conditions(self, load: Op) -> set[int]:
        """Return the predicates that may decide on what becomes of the value of a load."""
        blocks, waiting = set[int](), [self._places[id(load)][0]]
        while waiting:
            start = waiting.pop()
            if start not in blocks and start in self._program.blocks:
                blocks.add(start)
                waiting += _following(self._program.blocks[start], {})
        reached = [op for start in blocks for op in _ops(self._program.blocks[start])]
        guards = {op.guard.number for op in reached if op.guard is not None}
        return guards | {slot.number for op in reached if (slot := _selector(op)) is not None}

    def may_use(self, load: Op, known: Mapping[int, bool]) -> bool:
        """Return whether the value of a load may have an effect where these predicates are `known`."""
        start, at = self._places[id(load)]
        loaded = {slot.number for slot in load.results if slot is not None}
        reached: dict[int, set[int]] = {}  # block → registers that may depend on the value at its start
        waiting = [(start, at + 1, loaded)]
        while waiting:
            start, at, depending = waiting.pop()
            block, depending = self._program.blocks[start], set(depending)
            for op in _ops(block)[at:]:
                if op is load:
                    depending |= loaded
                elif not _pass_on(op, depending, known):
                    return True
            for following in _following(block, known) if depending else ():
                before = reached.get(following, set())
                if following in self._program.blocks and not depending <= before:
                    reached[following] = before | depending
                    waiting.append((following, 0, reached[following]))
        return False


def is_plain_load(op: Op) -> bool:
    """Return whether `op` is a load that a compiler may move: weak, and no part of a copy."""
    form = op.form
    return isinstance(form, Access) and form.kind == "ld" and not (form.strong or form.asynchronous or form.is_barrier)


def _ops(block: BasicBlock) -> tuple[Op, ...]:
    return block.ops if block.last is None else (*block.ops, block.last)


def _holds(guard: Slot | None, known: Mapping[int, bool]) -> bool | None:
    """Return whether a guard holds, None if that is not known."""
    if guard is None:
        return True
    value = known.get(guard.number)
    return None if value is None else value is not guard.negated


def _selector(op: Op) -> Slot | None:
    """Return the predicate by which `op` selects its first or its second operand."""
    selector = op.sources[2] if op.instruction.opcode == "selp" and len(op.sources) > 2 else None  # noqa: PLR2004
    return selector if isinstance(selector, Slot) else None


def _pass_on(op: Op, depending: set[int], known: Mapping[int, bool]) -> bool:
    """Add what `op` computes from registers of `depending` to these, and remove what it overwrites.

    Return False if `op` uses one of them in another way.
    """
    runs = _holds(op.guard, known)
    if runs is False:
        return True
    results = {slot.number for slot in op.results if slot is not None}
    if depending.isdisjoint(_read(op, known, whole=runs is True)):
        if runs:
            depending -= results
        return True
    depending |= results
    return isinstance(op.form, Pure | Nothing)


def _read(op: Op, known: Mapping[int, bool], *, whole: bool) -> Iterator[int]:
    """Yield the registers that decide on what `op` does; not its guard if that is known to hold."""
    sources = op.sources
    if (selector := _selector(op)) is not None and (first := _holds(selector, known)) is not None:
        sources = sources[:1] if first else sources[1:2]
    for slot in (*sources, None if whole else op.guard, op.place.base if op.place is not None else None):
        if isinstance(slot, Slot):
            yield slot.number


def _following(block: BasicBlock, known: Mapping[int, bool]) -> list[int]:
    """Return the blocks that a thread may execute after `block`."""
    last = block.last
    following = block.next if block.next != block.start else _END
    if last is None or not isinstance(last.form, Branch | Exit):
        return [following]
    jumps = _holds(last.guard, known)
    target = last.target if isinstance(last.form, Branch) else _END
    return [target] if jumps else [following] if jumps is False else [target, following]
