"""What my_exchange compares; docs/how-to/add-a-pattern.md says what else can be declared."""

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each lane takes in the value of its left neighbour.",
    source="our own",
    dtypes=("f32", "i64"),
    buffers=(Input("values"), Output("result")),  # one element a thread
    reference_variant="smem",  # what it computes is taken for right; or write a function `reference` with NumPy
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,  # the others' speed-up is that over this one
            summary="shared memory, two block barriers",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 2},  # held against the machine code
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one shuffle a 32-bit word",
            per_iteration={"SHFL": PerWord(1)},
        ),
    ),
)
