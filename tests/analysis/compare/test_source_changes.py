from dataclasses import replace

import pytest

from shflbench.analysis.compare.code_causes import changed_files
from tests.fakes.case_changes import kernel

BASE = kernel("code")
NEW = replace(BASE, source="sources/neighbor-9.cu")
TEXT = b'int a = f("// no comment", 1); // sums\n/* two\nlines */ return a / 2;\n'


def changed(before: bytes, after: bytes) -> list[str]:
    return [*changed_files(BASE, NEW, {BASE.source: before}, {NEW.source: after})]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace(b"sums", b"adds"),
        TEXT.replace(b" // sums", b""),
        TEXT.replace(b"/* two\nlines */", b""),
        TEXT.replace(b"int a =", b"int  a\n="),
        TEXT.replace(b"// sums", b"// the user's sum: \"a"),
    ],
)
def test_comments_and_spaces_are_no_change(text: bytes) -> None:
    assert changed(TEXT, text) == []


@pytest.mark.parametrize(
    "text", [TEXT.replace(b"// no", b"// a"), TEXT.replace(b"a / 2", b"a // 2"), TEXT.replace(b"1)", b"2)")]
)
def test_change_of_the_code_or_of_a_literal_names_the_file(text: bytes) -> None:
    assert changed(TEXT, text) == ["neighbor/kernels.cu"]


def test_file_whose_text_is_unknown_has_changed_if_its_name_did() -> None:
    assert [*changed_files(BASE, NEW, {}, {})] == ["neighbor/kernels.cu"]
    assert [*changed_files(BASE, BASE, {}, {})] == []


def test_header_that_was_added_or_removed_is_named() -> None:
    more = replace(BASE, headers={**BASE.headers, "more.cuh": "headers/1-more.cuh"})
    assert [*changed_files(BASE, more, {}, {})] == [*changed_files(more, BASE, {}, {})] == ["more.cuh"]


def test_copied_code_is_named_by_the_file_that_it_comes_from() -> None:
    variants = ("copied/shfl.cuh", "copied/smem.cuh")
    base = replace(BASE, headers={name: f"headers/1-{name}" for name in variants})
    new = replace(BASE, headers={name: f"headers/2-{name}" for name in variants})
    text = b'namespace shfl {\n#line 7 "swap/copy.cu"\nint a;\n}\n'
    before = dict.fromkeys(base.headers.values(), text)
    moved, other = (
        dict.fromkeys(new.headers.values(), text.replace(*pair)) for pair in ((b"7", b"9"), (b"int", b"float"))
    )
    assert [*changed_files(base, new, before, moved)] == []
    assert [*changed_files(base, new, before, other)] == ["swap/copy.cu"]
    assert [*changed_files(base, replace(BASE, headers={}), before, {})] == ["swap/copy.cu"]


def test_unit_with_another_name_is_compared_by_its_text() -> None:
    moved = replace(NEW, unit="swap/kernels.cu")
    assert [*changed_files(BASE, moved, {BASE.source: TEXT}, {NEW.source: TEXT})] == []
    assert [*changed_files(BASE, moved, {BASE.source: TEXT}, {NEW.source: b""})] == ["swap/kernels.cu"]
