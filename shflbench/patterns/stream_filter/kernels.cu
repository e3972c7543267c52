// Each warp moves the elements of its strip that satisfy a condition to the front, and counts them.
#include "copied/atomic.cuh"
#include "copied/ballot-fns.cuh"
#include "copied/ballot-scatter.cuh"
#include "copied/shfl-scan.cuh"
#include "copied/smem-scan.cuh"
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
        if (is_kept(value)) shflbench::atomic::append(value, kept, strip.first, count);
    }
}

// The position of an element is the number of elements kept before it: a scan of zeros and ones in shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_smem_scan(const T* values, T* kept, int* counts) {
    int* slots = shared<int>() + first_of_warp();
    const Strip<T> strip(values);
    int next = strip.first;
    for (const T value : strip) {
        next = shflbench::smem_scan::append(value, is_kept(value), kept, next, slots);
    }
    if (lane() == 0) counts[strip.warp] = next - strip.first;
}

// The same scan with shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_shfl_scan(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int next = strip.first;
    for (const T value : strip) {
        next = shflbench::shfl_scan::append(value, is_kept(value), kept, next);
    }
    if (lane() == 0) counts[strip.warp] = next - strip.first;
}

// A ballot shows each lane which elements are kept: the number of set bits below its own is the position.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_ballot_scatter(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int next = strip.first;
    for (const T value : strip) {
        next = shflbench::ballot_scatter::append(value, is_kept(value), kept, next);
    }
    if (lane() == 0) counts[strip.warp] = next - strip.first;
}

// The reverse: lane n finds the lane that keeps the n-th element, and gets the element by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_ballot_fns(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    int next = strip.first;
    for (const T value : strip) {
        next = shflbench::ballot_fns::append(value, is_kept(value), kept, next);
    }
    if (lane() == 0) counts[strip.warp] = next - strip.first;
}
