"""Arithmetic with modifiers or types that PTX does not have is refused, and no form that tests run is one of these."""

import pytest

from shflbench.emulator.opcodes.arithmetic_syntax import SYNTAX, lacks_form
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import Register
from shflbench.errors import EmulatorError
from tests.emulator.declared import forms_under_test
from tests.emulator.forms import instruction

# What ptxas of CUDA 13.0 rejects, too, by what is wrong: a modifier, its absence, two that exclude one another, a type.
MISSING = (
    *("add.NaN.f16", "add.ftz.f64", "mul.relu.f16", "min.ftz.f64", "max.NaN.f64", "neg.sat.f16", "add.ftz.bf16"),
    *("div.f32", "fma.f32", "sqrt.f64", "ex2.f16", "ex2.approx.bf16", "mad.f64", "mul.s32"),
    *("add.rn.rz.f32", "fma.rn.sat.relu.f16", "div.approx.full.f32"),
    *("sin.approx.f64", "tanh.approx.f64", "lg2.approx.f16", "add.sat.u32", "mul24.lo.u64", "popc.b16"),
    *("and.bf16", "shl.s32", "add.lo.f32"),
)
KNOWN = (
    *("add.f16", "add.rn.ftz.sat.f32", "add.u16x2", "add.sat.s32", "add.cc.u64", "fma.rn.relu.bf16x2", "neg.ftz.f16"),
    *("rcp.approx.ftz.f64", "ex2.approx.ftz.bf16", "max.ftz.NaN.xorsign.abs.f16x2", "max.relu.s16x2", "mad.hi.sat.s32"),
)


@pytest.mark.parametrize("name", MISSING)
def test_a_form_that_ptx_does_not_have_is_refused_with_a_sentence_on_it(name: str) -> None:
    with pytest.raises(EmulatorError) as error:
        decode(instruction(name, (Register("%a"),) * 3))
    assert error.value.message == f"PTX ISA 9.0 has no instruction `{name}`: `{name}` (PTX line 1)"


@pytest.mark.parametrize("name", KNOWN)
def test_a_form_that_ptx_has_is_none_of_these(name: str) -> None:
    assert not lacks_form(instruction(name, ()))


def test_forms_with_two_types_are_left_to_the_decoders() -> None:
    assert not lacks_form(instruction("add.rn.f32.bf16", ()))
    assert not lacks_form(instruction("fma.rn.oob.f16", ()))


def test_every_form_that_a_property_test_runs_is_one_of_ptx() -> None:
    names = [name for name in forms_under_test() if name.split(".")[0] in SYNTAX]
    assert len(names) > 300
    assert [name for name in names if lacks_form(instruction(name, ()))] == []
