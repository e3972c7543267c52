// Challengers of `moving-average`, f32: fewer blocks, of more threads or with more elements per thread.
#include "five.cuh"

#define MEANS(name, bounds, ...) \
    template <typename T> \
    __global__ void __launch_bounds__ bounds my_moving_average_##name(const T* x, T* y, int count) { __VA_ARGS__; }

// One element per thread.
MEANS(x_block512, (512, 4), one_mean(x, y, thread(), count))
MEANS(x_block1024, (1024, 2), one_mean(x, y, thread(), count))
MEANS(x_block1024_prefetch, (1024, 2), prefetch_later<2>(x, blockDim.x, count); one_mean(x, y, thread(), count))

// The same by shuffles, as in `shfl`.
template <typename T>
__global__ void __launch_bounds__(1024, 2) my_moving_average_x_block1024_shfl(const T* x, T* y, int count) {
    const int i = thread();
    const T center = i < count ? x[i] : 0;
    const int edge = lane() < 2 ? i - 2 : i + 2;
    T outer = 0;  // two loads for each edge of the warp
    if ((lane() < 2 || lane() > WARP - 3) && edge >= 0 && edge < count) outer = x[edge];
    T left1 = shfl_up(center, 1u), left2 = shfl_up(center, 2u), right1 = shfl_down(center, 1u), right2 = shfl_down(center, 2u);
    const T next = __shfl_sync(FULL_WARP, outer, lane() == 0 ? 1 : WARP - 2);
    if (lane() == 0) left1 = next;
    if (lane() < 2) left2 = outer;
    if (lane() == WARP - 1) right1 = next;
    if (lane() > WARP - 3) right2 = outer;
    if (i < count) y[i] = has_a_mean(i, count) ? mean5(left2, left1, center, right1, right2) : 0;
}

// Four elements per thread, blockDim.x apart.
template <typename T>
__global__ void __launch_bounds__(256, 6) my_moving_average_x_strided4(const T* x, T* y, int count) {
    constexpr int N = 4;
    const int first = blockIdx.x * (N * blockDim.x) + threadIdx.x;
    T v[N][5];
    if (first >= 2 && first + (N - 1) * int(blockDim.x) + 2 < count) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
            for (int j = 0; j < 5; ++j) v[n][j] = x[first + n * int(blockDim.x) + j - 2];
        }
#pragma unroll
        for (int n = 0; n < N; ++n) y[first + n * int(blockDim.x)] = mean5(v[n][0], v[n][1], v[n][2], v[n][3], v[n][4]);
    } else {
#pragma unroll
        for (int n = 0; n < N; ++n) one_mean(x, y, first + n * int(blockDim.x), count);
    }
}

// Four adjacent elements per thread.
MEANS(x_four, (256, 8), (fours<1, false>(x, y, count)))
MEANS(x_four_shfl, (256, 8), (fours<1, true>(x, y, count)))
MEANS(x_eight, (256, 6), (fours<2, false>(x, y, count)))

// A resident grid; each thread has four adjacent elements at a time.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_moving_average_x_resident(const T* x, T* y, int count) {
    for (int first = 4 * thread(); first < count; first += 4 * gridDim.x * blockDim.x) {
        Four mine;
        mine.load(x, first, count, Plain());
        mine.store(y, count);
    }
}
