// Challengers of the sum of a warp, or of groups.
#include "loads.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__device__ T butterfly(T sum) {
#pragma unroll
    for (int distance = WIDTH / 2; distance > 0; distance /= 2) sum = plus(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    return sum;
}
#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_reduce_##name(const T* values, T* result, int iterations) { \
        T *now = shared<T>(), *next = now + blockDim.x; \
        T x = values[thread()]; \
        REPEAT(iterations) { __VA_ARGS__ swap(now, next); } \
        result[thread()] = x; \
    }

// ---- published ----
KERNEL(shfl, x = advance(x, butterfly(x));)
KERNEL(redux, x = advance(x, __reduce_add_sync(FULL_WARP, x));)
// As in copy.cu of `reduce`: the code that the compiler sees is the published one.
template <int LANES, typename T>
__device__ T published_sum(T x, T*& now, T*& next) {
    T* const slots = now;
    now = next;
    next = slots;
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const uint4* wide = reinterpret_cast<const uint4*>(slots + threadIdx.x / LANES * LANES);
    T sums[LANES / 4];
#pragma unroll
    for (int i = 0; i < LANES / 4; ++i) {
        const uint4 loaded = wide[i];
        T part[4];
        memcpy(part, &loaded, sizeof part);
        sums[i] = plus(plus(part[0], part[1]), plus(part[2], part[3]));
    }
    if constexpr (LANES == WIDTH) {
#pragma unroll
        for (int i = 1; i < LANES / 4; ++i) sums[0] = plus(sums[0], sums[i]);
        return sums[0];
    } else {
        const T sum = plus(sums[0], sums[1]);
        const T second = __shfl_xor_sync(FULL_WARP, sum, LANES);
        const T third = __shfl_xor_sync(FULL_WARP, sum, 2 * LANES);
        const T fourth = __shfl_xor_sync(FULL_WARP, sum, 3 * LANES);
        return plus(plus(sum, second), plus(third, fourth));
    }
}
#define PUBLISHED(name, LANES) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_reduce_##name(const T* values, T* result, int iterations) { \
        T *now = shared<T>(), *next = now + blockDim.x; \
        T x = values[thread()]; \
        REPEAT(iterations) x = advance(x, published_sum<LANES>(x, now, next)); \
        result[thread()] = x; \
    }
PUBLISHED(smem_wide_double, WIDTH)
PUBLISHED(smem8_shfl_double, 8)
template <typename T>
__device__ T groups_of_8(T x, T* slots) {
    T* same = slots;
    return published_sum<8>(x, slots, same);
}

// ---- challengers ----
// The last four values come in narrower loads (TAIL 0: 16 bytes; 1: 8, 8; 2: 8, 4, 4; 3: 4, 4, 4, 4), so that fewer additions
// wait for the last load.
template <int TAIL, int LANES, typename T>
__device__ T sum_of(const T* first) {
    T sum = LANES > 4 ? quad_sum(load4(first)) : T(0);
#pragma unroll
    for (int i = 1; i < LANES / 4 - 1; ++i) sum = plus(sum, quad_sum(load4(first + 4 * i)));
    const T* last = first + LANES - 4;
    if constexpr (TAIL == 0) return plus(sum, quad_sum(load4(last)));
    else if constexpr (TAIL == 1) {
        const Two<T> a = load2(last), b = load2(last + 2);
        return plus(plus(sum, plus(a.v[0], a.v[1])), plus(b.v[0], b.v[1]));
    } else if constexpr (TAIL == 2) {
        const Two<T> a = load2(last);
        const T b = load1(last + 2), c = load1(last + 3);
        return plus(plus(plus(sum, plus(a.v[0], a.v[1])), b), c);
    } else {
        const T a = load1(last), b = load1(last + 1), c = load1(last + 2), d = load1(last + 3);
        return plus(plus(plus(plus(sum, a), b), c), d);
    }
}
template <int TAIL, typename T>
__device__ T group_tail(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    return sum_of<TAIL, WIDTH>(slots + threadIdx.x / WIDTH * WIDTH);
}
KERNEL(x_wide_pinned, x = advance(x, group_tail<0>(x, now));)
KERNEL(x_wide_tail2, x = advance(x, group_tail<1>(x, now));)
KERNEL(x_wide_tail3, x = advance(x, group_tail<2>(x, now));)
KERNEL(x_wide_tail4, x = advance(x, group_tail<3>(x, now));)

