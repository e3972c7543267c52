import os
from pathlib import Path

import pytest

from shflbench.errors import SuiteError
from shflbench.suite import load
from shflbench.suite.document import MAX_BYTES
from tests.suite.conftest import Folder

KEYS = "schema, name, title, defaults, measure, compare, experiments, charts, claims"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"demo.yaml:1:1: found an empty file; allowed: a mapping with the keys {KEYS}"),
        ("# a comment\n", f"demo.yaml:1:1: found an empty file; allowed: a mapping with the keys {KEYS}"),
        ("- schema: 1\n", f"demo.yaml:1:1: found a list; allowed: a mapping with the keys {KEYS}"),
        ("gtc2013\n", f"demo.yaml:1:1: found `gtc2013`; allowed: a mapping with the keys {KEYS}"),
        ("schema: 1\nname: [a, b\n", "demo.yaml:3:1: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("schema: 1\n\tname: a\n", "demo.yaml:2:1: not YAML: found character '\\t' that cannot start any token"),
        ("schema: 1\n---\nschema: 1\n", "demo.yaml:2:1: found a second document; allowed: one"),
        ("schema: 1\nname: \x07\n", "demo.yaml:2:7: not YAML: special characters are not allowed"),
        ("name: a\nschema: 1\nname: b\n", "demo.yaml:3:1: found the key `name` a second time; allowed: each key once"),
        ("schema: 1\nname: !!bool a\n", "demo.yaml:2:7: found the tag `!!bool`; allowed: values without tags"),
        (
            "schema: 1\nname: {{suite}}\n",
            "demo.yaml:2:8: found a key that is not a word; allowed: keys such as `launch`",
        ),
        ("a: &b [c]\n*b : 3\n", "demo.yaml:2:1: found a key that is not a word; allowed: keys such as `launch`"),
        ("name: " + "[" * 1000, "demo.yaml:1:57: found too deep nesting; allowed: 50 levels"),
    ],
)
def test_a_file_that_is_not_a_yaml_mapping_is_one_sentence(folder: Folder, text: str, message: str) -> None:
    assert folder.refusal(text) == message


def test_lines_are_counted_for_every_line_break(folder: Folder) -> None:
    del folder
    for end in (b"\n", b"\r\n", b"\r"):
        Path("ends.yaml").write_bytes(end.join((b"schema: 1", b"name: a", b"title: caf\xe9")))
        with pytest.raises(SuiteError, match=r"^ends\.yaml:3:11: found the byte 0xe9"):
            load(Path("ends.yaml"))
        Path("ends.yaml").write_bytes(
            end.join((b"schema: 1", b"name: a", b"titel: b", b"experiments: {pattern: neighbor}"))
        )
        with pytest.raises(SuiteError, match=r"^ends\.yaml:3:1: unknown key `titel`"):
            load(Path("ends.yaml"))


def test_line_breaks_that_editors_do_not_count_are_refused(folder: Folder) -> None:
    for character in ("\x85", "\u2028", "\u2029"):
        assert folder.refusal(f"schema: 1\n# a{character}b\n") == (
            f"demo.yaml:2:4: found the line break U+{ord(character):04X}; allowed: LF, CR LF or CR"
        )


def test_a_file_that_is_too_large_is_refused(folder: Folder) -> None:
    assert folder.refusal("#" * (MAX_BYTES + 1)) == (
        "demo.yaml:1:1: found a file that is too large; allowed: 100,000 bytes"
    )


def test_bytes_that_are_not_utf8_are_shown_with_their_position(folder: Folder) -> None:
    del folder
    Path("latin.yaml").write_bytes("schema: 1\nname: caf\u00e9\n".encode("latin-1"))
    with pytest.raises(SuiteError) as error:
        load(Path("latin.yaml"))
    assert error.value.message == "latin.yaml:2:10: found the byte 0xe9, which is not UTF-8; needed: text in UTF-8"


def test_a_byte_order_mark_is_not_part_of_the_suite(folder: Folder) -> None:
    text = "schema: 1\nname: a\nexperiments: [{pattern: ./ring, launch: 1x32}]\n"
    assert folder.load("\ufeff" + text).text == text


def test_a_missing_file_points_to_the_suites_that_have_a_name(folder: Folder) -> None:
    del folder
    with pytest.raises(SuiteError) as error:
        load(Path("none.yaml"))
    assert error.value.message == "there is no file none.yaml"
    assert error.value.advice == "Give the path of a suite file, or a name that `shflbench list suites` shows."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_cannot_be_read(folder: Folder) -> None:
    del folder
    Path("secret.yaml").touch(mode=0)
    with pytest.raises(SuiteError) as error:
        load(Path("secret.yaml"))
    assert error.value.message == "secret.yaml cannot be read: permission denied"
