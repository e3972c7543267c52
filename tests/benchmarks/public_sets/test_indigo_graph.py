"""The graph on which Indigo's kernels run: every bug must show on it."""

import struct
from collections import Counter
from itertools import islice

import pytest

from benchmarks.public_sets.arguments import read_arguments
from benchmarks.public_sets.indigo_graph import Graph, arguments, cut, glibc_random, read_egr
from shflbench.checker.inputs.grammar import BufferValue, parse_arguments

# Vertex 0 and vertex 4 have no edges; 1 → 2, 3; 2 → 1; 3 → 1, 2.
GRAPH = Graph((0, 0, 2, 3, 5, 5), (2, 3, 1, 1, 2))


def committed() -> dict[str, list[int]]:
    [run] = read_arguments("indigo").of("a.cu", "").runs
    values = {given.name: given.value for given in parse_arguments(run.args)}
    assert all(isinstance(value, BufferValue) for name, value in values.items() if name != "numv")
    return {
        name: [int(number) for number in value.fill]
        for name, value in values.items()
        if isinstance(value, BufferValue) and isinstance(value.fill, tuple)
    }


@pytest.fixture(scope="module")
def graph() -> Graph:
    arrays = committed()
    return Graph(tuple(arrays["nindex"]), tuple(arrays["nlist"]))


def test_a_file_of_type_egr_is_two_counts_and_two_arrays() -> None:
    data = struct.pack("<2i11i", 5, 5, *GRAPH.nindex, *GRAPH.nlist)
    assert read_egr(data) == GRAPH


def test_a_cut_keeps_both_ends_and_the_vertices_with_the_most_edges() -> None:
    assert cut(GRAPH, 3) == GRAPH
    assert cut(GRAPH, 2) == Graph((0, 0, 1, 2, 2), (2, 1))  # vertices 0, 1, 2 and 4


def test_random_numbers_are_those_of_glibc() -> None:
    # The numbers that rand() prints on Linux, widely known.
    assert list(islice(glibc_random(), 4)) == [1804289383, 846930886, 1681692777, 1714636915]


def test_the_committed_arrays_are_what_main_makes_of_the_graph(graph: Graph) -> None:
    [run] = read_arguments("indigo").of("a.cu", "").runs
    assert sorted(arguments(graph)) == sorted(run.args)


@pytest.mark.parametrize("chosen", [0, -1])
@pytest.mark.parametrize("upward", [False, True])
def test_two_vertices_update_the_same_cell_whichever_neighbor_a_kernel_takes(
    graph: Graph, chosen: int, *, upward: bool
) -> None:
    pushed: Counter[int] = Counter()
    for vertex in range(graph.vertices):
        neighbors = [
            other for other in graph.neighbors(vertex)[:: 1 if chosen == 0 else -1][:1] if not upward or vertex < other
        ]
        pushed.update(neighbors)
    assert pushed.total() >= 2  # atomicBug and guardBug in the families with one cell
    assert max(pushed.values()) >= 2  # atomicBug in push_node_*


def test_a_missing_check_of_the_bounds_leaves_the_arrays(graph: Graph) -> None:
    last = graph.vertices - 1
    assert graph.nindex[last] == len(graph.nlist)  # nlist[beg] of the last vertex
    assert graph.nindex[1] - 1 == -1  # nlist[end - 1] of the first vertex


def test_paths_lead_over_cells_that_other_threads_compress(graph: Graph) -> None:
    parents = committed()["data1"][: graph.vertices]
    assert sum(parent < vertex for vertex, parent in enumerate(parents)) >= 2
