"""An exchange of bits of register numbers with bits of lane numbers, and how a member of a family does it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import product
from operator import xor
from typing import TYPE_CHECKING

from shflbench.core.model import WARP, Mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.patterns.family import Choice

LANE_BITS = 5
WORD, WIDEST = 32, 128  # bits that a lane stores or loads at once, at least and at most
MATRIX = 0  # in the place of the bits of an access, as in bit_exchange.cuh: `stmatrix` or `ldmatrix`
MATRICES = 4  # registers that it moves
NO_WORDS, ALL, HALF, QUARTER = 0, 1, 2, 4  # that shuffles move while the others go through shared memory
SPLITS = {HALF: 1, QUARTER: 2}  # bits in which the numbers of register and lane of a shuffled word agree
EARLY, LATE = 1, 2  # shuffles come before shared memory or after it


@dataclass(frozen=True, slots=True)
class BitExchange:
    """Bit `low + k` of the register number changes places with bit `first + k` of the lane number, for k < `pairs`.

    Then lane numbers rotate by `rotation` bits. `flipped` is a bit of the lane number that changes, or 0.
    """

    bits: int  # of the register number
    pairs: int
    low: int = 0
    first: int = 0
    rotation: int = 0
    flipped: int = 0

    @property
    def words(self) -> int:
        """The registers of a lane."""
        return 1 << self.bits

    def half(self) -> BitExchange:
        """Return the exchange of the words whose numbers differ in the highest bits that change places."""
        flipped = 1 << (self.first + self.pairs - 1)
        return replace(self, bits=self.bits - 1, pairs=self.pairs - 1, flipped=flipped)

    def after(self, steps: int) -> BitExchange:
        """Return what is left after so many of the lowest bits have changed places."""
        return replace(self, low=self.low + steps, first=self.first + steps, pairs=self.pairs - steps)

    def target(self, lane: int, register: int) -> tuple[int, int]:
        """Return the lane and the register that a word goes to."""
        other, of_target = self._swapped(lane, register)
        return _rotated(other, self.rotation), of_target

    def source(self, lane: int, register: int) -> tuple[int, int]:
        """Return the lane and the register that a word comes from."""
        return self._swapped(_rotated(lane, LANE_BITS - self.rotation), register)

    def _swapped(self, lane: int, register: int) -> tuple[int, int]:
        mask = (1 << self.pairs) - 1
        other = (lane & ~(mask << self.first)) | (register >> self.low & mask) << self.first
        return other ^ self.flipped, (register & ~(mask << self.low)) | (lane >> self.first & mask) << self.low


def _rotated(lane: int, by: int) -> int:
    return (lane << by | lane >> (LANE_BITS - by)) % WARP


@dataclass(frozen=True, slots=True)
class ExchangePlan:
    """How a member does an exchange."""

    choice: Choice
    exchange: BitExchange

    @classmethod
    def of(cls, choice: Choice, exchange: BitExchange) -> ExchangePlan:
        """Return the plan of a member: where stores and loads are wide, that is first by bits that stay."""
        return cls(choice, replace(exchange, low=min(common(choice), exchange.bits - exchange.pairs)))

    @property
    def steps(self) -> int:
        """The bits that shuffles exchange so that both stores and loads are wide."""
        return common(self.choice) - self.exchange.low

    @property
    def shuffled_bits(self) -> int:
        """The bits that shuffles exchange."""
        part = self.choice["shuffled"]
        return self.steps if part == NO_WORDS else self.exchange.pairs - SPLITS.get(part, 0)

    @property
    def stored(self) -> list[BitExchange]:
        """What goes through shared memory: all words but for the bits that shuffles exchange, or parts of them."""
        if self.choice["shuffled"] == NO_WORDS:
            return [self.exchange.after(self.steps)]
        parts = [self.exchange]
        for _ in range(SPLITS.get(self.choice["shuffled"], 0)):
            parts.append(parts[-1].half())
        return parts[1:]

    @property
    def counts(self) -> Mapping[str, int]:
        """The instructions of an iteration that exchange words."""
        words = sum(part.words for part in self.stored)
        accesses = dict([_accesses("ST", self.choice["store"], words), _accesses("LD", self.choice["load"], words)])
        return (accesses if words else {}) | ({"SHFL": self._shuffles} if self._shuffles else {})

    @property
    def _shuffles(self) -> int:
        """The shuffles: half of the words per step; in rounds, the words that move, which are all if lanes rotate."""
        part, bits = self.choice["shuffled"], self.shuffled_bits
        words = self.exchange.words >> SPLITS.get(part, 0)
        if part != NO_WORDS and self.exchange.rotation:
            return words if self.choice["rounds"] else words + (bits - 1) * words // 2
        return words - (words >> bits) if self.choice["rounds"] else bits * words // 2

    @property
    def slots(self) -> int:
        """The shared memory of a warp in words."""
        buffers = 2 if self.choice["double"] else 1
        return buffers * sum(part.words * (WARP + padding(self.choice)) for part in self.stored)

    @property
    def _wider(self) -> int:
        """The words of the wider of stores and loads."""
        return 1 << max(_width(self.choice["store"]), _width(self.choice["load"]))

    @property
    def mechanism(self) -> Mechanism:
        """What words are exchanged through."""
        if self.choice["shuffled"] == ALL:
            return Mechanism.SHFL
        return Mechanism.HYBRID if self.shuffled_bits else Mechanism.SMEM

    @property
    def _has_enough_bits(self) -> bool:
        if self.choice["shuffled"] == NO_WORDS:
            return bool(self.steps) == bool(self.choice["order"]) and self.steps <= self.exchange.pairs
        # Shuffles save accesses, and so do wide stores or loads of the words that are left.
        return (
            self.steps == 0
            and self.shuffled_bits > 0
            and all(self._wider == min(MATRICES, part.words) for part in self.stored[-1:])
        )

    @property
    def is_possible(self) -> bool:
        """Whether there are as many bits as the choice takes, and no bank conflicts."""
        if not self._has_enough_bits or (self.choice["rounds"] and self.shuffled_bits == 1):
            return False
        accesses = (self.choice["store"], self.choice["load"])
        return all(_is_free_of_conflicts(*accesses, padding(self.choice), part) for part in self.stored)


def common(choice: Choice) -> int:
    """Return in how many of the lowest bits of the register number both stores and loads are wide."""
    return min(_width(choice["store"]), _width(choice["load"]))


def padding(choice: Choice) -> int:
    """Return the unused slots after each 32: as many as the wider accesses have, so that these stay aligned."""
    return 1 << max(_width(choice["store"]), _width(choice["load"])) if choice["padded"] else 0


def _width(bits: int) -> int:
    """Return the binary logarithm of the words of a lane that lie side by side."""
    return 0 if bits == MATRIX else (bits // WORD).bit_length() - 1


def _accesses(kind: str, bits: int, words: int) -> tuple[str, int]:
    return (f"{kind}SM", words // MATRICES) if bits == MATRIX else (f"{kind}S", words * WORD // bits)


@cache
def _is_free_of_conflicts(store: int, load: int, padded: int, part: BitExchange) -> bool:
    """Whether stores and loads can be so wide, and lanes that access banks at the same time use different ones."""
    wider = max(_width(store), _width(load))
    if part.bits < wider:
        return False
    # Slots lie in the order of the wider side.
    target, source = (part.target, None) if _width(load) == wider else (None, part.source)
    sides = (_Side(store, wider, padded, part, target), _Side(load, wider, padded, part, source))
    return all(side.is_free_of_conflicts for side in sides)


@dataclass(frozen=True, slots=True)
class _Side:
    """The stores or the loads of an exchange."""

    bits: int  # of an access
    wider: int  # the width of this or of the other side
    padded: int  # unused slots after each 32; 0: slots change places
    part: BitExchange
    moved: Callable[[int, int], tuple[int, int]] | None  # to a place of the other side, in whose order slots lie

    def _slot(self, lane: int, register: int) -> int:
        if self.moved:
            lane, register = self.moved(lane, register)
        return lane * self.part.words + register

    @property
    def is_free_of_conflicts(self) -> bool:
        """Whether an access has adjacent slots, and lanes that access banks at the same time use different ones."""
        width = _width(WIDEST if self.bits == MATRIX else self.bits)
        start = self._slot(0, 0)
        by_lane = [self._slot(1 << bit, 0) ^ start for bit in range(LANE_BITS)]
        matrix = self.bits == MATRIX  # adjacent lanes have adjacent slots, and each lane has the address of four
        adjacent = by_lane[:width] if matrix else [self._slot(0, 1 << bit) ^ start for bit in range(width)]
        together = by_lane[width:] if matrix else by_lane[: LANE_BITS - width]
        if adjacent != [1 << bit for bit in range(width)]:
            return False
        if not self.padded:  # slots of one access of the wider side stay together; all others may change places
            return sum(slot < 1 << self.wider for slot in together) == self.wider - width
        slots = [reduce(xor, chosen, start) for chosen in product(*((0, slot) for slot in together))]
        banks = {(slot + slot // WARP * self.padded) % WARP >> width for slot in slots}
        return len(banks) == len(slots)
