"""The family of layout conversions: which words shuffles move, and how the others go through shared memory."""

from shflbench.patterns.bit_exchange import LANE_BITS, BitExchange
from shflbench.patterns.exchange_choices import Exchanges, family

BITS = ("3", "1", "2", "4", "5")

FAMILY = family(
    "convert_layout",
    Exchanges("bits", {bits: BitExchange(LANE_BITS, int(bits)) for bits in BITS}),
    dtypes=("i32",),
    impossible="for any number of bits: too few of them, bank conflicts, or narrow accesses of a part",
)
