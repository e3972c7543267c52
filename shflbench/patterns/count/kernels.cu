// Counts how many elements belong to each counter.
#include "bins.cuh"
#include "shflbench.cuh"

// One atomic addition in global memory per element.
template <typename T>
__global__ void LAUNCH_BOUNDS count_global(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) atomicAdd(&counts[counter_of(value, last)], 1);
    }
}

// The same to an address that the compiler can prove to be uniform: it merges the additions to one per warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_global_plain(const T* values, T* counts, int) {
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) atomicAdd(counts, 1);
    }
}

// One atomic addition in shared memory per element, then one in global memory per block and counter.
template <typename T>
__global__ void LAUNCH_BOUNDS count_shared(const T* values, T* counts, int last) {
    T* of_block = shared<T>();
    for (int counter = threadIdx.x; counter <= last; counter += blockDim.x) of_block[counter] = 0;
    __syncthreads();
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) atomicAdd(&of_block[counter_of(value, last)], 1);
    }
    __syncthreads();
    for (int counter = threadIdx.x; counter <= last; counter += blockDim.x) {
        atomicAdd(&counts[counter], of_block[counter]);
    }
}

// The set bits of a ballot are the warp's elements that count. One atomic addition per warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_ballot(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += __popc(__ballot_sync(FULL_WARP, is_counted(value)));
    if (lane() == 0) atomicAdd(counts, of_warp);
}

// Adds up the counts of a block's warps, then adds the sum to the counter: one atomic addition per block.
template <typename T>
__device__ void add_block(T* counts, T of_warp) {
    T* of_warps = shared<T>();
    if (lane() == 0) of_warps[threadIdx.x / WARP] = of_warp;
    __syncthreads();
    if (threadIdx.x >= WARP) return;
    T of_block = lane() < blockDim.x / WARP ? of_warps[lane()] : T(0);
    for (int distance = WARP / 2; distance > 0; distance /= 2) of_block += shfl_xor(of_block, distance);
    if (lane() == 0) atomicAdd(counts, of_block);
}

template <typename T>
__global__ void LAUNCH_BOUNDS count_ballot_block(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += __popc(__ballot_sync(FULL_WARP, is_counted(value)));
    add_block(counts, of_warp);
}

template <typename T>
__global__ void LAUNCH_BOUNDS count_redux_block(const T* values, T* counts, int) {
    T of_lane = 0;
    for (const T value : Elements<T>(values)) of_lane += is_counted(value);
    add_block(counts, T(__reduce_add_sync(FULL_WARP, of_lane)));
}

// Each lane counts its own elements, then five shuffles sum up the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_shfl(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += is_counted(value);
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        of_warp += __shfl_xor_sync(FULL_WARP, of_warp, distance);
    }
    if (lane() == 0) atomicAdd(counts, of_warp);
}

// Each lane counts its own elements, then one instruction sums up the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_redux(const T* values, T* counts, int) {
    T of_lane = 0;
    for (const T value : Elements<T>(values)) of_lane += is_counted(value);
    const T of_warp = __reduce_add_sync(FULL_WARP, of_lane);
    if (lane() == 0) atomicAdd(counts, of_warp);
}

// Each lane gets which lanes have an element for the same counter; the lowest of these lanes adds for all.
template <typename T>
__global__ void LAUNCH_BOUNDS count_match(const T* values, T* counts, int last) {
    const unsigned below = (1u << lane()) - 1;
    for (const T value : Elements<T>(values)) {
        const int counter = is_counted(value) ? counter_of(value, last) : NONE;
        const unsigned same = __match_any_sync(FULL_WARP, counter);
        if (counter != NONE && (same & below) == 0) atomicAdd(&counts[counter], __popc(same));
    }
}
