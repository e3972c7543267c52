"""A mistake in `pattern.py` is one sentence, before anything runs."""

from pathlib import Path

import pytest

from shflbench.core.model import DTYPES
from shflbench.errors import PatternError
from shflbench.patterns.discover import load

SMEM = 'Variant(name="smem", mechanism=Mechanism.SMEM, summary="a test", baseline=True),'
FAILS = "`shared`, `dims` or `per_iteration` fails for f32"
TAKES = "`reference` does not take its arguments"
SOUND = f"""\
from shflbench.core.model import Mechanism
from shflbench.patterns.declare import ByValue, Input, Output, Pattern, PointerInto, Variant

PATTERN = Pattern(
    summary="a test",
    source="tests",
    buffers=(Input("values"), Output("result")),
    variants=({SMEM}),
)


def reference(values, iterations):
    return values
"""


def refusal(folder: Path, text: str, kernels: bytes = b"") -> str:
    """Return the error about a pattern, without the path of its file."""
    folder.mkdir()
    (folder / "pattern.py").write_text(text, encoding="utf-8")
    (folder / "kernels.cu").write_bytes(kernels)
    with pytest.raises(PatternError) as refused:
        load(folder)
    assert refused.value.exit_code == 3
    assert refused.value.advice == "`shflbench new my-exchange` writes a pattern folder that works."
    return refused.value.message.removeprefix(str(folder / "pattern.py")).removeprefix(": ")


VARIANT, PATTERN = "baseline=True", 'source="tests"'  # where further fields may follow


@pytest.mark.parametrize(
    ("after", "fields", "sentence"),
    [
        (PATTERN, "dimensions=4", "dimensions is 4, not 1, 2 or 3"),
        (PATTERN, "blocks=(16,)", "blocks has 16, not a multiple of 32 from 32 to 1024 threads"),
        (PATTERN, "dimensions=2, blocks=((16, 15),)", "blocks has (16, 15), not a multiple of 32"),
        (PATTERN, "dimensions=2, blocks=((16, '16'),)", "blocks has (16, '16'), neither a number of threads nor two"),
        (PATTERN, "dimensions=3, blocks=((1, 1, 128),)", "blocks has (1, 1, 128), with more than 64 threads along z"),
        (PATTERN, "blocks=((16, 16),)", "blocks has (16, 16), of more dimensions than the pattern declares: 1"),
        (
            PATTERN,
            "representative={'launch': '8x8:'}",
            "the launch of `representative` is '8x8:', not text such as '26x1024'",
        ),
        (
            VARIANT,
            "graph=True, cluster=(2, 1, 1)",
            "variant `smem` has graph=True, which takes kernels without clusters",
        ),
        (
            VARIANT,
            "graph=True, cooperative=True",
            "variant `smem` has graph=True, which takes kernels without clusters",
        ),
        (VARIANT, "needs='hopper'", "variant `smem` needs `hopper`, which is not an architecture"),
        (VARIANT, "needs_cccl=3.4", "variant `smem` needs CCCL 3.4, which is not a version such as (3, 4)"),
        (VARIANT, "shared=lambda at: 1 / 0", f"variant `smem`: {FAILS}: line 8: ZeroDivisionError: division by zero"),
        (
            VARIANT,
            "shared=lambda at: at.block * 0.5 if at.block > 32 else 0",
            "variant `smem`: shared at 64 threads of f32 is 32.0, not an integer of bytes",
        ),
        (VARIANT, "dims=lambda at: at.grids", f"variant `smem`: {FAILS}: line 8: AttributeError"),
        (
            VARIANT,
            "dims=lambda at: ((at.grid, 1, 1), at.block)",
            "variant `smem`: dims at 32 threads is ((1, 1, 1), 32), not blocks and threads along x, y and z",
        ),
        (
            VARIANT,
            "dims=lambda at: ((at.grid // 2, 1, 1), (at.block, 1, 1))",
            "variant `smem`: dims at 32 threads is ((0, 1, 1), (32, 1, 1)), not blocks and threads",
        ),
        (VARIANT, "per_iteration={'STS': '1'}", "variant `smem` has per_iteration={'STS': '1'}, not a mapping"),
        (
            VARIANT,
            "per_iteration=lambda dtype, options: {'STS': -1}",
            "variant `smem` has per_iteration={'STS': -1}, not a mapping of opcodes to integers or PerWord",
        ),
        (
            VARIANT,
            "per_iteration=lambda dtype, options: options['depth']",
            f"variant `smem`: {FAILS}: line 8: KeyError: 'depth'",
        ),
        (
            VARIANT,
            "only={'mode': ('up',)}",
            "variant `smem` has only={'mode': ('up',)}, which are not values of an option of the pattern",
        ),
        (VARIANT, "zeroed=('values',)", "variant `smem` has zeroed=`values`, which is no Output; known: result"),
        (VARIANT, "may_fold=['up']", "variant `smem` has may_fold=['up'], not a mapping of options to values"),
        (
            VARIANT,
            "arguments=('values', 'resutl')",
            "variant `smem` takes the argument `resutl`, which is not declared; known: values, result, iterations",
        ),
        (
            VARIANT,
            "arguments=(PointerInto('iterations', lambda at: 4), 'result')",
            "variant `smem` takes a pointer into `iterations`, which is no buffer; known: values, result",
        ),
        (
            VARIANT,
            "arguments=(ByValue('view', 16, ((0, 'values'), (8, 'resutl'))), 'iterations')",
            "variant `smem` takes the argument `resutl`, which is not declared; known: values, result, iterations",
        ),
        (
            VARIANT,
            "arguments=(ByValue('view', 16, ((0, 'values'), (12, 'result'))), 'iterations')",
            "variant `smem` takes `result` at byte 12 of `view`, which has 16 bytes",
        ),
        (
            VARIANT,
            "arguments=(ByValue('view', 0, ()), 'values', 'result')",
            "variant `smem` takes the structure `view` of 0 bytes, not an integer above 0",
        ),
        (VARIANT, "dtypes=('int',)", f"unknown dtype `int`; known: {', '.join(DTYPES)}"),
        (VARIANT, "source='library.cu'", "variant `smem` needs the file library.cu, which does not exist"),
        (PATTERN, "dtypes='f32'", "the dtypes of the pattern are 'f32', not a tuple"),
        (PATTERN, "dtypes=()", "no dtypes"),
        (PATTERN, "dtypes=('f32', 'f8')", f"unknown dtype `f8`; known: {', '.join(DTYPES)}"),
        (PATTERN, "unroll=0", "unroll is 0, not an integer above 0"),
        (PATTERN, "options=['mode']", "options is ['mode'], not a mapping"),
        (PATTERN, "options={'mode': ()}", "the option `mode` has (), not a tuple"),
        (PATTERN, "options={'mode': 'idx'}", "the option `mode` has 'idx', not a tuple"),
        (PATTERN, "options={'mode': (1,)}", "the option `mode` has the value 1, not a string"),
        (PATTERN, "options={'launch': ('a',)}", "the option `launch` needs another name"),
        (PATTERN, "options={'carveout': ('1',)}", "the option `carveout` needs another name"),
        (PATTERN, "options={'extra_shared': ('1',)}", "the option `extra_shared` needs another"),
        (PATTERN, "options={'mode': ('idx',)}", f"{TAKES} (1 by position, `mode`, `iterations`)"),
        (PATTERN, "scalars=('limit',)", "the scalar 'limit' is not a Scalar"),
        (PATTERN, "reference_variant='shfl'", "the reference variant `shfl` is not one of the pattern's variants"),
        (PATTERN, "one_pass=True", f"{TAKES} (1 by position)"),
    ],
)
def test_wrong_field_is_refused(tmp_path: Path, after: str, fields: str, sentence: str) -> None:
    assert refusal(tmp_path / "own", SOUND.replace(after, f"{after}, {fields}")).startswith(sentence)


