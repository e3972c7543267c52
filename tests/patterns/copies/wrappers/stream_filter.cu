//! *
#include "{copied}"
#include "shflbench.cuh"
#include "strip.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* kept, int* counts) {
    const Strip<T> strip(values);
    T* kept_by_warp = kept + strip.first;
//! atomic
    if (lane() == 0) counts[strip.warp] = 0;
    __syncwarp();
    for (const T value : strip) {
        if (is_kept(value)) append(value, kept_by_warp, &counts[strip.warp]);
    }
//! smem-scan shfl-scan ballot-scatter ballot-fns cub
    __shared__ WarpScan::TempStorage storage[WARP];  //! cub
    int* slots = shared<int>() + first_of_warp();
    int count = 0;
    for (const T value : strip) {
        count = append(value, is_kept(value), kept_by_warp, count);  //! shfl-scan ballot-scatter ballot-fns
        count = append(value, is_kept(value), kept_by_warp, count, slots);  //! smem-scan
        count = append(value, is_kept(value), kept_by_warp, count, storage[threadIdx.x / WARP]);  //! cub
    }
    if (lane() == 0) counts[strip.warp] = count;
//! *
}
