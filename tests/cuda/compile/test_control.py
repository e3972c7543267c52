import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

from shflbench.core.model import Control, Instruction, Kernel, Mechanism
from shflbench.cuda.compile.control import controls
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.sass import disassemble
from shflbench.store.kernel_archive import KernelArchive
from tests import kernels

pytestmark = pytest.mark.expensive

RESULTS = Path(__file__).parents[3] / "results"
RECORDED = "recorded"

# How long they take is unknown to the compiler. SHFL, LDS and MUFU are not among them: in a row of them only the last
# sets a barrier, because their units work in order.
VARIABLE = frozenset({"LDG", "S2R", "MATCH", "REDUX"})
FIXED = frozenset({"FADD", "IADD3", "IMAD", "ISETP", "VOTE", "BAR"})
DOUBLE = frozenset({"DADD", "DFMA"})
# Of these opcodes, all others must occur. Of several REDUX in a row, as on sm_80 and in recorded runs, only the last
# sets a barrier.
MISSING = {"sm_75": {"REDUX"}, "sm_80": {"REDUX"}, RECORDED: {"REDUX"}}
NO_STALL = frozenset({"ERRBAR"})  # behind the MEMBAR of a fence
REGISTER = re.compile(r"U?R\d+")  # of a whole operand; predicates that an instruction also writes come before it

Code: TypeAlias = tuple[tuple[Instruction, Control], ...]  # of one kernel
CodeOf: TypeAlias = Callable[[str], dict[str, Code]]


def encoded(
    *, stall: int = 0, not_yield: int = 0, write: int = 7, read: int = 7, waits: int = 0, reuse: int = 0, rest: int = 0
) -> bytes:
    """Return an instruction of which all bits outside of the control code are those of `rest`."""
    control = stall | not_yield << 4 | write << 5 | read << 8 | waits << 11 | reuse << 17
    outside = rest & ~(0x1FFFFF << 105) & (1 << 128) - 1
    return (outside | control << 105).to_bytes(16, "little")


@pytest.mark.parametrize("rest", [0, -1], ids=["zeros-around", "ones-around"])
@pytest.mark.parametrize(
    ("instruction", "control"),
    [
        ({}, Control(0, None, None, ())),
        ({"stall": 15}, Control(15, None, None, ())),
        ({"stall": 8}, Control(8, None, None, ())),
        ({"stall": 1}, Control(1, None, None, ())),
        ({"not_yield": 1, "reuse": 15}, Control(0, None, None, ())),
        ({"write": 0}, Control(0, 0, None, ())),
        ({"write": 5}, Control(0, 5, None, ())),
        ({"read": 0}, Control(0, None, 0, ())),
        ({"read": 5}, Control(0, None, 5, ())),
        ({"write": 1, "read": 4}, Control(0, 1, 4, ())),
        ({"waits": 0b000001}, Control(0, None, None, (0,))),
        ({"waits": 0b100000}, Control(0, None, None, (5,))),
        ({"waits": 0b101010}, Control(0, None, None, (1, 3, 5))),
        ({"waits": 0b111111, "stall": 2, "write": 3, "read": 2}, Control(2, 3, 2, (0, 1, 2, 3, 4, 5))),
    ],
)
def test_each_field_is_read_from_its_bits(instruction: dict[str, int], control: Control, rest: int) -> None:
    assert controls(encoded(**instruction, rest=rest)) == (control,)


def test_instructions_are_decoded_in_their_order() -> None:
    code = encoded(stall=4) + encoded(stall=2, write=0) + encoded(stall=5, waits=1)
    assert controls(code) == (Control(4, None, None, ()), Control(2, 0, None, ()), Control(5, None, None, (0,)))
    assert controls(b"") == ()


def test_code_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^24 bytes of machine code are not a multiple of 16$"):
        controls(encoded()[:8] + encoded())


@pytest.fixture(scope="module")
def code_of() -> CodeOf:
    """Return the kernels of an architecture by name, or those that ran on an H200 with their runs."""

    def compiled(source: str) -> dict[str, Code]:
        if source == RECORDED:
            return recorded()
        names = (name for name in kernels.in_every_run() if compiles(name, source))
        return {name: scheduled(kernels.compiled(name, source)) for name in names}

    return cache(compiled)


def compiles(name: str, arch: str) -> bool:
    """Whether the tests compile a kernel; libraries have large headers, and their PTX is committed."""
    variant = kernels.variant_of(name)
    return variant.mechanism is not Mechanism.LIBRARY and not variant.unsupported_reason(kernels.tools().target(arch))


def scheduled(kernel: Kernel) -> Code:
    assert kernel.sass is not None
    return tuple(zip(kernel.sass, controls(kernel_code(kernel.cubin)[kernel.symbol]), strict=True))


def recorded() -> dict[str, Code]:
    """Return each kernel of the committed runs on an H200."""
    code: dict[bytes, str] = {}  # the same kernel may be in several runs
    for path in sorted(RESULTS.glob("*/nvidia-h200/kernels.zip")):
        archive = KernelArchive.read(path)
        assert archive.index.compiler.arch == "sm_90"
        for kernel in archive.index.kernels:
            machine_code = kernel_code(archive.contents[kernel.cubin])[kernel.symbol]
            code.setdefault(machine_code, f"{path.parent.parent.name} {kernel.name}")
    sass = disassemble(list(code), "sm_90", kernels.tools().nvdisasm)
    assert sass is not None
    return {
        name: tuple(zip(instructions, controls(machine_code), strict=True))
        for (machine_code, name), instructions in zip(code.items(), sass, strict=True)
    }


