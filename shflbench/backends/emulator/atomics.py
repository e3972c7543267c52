"""Carry out atomics: threads that meet at one address take turns, in the order of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.forms import Access, Values

# Integer updates whose order does not matter, where nobody asks for the old value.
_UNORDERED = {
    np.minimum: np.minimum,
    np.maximum: np.maximum,
    np.bitwise_and: np.bitwise_and,
    np.bitwise_or: np.bitwise_or,
}


def exchange(form: Access, data: Values, index: Values, operands: Sequence[Values], out: Sequence[Values]) -> None:
    """Update `data[index]` one thread after the other at each address, and write the old values to `out`."""
    flat = [
        np.broadcast_to(operand, index.shape if operand.ndim == 0 else operand.shape).reshape(-1)
        for operand in operands
    ]
    update = form.update
    if update is None:  # cannot be: only atomics come here
        raise AssertionError(form)
    if not out and update in _UNORDERED:
        _UNORDERED[update].at(data, index, flat[0])
        return
    old = np.empty(index.shape, data.dtype)
    for now in _turns(index):
        old[now] = data[index[now]]
        data[index[now]] = update(old[now], *(operand[now] for operand in flat))
    for target in out:
        np.copyto(target, old.reshape(target.shape))


def _turns(index: Values) -> list[Values]:
    """Cut the positions of `index` into turns, in each of which every address appears at most once."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.arange(index.size) - np.repeat(starts, np.diff(np.r_[starts, index.size]))
    if not turn.any():
        return [order]
    by_turn = np.argsort(turn, kind="stable")
    return np.split(order[by_turn], np.cumsum(np.bincount(turn))[:-1])
