import os
import sys
from pathlib import Path

import numpy as np
import pytest

from shflbench.errors import PatternError
from shflbench.patterns.discover import builtin, load, name_of
from tests.cases import setting

HEAD = """\
from shflbench.core.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

BUFFERS = (Input("values"), Output("result"))
SMEM = Variant(name="smem", mechanism=Mechanism.SMEM, summary="memory", baseline=True)
"""
PATTERN = 'PATTERN = Pattern(summary="mine", source="me", buffers=BUFFERS, variants=(SMEM,))\n'
REFERENCE = "def reference(values, iterations):\n    return values\n"
HOW_TO = "`shflbench new my-exchange` writes a pattern folder that works."


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
    assert {"neighbor", "reduce", "broadcast-work"} <= set(builtin())
    for name, path in builtin().items():
        assert load(path).name == name == path.name.replace("_", "-")


def test_folder_of_a_user_loads_like_a_built_in_one(tmp_path: Path) -> None:
    own = load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE))
    assert (own.name, own.folder) == ("mine", tmp_path / "mine")
    assert own.declaration.baseline.name == "smem"
    assert own.functions.inputs is None
    assert own.tolerance(setting(), 99) == 0.0


def test_pattern_s_own_inputs_and_tolerance_are_used(tmp_path: Path) -> None:
    inputs = "def inputs(rng, at):\n    return None\n"
    tolerance = "def tolerance(at, iterations):\n    return iterations / 4\n"
    own = load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE, inputs, tolerance))
    assert own.functions.inputs is not None
    assert own.tolerance(setting(), 2) == 0.5


def test_two_folders_of_one_name_load_separately(tmp_path: Path) -> None:
    for parent, summary in (("a", "first"), ("b", "second")):
        (tmp_path / parent).mkdir()
        folder(tmp_path / parent / "mine", HEAD, PATTERN.replace('"mine"', f'"{summary}"'), REFERENCE)
    first, second = (load(tmp_path / parent / "mine") for parent in ("a", "b"))
    assert (first.declaration.summary, second.declaration.summary) == ("first", "second")


def test_folder_without_a_declaration_is_refused_with_the_known_patterns(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert error.message == f"{tmp_path} is not a pattern folder: it has no pattern.py"
    assert error.advice == "Give a folder with pattern.py and kernels.cu, or one of: " + ", ".join(builtin()) + "."


def test_underscores_of_a_folder_are_hyphens_of_its_name(tmp_path: Path) -> None:
    own = load(folder(tmp_path / "swap_halves", HEAD, PATTERN, REFERENCE))
    assert own.name == name_of(own.folder) == "swap-halves"


def test_reference_gets_the_arguments_that_it_names(tmp_path: Path) -> None:
    options = declared("options={'mode': ('idx', 'up')}")
    reference = "def reference(values, iterations, mode, at):\n    return values, iterations, mode, at.block\n"
    own = load(folder(tmp_path / "mine", HEAD, options, reference))
    at = setting("f32", "2x64", {"mode": "up"})
    values = np.arange(3)
    assert [str(item) for item in own.reference([values], at, 5)] == [str(values), "5", "up", "64"]


def test_reference_of_one_pass_takes_no_iterations(tmp_path: Path) -> None:
    own = load(
        folder(tmp_path / "mine", HEAD, declared("one_pass=True"), "def reference(values):\n    return values\n")
    )
    values = np.arange(3)
    (result,) = own.reference([values], setting(), 1)
    assert result is values


def test_reference_variant_takes_the_place_of_a_reference(tmp_path: Path) -> None:
    named = declared("reference_variant='smem'")
    assert load(folder(tmp_path / "mine", HEAD, named)).declaration.reference_variant == "smem"


@pytest.mark.parametrize(("result", "shown"), [("-1", "-1.0"), ("float('nan')", "nan"), ("float('inf')", "inf")])
def test_tolerance_that_is_not_an_absolute_error_is_one_sentence(tmp_path: Path, result: str, shown: str) -> None:
    tolerance = f"def tolerance(at, iterations):\n    return {result}\n"
    own = load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE, tolerance))
    with pytest.raises(PatternError, match=f"`tolerance` returns {shown}, not a finite number from 0 on$"):
        own.tolerance(setting(), 1)


@pytest.mark.parametrize("text", ["", "PATTERN = 'neighbor'\n"])
def test_missing_declaration_points_to_an_example(tmp_path: Path, text: str) -> None:
    error = refusal(folder(tmp_path / "mine", HEAD, text, REFERENCE))
    assert error.message == f"{tmp_path}/mine/pattern.py does not define PATTERN as a shflbench Pattern"
    assert error.advice == HOW_TO


def test_missing_reference_is_refused_with_both_remedies(tmp_path: Path) -> None:
    error = refusal(folder(tmp_path / "mine", HEAD, PATTERN))
    assert error.message == f"{tmp_path}/mine/pattern.py does not define the function `reference`"
    assert error.advice == "Write the pattern in NumPy, or name the variant to trust as `reference_variant`."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1 / 0\n", "line 1: ZeroDivisionError: division by zero"),
        ("import nowhere_at_all\n", "line 1: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("\nraise SystemExit(0)\n", "line 2: SystemExit: 0"),
        ("raise KeyboardInterrupt\n", "line 1: KeyboardInterrupt"),
        ("raise BaseException('stop')\n", "line 1: BaseException: stop"),
        ("def (:\n", "SyntaxError: invalid syntax (pattern.py, line 1)"),
    ],
)
def test_exception_of_user_code_is_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    error = refusal(folder(tmp_path / "mine", text))
    assert error.message == f"{tmp_path}/mine/pattern.py cannot be imported: {why}"
    assert error.advice


def test_folder_that_was_fixed_loads(tmp_path: Path) -> None:
    refusal(folder(tmp_path / "mine", "1 / 0\n"))
    assert load(folder(tmp_path / "mine", HEAD, PATTERN, REFERENCE)).name == "mine"


def test_edit_within_one_second_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for summary in ("old", "new"):
        mine = folder(tmp_path / "mine", HEAD, PATTERN.replace('"mine"', f'"{summary}"'), REFERENCE)
        os.utime(mine / "pattern.py", (1, 1))
        assert load(mine).declaration.summary == summary
    assert not (mine / "__pycache__").exists()
