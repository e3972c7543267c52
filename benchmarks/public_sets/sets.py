"""The public sets: where they come from, which of their files are kernels, and which third is held out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from benchmarks.common.runs import call
from shflbench.errors import ResultsError


class Part(StrEnum):
    """The part of a set that a file belongs to."""

    TUNING = "tuning"
    HELD_OUT = "held-out"
    SEEN = "seen"  # held out at first; its verdict was read before a rule of `check` was changed


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A repository with kernels whose truth is known."""

    name: str
    folder: str  # of the clone, in the folder of all sets
    repository: str
    commit: str
    roots: tuple[str, ...]  # folders with kernels, relative to the clone
    title: str
    source: str  # of the truth

    def files(self, sets: Path) -> Iterator[str]:
        """Yield the paths of the `.cu` files, relative to the clone; ResultsError if it is missing."""
        clone = sets / self.folder
        if not clone.is_dir():
            raise ResultsError(f"{clone} is missing", "clone it: python -m benchmarks public_sets --fetch FOLDER")
        for root in self.roots:
            yield from (path.relative_to(clone).as_posix() for path in sorted((clone / root).rglob("*.cu")))


_ALL = (
    PublicSet(
        "indigo",
        "HiRace-Artifact-SC24",
        "https://github.com/JohnJacobsonIII/HiRace-Artifact-SC24",
        "44a935f90acfe43c6178b2187ea84c9ab0c01450",
        ("indigo/indigo_sources",),
        "Indigo, the kernels of HiRace's artifact",
        "the bugs in the file names, each compared with the file without it",
    ),
    PublicSet(
        "gpuverify",
        "gpuverify",
        "https://github.com/mc-imperial/gpuverify",
        "49219770aad01231edd0d8e0fa3ed036006cf32a",
        ("testsuite/CUDA",),
        "GPUVerify's CUDA test suite",
        "read twice, independently",
    ),
    PublicSet(
        "faial",
        "faial",
        "https://github.com/elliotsayes/faial",
        "c29bf3398e35db1b8c896db0d098495feb15ac76",
        ("examples", "tutorial"),
        "Faial's examples",
        "read twice, independently",
    ),
    PublicSet(
        "cuda-samples",
        "cuda-samples",
        "https://github.com/NVIDIA/cuda-samples",
        "c94ff366aed18c797b8a85dfaac7817b0228b420",
        ("Samples",),
        "NVIDIA's cuda-samples",
        "read",
    ),
    PublicSet(
        "compute-sanitizer-samples",
        "compute-sanitizer-samples",
        "https://github.com/NVIDIA/compute-sanitizer-samples",
        "1e1fab8e25148127f5dec10210ac70b799d1c36f",
        (".",),
        "NVIDIA's compute-sanitizer-samples",
        "their own READMEs",
    ),
)
SETS: Mapping[str, PublicSet] = {public.name: public for public in _ALL}


# The verdict on this sound kernel was "broken" at chosen launches, and known when the rule on them was changed.
SEEN = frozenset({"Samples/2_Concepts_and_Techniques/reduction/reduction_kernel.cu"})


def part_of(path: str) -> Part:
    """Return the part of a file by the hash of its path: about a third is held out."""
    if path in SEEN:
        return Part.SEEN
    return Part.HELD_OUT if int(sha256(path.encode()).hexdigest(), 16) % 3 == 0 else Part.TUNING


def fetch(sets: Iterable[PublicSet], folder: Path) -> None:
    """Clone those of the sets that `folder` lacks by git, each at its commit; ResultsError if git fails."""
    for public in sets:
        clone = folder / public.folder
        if clone.exists():
            continue
        clone.mkdir(parents=True)
        # One commit without its history: a fetch by id, which GitHub allows.
        for arguments in (
            ("init", "--quiet"),
            ("fetch", "--quiet", "--depth=1", public.repository, public.commit),
            ("checkout", "--quiet", "FETCH_HEAD"),
        ):
            reply = call(["git", "-C", str(clone), *arguments], None)
            if reply.code:
                rmtree(clone)
                raise ResultsError(
                    f"git {arguments[0]} of {public.repository} failed: {reply.errors.strip()}",
                    "check the network, or clone it by hand at the commit in benchmarks/public_sets/sets.py",
                )
