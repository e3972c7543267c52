// Challengers of batched-reduce, result=own.
#include "batch.cuh"
#include "shflbench.cuh"

constexpr int N = SUMS, PARTS = OWN, COUNT = N / PARTS;

// The sum of what a lane got and one of two numbers: both additions are there, the second one for half of the lanes.
__device__ inline float add_chosen(int upper, float low, float high, float got) {
    float sum;
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\tadd.f32 %0, %2, %4;\n\t@p add.f32 %0, %3, %4;\n\t}"
        : "=&f"(sum) : "r"(upper), "f"(low), "f"(high), "f"(got));
    return sum;
}

__device__ constexpr int deposit(int bits, int mask) {
    int result = 0, from = 1;
    for (int to = 1; to < 8; to *= 2) {
        if (mask & to) {
            if (bits & from) result |= to;
            from *= 2;
        }
    }
    return result;
}

template <int FOURS>
__device__ inline float tree(const float4 (&four)[FOURS]) {
    float sum[FOURS];
#pragma unroll
    for (int i = 0; i < FOURS; ++i) sum[i] = (four[i].x + four[i].y) + (four[i].z + four[i].w);
#pragma unroll
    for (int n = FOURS / 2; n > 0; n /= 2) {
#pragma unroll
        for (int i = 0; i < FOURS / 2; ++i) {
            if (i < n) sum[i] += sum[i + n];
        }
    }
    return sum[0];
}

// STEPS steps of the halving exchange, then rows in shared memory, of which a lane adds up its part; SHARE lanes share a sum.
template <int STEPS, int SHARE, bool STSM>
struct Sums {
    static constexpr int ROWS = COUNT >> STEPS, WIDTH = WARP >> STEPS, CHUNKS = WIDTH / 4, FOURS = CHUNKS / SHARE;
    static constexpr int IN_QUARTER = ROWS < 8 ? ROWS : 8, GROUPS = 8 / IN_QUARTER, OF_ROWS = 7 & ~((GROUPS - 1) * CHUNKS);
    static constexpr int WORDS = PARTS * ROWS * WARP;

    static __device__ int chunk_of(int row, int chunk) {
        int x = 0, from = 0;
#pragma unroll
        for (int to = 0; to < 3; ++to) {
            if (OF_ROWS >> to & 1) x |= (row >> from++ & 1) << to;
        }
        return row * 8 + (chunk ^ x);
    }

    static __device__ void store(float* tile, int row, const float* x) {
        if constexpr (!STSM) {
#pragma unroll
            for (int i = 0; i < ROWS; ++i) tile[chunk_of(row + i, lane() / 4) * 4 + lane() % 4] = x[i];
        } else if constexpr (ROWS >= 4) {
#pragma unroll
            for (int i = 0; i < ROWS; i += 4) {
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                             :: "r"(shared_address(tile + chunk_of(row + i + lane() / 8, lane() % 8) * 4)), "f"(x[i]),
                                "f"(x[i + 1]), "f"(x[i + 2]), "f"(x[i + 3]) : "memory");
            }
        } else {
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                         :: "r"(shared_address(tile + chunk_of(row + lane() / 8 % 2, lane() % 8) * 4)), "f"(x[0]), "f"(x[1])
                         : "memory");
        }
    }

    static __device__ void of_warp(const float (&values)[N], float (&sums)[PARTS], float* tile) {
        float x[N];
#pragma unroll
        for (int i = 0; i < N; ++i) x[i] = values[i];
        int count = COUNT;
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            const int distance = 16 >> step, upper = lane() & distance, half = COUNT >> step + 1;
#pragma unroll
            for (int part = 0; part < PARTS; ++part) {
#pragma unroll
                for (int i = 0; i < COUNT / 2; ++i) {
                    if (i >= half) break;
                    const float low = x[part * COUNT + i], high = x[part * COUNT + i + half];
                    const float got = __shfl_xor_sync(FULL_WARP, upper ? low : high, distance);
                    x[part * COUNT + i] = add_chosen(upper, low, high, got);
                }
            }
        }
#pragma unroll
        for (int part = 0; part < PARTS; ++part) store(tile, part * ROWS, x + part * COUNT);
        __syncwarp();
        const int j = lane() % COUNT, sub = lane() / COUNT % SHARE;
        float4 four[PARTS][FOURS];
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
#pragma unroll
            for (int i = 0; i < FOURS; ++i) {
                const int chunk = j / ROWS * CHUNKS + sub * FOURS + i;
                four[part][i] = reinterpret_cast<const float4*>(tile)[part * ROWS * 8 + chunk_of(j % ROWS, chunk)];
            }
        }
        __syncwarp();
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            const float sum = tree(four[part]);
            if constexpr (SHARE == 1) sums[part] = sum;
            if constexpr (SHARE == 2) sums[part] = sum + __shfl_xor_sync(FULL_WARP, sum, COUNT);
            if constexpr (SHARE == 4) {
                const float second = __shfl_xor_sync(FULL_WARP, sum, COUNT);
                const float third = __shfl_xor_sync(FULL_WARP, sum, 2 * COUNT);
                const float fourth = __shfl_xor_sync(FULL_WARP, sum, 3 * COUNT);
                sums[part] = (sum + second) + (third + fourth);
            }
        }
    }
};

// All steps by shuffles.
__device__ inline void halving(const float (&values)[N], float (&sums)[PARTS]) {
    float x[N];
#pragma unroll
    for (int i = 0; i < N; ++i) x[i] = values[i];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int upper = threadIdx.x & distance;
        if (N <= distance) x[0] += __shfl_xor_sync(FULL_WARP, x[0], distance);
#pragma unroll
        for (int i = 0; i < N / 2; ++i) {
            if (i >= N / 2 / distance) break;
            const float even = x[2 * i], odd = x[2 * i + 1];
            x[i] = add_chosen(upper, even, odd, __shfl_xor_sync(FULL_WARP, upper ? even : odd, distance));
        }
    }
#pragma unroll
    for (int part = 0; part < PARTS; ++part) sums[part] = x[part];
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_reduce_x_halving(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        float x[SUMS], sums[RESULTS];
        batch.unpack(x);
        halving(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}

#define SUMS_KERNEL(name, steps, share, stsm) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_batched_reduce_##name(const T* values, T* result, int iterations) { \
        using S = Sums<steps, share, stsm>; \
        float* tile = shared<float>() + threadIdx.x / WARP * S::WORDS; \
        Batch<T> batch(values); \
        REPEAT(iterations) { \
            float x[SUMS], sums[RESULTS]; \
            batch.unpack(x); \
            S::of_warp(x, sums, tile); \
            batch.take(sums); \
        } \
        batch.store(result); \
    }
SUMS_KERNEL(x_h0, 0, 1, true)
SUMS_KERNEL(x_h0_sts, 0, 1, false)
SUMS_KERNEL(x_h1, 1, 1, true)
SUMS_KERNEL(x_h1_sts, 1, 1, false)
SUMS_KERNEL(x_h2, 2, 1, true)
#if OPTION_SUMS_8 || OPTION_SUMS_16
SUMS_KERNEL(x_h0_share2, 0, 2, true)
SUMS_KERNEL(x_h0_sts_share2, 0, 2, false)
SUMS_KERNEL(x_h1_share2, 1, 2, true)
#endif
#if OPTION_SUMS_8
SUMS_KERNEL(x_h0_share4, 0, 4, true)
SUMS_KERNEL(x_h0_sts_share4, 0, 4, false)
SUMS_KERNEL(x_h1_share4, 1, 4, true)
#else
SUMS_KERNEL(x_h3, 3, 1, true)
#endif
