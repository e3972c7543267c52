"""Note what is doubtful about threads that meet: their masks, and the places at which they wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.findings import Kind
from shflbench.backends.emulator.forms import Barrier
from shflbench.model import WARP

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.program import Op
    from shflbench.backends.emulator.state import State
    from shflbench.backends.emulator.strands import Strand


def note_ended(state: State, op: Op, threads: Values, missing: Values) -> None:
    """Note threads whose masks name lanes that have ended; `missing` are those lanes, as words."""
    ended = missing != 0
    if ended.any():
        state.findings.add(Kind.ENDED, op.instruction, state.who(threads[ended][:1]), int(ended.sum()))


def note_masks(state: State, op: Op, threads: Values, masks: Values) -> None:
    """Note lanes outside of their own mask at a barrier, and lanes that pass other masks than those they name."""
    lanes = (threads % WARP).astype(np.uint32)
    outside = masks >> lanes & np.uint32(1) == 0
    if outside.any() and isinstance(op.form, Barrier):
        state.findings.add(Kind.NOT_IN_OWN_MASK, op.instruction, state.who(threads[outside]), int(outside.sum()))
    if masks.size and masks.min() != masks.max():
        passed = np.zeros((state.shape.warps, WARP), np.uint32)
        passed[threads // WARP, lanes] = masks
        groups = passed[threads // WARP]  # what each lane of the thread's warp passes
        named = (masks[:, None] >> np.arange(WARP, dtype=np.uint32) & np.uint32(1)).astype(bool) & (groups != 0)
        differ = (named & (groups != masks[:, None])).any(axis=1)
        if differ.any():
            state.findings.add(Kind.MASKS_DIFFER, op.instruction, state.who(threads[differ]), int(differ.sum()))


def note_divergence(
    state: State, strands: list[Strand], complete: Values, group_of: Callable[[Values], Values]
) -> None:
    """Note groups whose members wait at different instructions, though they are let go together."""
    places: dict[int, Op] = {}
    for strand in strands:
        op = strand.waits_at
        if op is None:
            continue
        for group in np.unique(group_of(strand.cohort.threads)).tolist():
            if not complete[group]:
                continue
            other = places.setdefault(group, op)
            if other is not op:
                members = strand.cohort.threads
                state.findings.add(
                    Kind.DIVERGENT_BARRIER, op.instruction, state.who(members[:1]), members.size, other.instruction
                )