// Two buffers at offsets that the compiler knows, no uniform registers in addresses: two iterations, one buffer each.
template <int TAIL, int GROUP_OF, bool SHFL3, typename T>
__device__ T known_offsets(T x, int mine, int group, int buffer) {
    T* const slots = shared<T>() + buffer;
    slots[mine] = x;
    __syncwarp();
    T sum = sum_of<TAIL, GROUP_OF>(slots + group);
    if constexpr (SHFL3) {
        const T second = __shfl_xor_sync(FULL_WARP, sum, 8), third = __shfl_xor_sync(FULL_WARP, sum, 16), fourth = __shfl_xor_sync(FULL_WARP, sum, 24);
        sum = plus(plus(plus(sum, second), third), fourth);
    }
    return sum;
}
#define KNOWN(name, TAIL, GROUP_OF, SHFL3) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_reduce_##name(const T* values, T* result, int iterations) { \
        const int mine = threadIdx.x % 32 + threadIdx.x / 32 * 64, group = mine / GROUP_OF * GROUP_OF; \
        T x = values[thread()]; \
        int buffer = 0; \
        REPEAT(iterations) { x = advance(x, known_offsets<TAIL, GROUP_OF, SHFL3>(x, mine, group, buffer)); buffer ^= 32; } \
        result[thread()] = x; \
    }
KNOWN(x_wide_known, 1, WIDTH, false)
KNOWN(x_wide_known3, 2, WIDTH, false)
KNOWN(x_smem8_known, 0, 8, true)
KNOWN(x_smem8_tail2, 1, 8, true)

// Groups of four by one load, then seven shuffles that do not wait for one another.
template <typename T>
__device__ T four_then_seven(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T quad = quad_sum(load4(slots + threadIdx.x / 4 * 4));
    T sums[2] = {quad, 0};
#pragma unroll
    for (int d = 1; d < 8; ++d) {
        const T other = __shfl_xor_sync(FULL_WARP, quad, 4 * d);
        sums[d % 2] = d == 1 ? other : plus(sums[d % 2], other);
    }
    return plus(sums[0], sums[1]);
}
KERNEL(x_smem4_shfl7, x = advance(x, four_then_seven(x, now));)
// Halves by four loads of 16 bytes, then one shuffle.
template <typename T>
__device__ T halves(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T half = sum_of<1, 16>(slots + threadIdx.x / 16 * 16);
    return plus(half, __shfl_xor_sync(FULL_WARP, half, 16));
}
KERNEL(x_smem16_tail2, x = advance(x, halves(x, now));)

// The sum of the other lane of a pair comes by a shuffle, while the other six values of a group of eight come from memory.
template <typename T>
__device__ T pair_and_loads(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T pair = plus(x, __shfl_xor_sync(FULL_WARP, x, 1));
    const Quad<T> other = load4(slots + (threadIdx.x / 4 * 4 ^ 4));
    const Two<T> beside = load2(slots + (threadIdx.x / 2 * 2 ^ 2));
    return plus(plus(pair, quad_sum(other)), plus(beside.v[0], beside.v[1]));
}
KERNEL(x_pair_loads, x = advance(x, pair_and_loads(x, now));)

// Matrix units for double: a product with ones adds four values exactly; infinite values stay what they are, as there are no zeros.
__device__ inline void dmma(double& d0, double& d1, double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
                 : "=d"(d0), "=d"(d1) : "d"(a), "d"(b), "d"(0.0));
}
__device__ inline float sum_dmma_shfl(float x) {  // each lane gets the sums of two groups of four; the lanes of a group have all eight
    double a, b;
    dmma(a, b, 1.0, double(x));
    float sum = float(a + b);
    sum += __shfl_xor_sync(FULL_WARP, sum, 1);
    return sum + __shfl_xor_sync(FULL_WARP, sum, 2);
}
__device__ inline float sum_dmma(float x) {
    double a, b, all, same;
    dmma(a, b, 1.0, double(x));
    dmma(all, same, a + b, 1.0);
    return float(all);
}
__device__ inline float sum_of_group_dmma(float x) {  // groups of four by the product, further ones by shuffles
    double a, b;
    dmma(a, b, double(x), 1.0);
    float sum = float(a);
#pragma unroll
    for (int distance = 4; distance < WIDTH; distance *= 2) sum += __shfl_xor_sync(FULL_WARP, sum, distance);
    return sum;
}
KERNEL(x_dmma_shfl, x = advance(x, sum_dmma_shfl(x));)
KERNEL(x_dmma_rows, x = advance(x, sum_of_group_dmma(x));)

