// Challengers of `moving-average-blocked`, f32, four elements per thread of the case.
#include "five.cuh"

static_assert(OPTION_PER_THREAD == 4);
#define MEANS(name, bounds, ...) \
    template <typename T> \
    __global__ void __launch_bounds__ bounds my_moving_average_blocked_##name(const T* x, T* y, int count) { __VA_ARGS__; }

MEANS(x_block128, (128, 16), (fours<1, false>(x, y, count)))
MEANS(x_block1024, (1024, 2), (fours<1, false>(x, y, count)))
MEANS(x_prefetch, (256, 8), prefetch_later<2>(x, 4 * blockDim.x, count); (fours<1, false>(x, y, count)))
MEANS(x_two, (256, 6), (fours<2, false>(x, y, count)))
MEANS(x_two_shfl, (256, 6), (fours<2, true>(x, y, count)))
MEANS(x_four, (256, 4), (fours<4, false>(x, y, count)))
MEANS(x_stream, (256, 8), (fours<1, false, true, PastL1>(x, y, count)))

// Fewer blocks at a time: a part of the array that is smaller is read and written at a time.
MEANS(x_five_blocks, (256, 5), (fours<1, false>(x, y, count)))

// One bulk copy brings the elements of a block, 16 per thread, and four on either side, to shared memory.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_moving_average_blocked_x_bulk(const T* x, T* y, int count) {
    constexpr int ROUNDS = 4, HALO = 4;
    __shared__ Barrier arrived;
    T* tile = shared<T>();
    const int of_block = ROUNDS * 4 * blockDim.x, begin = blockIdx.x * of_block;
    const int from = begin >= HALO ? begin - HALO : 0;  // of the copy; its first element goes to tile[from - begin + HALO]
    const int to = begin + of_block + HALO <= count ? begin + of_block + HALO : count;
    if (threadIdx.x == 0) {
        init_barrier(&arrived);
        fence_of_proxies();
        expect_bytes(&arrived, (to - from) * sizeof(T));
        bulk_load(tile + (from - begin + HALO), x + from, (to - from) * sizeof(T), &arrived);
    }
    __syncthreads();
    wait_barrier(&arrived, 0);
#pragma unroll
    for (int n = 0; n < ROUNDS; ++n) {
        const int place = (n * blockDim.x + threadIdx.x) * 4, first = begin + place;
        if (first >= count) continue;
        Four mine;
        mine.first = first;
        const T* own = tile + HALO + place;
        mine.own(*reinterpret_cast<const float4*>(own));
        float2 before = make_float2(0, 0), after = make_float2(0, 0);
        if (first > 0) before = *reinterpret_cast<const float2*>(own - 2);
        if (first + 4 < count) after = *reinterpret_cast<const float2*>(own + 4);
        mine.v[0] = before.x, mine.v[1] = before.y, mine.v[6] = after.x, mine.v[7] = after.y;
        mine.store(y, count);
    }
}
