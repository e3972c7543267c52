"""Damaged kernel files: every number gives one mutant of a real file, with options, and always the same.

Half of the mutants are CUDA C++, half PTX: of NVRTC, Triton and Numba. A mutant has one to four changes, from a single
byte to a file without end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from zipfile import ZipFile

from shflbench.compile.nvrtc import ptx_by_kernel

ROOT = Path(__file__).resolve().parent.parent
CUDA = ROOT / "tests" / "checker" / "kernels"
FRAMEWORKS = ROOT / "tests" / "data" / "frameworks"
PTX = ROOT / "tests" / "emulator" / "ptx.zip"
PATTERNS = ROOT / "shflbench" / "patterns"
MOST_PTX = 30_000  # characters of an original: larger ones only take longer
MOST_CHANGES = 4
SUFFIXES = (".cu", ".ptx")

TOKEN = re.compile(r"[%$.]?\w+|\S")
NUMBER = re.compile(r"(?<![\w.%$])-?\d+(?:\.\d+)?|0[xXfFdD][0-9a-fA-F]+")
WORD = re.compile(r"[A-Za-z_]\w*")
REGISTER = re.compile(r"%\w+")


def _parts(text: str) -> list[str]:
    return text.split()


NUMBERS = _parts(
    "-1 0 1 3 7 31 33 255 257 4096 65536 2147483647 2147483648 -2147483648 4294967296 268435456 99999999999 "
    "18446744073709551616 -9223372036854775809 1e30 -0.0 0x 08 1u 0f7FC00000 "
    "999999999999999999999999999999999999999999999999999999999999 "
)
OPCODES = _parts(
    "mov add sub mul mad fma shl shr setp selp ld st atom red bar barrier shfl vote match call bra brx ret "
    "exit trap cvt cvta ldmatrix mma wgmma cp.async mbarrier.init membar fence activemask nanosleep tex suld "
    "lop3 prmt bfe dp4a elect setmaxnreg griddepcontrol stmatrix red.async createpolicy isspacep alloca "
    "stacksave discard nosuchthing "
)
TYPES = _parts(
    ".b1 .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s32 .s64 .f16 .f16x2 .bf16 .f32 .f64 .pred .e4m3x2 "
)
SPACES = _parts(".global .shared .local .const .param .shared::cluster .tex .volatile .relaxed.gpu .acquire.cta .sys ")
CUDA_WORDS = _parts(
    "int float double char bool void long unsigned const volatile extern static __shared__ __device__ "
    "__global__ __constant__ __host__ __restrict__ __launch_bounds__ __syncthreads __syncwarp __shfl_sync if "
    "else for while do switch case break return goto template typename struct class union namespace using "
    'operator asm new delete sizeof this auto lambda #define #include #if #endif #pragma R"( /* */ // \\ <<< '
    ">>> ?? :: "
)
ODD_BYTES = (
    b"\0",
    b"\xff\xfe",
    b"\x80",
    b"\xc3\x28",
    b"\r",
    b"\x1b[31m",
    "é\uff0b🦀\u202e\u2028".encode(),
    b"\x0c",
    b"\\\n",
)
LAUNCHES = _parts(
    "1x32 2x64 1:8x8 1:4x4x2 3x48 2x2:8x4 1x1 1x1024 1x2048 0x32 4 x 4y256 -1x32 1x-1 1x2x3x4 1:2x2x2x2 "
    "99999999999x1 2147483647x1024 1:: 4x256: \uff14x\uff12 1.5x32 1e2x32 "
)
ARGUMENTS = _parts(
    "in=f32[64] out=i32[1] n=5 n=-1 n=1e99 n=nan x=3 in=null out=null 0=f32[32] 1=7 in=i8[3]:index "
    "in=u64[9]:1,2 n =3 n= in=f32[-1] in=f32[1e9] in=f32[] in=f33[4] in=f32[4]:7,x in=missing.npy "
    "in=f32[99999999999999] in=u8[4]:300 a.b=1 out=bool[8]:0 n=0x10 n=18446744073709551616 in=f16[64] \x00=1 "
)
FORMATS = ("json", "json", "json", "table", "github", "sarif")


@dataclass(frozen=True, slots=True)
class Mutant:
    """The name and the content of a damaged file, and the options to check it with."""

    name: str
    content: bytes
    words: tuple[str, ...]


def suffix_of(number: int) -> str:
    """Return the suffix of a mutant's name."""
    return SUFFIXES[number % 2]


def mutant(seed: int, number: int) -> Mutant:
    """Return the mutant of a number: CUDA C++ for even numbers, PTX for odd ones."""
    random = Random(f"{seed}:{number}")  # noqa: S311  (no cryptography)
    texts = _ptx_texts() if number % 2 else _cuda_texts()
    text = random.choice(texts)
    for _ in range(random.randint(1, MOST_CHANGES)):
        text = random.choice(_CHANGES)(text, random, texts)
    content = text.encode("utf-8", errors="surrogateescape")
    if random.random() < 0.15:  # noqa: PLR2004
        content = _odd_bytes(content, random)
    return Mutant(f"m{number}{suffix_of(number)}", content, _words(random))


