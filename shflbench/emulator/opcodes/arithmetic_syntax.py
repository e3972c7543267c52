"""The modifiers and types that PTX allows for arithmetic (PTX ISA 9.0, 9.7.1 and 9.7.3 to 9.7.5).

Decoders share code between types and would accept more: `.NaN` of a sum, `.ftz` of a double. ptxas rejects these.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from shflbench.emulator.ptx.syntax import PtxInstruction

# As the ISA writes it: `{…}` may be missing, and `|` separates what excludes one another; types come last.
_RND = "rn|rz|rm|rp"
_SUMS = (f"{{{_RND}}} {{ftz}} {{sat}} f32", f"{{{_RND}}} {{ftz}} f32x2", f"{{{_RND}}} f64")
_HALF_SUMS = ("{rn} {ftz} {sat} f16|f16x2", "{rn} bf16|bf16x2")
_ROUNDED = (f"approx|{_RND} {{ftz}} f32", f"{_RND} f64")
_SIGNS = ("{ftz} f32|f16|f16x2", "f64|bf16|bf16x2")
_EXTREMES = ("{ftz} {NaN} {xorsign} {abs} f32|f16|f16x2", "{NaN} {xorsign} {abs} bf16|bf16x2", "f64")
_APPROXIMATE = ("approx {ftz} f32",)
_SIGNED, _UNSIGNED = "s16|s32|s64", "u16|u32|u64"
_WHOLE = f"{_SIGNED}|{_UNSIGNED}"
_WHOLE_SUMS = (f"{{cc}} {_WHOLE}", "sat s32", "u16x2|s16x2")
_WHOLE_EXTREMES = (f"{_WHOLE}|u16x2|s16x2", "{relu} s16x2|s32")
_BITS = "b16|b32|b64"
SYNTAX: Mapping[str, tuple[str, ...]] = {
    "add": (*_SUMS, *_HALF_SUMS, *_WHOLE_SUMS),
    "sub": (*_SUMS, *_HALF_SUMS, *_WHOLE_SUMS),
    "mul": (*_SUMS, *_HALF_SUMS, f"lo|hi {_WHOLE}", "wide s16|s32|u16|u32"),
    "fma": (
        *(f"{_RND} {{ftz}} {{sat}} f32", f"{_RND} {{ftz}} f32x2", f"{_RND} f64"),
        *("rn {ftz} {sat|relu} f16|f16x2", "rn {relu} bf16|bf16x2"),
    ),
    "mad": (
        *(f"{_RND} {{ftz}} {{sat}} f32", f"{_RND} f64"),
        *(f"lo|hi {{cc}} {_WHOLE}", "hi {sat} s32", "wide s16|s32|u16|u32"),
    ),
    **dict.fromkeys(("mul24", "mad24"), ("lo|hi u32|s32", "hi sat s32")),
    **dict.fromkeys(("and", "or", "xor", "not"), (f"pred|{_BITS}",)),
    **dict.fromkeys(("cnot", "shl"), (_BITS,)),
    "shr": (f"{_BITS}|{_WHOLE}",),
    **dict.fromkeys(("brev", "clz", "popc"), ("b32|b64",)),
    **dict.fromkeys(("rem", "sad"), (_WHOLE,)),
    "div": (f"approx|full|{_RND} {{ftz}} f32", f"{_RND} f64", _WHOLE),
    "rcp": (*_ROUNDED, "approx ftz f64"),
    "sqrt": _ROUNDED,
    "rsqrt": (*_APPROXIMATE, "approx {ftz} f64"),
    "min": (*_EXTREMES, *_WHOLE_EXTREMES),
    "max": (*_EXTREMES, *_WHOLE_EXTREMES),
    "neg": (*_SIGNS, _SIGNED),
    "abs": (*_SIGNS, _SIGNED),
    "copysign": ("f32|f64",),
    "ex2": (*_APPROXIMATE, "approx f16|f16x2", "approx ftz bf16|bf16x2"),
    "lg2": _APPROXIMATE,
    "sin": _APPROXIMATE,
    "cos": _APPROXIMATE,
    "tanh": ("approx f32|f16|f16x2|bf16|bf16x2",),
}
_FLOATS = frozenset({"f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"})
_TYPES = _FLOATS | {*_WHOLE.split("|"), *_BITS.split("|"), "u16x2", "s16x2", "pred"}
_OF_OTHERS = frozenset({"lo", "hi", "wide", "cc", "rni", "rzi", "rmi", "rpi", "rna", "satfinite"})  # integers, `cvt`
_WORDS = frozenset({*_RND.split("|"), "ftz", "sat", "relu", "NaN", "xorsign", "abs", "approx", "full", *_OF_OTHERS})


def lacks_form(instruction: PtxInstruction) -> bool:
    """Return whether PTX has no such form of an arithmetic instruction.

    What has modifiers of other kinds, or two types, is left to the decoders.
    """
    *words, type_ = instruction.modifiers or ("",)
    if instruction.opcode not in SYNTAX or type_ not in _TYPES or not _WORDS.issuperset(words):
        return False
    return not any(_fits(form, words, type_) for form in _forms(instruction.opcode))


def _fits(form: tuple[tuple[frozenset[str], bool], ...], words: list[str], type_: str) -> bool:
    *groups, (types, _) = form
    rest = list(words)
    for group, required in groups:
        given = [word for word in rest if word in group]
        if len(given) > 1 or (required and not given):
            return False
        rest = [word for word in rest if word not in group]
    return type_ in types and not rest


@cache
def _forms(opcode: str) -> tuple[tuple[tuple[frozenset[str], bool], ...], ...]:
    """Return the groups of words of each form, with whether one word of the group is required."""
    return tuple(tuple(_groups(text)) for text in SYNTAX[opcode])


def _groups(text: str) -> Iterator[tuple[frozenset[str], bool]]:
    for part in text.split():
        yield frozenset(part.strip("{}").split("|")), not part.startswith("{")
