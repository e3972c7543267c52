"""Cut a small graph out of one of Indigo's inputs, and make the arrays that Indigo's `main` makes of it.

    python -m benchmarks.public_sets.indigo_graph HiRace-Artifact-SC24/indigo/input/DAG_100n_200e.egr

prints the arguments in `arguments/indigo.toml`. The first and the last vertex of this graph have no edges, as
a bug in the bounds needs. Kept are these two and the vertices with the most edges, with the edges between them.
"""

from __future__ import annotations

import struct
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEPT = 18  # vertices with the most edges: they have 28 edges among them, and every bug shows


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph in CSR form: the neighbors of vertex v are nlist[nindex[v]:nindex[v + 1]]."""

    nindex: tuple[int, ...]
    nlist: tuple[int, ...]

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return len(self.nindex) - 1

    def neighbors(self, vertex: int) -> tuple[int, ...]:
        """Return the neighbors of a vertex."""
        return self.nlist[self.nindex[vertex] : self.nindex[vertex + 1]]


def read_egr(data: bytes) -> Graph:
    """Return the graph in a file of type .egr (`readECLgraph` in indigo_cuda.h): two counts, then two int arrays."""
    vertices, edges = struct.unpack_from("<2i", data)
    numbers = struct.unpack_from(f"<{vertices + 1 + edges}i", data, 8)
    return Graph(numbers[: vertices + 1], numbers[vertices + 1 :])


def cut(graph: Graph, kept: int) -> Graph:
    """Return the subgraph of the first and last vertex and the `kept` vertices with the most edges, renumbered."""
    degree = Counter(graph.nlist)
    degree.update({vertex: len(graph.neighbors(vertex)) for vertex in range(graph.vertices)})
    most = sorted(range(1, graph.vertices - 1), key=lambda vertex: (-degree[vertex], vertex))[:kept]
    numbers = {old: new for new, old in enumerate(sorted({0, *most, graph.vertices - 1}))}
    nindex, nlist = [0], []
    for vertex in numbers:
        nlist += [numbers[other] for other in graph.neighbors(vertex) if other in numbers]
        nindex.append(len(nlist))
    return Graph(tuple(nindex), tuple(nlist))


def glibc_random() -> Iterator[int]:
    """Yield the numbers of rand() in glibc without srand: additive feedback, r[i] = r[i - 3] + r[i - 31]."""
    state = [1]
    for _ in range(30):
        state.append(16807 * state[-1] % 2147483647)
    state += state[:3]
    for i in range(34, 344):
        state.append((state[i - 31] + state[i - 3]) % 2**32)
    while True:
        state.append((state[-31] + state[-3]) % 2**32)
        yield state[-1] >> 1


def arguments(graph: Graph) -> list[str]:
    """Return the arguments of `check` as `main` in indigo_cuda.h makes them."""
    vertices, edges = graph.vertices, max(len(graph.nlist), 1)
    random = glibc_random()
    size = max(vertices, edges)
    data1 = [0, *(next(random) % vertices for _ in range(size - 1))]
    data2 = [0, *(next(random) % edges for _ in range(size - 1))]
    arrays = {"nindex": graph.nindex, "nlist": graph.nlist, "data1": data1, "data2": data2}
    return [*(_argument(name, values) for name, values in arrays.items()), f"numv={vertices}"]


def _argument(name: str, values: Sequence[int]) -> str:
    return f"{name}=i32[{len(values)}]:{','.join(map(str, values))}"


if __name__ == "__main__":
    print(*arguments(cut(read_egr(Path(sys.argv[1]).read_bytes()), KEPT)), sep="\n")
