"""The family of transpositions: which words shuffles move, and how the others go through shared memory."""

from shflbench.patterns.bit_exchange import LANE_BITS, BitExchange
from shflbench.patterns.exchange_choices import Exchanges, family

# The bits of the register number, by the words per lane: they change places with the lowest bits of the lane number.
BITS = {"8": 3, "2": 1, "4": 2, "16": 4, "32": 5}

FAMILY = family(
    "transpose",
    Exchanges("words", {words: BitExchange(bits, bits, rotation=LANE_BITS - bits) for words, bits in BITS.items()}),
    dtypes=("f32",),
    impossible="for any number of words: too few bits to exchange, bank conflicts, or narrow accesses of a part",
)
