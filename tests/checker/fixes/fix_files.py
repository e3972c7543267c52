"""Public fixes of races: what the first lines of their files say, and how they are checked before and after the fix."""

import re
from dataclasses import dataclass
from pathlib import Path

from shflbench.checker.file_check import check_file
from shflbench.checker.finding import Finding
from shflbench.checker.inputs.overlaps import parse_chain, parse_same
from shflbench.checker.inputs.shapes import parse_cluster, parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.races.hazards import RACES
from tests import kernels

FOLDER = Path(__file__).parent
# Files of the second one were not read before the checker was finished; those of the third one were written when all
# 36 others had the right answers.
FOLDERS = ("open", "held_out", "later")
FIXED = "FIXED"  # the macro with which a file is the code after the fix


@dataclass(frozen=True, slots=True)
class FixKernel:
    """One kernel, all of whose parameters are pointers."""

    name: str
    pointers: list[bool]  # whether the kernel only reads the buffer, by parameter


@dataclass(frozen=True, slots=True)
class FixFile:
    """One file: the verdict that it should get, the mechanism, and its launch."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """The folder and the name without its ending."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def held_out(self) -> bool:
        """Whether the checker was finished before the file was read."""
        return self.path.parent.name == FOLDERS[1]

    @property
    def before(self) -> tuple[str, str]:
        """The verdict before the fix, and what is wrong."""
        match = re.match(r"// (broken|doubtful|needs arguments): (.*)$", self.text, re.MULTILINE)
        assert match, self.path
        return match[1], match[2]

    @property
    def after(self) -> str:
        """The verdict after the fix."""
        (verdict,) = self.listed("fixed")
        return verdict

    @property
    def source(self) -> str:
        """The address of the public thread."""
        return re.split(r"[ ,]", self.listed("source")[0])[0]

    @property
    def lines(self) -> tuple[range, range | None]:
        """The lines of the statement that is reported, and of the earlier one if the file names it."""
        later, earlier = (self._marked(mark) for mark in ("later", "earlier"))
        assert later, self.path
        return later, earlier

    def _marked(self, mark: str) -> range | None:
        """Return the lines of the statement that ends with a comment, None if there is none.

        Of inline assembly in several lines, NVRTC names the first one, and nvcc that of the operands.
        """
        lines = self.text.splitlines()
        last = next((number for number, line in enumerate(lines) if line.endswith(f"// {mark}")), None)
        if last is None:
            return None
        first = last
        while "asm volatile(" not in lines[first] and not _ends_code(lines[first - 1]):
            first -= 1
        return range(first + 1, last + 2)

    def listed(self, name: str) -> list[str]:
        """Return the values of one kind of line at the top."""
        return re.findall(rf"^// {name}: (.*)", self.text, re.MULTILINE)

    @property
    def kernels(self) -> list[FixKernel]:
        """The kernels in the order of their launches; there are two if the second one depends on the first."""
        found = re.findall(r"^__global__ void (\w+)\(([^)]*)\)", self.text, re.MULTILINE)
        return [FixKernel(name, ["const" in item for item in listed.split(",")]) for name, listed in found]

    @property
    def same_buffer(self) -> tuple[int, int] | None:
        """The parameters of the first and the second kernel that are one buffer."""
        for first, second in (re.findall(r"\w+\.(\w+)", item) for item in self.listed("same")):
            places = [re.findall(rf"__global__ void {name}\(([^)]*)\)", self.text)[0] for name in self._launched()]
            (one, other) = (re.findall(r"\w+(?=\s*(?:,|$))", listed) for listed in places)
            return one.index(first), other.index(second)
        return None

    def _launched(self) -> list[str]:
        return [kernel.name for kernel in self.kernels]

    def check(self, cache: Path, *define: str) -> KernelReport:
        """Return the report on the last kernel."""
        options = FileOptions(
            compile=CompileOptions(arch=next(iter(self.listed("arch")), "sm_90"), define=define),
            compilers=Compilers(kernels.tools(), cache=cache),
            given=LaunchOptions(
                launches=tuple(map(parse_shape, self.listed("launch"))),
                cluster=next(map(parse_cluster, self.listed("cluster")), None),
                pdl=tuple(map(parse_chain, self.listed("pdl"))),
                same=tuple(map(parse_same, self.listed("same"))),
            ),
            outputs=False,
        )
        return check_file(self.path, options).kernels[-1]


def _ends_code(line: str) -> bool:
    """Whether a line ends a statement or the head of a block, or has no code."""
    code = line.partition("//")[0].strip()
    return not code or code.startswith("#") or code.endswith((";", "{", "}", ")"))


def at_the_lines(report: KernelReport, file: FixFile) -> Finding | None:
    """Return the finding of the verdict's level at the lines that the file marks, or None."""
    level = report.verdict.level
    return next((item for item in report.findings if item.level == level and _is_at(item, *file.lines)), None)


def _is_at(finding: Finding, later: range, earlier: range | None) -> bool:
    """Whether a finding has both lines; which access of a race comes first depends on the run."""
    lines = [place.line for place in (finding.place, finding.other) if place is not None]
    if earlier is None:  # the second line, if there is one, is where other threads wait
        return any(line in later for line in lines)
    pairs = (lines, lines[::-1]) if finding.kind in RACES else (lines,)
    return any(len(pair) > 1 and pair[0] in later and pair[1] in earlier for pair in pairs)


def fix_files(*folders: str) -> list[FixFile]:
    """Return the files of the folders, in the order of their names."""
    paths = [path for folder in folders for path in sorted((FOLDER / folder).glob("*.cu"))]
    return [FixFile(path, path.read_text(encoding="utf-8")) for path in paths]