@pytest.mark.parametrize(
    ("instead_of", "replacement", "sentence"),
    [
        ("Mechanism.SMEM,", "'magic',", "variant `smem` has the unknown mechanism `magic`; known: smem, smem-unsafe,"),
        ('name="smem"', 'name="s mem"', "variant `s mem` needs another name; allowed: up to 200 letters, digits, `_`"),
        ('name="smem"', "name=3", "variant `3` needs another name"),
        ('name="smem"', "name='a' * 20_000", f"variant `{'a' * 40}` needs another name; allowed: up to 200"),
        (f"({SMEM})", "()", "0 variants have `baseline=True`, not exactly one"),
        (", baseline=True", "", "0 variants have `baseline=True`, not exactly one"),
        (SMEM, SMEM * 2, "two variants have the same name"),
        (SMEM, SMEM + SMEM.replace("smem", "other"), "2 variants have `baseline=True`, not exactly one"),
        ('Input("values")', 'Input("values", per_thread=0)', "the buffer `values` has 0 elements per thread"),
        ('Input("values")', '"values"', "the buffer 'values' is not an Input, InOut or Output"),
        ('Input("values")', 'Input("values", dtype="f8")', "unknown dtype `f8`; known: f16, bf16, f16x2, bf16x2, f32"),
        ('Input("values"), Output("result")', 'Output("result"),', "no Input buffer"),
        ('Input("values"), Output("result")', 'Input("values"),', "no Output buffer"),
        ('Output("result")', 'Output("values")', "two arguments have the name `values`"),
        ('Output("result")', 'Output("iterations")', "two arguments have the name `iterations`"),
        ("values, iterations)", "values)", f"{TAKES} (1 by position, `iterations`)"),
        ("    return values", "    return values\n\ntolerance = 0.5", "`tolerance` is not a function"),
        ("    return values", "    return values\n\ndef inputs(): ...", "`inputs` does not take its arguments"),
        ("    return values", "    return values\n\ninputs = iter", "`inputs` does not show which arguments it takes"),
    ],
)
def test_wrong_declaration_is_refused(tmp_path: Path, instead_of: str, replacement: str, sentence: str) -> None:
    assert instead_of in SOUND
    assert refusal(tmp_path / "own", SOUND.replace(instead_of, replacement)).startswith(sentence)


@pytest.mark.parametrize("name", ["my pattern", "9lives", "with.dot", "über", 'a"b', "a\nb"])
def test_folder_name_that_no_kernel_name_can_start_with_is_refused(tmp_path: Path, name: str) -> None:
    sentence = f"kernels' names start with the folder's, `{name}`; allowed:"
    assert refusal(tmp_path / name, SOUND).startswith(sentence)


def test_kernels_that_are_not_text_are_refused(tmp_path: Path) -> None:
    sentence = "variant `smem` needs the file kernels.cu, which cannot be read: 'utf-8'"
    assert refusal(tmp_path / "own", SOUND, b"\xff\xfe").startswith(sentence)
