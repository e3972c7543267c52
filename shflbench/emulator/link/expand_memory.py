"""Replace asynchronous copies and barriers in shared memory by loads, stores and atomics, which races know."""

from dataclasses import replace
from typing import NamedTuple

from shflbench.emulator.link.synthetic import Expansion, step
from shflbench.emulator.opcodes.mbarriers import TRANSACTIONS
from shflbench.emulator.ptx.syntax import Address, Immediate, Operand, PtxInstruction, Register, Vector


def barrier_in_memory(instruction: PtxInstruction) -> Expansion | None:
    """Return operations on a barrier in memory as accesses to the word that holds its state."""
    how = _meaning(instruction.modifiers)
    space, (order, scope) = how.space, (how.order, how.scope)
    operands, registers = list(instruction.operands), {"%state": "b64"}
    state = Register("%state")
    match how.words:
        case ["init"] if len(operands) == 2:  # noqa: PLR2004
            first = step("$mbarrier_init", state, operands[1])
            return Expansion((first, step(f"$mbarrier_store{space}", operands[0], state)), registers)
        case ["inval"]:
            # Strong, as `cuda::pipeline` ends its barriers by one lane, after a match that tells it of the others.
            return Expansion((step(f"atom.relaxed.cta{space}.exch.b64", Register("_"), operands[0], Immediate(0)),))
        case [("arrive" | "arrive_drop" | "expect_tx" | "complete_tx") as what, *rest] if set(rest) <= _ARRIVAL_WORDS:
            if operands and isinstance(operands[0], Address):  # without a result
                operands.insert(0, Register("_"))
            expects = what.endswith("_tx") or "expect_tx" in rest
            number = operands[2] if len(operands) > 2 else Immediate(1)  # noqa: PLR2004
            steps = [step("cvt.u64.u32", state, number)]
            if what == "complete_tx":
                steps.append(step("neg.s64", state, state))
            if expects:
                steps.append(step("shl.b64", state, state, Immediate(TRANSACTIONS)))
            if expects and not what.endswith("_tx"):
                steps.append(step("add.u64", state, state, Immediate(1)))
            name = "arrive_drop" if what == "arrive_drop" else "arrive"
            steps.append(step(f"$mbarrier_{name}.{order}.{scope}{space}", operands[0], operands[1], state))
            return Expansion(tuple(steps), registers)
        case [("test_wait" | "try_wait")] | [("test_wait" | "try_wait"), "parity"]:
            parity = "parity" in how.words
            test = step("$mbarrier_parity" if parity else "$mbarrier_test", operands[0], state, operands[2])
            read = step(f"$mbarrier_read.{order}.{scope}{space}", state, operands[1])
            return Expansion((read, test), registers)
        case ["pending_count"]:
            return Expansion((step("$mbarrier_pending", *operands),))
        case _:
            return None


_ARRIVAL_WORDS = {"noComplete", "expect_tx"}
_ORDERS = ("relaxed", "acquire", "release")
_SCOPES = ("cta", "cluster")


class _Meaning(NamedTuple):
    """An operation on a barrier in memory: its words, how it orders memory, and where the barrier lies."""

    words: list[str]
    order: str
    scope: str
    space: str


def _meaning(modifiers: tuple[str, ...]) -> _Meaning:
    """Return what the modifiers of `mbarrier` say, with what an omitted one means.

    Arrivals release and waits acquire, at the scope of the block, unless they say otherwise; operations that only
    count bytes are relaxed (PTX ISA 9.0, 9.7.13.15.13 to 16).
    """
    words = [word for word in modifiers if word != "b64"]
    space = ""
    if "shared" in words:
        at = words.index("shared")
        of_cluster = words[at + 1 : at + 2] == ["cluster"]
        space = ".shared.cluster" if of_cluster else ".shared"
        del words[at : at + (2 if of_cluster or words[at + 1 : at + 2] == ["cta"] else 1)]
    order = next((word for word in words if word in _ORDERS), "")
    scopes = [word for word in words if word in _SCOPES]
    words = [word for word in words if word not in {*_ORDERS, *_SCOPES}]
    usual = "acquire" if {"test_wait", "try_wait"} & set(words) else "release"
    if words[:1] in (["expect_tx"], ["complete_tx"]):
        usual = "relaxed"
    return _Meaning(words, order or usual, scopes[0] if scopes else "cta", space)


