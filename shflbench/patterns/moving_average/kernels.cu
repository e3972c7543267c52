// Every element becomes the mean of itself, the two before and the two after it; the first two and the
// last two of the whole array become zero.
#include "five_point.cuh"

__device__ inline bool has_mean(int i, int count) { return i > 1 && i < count - 2; }

// Each thread loads all five values; those that its neighbors load, too, come from the cache.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_global(const T* x, T* y, int count) {
    const int i = thread();
    if (i < count) y[i] = has_mean(i, count) ? mean(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]) : T(0);
}

// The block loads each of its values once, and two beyond each end.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_smem(const T* x, T* y, int count) {
    const int i = thread(), last = blockDim.x - 1;
    T* slot = shared<T>() + 2 + threadIdx.x;
    if (i < count) *slot = x[i];
    if (threadIdx.x < 2 && i >= 2) slot[-2] = x[i - 2];
    if (threadIdx.x > last - 2 && i + 2 < count) slot[2] = x[i + 2];
    __syncthreads();
    if (i < count) y[i] = has_mean(i, count) ? mean(slot[-2], slot[-1], slot[0], slot[1], slot[2]) : T(0);
}

// The warp loads each of its 32 values once, and its outer lanes the two beyond each end. A shuffle by one
// or two lanes gives the values of the neighbors, except to the outer lanes: they, or the lane beside
// them, loaded these values. All lanes take part in all shuffles, also those beyond the end of the array.
template <typename T>
__global__ void LAUNCH_BOUNDS moving_average_shfl(const T* x, T* y, int count) {
    const int i = thread();
    const T here = i < count ? x[i] : T(0);
    T before2 = T(0), after2 = T(0);
    if (lane() < 2 && i >= 2) before2 = x[i - 2];
    if (lane() >= WARP - 2 && i + 2 < count) after2 = x[i + 2];

    T before = shfl_up(here, 1);
    const T before_first = shfl(before2, 1);
    if (lane() == 0) before = before_first;
    T after = shfl_down(here, 1);
    const T after_last = shfl(after2, WARP - 2);
    if (lane() == WARP - 1) after = after_last;

    const T up2 = shfl_up(here, 2), down2 = shfl_down(here, 2);
    if (lane() >= 2) before2 = up2;
    if (lane() < WARP - 2) after2 = down2;
    if (i < count) y[i] = has_mean(i, count) ? mean(before2, before, here, after, after2) : T(0);
}
