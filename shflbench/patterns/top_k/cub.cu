// The largest elements of a warp by CUB's merge sort, which sorts all of them.
#include <cub/warp/warp_merge_sort.cuh>

#include "elements.cuh"
#include "shflbench.cuh"

struct Greater {
    __device__ bool operator()(int a, int b) const { return a > b; }
};

// After the sort, each lane has PER_LANE elements in a row.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_cub(const T* values, T* largest, T* result, int iterations) {
    using Sort = cub::WarpMergeSort<int, PER_LANE, WARP>;
    __shared__ typename Sort::TempStorage storage[256 / WARP];  // one per warp of the block
    const int place = lane() % COUNT;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        int sorted[PER_LANE];
        EACH_ELEMENT(i) sorted[i] = own.x[i];
        Sort(storage[threadIdx.x / WARP]).Sort(sorted, Greater());
        EACH_ELEMENT(i) {
            const int other = shfl(sorted[i], place / PER_LANE);
            if (place % PER_LANE == i) got = other;
        }
        __syncwarp();
    }
    largest[thread()] = got;
    own.store(result);
}
