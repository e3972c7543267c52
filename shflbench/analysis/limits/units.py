"""The units of an SM, and which of them executes an instruction.

Sources: CUDA Binary Utilities 13, section "Instruction Set Reference" (the opcodes and their groups); the tables of
`shflbench.core.arch` (the rates); Nsight Compute, section "Pipelines" (IDP, a dot product of bytes, runs on the unit of
IMAD). An opcode that the documents do not assign to one unit occupies an issue slot only, so that a limit stays a lower
bound: VIADD, for example, runs faster on an H200 than the documented rate of integer additions (`vote/vote`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shflbench.core.model import Instruction


class ExecutionUnit(StrEnum):
    """A part of an SM that executes instructions."""

    EXCHANGE = "exchange"  # shuffles, and requests to shared memory
    BARRIER = "barrier"
    VOTE = "vote"
    REDUX = "redux"
    MATCH = "match"
    GLOBAL = "global memory"
    LOCAL = "local memory"
    FP32 = "fp32"  # and integer multiplication
    FP64 = "fp64"
    HALF2 = "half2"
    INTEGER = "integer"
    SPECIAL = "special"
    CONVERSION = "conversion"
    UNIFORM = "uniform"
    CLUSTER_BARRIER = "cluster barrier"
    MBARRIER = "mbarrier"
    CLUSTER_STORE = "cluster store"  # asynchronous, to the shared memory of another block
    BULK_COPY = "bulk copy"
    MATRIX = "matrix"  # products and transpositions of matrices
    OTHER = "other"  # control flow, copies, and what no document assigns to a unit: an issue slot


# Nobody has published how many of these an SM executes per clock: they take an issue slot, and a limit says that it
# leaves the rest out.
UNPUBLISHED = frozenset(
    {
        ExecutionUnit.CLUSTER_BARRIER,
        ExecutionUnit.MBARRIER,
        ExecutionUnit.CLUSTER_STORE,
        ExecutionUnit.BULK_COPY,
        ExecutionUnit.MATRIX,  # but for the peak rate of large products
    }
)
MATRICES = {"LDSM": "LDS", "STSM": "STS"}  # accesses of 128 bits per row of a matrix, whose address one lane passes
_OPCODES: dict[ExecutionUnit, str] = {
    ExecutionUnit.EXCHANGE: "SHFL LDS STS LDSM STSM ATOMS ATOMSG",
    ExecutionUnit.BARRIER: "BAR BARRIER",
    ExecutionUnit.VOTE: "VOTE VOTEU",
    ExecutionUnit.REDUX: "REDUX",
    ExecutionUnit.MATCH: "MATCH",
    ExecutionUnit.GLOBAL: "LDG STG LD ST ATOM ATOMG RED REDG LDGSTS",
    ExecutionUnit.LOCAL: "LDL STL",
    ExecutionUnit.FP32: "FADD FMUL FFMA IMAD IMUL IDP FADD32I FMUL32I FFMA32I FADD2 FMUL2 FFMA2",
    ExecutionUnit.FP64: "DADD DMUL DFMA DSETP",
    ExecutionUnit.HALF2: "HADD2 HMUL2 HFMA2",
    ExecutionUnit.INTEGER: (
        "IADD3 IADD LEA LOP3 LOP SHF ISETP SEL FSEL FSETP FMNMX FMNMX3 IMNMX VIMNMX VIMNMX3 VIADDMNMX PRMT SGXT"
        " BMSK VABSDIFF IABS"
    ),
    ExecutionUnit.SPECIAL: "MUFU",
    ExecutionUnit.CONVERSION: "F2I I2F F2F FRND",
    ExecutionUnit.UNIFORM: (
        "UIADD3 UVIADD UIMAD UISETP ULDC LDCU ULEA ULOP3 ULOP UMOV UPLOP3 UPOPC UPRMT USEL USGXT USHF UFLO UBREV UBMSK"
        " UP2UR UR2UP UVIMNMX R2UR S2UR UCLEA UIABS UFADD UFMUL UFFMA UFSEL UFSETP UF2F UF2I UI2F CREDUX"
    ),
    ExecutionUnit.CLUSTER_BARRIER: "UCGABAR_ARV UCGABAR_WAIT",
    ExecutionUnit.MBARRIER: "SYNCS",
    ExecutionUnit.CLUSTER_STORE: "STAS REDAS",
    ExecutionUnit.BULK_COPY: "UBLKCP UBLKRED UBLKPF",
    ExecutionUnit.MATRIX: "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA MOVM",
    ExecutionUnit.OTHER: (
        "BRA BRX JMP JMX CALL RET EXIT KILL BSSY BSYNC BREAK BMOV NOP NANOSLEEP YIELD WARPSYNC WARPGROUP ENDCOLLECTIVE"
        " DEPBAR LDGDEPBAR ERRBAR CGAERRBAR MEMBAR CCTL CCTLL FENCE MOV CS2R S2R LDC P2R R2P VIADD PLOP3 PSETP POPC"
        " FLO BREV I2FP F2FP"
        " I2I I2IP HSETP2 HSET2 HMNMX2 ELECT ACQBULK PREEXIT R2B B2R RPCMOV LEPC FCHK FSWZADD GETLMEMBASE QSPC"
    ),
}
_UNIT_OF = {opcode: unit for unit, opcodes in _OPCODES.items() for opcode in opcodes.split()}


def unit_of(instruction: Instruction) -> ExecutionUnit | None:
    """Return the unit that executes an instruction; None if the opcode is not known."""
    return _UNIT_OF.get(instruction.base)


def waits_for_l2(instruction: Instruction) -> bool:
    """Whether the result of an instruction comes from L2 or beyond, whatever L1 holds.

    L1 is not coherent across SMs, so a load that observes the other SMs (`ld.cg`, `ld.relaxed.gpu`, `ld.volatile`) does
    not use it, and atomics on global memory are performed in L2. Source: PTX ISA, Cache Operators; on an H200, loads
    with `.STRONG.GPU` take 331 clocks where others take 40 (`memory-ladder`). LD and ATOM may access shared memory, and
    `LDG.E.SYS` of sm_75 is a weak load.
    """
    base = instruction.base
    if base == "LDG":
        return ".STRONG.GPU" in instruction.opcode or ".STRONG.SYS" in instruction.opcode
    return base == "ATOMG"


def least_passes(instruction: Instruction) -> int:
    """Return the smallest number of passes through the banks of shared memory that a full warp's request takes.

    A store of 64 or 128 bits per lane moves 2 or 4 times the width of the banks. A load takes half of that if all lanes
    read one address: `LDS.128` took 2 passes on an H200 (`vote`, smem-syncwarp).
    """
    if instruction.base in MATRICES:
        return matrices(instruction)
    size = 4 if ".128" in instruction.opcode else 2 if ".64" in instruction.opcode else 1
    return max(1, size // 2) if instruction.base == "LDS" else size


def matrices(instruction: Instruction) -> int:
    """Return the number of matrices of 8x8 elements that LDSM or STSM moves, each in a pass of its own or more."""
    return next((number for number in (4, 2) if instruction.opcode.endswith(f".{number}")), 1)