_COPY_SIZES = {4: "b32", 8: "v2.b32", 16: "v4.b32"}  # bytes → type of the access


def asynchronous_copy(instruction: PtxInstruction) -> Expansion | None:
    """Return `cp.async` of 4, 8 or 16 bytes as a load and a store that is complete after a wait."""
    words = [word for word in instruction.modifiers if word not in _COPY_HINTS]
    match words:
        case ["async", "commit_group"]:
            return Expansion((step("$copy_commit"),))
        case ["async", "wait_group"]:
            return Expansion((step("$copy_wait", *instruction.operands),))
        case ["async", "wait_all"]:
            return Expansion((step("$copy_wait_all"),))
        case ["async", "mbarrier", "arrive", *how] if set(how) <= {"noinc", "shared", "b64"}:
            return _arrival(instruction)
        case ["async", ("ca" | "cg"), "shared", "global"] if len(instruction.operands) >= 3:  # noqa: PLR2004
            return _copied(instruction)
        case _:
            return None


# The cache policy is an operand behind the sizes, and changes nothing here.
_COPY_HINTS = {"cta", "L2", "64B", "128B", "256B", "cache_hint"}


def _arrival(instruction: PtxInstruction) -> Expansion:
    """Return the arrival of earlier copies at a barrier; without `.noinc` the barrier also expects one more.

    One more arrival that is expected, and made, changes nothing but that threads may acquire from it.
    """
    space = ".shared" if "shared" in instruction.modifiers else ""
    count = Immediate(1 if "noinc" in instruction.modifiers else 0)
    arrive = step(f"$mbarrier_arrive_async.release.cta{space}", Register("_"), instruction.operands[0], count)
    return Expansion((step("$copy_deliver"), arrive))


def _copied(instruction: PtxInstruction) -> Expansion | None:
    target, source, size, *rest = instruction.operands
    if "cache_hint" in instruction.modifiers:
        rest = rest[:-1]
    count = size.value if isinstance(size, Immediate) else 0
    if count not in _COPY_SIZES or len(rest) > 1 or not isinstance(source, Address):
        return None
    words = [Register(f"%copy{number}") for number in range(count // 4)]
    registers = {word.name: "b32" for word in words}
    vector: Operand = Vector(tuple(words)) if len(words) > 1 else words[0]
    load, store = (f"{name}.{_COPY_SIZES[count]}" for name in ("$ld_async.global", "$st_async.shared"))
    steps = []
    available = rest[0] if rest else size
    if isinstance(available, Immediate) and available.value == count:
        steps.append(step(load, vector, source))
    else:  # what the source has not is filled with zeros
        whole, part = Register("%whole"), Register("%part")
        registers |= {"%whole": "pred", "%part": "pred"}
        if isinstance(available, Register) and "pred" in instruction.modifiers:
            return None
        steps += [step("mov.b32", word, Immediate(0)) for word in words]
        steps.append(step("setp.ge.u32", whole, available, Immediate(count)))
        steps.append(step(load, vector, source, guard=whole))
        for number, word in enumerate(words):
            steps.append(step("setp.gt.and.u32", part, available, Immediate(4 * number), replace(whole, negated=True)))
            piece = replace(source, offset=source.offset + 4 * number)
            steps.append(step("$ld_async.global.b32", word, piece, guard=part))
    steps.append(step(store, target, vector))
    return Expansion(tuple(steps), registers)
