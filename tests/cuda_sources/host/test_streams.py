"""Launches of the host code that may overlap the ones before them in their stream."""

import pytest

from tests.cuda_sources.conftest import Parse

FILE = """
template <typename... Types, typename... Given>
void launch(cudaLaunchConfig_t config, void (*kernel)(Types...), Given &&...given) {
    cudaLaunchKernelEx(&config, kernel, std::forward<Given>(given)...);
}
__global__ void first(float *p) { p[0] = 1; }
__global__ void second(float *p, int n) { p[n] = 1; }
template <typename T> __global__ void third(T *p) { p[0] = 1; }
int main() {
    float *p; cudaMalloc(&p, 4096);
    cudaStream_t one, other; cudaStreamCreate(&one); cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeCooperative; attributes[0].val.cooperative = 0;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {}; config.gridDim = 4; config.blockDim = 64; config.stream = one;
    config.attrs = attributes; config.numAttrs = 2;
    BODY
}
"""
PAIR = "first<<<4, 64, 0, one>>>(p); BETWEEN cudaLaunchKernelEx(&config, second, p, 3);"


def chains(parse: Parse, body: str) -> list[list[str]]:
    """Return the kernels of the chains."""
    return [[item.kernel for item in chain.launches] for chain in parse(FILE.replace("BODY", body)).chains]


def test_a_launch_with_the_attribute_overlaps_the_one_before(parse: Parse) -> None:
    (chain,) = parse(FILE.replace("BODY", PAIR.replace("BETWEEN", ""))).chains
    assert [(item.kernel, item.is_dependent) for item in chain.launches] == [("first", False), ("second", True)]
    before, after = (item.launch for item in chain.launches)
    assert (after.grid, after.block, after.arguments[1].value) == ((4, 1, 1), (64, 1, 1), 3)
    assert before.arguments[0].buffer is not None
    assert after.arguments[0].buffer is not None
    assert before.arguments[0].buffer.allocation == after.arguments[0].buffer.allocation


@pytest.mark.parametrize(
    "between",
    [
        "cudaDeviceSynchronize();",
        "cudaStreamSynchronize(one);",
        "cudaMemsetAsync(p, 0, 4, one);",
        "cudaMemcpyAsync(p, p + 8, 4, cudaMemcpyDeviceToDevice, one);",
        "cudaMemset(p, 0, 4);",
        "cudaStreamWaitEvent(one, event, 0);",
        "cudaLaunchHostFunc(one, function, p);",
        "cudaMemset2DAsync(p, 4, 0, 4, 4, one);",
        "cudaMemcpy3DAsync(&copy, one);",
        "cudaMemcpyPeerAsync(p, 0, p + 8, 1, 4, one);",
        "cudaFree(p);",
        "attributes[1].val.programmaticStreamSerializationAllowed = 0;",
        "config.numAttrs = 1;",
        "config.attrs = nullptr;",
        "config.stream = other;",
        "config.stream = 0;",
    ],
)
def test_nothing_overlaps_what_has_ended_or_runs_in_another_stream(parse: Parse, between: str) -> None:
    assert chains(parse, PAIR.replace("BETWEEN", between)) == []


@pytest.mark.parametrize(
    "between",
    [
        "cudaEventRecord(event, one);",
        "cudaStreamSynchronize(other);",
        "cudaMemsetAsync(p, 0, 4, other);",
        "first<<<1, 32, 0, other>>>(p);",
        "check(cudaGetLastError());",
        "attributes[1].val.programmaticStreamSerializationAllowed = is_enabled();",
    ],
)
def test_work_of_other_streams_and_events_end_no_kernel(parse: Parse, between: str) -> None:
    assert chains(parse, PAIR.replace("BETWEEN", between)) == [["first", "second"]]


@pytest.mark.parametrize(
    "between",
    [
        "cub::DeviceReduce::Sum(temporary, bytes, p, p + 8, 8, one);",
        "cub::DeviceReduce::Sum(temporary, bytes, p, p + 8, 8);",
        "thrust::sort(thrust::cuda::par.on(one), p, p + 8);",
        "thrust::sort(thrust::device, p, p + 8);",
        "cublasSetStream(handle, one);",
        "cublasSscal(handle, 8, &factor, p, 1);",
        "cudaGraphLaunch(graph, one);",
        "run_layer(p, one);",
        "layer.run(p, one);",
    ],
)
def test_the_launch_before_is_not_known_after_a_call_that_may_launch_kernels(parse: Parse, between: str) -> None:
    assert chains(parse, PAIR.replace("BETWEEN", between)) == [["second"]]


@pytest.mark.parametrize(
    "between",
    [
        "cub::DeviceReduce::Sum(temporary, bytes, p, p + 8, 8, other);",
        "run_layer(p, other);",
        "log_size(p, 8);",
        "float *q = thrust::raw_pointer_cast(v.data());",
        "cudaStreamQuery(one);",
    ],
)
def test_calls_that_get_other_streams_launch_nothing_in_this_one(parse: Parse, between: str) -> None:
    assert chains(parse, PAIR.replace("BETWEEN", between)) == [["first", "second"]]