@cache
def _cuda_texts() -> list[str]:
    files = [*sorted(CUDA.rglob("*.cu")), *sorted(PATTERNS.rglob("*.cuh"))]
    return [file.read_text(encoding="utf-8") for file in files]


@cache
def _ptx_texts() -> list[str]:
    """Return PTX of one kernel each: a file with many takes their times together."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(FRAMEWORKS.glob("*.ptx"))]
    with ZipFile(PTX) as archive:
        names = [name for name in archive.namelist() if name.endswith(".ptx")]
        texts += [part for name in names for part in ptx_by_kernel(archive.read(name).decode()).values()]
    return [text for text in texts if len(text) <= MOST_PTX]


def _words(random: Random) -> tuple[str, ...]:
    words = ["--format", random.choice(FORMATS), "--launch"]
    words.append(random.choice(LAUNCHES) if random.random() < 0.15 else random.choice(LAUNCHES[:6]))  # noqa: PLR2004
    for option, values in (
        ("--arg", ARGUMENTS),
        ("--shared", ("0", "1024", "232448", "99999999999")),
        ("--seed", "37"),
    ):
        if random.random() < 0.1:  # noqa: PLR2004
            words += [option, random.choice(values)]
    return tuple(words)


def _truncated(text: str, random: Random, _: list[str]) -> str:
    return text[: random.randrange(len(text) + 1)]


def _without_beginning(text: str, random: Random, _: list[str]) -> str:
    return text[random.randrange(len(text) + 1) :]


def _lines_changed(text: str, random: Random, _: list[str]) -> str:
    """Delete, repeat or swap lines."""
    lines = text.split("\n")
    for _unused in range(random.randint(1, 3)):
        a, b = random.randrange(len(lines)), random.randrange(len(lines))
        match random.randrange(3):
            case 0:
                lines[a] = ""
            case 1:
                lines.insert(a, lines[b])
            case _:
                lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def _tokens_changed(text: str, random: Random, _: list[str]) -> str:
    """Delete, repeat or swap tokens."""
    places = list(TOKEN.finditer(text))
    for _unused in range(random.randint(1, 3)):
        if not places:
            return text
        a, b = random.choice(places), random.choice(places)
        text = text[: a.start()] + random.choice(("", f"{a[0]} {a[0]}", b[0])) + text[a.end() :]
        places = list(TOKEN.finditer(text))
    return text


def _replaced(pattern: re.Pattern[str], values: list[str], text: str, random: Random) -> str:
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + random.choice(values) + text[place.end() :]


def _number(text: str, random: Random, _: list[str]) -> str:
    return _replaced(NUMBER, NUMBERS, text, random)


def _word(text: str, random: Random, _: list[str]) -> str:
    """Replace an opcode, a type, a space, a keyword or a name."""
    if ".version" in text:
        pattern, values = random.choice(
            (
                (re.compile(r"(?m)(?<=^\t)[a-z][\w.:]*"), OPCODES),
                (re.compile(r"\.[a-z]+\d+(?:x\d)?\b"), TYPES),
                (re.compile(r"\.(?:global|shared|local|const|param)\b"), SPACES),
            )
        )
    else:
        pattern, values = WORD, CUDA_WORDS
    return _replaced(pattern, values, text, random)


def _name(text: str, random: Random, _: list[str]) -> str:
    """Replace a register or a name by another one of the file."""
    pattern = REGISTER if ".version" in text else WORD
    names = pattern.findall(text)
    return _replaced(pattern, names, text, random) if names else text


def _braces(text: str, random: Random, _: list[str]) -> str:
    match random.randrange(3):
        case 0:
            return text.translate(str.maketrans("{}", "}{"))
        case 1:
            return _replaced(re.compile(r"[(){}\[\];,<>\"]"), list("(){}[];,<>\"'"), text, random)
        case _:
            at = random.randrange(len(text) + 1)
            return text[:at] + random.choice('({[<"') * random.choice((1, 50, 3000)) + text[at:]


def _long_line(text: str, random: Random, _: list[str]) -> str:
    at = random.randrange(len(text) + 1)
    inserted = random.choice(("x", " ", "+1", ", %r1", "0", "//", "-", "*", "."))
    return text[:at] + inserted * random.choice((200, 5_000, 100_000)) + text[at:]


def _spliced(text: str, random: Random, texts: list[str]) -> str:
    """Insert a part of another file."""
    other = random.choice(texts)
    begin = random.randrange(len(other) + 1)
    at = random.randrange(len(text) + 1)
    return text[:at] + other[begin : begin + random.randint(1, 400)] + text[at:]


_CHANGES = (
    _truncated,
    _without_beginning,
    *(_lines_changed, _tokens_changed, _number, _word, _name) * 3,
    _braces,
    _long_line,
    _spliced,
)


def _odd_bytes(content: bytes, random: Random) -> bytes:
    if random.random() < 0.2:  # noqa: PLR2004
        return random.randbytes(random.choice((1, 20, 2_000)))
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(content) + 1)
        inserted = random.choice((*ODD_BYTES, random.randbytes(3)))
        content = content[:at] + inserted + content[at + random.choice((0, len(inserted))) :]
    return content
