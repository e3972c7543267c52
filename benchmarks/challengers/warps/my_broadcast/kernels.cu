// Challengers of the broadcast.
#include "broadcast.cuh"
#include "loads.cuh"
#include "shflbench.cuh"

#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_broadcast_##name(const T* numbers, const int* sources, T* result, int iterations) { \
        int source = first_source(sources); \
        T x[VALUES]; \
        load(x, numbers); \
        __VA_ARGS__ \
        store(result, x); \
    }
__device__ inline void step(int& source) { asm volatile("add.s32 %0, %0, 1;" : "+r"(source)); }

// ---- published ----
template <typename T>
__device__ void by_shfl(T (&x)[VALUES], int source) {
    T got[VALUES];
    for (int k = 0; k < VALUES; ++k) got[k] = __shfl_sync(FULL_WARP, x[k], source);
    for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got[k]);
}
KERNEL(shfl, REPEAT(iterations) { by_shfl(x, source); ++source; })

// ---- challengers ----
// The next source is known only after the shuffle: its additions lie between the shuffles, not all at the start of a pass.
KERNEL(x_shfl_step, REPEAT(iterations) { by_shfl(x, source); step(source); })

// One value of all lanes by REDUX: the source's bits, or'ed with the zeros of the others.
template <typename T>
__device__ T by_redux(T x, int source) {
    return __int_as_float(__reduce_or_sync(FULL_WARP, unsigned(((source ^ lane()) & 31) == 0 ? __float_as_int(x) : 0)));
}
// REDUXES of the values by REDUX, which another unit executes, the others by shuffles.
template <int REDUXES, typename T>
__device__ void by_both(T (&x)[VALUES], int source) {
    T got[VALUES];
    for (int k = 0; k < REDUXES; ++k) got[k] = by_redux(x[k], source);
    for (int k = REDUXES; k < VALUES; ++k) got[k] = __shfl_sync(FULL_WARP, x[k], source);
    for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got[k]);
}
KERNEL(x_shfl3_redux, REPEAT(iterations) { by_both<1>(x, source); ++source; })
KERNEL(x_shfl3_redux_step, REPEAT(iterations) { by_both<1>(x, source); step(source); })
KERNEL(x_shfl2_redux2, REPEAT(iterations) { by_both<2>(x, source); ++source; })

// In each iteration, one of EVERY warps takes REDUX, the others shuffles: each warp takes turns, one after the other begins.
template <int EVERY, typename T>
__device__ void in_turns(T (&x)[VALUES], int source, int iterations) {
    const int before = min(int(threadIdx.x / 32 % EVERY), iterations);
    int i = 0;
    for (; i < before; ++i) by_shfl(x, source + i);
    source += before;
#pragma unroll (UNROLL / EVERY)
    for (; i + EVERY <= iterations; i += EVERY) {
#pragma unroll
        for (int k = 0; k < EVERY - 1; ++k) by_shfl(x, source + k);
        by_both<VALUES>(x, source + EVERY - 1);
        source += EVERY;
    }
    for (; i < iterations; ++i) { by_shfl(x, source); ++source; }
}
KERNEL(x_turns4, in_turns<4>(x, source, iterations);)
KERNEL(x_turns8, in_turns<8>(x, source, iterations);)

// Two buffers, one barrier; the source stores its values, two buffers at known offsets.
KERNEL(x_smem_known, {
    T* const slots = shared<T>() + threadIdx.x / 32 * 2 * VALUES;
    int buffer = 0;
    REPEAT(iterations) {
        if constexpr (VALUES == 4) {
            if (((source ^ lane()) & 31) == 0) *reinterpret_cast<float4*>(slots + buffer) = make_float4(x[0], x[1], x[2], x[3]);
            __syncwarp();
            const Quad<T> got = load4(slots + buffer);
            for (int k = 0; k < 4; ++k) x[k] = mix(x[k], got.v[k]);
        } else {
            if (((source ^ lane()) & 31) == 0) slots[buffer] = x[0];
            __syncwarp();
            x[0] = mix(x[0], load1(slots + buffer));
        }
        buffer ^= VALUES;
        ++source;
    }
})
// Two values by shuffles, two through shared memory.
KERNEL(x_half_smem, {
    T* const slots = shared<T>() + threadIdx.x / 32 * 4;
    int buffer = 0;
    REPEAT(iterations) {
        if (((source ^ lane()) & 31) == 0) *reinterpret_cast<float2*>(slots + buffer) = make_float2(x[0], x[VALUES - 1]);
        __syncwarp();
        T got[4];
        for (int k = 1; k < VALUES - 1; ++k) got[k] = __shfl_sync(FULL_WARP, x[k], source);
        const Two<T> two = load2(slots + buffer);
        got[0] = two.v[0];
        got[VALUES - 1] = two.v[1];
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got[k]);
        buffer ^= 2;
        ++source;
    }
})
