"""The test kernels of `check`: sound ones, and ones with a planted fault, in tests/checker/kernels."""

import re
from dataclasses import dataclass
from pathlib import Path

Dimensions = tuple[int, int, int]

KERNELS = Path(__file__).parent / "kernels"
OF_CLUSTERS = {"bulk", "clusters", "public"}  # folders of kernels that no GPU has run


@dataclass(frozen=True, slots=True)
class PlantedKernel:
    """One file: a kernel `k`, what is wrong with it, and its launch."""

    file: Path
    text: str

    @property
    def name(self) -> str:
        """Folder and file, e.g. `algorithms/warp_scan`."""
        return f"{self.file.parent.name}/{self.file.stem}"

    @property
    def verdict(self) -> str:
        """The right verdict: `sound`, `doubtful` or `broken`."""
        return self._head[1]

    @property
    def fault(self) -> str:
        """The kind of the planted fault; empty for a sound kernel."""
        return self._head[2] or ""

    @property
    def _head(self) -> re.Match[str]:
        match = re.match(r"// (sound|doubtful|broken)(?:: (\w+))?$", self.text, re.MULTILINE)
        assert match, self.file
        return match

    @property
    def launch(self) -> str:
        """The launch, as `--launch` takes it."""
        match = re.search(r"^// launch: (\S+)", self.text, re.MULTILINE)
        assert match, self.file
        return match[1]

    @property
    def cluster(self) -> Dimensions | None:
        """The blocks of a cluster, None for a launch without clusters."""
        match = re.search(r"^// launch: \S+ in clusters of (\d+)$", self.text, re.MULTILINE)
        return (int(match[1]), 1, 1) if match else None

    @property
    def grid(self) -> Dimensions:
        """The blocks in each dimension."""
        return _dimensions(self.launch.partition(":")[0] if ":" in self.launch else self.launch.partition("x")[0])

    @property
    def block(self) -> Dimensions:
        """The threads of a block in each dimension."""
        return _dimensions(self.launch.partition(":")[2] if ":" in self.launch else self.launch.partition("x")[2])

    @property
    def program(self) -> str:
        """The text with the size of its clusters, so that any launch has them."""
        if self.cluster is None:
            return self.text
        return self.text.replace("__global__ void k(", f"__global__ void __cluster_dims__{self.cluster} k(", 1)

    @property
    def buffers(self) -> int:
        """The number of pointers among the parameters; there are no others."""
        match = re.search(r"\bk\s*\(([^)]*)\)", self.text)
        assert match, self.file
        return match[1].count("*")

    @property
    def hangs(self) -> bool:
        """Whether the kernel would not end on a GPU."""
        return re.search(r"^// hangs", self.text, re.MULTILINE) is not None

    @property
    def cooperative(self) -> bool:
        """Whether all blocks must be resident, because they wait for one another."""
        return "this_grid" in self.text or re.search(r"^// cooperative", self.text, re.MULTILINE) is not None


def planted_kernels() -> list[PlantedKernel]:
    """Return the test kernels that GPUs have run, in the order of their names."""
    return [kernel for kernel in _every_kernel() if kernel.file.parent.name not in OF_CLUSTERS]


def kernels_of_clusters() -> list[PlantedKernel]:
    """Return the test kernels of clusters and bulk copies."""
    return [kernel for kernel in _every_kernel() if kernel.file.parent.name in OF_CLUSTERS]


def _every_kernel() -> list[PlantedKernel]:
    return [PlantedKernel(file, file.read_text(encoding="utf-8")) for file in sorted(KERNELS.glob("*/*.cu"))]


def _dimensions(text: str) -> Dimensions:
    x, y, z = (*map(int, text.split("x")), 1, 1)[:3]
    return x, y, z
