"""Nodes of a type are the same, and in the same order, however they are searched for."""

from shflbench.cuda_sources.syntax_trees import nodes_of, parse, walk

TYPES = frozenset({"call_expression", "function_definition", "struct_specifier"})
TEXT = b"struct S { int a() { return f(g(1), h()); } };\nint b(int x) { return f(f(x)); }\n@ broken (f(1)\n"


def test_nodes_of_a_type_are_in_order_of_the_text_in_small_and_large_trees() -> None:
    for copies in (1, 4000):  # from 20,000 nodes on, a query finds them
        tree = parse(TEXT * copies)
        wanted = [node.id for node in walk(tree.root_node) if node.type in TYPES]
        assert len(wanted) >= 5 * copies
        assert [node.id for node in nodes_of(tree.root_node, TYPES)] == wanted


def test_nodes_are_those_inside_of_a_node_and_the_node_itself() -> None:
    outer, inner, *_ = (node for node in walk(parse(TEXT).root_node) if node.type == "call_expression")
    calls = frozenset({"call_expression"})
    assert [node.start_byte for node in nodes_of(inner, calls)] == [inner.start_byte]
    assert [node.start_byte for node in nodes_of(outer, calls)][:2] == [outer.start_byte, inner.start_byte]
