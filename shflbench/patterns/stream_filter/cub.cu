// The position of an element by CUB's scan of the warp.
#include <cub/warp/warp_scan.cuh>

#include "shflbench.cuh"
#include "strip.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS stream_filter_cub(const T* values, T* kept, int* counts) {
    using Scan = cub::WarpScan<int>;
    __shared__ typename Scan::TempStorage storage[WARP];  // one per warp of the block
    const Strip<T> strip(values);
    int count = 0;
    for (const T value : strip) {
        int place, of_warp;
        Scan(storage[threadIdx.x / WARP]).ExclusiveSum(is_kept(value), place, of_warp);
        __syncwarp();  // before `storage` is used again
        if (is_kept(value)) kept[strip.first + count + place] = value;
        count += of_warp;
    }
    if (lane() == 0) counts[strip.warp] = count;
}