def grouped(source: str, *marks: pytest.MarkDecorator) -> object:
    """Return a parameter for a source, all of whose kernels one process compiles and reads."""
    group = pytest.mark.xdist_group(f"control codes of {source}")
    return pytest.param(source, marks=(pytest.mark.archs, group, *marks))


OTHERS = [grouped(arch, pytest.mark.complete) for arch in (*kernels.OLDER_ARCHS, "sm_89", *kernels.NEWER_ARCHS)]
OF_SM_90 = [grouped("sm_90"), grouped(RECORDED, pytest.mark.complete)]
SOURCES = [*OF_SM_90, *OTHERS]
of_every_kernel = pytest.mark.parametrize("source", SOURCES)


def listed(name: str, instruction: Instruction) -> str:
    """Return the text for an instruction that breaks a rule."""
    return f"{name}: {instruction.address:#x} {instruction.opcode} {', '.join(instruction.operands)}"


def instructions(code: dict[str, Code], opcodes: Iterable[str]) -> list[tuple[str, Instruction, Control]]:
    """Return the instructions with these opcodes; each of the opcodes must occur."""
    chosen = [(name, *item) for name, kernel in code.items() for item in kernel if item[0].base in opcodes]
    assert {instruction.base for _, instruction, _ in chosen} == set(opcodes)
    return chosen


@of_every_kernel
def test_no_instruction_has_a_barrier_that_does_not_exist(source: str, code_of: CodeOf) -> None:
    for name, kernel in code_of(source).items():
        for instruction, control in kernel:
            assert 6 not in {control.write_barrier, control.read_barrier}, listed(name, instruction)


@of_every_kernel
def test_instruction_of_variable_latency_always_sets_a_barrier(source: str, code_of: CodeOf) -> None:
    for name, instruction, control in instructions(code_of(source), VARIABLE - MISSING.get(source, set())):
        assert control.write_barrier is not None, listed(name, instruction)


@of_every_kernel
def test_instruction_of_fixed_latency_never_sets_a_barrier(source: str, code_of: CodeOf) -> None:
    for name, instruction, control in instructions(code_of(source), FIXED):
        assert control.write_barrier is None, listed(name, instruction)
        # A barrier of a block whose number is in a register reads it late.
        reads_late = instruction.base == "BAR" and any(map(REGISTER.fullmatch, instruction.operands))
        assert control.read_barrier is None or reads_late, listed(name, instruction)


@of_every_kernel
def test_only_the_branch_to_itself_and_the_padding_after_it_have_no_stall(source: str, code_of: CodeOf) -> None:
    for name, kernel in code_of(source).items():
        (end,) = (index for index, (item, _) in enumerate(kernel) if item.operands == (hex(item.address),))
        for index, (instruction, control) in enumerate(kernel):
            if instruction.base not in NO_STALL:
                assert (control.stall == 0) is (index >= end), listed(name, instruction)
        assert {item.base for item, _ in kernel[end:]} <= {"BRA", "NOP"}, name


@pytest.mark.parametrize("source", OF_SM_90)
def test_double_precision_has_a_fixed_latency_on_sm_90(source: str, code_of: CodeOf) -> None:
    for name, instruction, control in instructions(code_of(source), DOUBLE):
        assert control.write_barrier is None, listed(name, instruction)


@pytest.mark.parametrize("source", OTHERS)
def test_double_precision_has_a_variable_latency_elsewhere(source: str, code_of: CodeOf) -> None:
    chosen = instructions(code_of(source), DOUBLE)
    for (name, instruction, control), (successor, _, later) in zip(chosen, chosen[1:] + chosen[:1], strict=True):
        # Without a barrier, the next one of the same unit, which works in order, sets it.
        in_order = instruction.base == "DFMA" and successor == name and later.write_barrier is not None
        assert control.write_barrier is not None or in_order, listed(name, instruction)


@of_every_kernel
def test_first_instruction_that_uses_a_result_of_variable_latency_waits_for_its_barrier(
    source: str, code_of: CodeOf
) -> None:
    compared = 0
    for name, kernel in code_of(source).items():
        for index, (instruction, control) in enumerate(kernel):
            if instruction.base in VARIABLE | {"SHFL", "LDS"} and control.write_barrier is not None:
                before_use = up_to_use(kernel[index + 1 :], result(instruction), opposite(instruction.predicate))
                waits = {barrier for _, of_later in before_use for barrier in of_later.waits}
                assert not before_use or control.write_barrier in waits, listed(name, instruction)
                compared += bool(before_use)
    assert compared > 1000


def result(instruction: Instruction) -> str:
    return next(filter(REGISTER.fullmatch, instruction.operands), "no register")


def opposite(predicate: str) -> str:
    """Return `@!P2` of `@P2`, and the reverse."""
    return predicate.replace("@!", "@") if "!" in predicate else predicate.replace("@", "@!")


def up_to_use(code: Code, register: str, never: str) -> Code:
    """Return the instructions up to the first that uses a register; nothing if a branch comes before it.

    Instructions with the predicate `never` do not execute together with the one that wrote the register.
    """
    for index, (instruction, _) in enumerate(code):
        if never and instruction.predicate == never:
            continue
        if any(re.search(rf"\b{register}\b", operand) for operand in instruction.operands):
            return code[: index + 1]
        if instruction.base in {"BRA", "CALL", "EXIT", "RET"}:
            break
    return ()
