"""Machine code with addresses, branches and loops, as a disassembler would return it."""

from dataclasses import replace

from shflbench.core.model import ScheduledInstruction
from tests.analysis.limits.timed import item


def placed(*items: ScheduledInstruction | str) -> list[ScheduledInstruction]:
    """Return instructions at the addresses 0x0, 0x10, ..., in their order."""
    every = [item(one) if isinstance(one, str) else one for one in items]
    return [replace(one, instruction=replace(one.instruction, address=16 * place)) for place, one in enumerate(every)]


def maybe(text: str, **control: int) -> ScheduledInstruction:
    """Return an instruction that some warps skip."""
    return item(text, always=False, **control)  # type: ignore[arg-type]  # only numbers here
