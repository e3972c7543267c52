"""A stored pattern that has everything one can have, and its folder."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from shflbench.core.model import DTYPES, Mechanism
from shflbench.patterns.discover import STORED
from shflbench.patterns.stored import (
    ANY_BLOCK,
    BySize,
    DrawKind,
    DrawRule,
    StoredArgument,
    StoredBuffer,
    StoredLaterLaunch,
    StoredPattern,
    StoredScalar,
    StoredVariant,
)
from shflbench.patterns.stored_file import stored_json
from shflbench.patterns.stored_inputs import CONTENTS, contents_key

SIZES = ("100", "200")
COUNT = BySize({"100": 100, "200": 250}, "n")
ONE = BySize({"": 1})
ROLLED = DrawRule(kind=DrawKind.ROLLED)
BUFFERS = (
    StoredBuffer(
        kind="Input",
        name="x",
        elements=COUNT,
        dtype="f32",
        inputs=ROLLED,
        other_inputs=DrawRule(kind=DrawKind.EXACT, dtype="float32", count=70),
        varied_inputs=DrawRule(kind=DrawKind.VARIED, dtype="float32"),
    ),
    StoredBuffer(
        kind="Input",
        name="flags",
        elements=COUNT,
        dtype="i8",
        other_inputs=DrawRule(kind=DrawKind.EXACT, dtype="int8", count=100, most=1),
        varied_inputs=DrawRule(kind=DrawKind.VARIED, dtype="uint8", most=1, positive=True),
    ),
    StoredBuffer(kind="Input", name="offsets", elements=COUNT, dtype="i32", inputs=ROLLED, other_inputs=ROLLED),
    StoredBuffer(
        kind="Input",
        name="weights",
        elements=BySize({"": 33}),
        dtype="bf16",
        variable="_ZL7weights",
        inputs=ROLLED,
        varied_inputs=DrawRule(kind=DrawKind.VARIED, dtype="bfloat16", ascending=True),
    ),
    StoredBuffer(
        kind="InOut",
        name="sums",
        elements=BySize({"": 64}),
        dtype="i64",
        restored=True,
        compared=False,
        varied_inputs=DrawRule(kind=DrawKind.VARIED, dtype="int64", most=255),
    ),
    StoredBuffer(kind="Output", name="out", elements=COUNT, dtype="f32", unordered=True),
)
SCALARS = (
    StoredScalar(name="n", value=BySize({"100": 100, "200": 200}, "n"), dtype="i32"),
    StoredScalar(name="factor", value=BySize({"": 1.0}), dtype="f32", other=1.625),
    StoredScalar(name="most", value=BySize({"100": "inf", "200": "nan"}, "n"), dtype="f64"),
)
STRUCTURE = StoredArgument(
    name="p", size=24, fields=((0, "x"), (8, StoredArgument(name="out", byte=BySize({"": 4}))), (16, "n"))
)
VARIANTS = (
    StoredVariant(
        name="plain",
        kernel="plain<float>",
        mechanism=Mechanism.SMEM,
        summary="`plain<float>`",
        arguments=("x", "flags", "offsets", "sums", "out", "n", "factor", "most"),
        shared={64: BySize({"": 256}), 128: BySize({"100": 512, "200": 0}, "n")},
        other_inputs=True,
    ),
    StoredVariant(
        name="steps",
        kernel="first",
        source="new/kernels.cu",
        mechanism=Mechanism.SHFL,
        summary="`first`",
        arguments=(STRUCTURE, StoredArgument(name="x", byte=BySize({"100": 0, "200": 8}, "n"))),
        shared={ANY_BLOCK: BySize({"": 1024})},
        cluster=(2, 1, 1),
        later=(
            StoredLaterLaunch(
                kernel="second",
                arguments=("sums", "out"),
                dims=BySize({"100": ((4, 1, 1), (32, 1, 1)), "200": ((2, 2, 1), (8, 8, 1))}, "n"),
                shared={ANY_BLOCK: BySize({"100": 4, "200": 8}, "n")},
                cluster=(2, 1, 1),
            ),
        ),
    ),
)
PATTERN = StoredPattern(
    source="sums.cu",
    dtype="f32",
    relative_tolerance=1e-4,
    not_compared=("results with other contents of `offsets`",),
    launch="4x2:16x16",
    dimensions=2,
    compiler_options=("-std=c++20",),
    options={"n": SIZES},
    buffers=BUFFERS,
    scalars=SCALARS,
    variants=VARIANTS,
)
SMALL = replace(
    PATTERN,
    options={},
    dimensions=1,
    launch="4x64",
    buffers=tuple(replace(item, elements=BySize({"": 60})) for item in BUFFERS if item.name in {"x", "out"}),
    scalars=(),
    variants=(replace(VARIANTS[0], arguments=("x", "out"), shared={}),),
)


def contents(pattern: StoredPattern) -> dict[str, np.ndarray]:
    """Return bytes for each buffer at each size: fewer than it has, and none that is a float without a value."""
    rng = np.random.default_rng(1)
    return {
        contents_key(item.name, size): rng.integers(0, 64, 48 * DTYPES[item.dtype].size, np.uint8)
        for item in pattern.read
        for size in pattern.options.get(pattern.size_option, [""])
    }


def write(pattern: StoredPattern, below: Path, name: str = STORED, text: bytes = b"") -> Path:
    """Write a folder with the pattern as JSON, or with another text for the declaration."""
    folder = below / "sums"
    (folder / "new").mkdir(parents=True)
    (folder / name).write_bytes(text or stored_json(pattern))
    for source in ("kernels.cu", "new/kernels.cu"):
        (folder / source).touch()
    np.savez(folder / CONTENTS, allow_pickle=False, **contents(pattern))
    return folder
