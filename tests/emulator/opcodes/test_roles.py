"""Every opcode that has a decoder has a role, and analyses match no opcode that has none."""

import ast
from pathlib import Path

import shflbench
from shflbench.emulator.opcodes import pairs, table
from shflbench.emulator.opcodes.roles import ROLES, OpcodeRole, has_role
from shflbench.emulator.ptx.syntax import PtxInstruction

PACKAGE = Path(shflbench.__file__).parent
ANALYSES = ("emulator/dataflow", "checker/inputs", "checker/judgment", "checker/runs")
# Opcodes of PTX that are no instruction of the emulator: they are expanded, or known before a kernel is linked.
EXPANDED = {"call"}


def test_every_opcode_that_has_a_decoder_has_a_role_and_no_other_one() -> None:
    tables = (table.ANY, table.FLOAT, table.HALF, table.PACKED, pairs.FORMS)
    assert {opcode for forms in tables for opcode in forms} == ROLES.keys()


def test_each_role_is_that_of_an_opcode() -> None:
    assert all(any(role in roles for roles in ROLES.values()) for role in OpcodeRole)


def test_a_clamped_minimum_may_be_more_than_an_operand() -> None:
    forms = (("s32",), ("relu", "s32"))
    minimum, clamped = (PtxInstruction("min", modifiers, (), None, None, "", 1) for modifiers in forms)
    assert has_role(minimum, OpcodeRole.MINIMUM)
    assert not has_role(clamped, OpcodeRole.MINIMUM)


def test_analyses_ask_for_roles_instead_of_comparing_opcodes() -> None:
    """But where a match on opcodes calculates, behind a role: `polynomials.py` and `guards.py`."""
    found = set()
    assert all((PACKAGE / folder).is_dir() for folder in ANALYSES)
    for path in (path for folder in ANALYSES for path in sorted((PACKAGE / folder).glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            if any(isinstance(side, ast.Attribute) and side.attr == "opcode" for side in sides):
                found.add(path.name)
    assert found == set()
