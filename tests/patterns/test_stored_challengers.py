"""`challengers.json`: the challengers join the published pattern, and anything else is one sentence."""

import json
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.model import DTYPES, Mechanism
from shflbench.errors import PatternError
from shflbench.patterns.declare import NO_SHARED, Setting
from shflbench.patterns.discover import ADVICE, CHALLENGERS, builtin, is_pattern, load
from shflbench.patterns.stored_challengers import SharedMemory, StoredChallenger, StoredChallengers, revision_of
from shflbench.patterns.stored_file import read_json, stored_json

REDUCE = builtin()["reduce"]
FIRST = StoredChallenger(
    name="first",
    mechanism=Mechanism.SHFL,
    kernel="mine::first<{T}>",
    arguments=("values", "result", "iterations"),
    shared=SharedMemory(8, 1),
)
STORED = StoredChallengers(
    pattern="reduce",
    revision=revision_of(REDUCE),
    dtype="f32",
    options={"width": "32"},
    model="smem",
    source="challengers/sum.cu",
    challengers=(FIRST, replace(FIRST, name="second", kernel="second", shared=None)),
)


def write(at: Path, stored: StoredChallengers = STORED, text: bytes = b"") -> Path:
    """Write the sources of `reduce` and challengers to a folder below another one, and return it."""
    folder = shutil.copytree(REDUCE, at / "reduce", ignore=shutil.ignore_patterns("*.py"))
    (folder / "challengers").mkdir()
    (folder / STORED.source).touch()
    (folder / CHALLENGERS).write_bytes(text or stored_json(stored))
    return folder


def test_challengers_that_were_written_are_read(tmp_path: Path) -> None:
    assert read_json(write(tmp_path) / CHALLENGERS, StoredChallengers) == STORED


def test_they_are_further_variants_of_the_published_pattern_in_each_process(tmp_path: Path) -> None:
    folder = write(tmp_path)
    published, joined = load(REDUCE), load(folder)
    assert is_pattern(folder)
    assert (joined.name, joined.functions) == ("reduce", published.functions)
    assert joined.declaration.variants[:-2] == published.declaration.variants
    first, second = joined.declaration.variants[-2:]
    assert (first.name, first.summary, first.safe, first.untrusted) == (
        "first",
        "`mine::first<{T}>` of sum.cu",
        True,
        True,
    )
    assert [first.has(dtype, {"width": width}) for dtype, width in (("f32", "32"), ("f32", "8"), ("i32", "32"))] == [
        True,
        False,
        False,
    ]
    assert second.kernel == "second"
    assert pickle.loads(pickle.dumps(joined)).declaration.has_variant("second")  # noqa: S301  (its own)


def test_shared_memory_is_that_of_the_model_where_none_is_stated(tmp_path: Path) -> None:
    first, second = load(write(tmp_path)).declaration.variants[-2:]
    at = Setting(DTYPES["f32"], {"width": "32"}, 1, 256)
    assert (first.shared(at), second.shared(at)) == (2048, load(REDUCE).declaration.variant("smem").shared(at))
    without = load(write(tmp_path / "other", replace(STORED, model="shfl"))).declaration
    assert without.variant("shfl").shared is NO_SHARED
    assert (without.variant("second").takes_shared, without.variant("second").shared(at)) == (True, 0)


def test_no_python_of_the_folder_runs(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "family.py").write_text("raise SystemExit\n", encoding="utf-8")
    assert load(folder).declaration.has_variant("first")


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda data: data.pop("dtype"), "missing required field `dtype`"),
        (lambda data: data.update(pattern="no-such"), "has another pattern `no-such`, or none"),
        (lambda data: data.update(revision="0"), "has another pattern `reduce`, or none"),
        (lambda data: data.update(model="none"), "`reduce` has no variant `none`"),
        (lambda data: data.update(dtype="f99"), "unknown dtype `f99`"),
        (lambda data: data.update(options={"width": "33"}), "which are not values of an option of the pattern"),
        (lambda data: data.update(source="missing.cu"), "needs the file missing.cu, which does not exist"),
        (lambda data: data["challengers"][0].update(mechanism="magic"), "Invalid enum value 'magic'"),
        (lambda data: data["challengers"][0].update(name="smem"), "two variants have the same name"),
        (lambda data: data["challengers"][0].update(arguments=["y"]), "takes the argument `y`, which is not declared"),
        (lambda data: data["challengers"][0]["shared"].update(threads="all"), "Expected `int`, got `str`"),
        (lambda data: data["challengers"][0]["shared"].update(nbytes=-4), "not an integer of bytes"),
    ],
)
def test_a_wrong_value_is_one_sentence(edit: Callable[[dict[str, Any]], object], sentence: str, tmp_path: Path) -> None:
    data = json.loads(stored_json(STORED))
    edit(data)
    folder = write(tmp_path, text=json.dumps(data).encode())
    with pytest.raises(PatternError) as caught:
        load(folder)
    assert caught.value.message.startswith(f"{folder / CHALLENGERS}")
    assert sentence in caught.value.message
    assert caught.value.advice == ADVICE[CHALLENGERS]


@pytest.mark.parametrize("source", ["../out.cu", "/etc/passwd", "a\0b", "", "a\nb", "linked.cu"])
def test_a_source_outside_of_the_folder_is_refused(tmp_path: Path, source: str) -> None:
    folder = write(tmp_path, replace(STORED, source=source))
    (folder / "linked.cu").symlink_to("/etc/passwd")
    with pytest.raises(PatternError, match="is not a file below the folder"):
        load(folder)


@pytest.mark.parametrize("challengers", [(), (replace(FIRST, kernel=""),), (replace(FIRST, kernel="a\x1b[0m"),)])
def test_challengers_without_a_kernel_are_refused(tmp_path: Path, challengers: tuple[StoredChallenger, ...]) -> None:
    with pytest.raises(PatternError, match="no challenger"):
        load(write(tmp_path, replace(STORED, challengers=challengers)))