// In each iteration, every fourth warp takes one way, and the others another one: each warp takes turns, one after the other begins.
template <typename T, typename Usual, typename Other>
__device__ T in_turns(T x, int iterations, Usual usual, Other other) {
    const int before = min(int(threadIdx.x / 32 % 4), iterations);
    for (int i = 0; i < before; ++i) x = usual(x);
    int i = before;
    for (; i + 4 <= iterations; i += 4) {
        x = usual(x);
        x = usual(x);
        x = usual(x);
        x = other(x);
    }
    for (; i < iterations; ++i) x = usual(x);
    return x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_redux_shfl_turns(const T* values, T* result, int iterations) {
    result[thread()] = in_turns(values[thread()], iterations, [](T x) { return advance(x, __reduce_add_sync(FULL_WARP, x)); },
                                [](T x) { return advance(x, butterfly(x)); });
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_shfl_dmma_turns(const T* values, T* result, int iterations) {
    result[thread()] = in_turns(values[thread()], iterations, [](T x) { return advance(x, butterfly(x)); },
                                [](T x) { return advance(x, WIDTH == 32 ? sum_dmma(x) : sum_of_group_dmma(x)); });
}
// Unsigned; the group's pair sums by a shuffle first, and half of the lanes take part with zeros.
KERNEL(x_redux_unsigned, x = advance(x, int(__reduce_add_sync(FULL_WARP, unsigned(x))));)
// Two sums: of the lower and the upper halves of the words, whose sums do not overflow.
KERNEL(x_redux_halves, {
    const unsigned low = __reduce_add_sync(FULL_WARP, unsigned(x) & 0xffffu), high = __reduce_add_sync(FULL_WARP, unsigned(x) >> 16);
    x = advance(x, int(low + (high << 16)));
})
// Shuffle of two steps, then REDUX of all lanes, which counts each value four times: of the lanes below 8 only.
KERNEL(x_shfl_redux, {
    T pair = plus(x, __shfl_xor_sync(FULL_WARP, x, 16));
    x = advance(x, __reduce_add_sync(FULL_WARP, lane() < 16 ? pair : 0));
})
// Redux, staggered warps as above with shared memory in place of shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_redux_smem_turns(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    result[thread()] = in_turns(values[thread()], iterations, [](T x) { return advance(x, __reduce_add_sync(FULL_WARP, x)); },
                                [=](T x) { const T sum = groups_of_8(x, slots); __syncwarp(); return advance(x, sum); });
}

// FLAGGED: of the two chunks of a group, each is multiplied and added by itself: the last addition is part of a multiply-add.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_wide_fused(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[threadIdx.x] = x;
        __syncwarp();
        const T* first = now + threadIdx.x / 8 * 8;
        const T a = quad_sum(load4(first)), b = quad_sum(load4(first + 4));
        x = advance(x, a) + b * T(0.5 / WIDTH);
        swap(now, next);
    }
    result[thread()] = x;
}

// As smem-wide-double, both buffers of a warp side by side; the compiler orders the loads.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_wide_plain(const T* values, T* result, int iterations) {
    const int mine = threadIdx.x % 32 + threadIdx.x / 32 * 64, group = mine / WIDTH * WIDTH;
    T x = values[thread()];
    int buffer = 0;
    REPEAT(iterations) {
        T* const slots = shared<T>() + buffer;
        slots[mine] = x;
        __syncwarp();
        const Quad<T>* wide = reinterpret_cast<const Quad<T>*>(slots + group);
        T sum = quad_sum(wide[0]);
#pragma unroll
        for (int i = 1; i < WIDTH / 4; ++i) sum = plus(sum, quad_sum(wide[i]));
        x = advance(x, sum);
        buffer ^= 32;
    }
    result[thread()] = x;
}
