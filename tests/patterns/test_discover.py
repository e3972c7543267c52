from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.errors import PatternError
from shflbench.model import DTYPES
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

BUFFERS = (Input("values"), Output("result"))
SMEM = Variant(name="smem", mechanism=Mechanism.SMEM, summary="memory", baseline=True)
"""
PATTERN = 'PATTERN = Pattern(summary="mine", source="me", buffers=BUFFERS, variants=(SMEM,))\n'
REFERENCE = "def reference(values, iterations):\n    return values\n"
HOW_TO = "See docs/how-to/add-a-pattern.md."


def folder(at: Path, *parts: str) -> Path:
    """Write a pattern folder whose pattern.py consists of `parts`."""
    at.mkdir(exist_ok=True)
    (at / "pattern.py").write_text("\n".join(parts), encoding="utf-8")
    (at / "kernels.cu").touch()
    return at


def declared(changes: str) -> str:
    """Return a declaration like PATTERN's with other arguments."""
    return f"import dataclasses\n{PATTERN}PATTERN = dataclasses.replace(PATTERN, {changes})\n"


def refusal(at: Path) -> PatternError:
    with pytest.raises(PatternError) as caught:
        load(at)
    assert caught.value.exit_code == 3
    return caught.value


def test_built_in_patterns_are_the_folders_of_the_package() -> None:
    assert list(builtin()) == ["neighbor", "reduce"]
    for name, path in builtin().items():
        assert load(path).name == name


def test_folder_of_a_user_loads_like_a_built_in_one(tmp_path: Path) -> None:
    own = load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE))
    assert (own.name, own.folder) == ("mine", tmp_path / "mine")
    assert own.declaration.baseline.name == "smem"
    assert own.draw_inputs is None
    assert own.tolerance(DTYPES["f32"], 99) == 0.0


def test_pattern_s_own_inputs_and_tolerance_are_used(tmp_path: Path) -> None:
    inputs = "def inputs(rng, dtype, warps):\n    return None\n"
    tolerance = "def tolerance(dtype, iterations):\n    return iterations / 4\n"
    own = load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE, inputs, tolerance))
    assert own.draw_inputs is not None
    assert own.tolerance(DTYPES["f32"], 2) == 0.5


def test_two_folders_of_one_name_do_not_meet(tmp_path: Path) -> None:
    for parent, summary in (("a", "first"), ("b", "second")):
        (tmp_path / parent).mkdir()
        folder(tmp_path / parent / "mine", HEAD, PATTERN.replace('"mine"', f'"{summary}"'), REFERENCE)
    first, second = (load(tmp_path / parent / "mine") for parent in ("a", "b"))
    assert (first.declaration.summary, second.declaration.summary) == ("first", "second")


def test_folder_without_a_declaration_names_what_it_could_be(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert error.message == f"{tmp_path} is not a pattern folder: it has no pattern.py"
    assert error.advice == "Name a folder with pattern.py and kernels.cu, or one of: neighbor, reduce."


@pytest.mark.parametrize("text", ["", "PATTERN = 'neighbor'\n"])
def test_missing_declaration_points_to_the_how_to(tmp_path: Path, text: str) -> None:
    error = refusal(folder(tmp_path / "mine", HEAD, text, REFERENCE))
    assert error.message == f"{tmp_path}/mine/pattern.py does not define PATTERN as a shflbench Pattern"
    assert error.advice == HOW_TO


def test_missing_reference_says_what_it_is_for(tmp_path: Path) -> None:
    error = refusal(folder(tmp_path / "mine", HEAD, PATTERN))
    assert error.message == f"{tmp_path}/mine/pattern.py does not define the function `reference`"
    assert error.advice == "Every pattern needs a NumPy reference to be verified against."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0\n", "line 1: ZeroDivisionError: division by zero"),
        ("import nowhere_at_all\n", "line 1: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def (:\n", "SyntaxError: invalid syntax (pattern.py, line 1)"),
    ],
)
def test_exception_of_the_user_s_code_is_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    error = refusal(folder(tmp_path / "mine", text))
    assert error.message == f"{tmp_path}/mine/pattern.py cannot be loaded: {why}"
    assert error.advice


def test_folder_that_was_mended_loads(tmp_path: Path) -> None:
    refusal(folder(tmp_path / "mine", "1 / 0\n"))
    assert load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE)).name == "mine"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ("variants=(SMEM, SMEM)", "two variants have the same name"),
        ("variants=()", "exactly one variant must be the baseline, found 0"),
        (
            "variants=(SMEM, dataclasses.replace(SMEM, name='other'))",
            "exactly one variant must be the baseline, found 2",
        ),
        ("dtypes=('f32', 'f16')", "unknown dtype `f16`; known: f32, f64, i32, i64"),
        (
            "variants=(dataclasses.replace(SMEM, dtypes=('int',)),)",
            "unknown dtype `int`; known: f32, f64, i32, i64",
        ),
        ("buffers=(Output('result'),)", "no Input buffer"),
        ("buffers=(Input('values'),)", "no Output buffer"),
        (
            "variants=(dataclasses.replace(SMEM, source='library.cu'),)",
            "variant `smem` needs the file library.cu, which is not there",
        ),
    ],
)
def test_wrong_declaration_is_one_sentence(tmp_path: Path, changes: str, problem: str) -> None:
    error = refusal(folder(tmp_path / "mine", HEAD, declared(changes), REFERENCE))
    assert error.message == f"{tmp_path}/mine/pattern.py: {problem}"
    assert error.advice == HOW_TO
