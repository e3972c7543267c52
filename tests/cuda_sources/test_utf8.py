from shflbench.cuda_sources.utf8 import as_utf8


def test_utf_8_stays_as_it_is() -> None:
    text = 'const char *s = "é"; // я\n'.encode()
    assert as_utf8(text) is text


def test_foreign_bytes_of_comments_lose_their_meaning_on_the_same_line_and_column() -> None:
    assert as_utf8(b"a; // caf\xe9 \xff\n/* \xff\n \xc3\xa9 */ b;\n") == "a; // caf? ?\n/* ?\n é */ b;\n".encode()


def test_foreign_bytes_of_strings_and_characters_keep_their_values() -> None:
    assert as_utf8(b"f(\"caf\xe9\", '\xff');") == b"f(\"caf\\351\", '\\377');"


def test_strings_and_comments_of_directives_are_replaced_likewise() -> None:
    assert as_utf8(b'  # define A "\xe9" // \xff\n') == b'  # define A "\\351" // ?\n'


def test_foreign_bytes_of_code_are_rejected_by_every_compiler() -> None:
    assert as_utf8(b'int \xe4x; R"(\xe9)"') == b'int @x; R"(?)"'
