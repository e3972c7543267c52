"""The address of a local variable is valid for its thread only; that thread may use it in any way."""

from tests.cli.check.conftest import CheckText

SHARES = """\
__global__ void shares(int *out) {
    __shared__ int *p;
    int x[2] = {(int)threadIdx.x, (int)threadIdx.x + 1};
    if (threadIdx.x == OWNER) p = x;
    __syncthreads();
    ACCESS
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[threadIdx.x & 1];
}
"""
OWN = """\
struct List { int *values; int count; };
__device__ __noinline__ void push(List *list, int value) { list->values[list->count++] = value; }
__device__ __noinline__ int sum(const List &list) {
    int total = 0;
    for (int i = 0; i < list.count; i++) total += list.values[i];
    return total;
}
__global__ void own(int *out) {
    __shared__ int *pointers[64];
    int values[4];
    List list{values, 0};
    push(&list, threadIdx.x);
    if (threadIdx.x & 1) push(&list, 7);
    pointers[threadIdx.x] = values;
    __syncthreads();
    volatile int *mine = pointers[threadIdx.x];
    int *either = threadIdx.x & 2 ? values : out + blockIdx.x * blockDim.x + threadIdx.x;
    *either = mine[0] + 1;
    if (list.count == 1) printf("%d\\n", sum(list));
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum(list) + *either + __isLocal(values) + mine[0];
}
"""


def shares(access: str, owner: int = 0) -> str:
    return SHARES.replace("ACCESS", access).replace("OWNER", str(owner))


def test_a_read_of_another_threads_local_variable_is_broken(check_text: CheckText) -> None:
    report = check_text(shares("x[0] += *(volatile int *)(p + 1);"), "--launch", "2x64")
    assert (report.code, report.verdict, report.kinds) == (1, "broken", ["local memory of another thread"])
    (finding,) = report.kernel["findings"]
    assert (finding["line"], finding["threads"]) == (6, ["thread 1 of block 0"])
    assert finding["detail"] == "byte 4 of the local memory of thread 0 of block 0"
    assert "reads a local variable of another thread" in finding["sentence"]


def test_a_write_to_another_threads_local_variable_is_broken_without_host_code(check_text: CheckText) -> None:
    report = check_text(shares("if (threadIdx.x == 5) *(volatile int *)p = 1;", owner=3))
    assert (report.code, report.kinds) == (1, ["local memory of another thread"])
    (finding,) = report.kernel["findings"]
    assert finding["detail"] == "byte 0 of the local memory of thread 3 of block 0"
    assert "writes a local variable of another thread" in finding["sentence"]


def test_an_access_past_the_end_of_a_local_array_is_out_of_bounds(check_text: CheckText) -> None:
    report = check_text(shares("if (threadIdx.x == 0) x[0] += *(volatile int *)(p + 1000);"), "--launch", "2x64")
    assert (report.code, report.kinds) == (1, ["out of bounds"])


def test_threads_may_use_the_addresses_of_their_own_local_variables(check_text: CheckText) -> None:
    report = check_text(OWN, "--launch", "2x64")
    assert (report.code, report.verdict) == (0, "clean")
    assert report.kernel["printed"][:2] == ["0", "3"]
