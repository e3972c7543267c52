"""A mistake in `pattern.py` is a sentence, and says so before anything runs."""

from pathlib import Path

import pytest

from shflbench.errors import PatternError
from shflbench.patterns.discover import load

SOUND = """\
from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="a test",
    source="tests",
    buffers=(Input("values"), Output("result")),
    variants=(Variant(name="smem", mechanism=Mechanism.SMEM, summary="a test", baseline=True),),
)


def reference(values, iterations):
    return values
"""


def refusal(folder: Path, text: str) -> str:
    """Return what is wrong with a pattern, after the path of its file."""
    folder.mkdir()
    (folder / "pattern.py").write_text(text, encoding="utf-8")
    (folder / "kernels.cu").touch()
    with pytest.raises(PatternError) as refused:
        load(folder)
    return refused.value.message.removeprefix(str(folder / "pattern.py")).removeprefix(": ")


@pytest.mark.parametrize(
    ("instead_of", "written", "sentence"),
    [
        ("Mechanism.SMEM,", "'magic',", "variant `smem` has the unknown mechanism `magic`; known: smem, smem-unsafe,"),
        ('name="smem"', 'name="s mem"', "variant `s mem` needs another name; allowed: letters, digits, `_`"),
        ('name="smem"', "name=3", "variant `3` needs another name"),
        ("baseline=True", "baseline=True, needs='hopper'", "variant `smem` needs `hopper`, which is no architecture"),
        (
            "baseline=True",
            "baseline=True, shared=lambda at: 1 / 0",
            "variant `smem`: `shared` or `per_iteration` fails for f32: ZeroDivisionError: division by zero",
        ),
        (
            "baseline=True",
            "baseline=True, shared=lambda at: at.block * 0.5 if at.block > 32 else 0",
            "variant `smem`: shared at 64 threads of f32 is 32.0, not a whole number of bytes",
        ),
        (
            "baseline=True",
            "baseline=True, per_iteration={'STS': '1'}",
            "variant `smem` has per_iteration={'STS': '1'}, not a mapping",
        ),
        ('source="tests"', 'source="tests", dtypes="f32"', "the dtypes of the pattern are 'f32', not a tuple"),
        ('source="tests"', 'source="tests", dtypes=()', "no dtypes"),
        ('source="tests"', 'source="tests", unroll=0', "unroll is 0, not a whole number above 0"),
        ('source="tests"', 'source="tests", options=["mode"]', "options is ['mode'], not a mapping"),
        ('source="tests"', 'source="tests", options={"mode": ()}', "the option `mode` has (), not a tuple"),
        ('source="tests"', 'source="tests", options={"mode": "idx"}', "the option `mode` has 'idx', not a tuple"),
        ('source="tests"', 'source="tests", options={"mode": (1,)}', "the option `mode` has the value 1, not a text"),
        ('source="tests"', 'source="tests", options={"launch": ("a",)}', "the option `launch` needs another name"),
        ('Input("values")', 'Input("values", per_thread=0)', "the buffer `values` has 0 elements per thread"),
        ('Input("values")', '"values"', "the buffer 'values' is no Input, InOut or Output"),
        (
            "baseline=True",
            "baseline=True, per_iteration=lambda dtype, options: {'STS': -1}",
            "variant `smem` has per_iteration={'STS': -1}, not a mapping of opcodes to whole numbers or PerWord",
        ),
        (
            "baseline=True",
            "baseline=True, per_iteration=lambda dtype, options: options['depth']",
            "variant `smem`: `shared` or `per_iteration` fails for f32: KeyError: 'depth'",
        ),
        (
            "baseline=True",
            "baseline=True, only={'mode': ('up',)}",
            "variant `smem` has only={'mode': ('up',)}, which are no values of an option of the pattern",
        ),
        (
            "baseline=True",
            "baseline=True, may_fold=['up']",
            "variant `smem` has may_fold=['up'], not a mapping of options to values",
        ),
        (
            "baseline=True",
            "baseline=True, arguments=('values', 'resutl')",
            "variant `smem` takes the argument `resutl`, which is not declared; known: values, result, iterations",
        ),
        ('Input("values")', 'Input("values", dtype="f8")', "unknown dtype `f8`; known: f16, bf16, f32"),
        ('Output("result")', 'Output("values")', "two arguments are called `values`"),
        ('Output("result")', 'Output("iterations")', "two arguments are called `iterations`"),
        ('source="tests"', 'source="tests", scalars=("limit",)', "the scalar 'limit' is no Scalar"),
        ('source="tests"', 'source="tests", options={"carveout": ("1",)}', "the option `carveout` needs another name"),
        (
            'source="tests"',
            'source="tests", options={"extra_shared": ("1",)}',
            "the option `extra_shared` needs another",
        ),
        (
            'source="tests"',
            'source="tests", reference_variant="shfl"',
            "the reference variant `shfl` is none of the pattern's variants",
        ),
        ('source="tests"', 'source="tests", one_pass=True', "`reference` does not take its arguments (1 by position)"),
        ("values, iterations)", "values)", "`reference` does not take its arguments (1 by position, `iterations`)"),
        (
            'source="tests"',
            'source="tests", options={"mode": ("idx",)}',
            "`reference` does not take its arguments (1 by position, `mode`, `iterations`)",
        ),
        ("    return values", "    return values\n\ntolerance = 0.5", "`tolerance` is not a function"),
        ("    return values", "    return values\n\ndef inputs(): ...", "`inputs` does not take its arguments"),
    ],
)
def test_wrong_declaration_is_refused(tmp_path: Path, instead_of: str, written: str, sentence: str) -> None:
    assert instead_of in SOUND
    assert refusal(tmp_path / "own", SOUND.replace(instead_of, written)).startswith(sentence)


@pytest.mark.parametrize("name", ["my pattern", "9lives", "with.dot", "über", 'a"b', "a\nb"])
def test_folder_whose_name_cannot_begin_a_kernel_s_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name, SOUND).startswith(f"the folder's name `{name}` begins its kernels' names; allowed:")


def test_kernels_that_are_no_text_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "pattern.py").write_text(SOUND, encoding="utf-8")
    (folder / "kernels.cu").write_bytes(b"\xff\xfe")
    with pytest.raises(PatternError, match=r"variant `smem` needs the file kernels\.cu, which cannot be read: 'utf-8'"):
        load(folder)


def test_pattern_that_ends_the_process_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "own", "\nraise SystemExit(0)\n") == " cannot be loaded: line 2: SystemExit: 0"
