// Each warp moves the elements of its strip that satisfy a condition to the front, and counts them.
#include "shflbench.cuh"
#include "strip.cuh"

// One atomic addition per element that is kept; their order is lost.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_atomic(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int* count = &counts[strip.warp];
    if (lane() == 0) *count = 0;
    __syncwarp();
    for (const T value : strip) {
        if (is_kept(value)) kept[strip.first + atomicAdd(count, 1)] = value;
    }
}

// The position of an element is the number of elements kept before it: a scan of zeros and ones in shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_smem_scan(const T* values, T* kept, int* counts) {
    int* slots = shared<int>() + first_of_warp();
    const Strip<T> strip(values);
    int count = 0;
    for (const T value : strip) {
        int place = is_kept(value);
        for (int distance = 1; distance < WARP; distance *= 2) {
            slots[lane()] = place;
            __syncwarp();
            if (lane() >= distance) place += slots[lane() - distance];
            __syncwarp();
        }
        slots[lane()] = place;
        __syncwarp();
        const int of_warp = slots[WARP - 1];
        __syncwarp();
        if (is_kept(value)) kept[strip.first + count + place - 1] = value;
        count += of_warp;
    }
    if (lane() == 0) counts[strip.warp] = count;
}

// The same scan with shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_shfl_scan(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int count = 0;
    for (const T value : strip) {
        int place = is_kept(value);
        for (int distance = 1; distance < WARP; distance *= 2) {
            const int before = __shfl_up_sync(FULL_WARP, place, distance);
            if (lane() >= distance) place += before;
        }
        if (is_kept(value)) kept[strip.first + count + place - 1] = value;
        count += __shfl_sync(FULL_WARP, place, WARP - 1);
    }
    if (lane() == 0) counts[strip.warp] = count;
}

// A ballot shows each lane which elements are kept: the number of set bits below its own is the position.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_ballot_scatter(const T* values, T* kept, int* counts) {
    const unsigned below = (1u << lane()) - 1;
    const Strip<T> strip(values);
    int count = 0;
    for (const T value : strip) {
        const unsigned keepers = __ballot_sync(FULL_WARP, is_kept(value));
        if (is_kept(value)) kept[strip.first + count + __popc(keepers & below)] = value;
        count += __popc(keepers);
    }
    if (lane() == 0) counts[strip.warp] = count;
}

// The reverse: lane n finds the lane that keeps the n-th element, and gets the element by a shuffle, in which all
// lanes take part. __fns counts from 1; if there is none, it returns 2^32 - 1, which the shuffle reads as 31.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_ballot_fns(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int count = 0;
    for (const T value : strip) {
        const unsigned keepers = __ballot_sync(FULL_WARP, is_kept(value));
        const unsigned source = __fns(keepers, 0, lane() + 1);
        const T condensed = __shfl_sync(FULL_WARP, value, source);
        if (lane() < __popc(keepers)) kept[strip.first + count + lane()] = condensed;
        count += __popc(keepers);
    }
    if (lane() == 0) counts[strip.warp] = count;
}