def test_a_call_may_launch_kernels_in_the_stream_of_a_caller(parse: Parse) -> None:
    text = FILE.replace("int main() {", "void run(cudaStream_t one, cudaStream_t other) {")
    text = text.replace("cudaStream_t one, other; cudaStreamCreate(&one);", "")
    text = text.replace("cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);", "")
    found = [parse(text.replace("BODY", PAIR.replace("BETWEEN", between))).chains for between in ("", "g(p, one);")]
    assert [[item.kernel for chain in chains for item in chain.launches] for chains in found] == [
        ["first", "second"],
        ["second"],
    ]


@pytest.mark.parametrize(
    ("before", "between", "found"),
    [
        ("", "cudaEventRecord(event, one); cudaEventSynchronize(event);", []),
        ("cudaEventRecord(event, one);", "cudaEventSynchronize(event);", [["first", "second"]]),
        ("", "cudaEventRecord(event, other); cudaEventSynchronize(event);", [["first", "second"]]),
        ("", "cudaEventRecord(event); cudaEventSynchronize(event);", []),  # the default stream waits for all
        ("", "cudaEventRecord(event, one); cudaEventSynchronize(later);", []),  # recorded by a function of another file
        (
            "cudaEventRecord(event, one);",
            "cudaEventRecord(later, one); cudaEventSynchronize(event);",
            [["first", "second"]],
        ),
    ],
)
def test_the_launches_before_an_event_have_ended_once_the_host_waits_for_it(
    parse: Parse, before: str, between: str, found: list[list[str]]
) -> None:
    events = "cudaEvent_t event, later; cudaEventCreate(&event); cudaEventCreateWithFlags(&later, 0); "
    assert chains(parse, events + before + PAIR.replace("BETWEEN", between)) == found


def test_a_chain_goes_on_behind_an_event(parse: Parse) -> None:
    third = "cudaEventRecord(event, one); cudaLaunchKernelEx(&config, third<float>, p); cudaEventSynchronize(event);"
    last = "cudaLaunchKernelEx(&config, second, p, 4);"
    found = chains(parse, "cudaEvent_t event;" + PAIR.replace("BETWEEN", "") + third + last)
    assert found == [["first", "second"], ["first", "second", "third<float>"], ["third<float>", "second"]]


CONFIGURATIONS = {
    "single": "cudaLaunchAttribute a; a.id = cudaLaunchAttributeProgrammaticStreamSerialization; "
    "a.val.programmaticStreamSerializationAllowed = true; cudaLaunchConfig_t c = {4, 64, 0, one, &a, 1};",
    "braces": "cudaLaunchAttribute a[1] = {{cudaLaunchAttributeProgrammaticStreamSerialization, {1}}}; "
    "cudaLaunchConfig_t c{.gridDim = 4, .blockDim = 64, .stream = one, .attrs = a, .numAttrs = 1};",
    "names": "cudaLaunchAttribute a = {.id = cudaLaunchAttributeProgrammaticStreamSerialization, "
    ".val = {.programmaticStreamSerializationAllowed = 1}}; "
    "cudaLaunchConfig_t c{.gridDim = 4, .blockDim = 64, .stream = one, .attrs = &a, .numAttrs = 1};",
    "copy": "cudaLaunchConfig_t c = config;",
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_configurations_are_written_in_several_ways(parse: Parse, configuration: str) -> None:
    body = f"{configuration} first<<<4, 64, 0, one>>>(p); cudaLaunchKernelEx(&c, second, p, 3);"
    assert chains(parse, body) == [["first", "second"]]


def test_a_function_of_the_program_may_perform_the_launches(parse: Parse) -> None:
    body = "launch(config, first, p); launch(config, second, p, 3); launch(config, third<float>, p);"
    assert chains(parse, body) == [["first", "second"], ["first", "second", "third<float>"]]


def test_a_chain_begins_with_a_launch_that_nothing_overlaps(parse: Parse) -> None:
    body = "first<<<4, 64, 0, one>>>(p); first<<<2, 64, 0, one>>>(p); cudaLaunchKernelEx(&config, second, p, 3);"
    (chain,) = parse(FILE.replace("BODY", body)).chains
    assert [item.launch.grid for item in chain.launches] == [(2, 1, 1), (4, 1, 1)]


def test_a_loop_repeats_its_chains(parse: Parse) -> None:
    body = "for (int i = 0; i < 9; i++) { launch(config, first, p); launch(config, second, p, 3); }"
    assert chains(parse, body)[:3] == [["first", "second"], ["first", "second", "first"], ["first", "second"] * 2]
    assert chains(parse, body)[3:] == [["second", "first"] * 2]  # at most four launches


def test_the_launch_before_the_first_one_of_a_stream_of_a_caller_is_not_known(parse: Parse) -> None:
    text = FILE.replace("int main() {", "void run(cudaStream_t one, cudaStream_t other) {")
    text = text.replace("cudaStream_t one, other; cudaStreamCreate(&one);", "").replace("BODY", "BODY".lower())
    text = text.replace("cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);", "")
    (chain,) = parse(text.replace("body", "cudaLaunchKernelEx(&config, second, p, 3);")).chains
    assert [item.kernel for item in chain.launches] == ["second"]


def test_streams_that_the_host_code_does_not_determine_are_taken_as_one(parse: Parse) -> None:
    body = "config.stream = current(); first<<<4, 64, 0, current()>>>(p); cudaLaunchKernelEx(&config, second, p, 3);"
    assert chains(parse, body) == [["first", "second"]]
