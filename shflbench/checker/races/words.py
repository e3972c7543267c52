"""Words for accesses: which bytes of what they concern, and who made them."""

from bisect import bisect_left

from shflbench.checker.link.program import Op
from shflbench.checker.machine.memory import MemorySpace
from shflbench.checker.machine.state import State
from shflbench.checker.opcodes.forms import Access
from shflbench.checker.races.clocks import Clocks


def bytes_of(space: MemorySpace, first: int, size: int) -> tuple[str, int | None]:
    """Return words for `size` bytes of memory from byte `first`, and the number of the buffer in global memory."""
    if space.parts > 1:  # of a block or thread
        first %= space.stride
    if not space.allocations:
        return f"{_range(first, size)} of {space.name} memory", None
    number = space.allocation(first, size)
    label = space.label(number)
    where = f" in {space.name} memory" if space.name in {"shared", "local"} and label[0] == "`" else ""
    detail = f"{_range(first - space.allocations[number][0], size)} of {label}{where}"
    return detail, number if space.name == "global" else None


def _range(first: int, size: int) -> str:
    return f"bytes {first}–{first + size - 1}" if size > 1 else f"byte {first}"


def sentence(state: State, clocks: Clocks, op: Op, thread: int, number: int) -> str:
    """Return who accessed memory, where, and which barrier the thread passed last, given the number of the access."""
    form: Access = op.form  # type: ignore[assignment]
    verb = {"ld": "read", "st": "wrote"}.get(form.kind, "atomically updated")
    size = int(form.type[1:]) * form.vector
    order = {"weak": "", "volatile": " (volatile)"}.get(form.order, f" ({form.order}.{form.scope})")
    text = f"{state.shape.describe(thread)} {verb} {size} byte{'s' if size > 1 else ''}{order} at {place_of(op)}"
    barrier = _last_barrier(clocks, thread // state.shape.lanes_per_block, number)
    return f"{text}, after the barrier at {place_of(barrier)}" if barrier is not None else text


def place_of(op: Op) -> str:
    """Return the line of an op in the file of the kernel: that of the call for code of a library."""
    location = op.instruction.location
    if location is None:
        return op.instruction.where
    file = location.outermost.file
    while location.file != file and location.inlined_at is not None:
        location = location.inlined_at
    return str(location)


def _last_barrier(clocks: Clocks, block: int, number: int) -> Op | None:
    """Return the last barrier that a block passed before the access of this number."""
    at = bisect_left(clocks.barriers, number, key=lambda barrier: barrier[0])
    for _, blocks, op in reversed(clocks.barriers[:at]):
        if block in blocks:
            return op
    return None
