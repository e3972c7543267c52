"""`pattern.py` as `new --from` prints it is the same pattern as the data that `bench` writes."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from shflbench.core.model import DTYPES
from shflbench.measure.workload import call_of
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import PYTHON, LoadedPattern, load
from shflbench.patterns.stored import StoredPattern
from shflbench.patterns.stored_python import pattern_python
from tests import cases
from tests.patterns.stored_pattern import PATTERN, SIZES, SMALL, write

DRAWS = ("inputs", "other_inputs", "varied_inputs")


def both(pattern: StoredPattern, below: Path) -> tuple[LoadedPattern, LoadedPattern]:
    """Return the pattern as it is loaded from JSON, and from Python."""
    text = pattern_python(pattern).encode()
    return load(write(pattern, below / "json")), load(write(pattern, below / "python", PYTHON, text))


def settings(pattern: StoredPattern) -> list[Setting]:
    return [
        Setting(DTYPES["f32"], {"n": size} if pattern.options else {}, 4, block)
        for size in (SIZES if pattern.options else SIZES[:1])
        for block in (32, 64, 128)
    ]


def calls(pattern: LoadedPattern, at: Setting) -> list[str]:
    """Return what is passed to each variant, as text."""
    texts = []
    for variant in pattern.declaration.variants:
        case = cases.case("sums", variant.name, "f32", f"{at.grid}x{at.block}", options=at.options)
        kernel: Any = SimpleNamespace(later=("second",) * len(variant.later))
        texts += [repr(call_of(pattern, case, kernel, at, varied=varied)) for varied in (False, True)]
    return texts


@pytest.mark.parametrize("pattern", [PATTERN, SMALL], ids=["large", "small"])
@pytest.mark.parametrize("draw", DRAWS)
def test_every_kind_of_input_is_drawn_alike(pattern: StoredPattern, draw: str, tmp_path: Path) -> None:
    stored, printed = both(pattern, tmp_path)
    for at in settings(pattern):
        for seed in (1, (2, 3)):
            one, two = (
                cast("Any", getattr(item.functions, draw))(np.random.default_rng(seed), at)
                for item in (stored, printed)
            )
            assert [(item.dtype, item.tobytes()) for item in one] == [(item.dtype, item.tobytes()) for item in two]
            assert [item.size for item in one] == [item.elements(at) for item in pattern.read]


@pytest.mark.parametrize("pattern", [PATTERN, SMALL], ids=["large", "small"])
def test_every_launch_passes_the_same(pattern: StoredPattern, tmp_path: Path) -> None:
    stored, printed = both(pattern, tmp_path)
    for at in settings(pattern):
        assert calls(stored, at) == calls(printed, at)
    for name in ("summary", "source", "dtypes", "varied", "not_compared", "usual", "compiler_options", "dimensions"):
        assert getattr(stored.declaration, name) == getattr(printed.declaration, name)
    for one, two in zip(stored.declaration.variants, printed.declaration.variants, strict=True):
        assert (one.takes_shared, one.other_inputs, one.baseline) == (two.takes_shared, two.other_inputs, two.baseline)


def test_there_are_other_inputs_only_where_a_variant_needs_them(tmp_path: Path) -> None:
    steps = replace(PATTERN, variants=PATTERN.variants[1:])
    for item in both(steps, tmp_path):
        assert item.functions.other_inputs is None


def test_the_reference_in_numpy_is_a_function_to_be_written() -> None:
    text = pattern_python(SMALL, in_numpy=True)
    assert "def reference(x, at):" in text
    assert "    out: float32, elements: 60\n" in text
    assert "reference_variant" not in text
    assert "def varied_inputs" not in text


def test_names_of_files_and_of_fields_are_python() -> None:
    buffers = (replace(SMALL.buffers[0], name="p.in"), *SMALL.buffers[1:])
    text = pattern_python(replace(SMALL, source=r"v\N.cu", buffers=buffers), in_numpy=True)
    compile(text, "pattern.py", "exec")
    assert text.startswith(r'"""The kernels of v\\N.cu as a pattern.')
    assert "def reference(p_in, at):" in text


def test_a_tolerance_of_one_buffer_is_printed() -> None:
    buffers = (*SMALL.buffers[:1], replace(SMALL.buffers[1], relative_tolerance=0.5))
    assert "relative_tolerance=0.5)," in pattern_python(replace(SMALL, buffers=buffers))


def test_numbers_without_a_word_in_python_are_printed() -> None:
    numbers = "lambda at: {'100': float('inf'), '200': float('nan')}[at.options['n']]"
    assert f"Scalar('most', {numbers}, dtype='f64')" in pattern_python(PATTERN)
