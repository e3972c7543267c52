// The position of an element by CUB's scan of the warp.
#include "copied/cub.cuh"
#include "shflbench.cuh"
#include "strip.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_cub(const T* values, T* kept, int* counts) {
    __shared__ shflbench::cub::WarpScan::TempStorage storage[WARP];  // one per warp of the block
    const Strip<T> strip(values);
    int next = strip.first;
    for (const T value : strip) {
        next = shflbench::cub::append(value, is_kept(value), kept, next, storage[threadIdx.x / WARP]);
    }
    if (lane() == 0) counts[strip.warp] = next - strip.first;
}
