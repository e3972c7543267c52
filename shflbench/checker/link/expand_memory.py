"""Replace asynchronous copies and barriers in shared memory by loads, stores and atomics, which races know."""

from dataclasses import replace

from shflbench.checker.link.synthetic import Expansion, step
from shflbench.checker.ptx.syntax import Address, Immediate, Operand, PtxInstruction, Register, Vector


def barrier_in_memory(instruction: PtxInstruction) -> Expansion | None:
    """Return operations on a barrier in memory as accesses to the word that holds its state."""
    words = [word for word in instruction.modifiers if word not in {"cta", "b64", "relaxed", "acquire", "release"}]
    space = ".shared" if "shared" in words else ""
    words = [word for word in words if word != "shared"]
    operands, registers = list(instruction.operands), {"%state": "b64"}
    state = Register("%state")
    match words:
        case ["init"] if len(operands) == 2:  # noqa: PLR2004
            return Expansion(
                (step("$mbarrier_init", state, operands[1]), step(f"st{space}.b64", operands[0], state)), registers
            )
        case ["inval"]:
            # Strong, as `cuda::pipeline` ends its barriers by one lane, after a match that tells it of the others.
            return Expansion((step(f"atom.relaxed.cta{space}.exch.b64", Register("_"), operands[0], Immediate(0)),))
        case [("arrive" | "arrive_drop") as how] | [("arrive" | "arrive_drop") as how, "noComplete"]:
            if operands and isinstance(operands[0], Address):  # without a result
                operands.insert(0, Register("_"))
            arrive = f"$mbarrier_{how}{space}"
            count = operands[2] if len(operands) > 2 else Immediate(1)  # noqa: PLR2004
            widened = step("cvt.u64.u32", state, count)
            return Expansion((widened, step(arrive, operands[0], operands[1], state)), registers)
        case [("test_wait" | "try_wait")] | [("test_wait" | "try_wait"), "parity"]:
            parity = "parity" in words
            test = step("$mbarrier_parity" if parity else "$mbarrier_test", operands[0], state, operands[2])
            return Expansion((step(f"ld.acquire.cta{space}.b64", state, operands[1]), test), registers)
        case ["pending_count"]:
            return Expansion((step("$mbarrier_pending", *operands),))
        case _:
            return None


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
    arrive = step(f"$mbarrier_arrive_async{space}", Register("_"), instruction.operands[0], count)
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
