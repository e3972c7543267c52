from shflbench.cuda_sources.lexer import Lexed


def braces(text: str) -> list[str]:
    """Return what stands between each pair of braces."""
    lexed = Lexed(text.encode())
    return [text[start + 1 : end] for start, end in sorted(lexed.partners.items())]


def test_braces_in_strings_characters_and_comments_do_not_count() -> None:
    assert braces("""{ "}" '}' '\\'' // }\n /* } */ "\\"}" }""") == [""" "}" '}' '\\'' // }\n /* } */ "\\"}" """]


def test_braces_in_raw_strings_do_not_count() -> None:
    assert braces('{ R"x(}" )} )x" }') == [' R"x(}" )} )x" ']


def test_digit_separators_are_no_characters() -> None:
    assert braces("{ 1'000'000 }") == [" 1'000'000 "]


def test_a_macro_with_unbalanced_braces_does_not_count() -> None:
    assert braces("#define BEGIN { \\\n {\n{ BEGIN }") == [" BEGIN "]


def test_the_first_branch_of_a_condition_counts() -> None:
    assert braces("#if A\n{\n#else\n{\n#endif\n}") == ["\n#else\n{\n#endif\n"]


def test_a_directive_extends_over_its_continuations_and_comments() -> None:
    lexed = Lexed(b"#define A 1 /* over\n lines */ + \\\n 2\nint x;\n  # include <y>\n")
    assert [lexed.text[span.start : span.end] for span in lexed.directives] == [
        b"#define A 1 /* over\n lines */ + \\\n 2",
        b"  # include <y>",
    ]


def test_unclosed_braces_have_no_partner() -> None:
    assert Lexed(b"{ { }").partners == {2: 4}


def test_bodies_are_the_outermost_braces_but_those_of_namespaces() -> None:
    text = b'namespace a { struct B { int f() { } }; }\nextern "C" {\nvoid g() { if (1) { } }\n}\n'
    assert [text[span.start : span.end] for span in Lexed(text).bodies] == [b"{ int f() { } }", b"{ if (1) { } }"]


def test_numbers_with_separators_and_prefixed_raw_strings_hide_no_brace() -> None:
    text = b"int n = 1'000'000; char c = '{'; auto s = u8R\"x({)x\"; { }\n"
    assert Lexed(text).partners == {text.index(b"{ }"): text.index(b" }") + 1}


def test_a_directive_in_a_comment_or_a_string_is_none() -> None:
    text = b'/*\n#define A 1\n*/ "\\\n#define B 1"\n  /* c */ # define C 1\n'
    assert [text[span.start : span.end] for span in Lexed(text).directives] == [b"  /* c */ # define C 1"]
