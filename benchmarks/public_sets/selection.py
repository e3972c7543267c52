"""Choose the files of a set that count, and plan jobs: CUDA C++ with a kernel, a legal launch, no excluded feature.

Rules find most exclusions in the text. `exclusions.tsv` lists those that take a compiler or a reader to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.records import read_table
from benchmarks.public_sets.arguments import MAX_BLOCK, arguments_of, header_block, read_arguments
from benchmarks.public_sets.job import Job
from benchmarks.public_sets.sets import Part, PublicSet, part_of
from benchmarks.public_sets.truth import Truth, read_truth

TABLE = Path(__file__).with_name("exclusions.tsv")
# GPUVerify's and Faial's annotations, which no CUDA compiler knows.
_DIALECT = (
    r"__(?:requires\w*|ensures|(?:global_|function_wide_)?invariant|assume|assert|axiom|enabled|implies|distinct_\w+"
    r"|uniform_\w+|other_\w+|no_(?:read|write)|(?:read|write)_(?:implies|offset_bytes)|return_val\w*|ptr_offset_bytes)\s*\("
)
_TEXTURES = r"\b(?:texture\s*<|tex[123]D\w*\s*[(<]|surf[123]D\w*\s*[(<]|cudaTextureObject_t|cudaSurfaceObject_t)"
_RULES = {
    "a prover's dialect": re.compile(_DIALECT),
    "textures or surfaces": re.compile(_TEXTURES),
    "WMMA": re.compile(r"\b(?:nvcuda::)?wmma::|#\s*include\s*<mma\.h>"),
    "graphics": re.compile(r"\bcudaGraphics\w+|#\s*include\s*[<\"](?:GL/|helper_gl|d3d|vulkan)"),
}
_KERNEL = re.compile(r"\b__global__\b")
_DEVICE_LAUNCH = re.compile(r"<<<")
# `__device__ int f(int);` without a body.
_DECLARATION = re.compile(r"\b__device__\s+(?:[\w:*&<>]+\s+)*?[\w:*&<>]+[\s*&]+(\w+)\s*\(([^()]*)\)\s*;")
_HEADER_NAMES = (
    ("cooperative groups without their header", re.compile(r"\bcooperative_groups\b"), "cooperative_groups"),
    ("cuRAND without its header", re.compile(r"\bcurand\w*"), "curand"),
)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a file does not count."""

    rule: str  # a few words, the same for all files of one kind
    detail: str


def exclusion_of(path: str, text: str, table: Mapping[str, Exclusion]) -> Exclusion | None:
    """Return why a file with this text does not count, None if it does."""
    return table.get(path) or next(_exclusions(compiled_text(text)), None) or _illegal_launch(text)


def _exclusions(code: str) -> Iterator[Exclusion]:
    if not _KERNEL.search(code):
        yield Exclusion("no kernel", "no __global__ function")
    for name, pattern in _RULES.items():
        if match := pattern.search(code):
            yield Exclusion(name, match[0].rstrip(" (<"))
    if launch := device_launch(code):
        yield Exclusion("dynamic parallelism", launch)
    for name, pattern, header in _HEADER_NAMES:
        if pattern.search(code) and not re.search(rf"#\s*include\s*[<\"][^>\"]*{header}", code):
            yield Exclusion("not CUDA C++", f"uses {name}, which only the prover's own cuda.h declares")
    if missing := _without_body(code):
        yield Exclusion("no legal launch", f"cannot be linked: `{missing}` is called and has no body")


def _illegal_launch(text: str) -> Exclusion | None:
    """Return an exclusion if the launch in the header comment, the only one of such a file, is not legal."""
    block = header_block(text) or 0
    too_large = block > MAX_BLOCK
    return Exclusion("no legal launch", f"blocks of {block} threads; a GPU runs {MAX_BLOCK}") if too_large else None


def compiled_text(text: str) -> str:
    """Return the text without comments, and without the parts that only FORCE_FAIL turns on."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"#\s*ifdef\s+FORCE_FAIL\b.*?#\s*endif", "", code, flags=re.DOTALL)


def device_launch(code: str) -> str:
    """Return the launch that stands inside a `__global__` or `__device__` function, empty if there is none."""
    for match in re.finditer(r"\b__(?:global|device)__\b[^;{}]*\{", code):
        depth, end = 1, match.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        if launch := _DEVICE_LAUNCH.search(code, match.end(), end):
            return code[code.rfind("\n", 0, launch.start()) + 1 : launch.end()].strip()
    return ""


def _without_body(code: str) -> str:
    """Return the first device function that is called and has no body, empty if there is none."""
    for match in _DECLARATION.finditer(code):
        name = match[1]
        defined = re.search(rf"\b{name}\s*\([^()]*\)\s*(?:const\s*)?(?:__attribute__\s*\(\(.*?\)\)\s*)?\{{", code)
        called = len(re.findall(rf"\b{name}\s*\(", code)) > len(
            [other for other in _DECLARATION.finditer(code) if other[1] == name]
        )
        if called and not defined:
            return name
    return ""


def read_exclusions(name: str, table: Path = TABLE) -> dict[str, Exclusion]:
    """Return the exclusions that are listed for the set `name`, by path."""
    rows = read_table(table)
    return {row["path"]: Exclusion(row["rule"], row["detail"]) for row in rows if row["set"] == name}


@dataclass(frozen=True, slots=True)
class SetPlan:
    """The files of one set, by path: those that count, and those that are excluded."""

    public: PublicSet
    truths: Mapping[str, Truth]
    jobs: Mapping[str, Job]
    excluded: Mapping[str, Exclusion]


def plan(public: PublicSet, sets: Path, *, parts: set[Part], nvcc: bool = True) -> SetPlan:
    """Return what to do for the files of a set in `parts`.

    Raises ResultsError if the set is not in the folder `sets`, or the truth about a file is missing.
    """
    clone = sets / public.folder
    paths = [path for path in public.files(sets) if part_of(path) in parts]
    texts = {path: (clone / path).read_text(encoding="utf-8", errors="replace") for path in paths}
    listed = read_exclusions(public.name)
    reasons = {path: exclusion_of(path, text, listed) for path, text in texts.items()}
    counted = {path: text for path, text in texts.items() if not reasons[path]}
    entries = read_arguments(public.name)
    jobs = {}
    for path, text in counted.items():
        options = arguments_of(path, text, entries)
        jobs[path] = Job(str(clone), path, options.runs, options.defines, options.includes, nvcc)
    excluded = {path: exclusion for path, exclusion in reasons.items() if exclusion}
    return SetPlan(public, read_truth(public.name, list(counted)), jobs, excluded)
