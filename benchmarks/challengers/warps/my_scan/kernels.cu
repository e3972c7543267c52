// Challengers of the inclusive scan.
#include "loads.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

static_assert(!EXCLUSIVE);

// What copy.cu of `scan` has (published variants, for comparison).
template <typename T>
__device__ T quad_prefix(Quad<T> q) {
    const int place = threadIdx.x % 4;
    T sum = q.v[0];
#pragma unroll
    for (int i = 1; i < 4; ++i) if (place >= i) sum = plus(sum, q.v[i]);
    return sum;
}

__device__ inline float add_up_predicate(float value, int distance) {
    float sum;
    asm volatile("{\n\t.reg .pred exists;\n\tshfl.sync.up.b32 %0|exists, %1, %2, 0, 0xffffffff;\n\t"
                 "@exists add.f32 %0, %0, %1;\n\t}" : "=&f"(sum) : "f"(value), "r"(distance));
    return sum;
}
__device__ inline int add_up_predicate(int value, int distance) {
    int sum;
    asm volatile("{\n\t.reg .pred exists;\n\tshfl.sync.up.b32 %0|exists, %1, %2, 0, 0xffffffff;\n\t"
                 "@exists add.s32 %0, %0, %1;\n\t}" : "=&r"(sum) : "r"(value), "r"(distance));
    return sum;
}

// ---- published ----
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int d = 1; d < 32; d *= 2) {
            const T below = __shfl_up_sync(FULL_WARP, sum, d);
            if (lane() >= d) sum = plus(sum, below);
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_shfl_predicate(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int d = 1; d < 32; d *= 2) sum = add_up_predicate(sum, d);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_smem8_shfl(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T* const slots = now + threadIdx.x / 32 * 32;
        slots[threadIdx.x % 32] = x;
        __syncwarp();
        const int mine = lane() / 4 % 2;
        const Quad<T>* own = reinterpret_cast<const Quad<T>*>(slots) + lane() / 4;
        T of_group = quad_sum(*own), sum = quad_prefix(*own);
        const int other = (mine + 1) % 2;
        const T of_chunk = quad_sum(own[other - mine]);
        of_group = plus(of_group, of_chunk);
        if (other < mine) sum = plus(sum, of_chunk);
#pragma unroll
        for (int d = 8; d < 32; d += 8) {
            const T below = __shfl_up_sync(FULL_WARP, of_group, d);
            if (lane() >= d) sum = plus(sum, below);
        }
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_smem_wide(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + 2 * blockDim.x;
    now[2 * first_of_warp() + lane()] = next[2 * first_of_warp() + lane()] = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T* const slots = now + threadIdx.x / 32 * 64 + 32;
        slots[lane()] = x;
        __syncwarp();
        const Quad<T>* own = reinterpret_cast<const Quad<T>*>(slots) + lane() / 4;
        T sums[2] = {quad_prefix(*own), 0};
#pragma unroll
        for (int i = 1; i < 8; ++i) sums[i % 2] = plus(sums[i % 2], quad_sum(own[-i]));
        swap(now, next);
        x = advance(x, plus(sums[0], sums[1]));
    }
    result[thread()] = x;
}

// ---- challengers: integers, with REDUX ----
// The sum of the lower half needs no scan: one REDUX, which does not wait for the four shuffles of the halves.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_redux_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        T sum = x;
        for (int d = 1; d < 16; d *= 2) {
            const T below = __shfl_up_sync(FULL_WARP, sum, d, 16);
            if (lane() % 16 >= d) sum = plus(sum, below);
        }
        if (lane() >= 16) sum = plus(sum, lower);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
__device__ inline int add_up16_predicate(int value, int distance) {
    int sum;
    asm volatile("{\n\t.reg .pred exists;\n\tshfl.sync.up.b32 %0|exists, %1, %2, 0x1000, 0xffffffff;\n\t"
                 "@exists add.s32 %0, %0, %1;\n\t}" : "=&r"(sum) : "r"(value), "r"(distance));
    return sum;
}
// The same with the predicates of the shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_redux_shfl_predicate(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        T sum = x;
        for (int d = 1; d < 16; d *= 2) sum = add_up16_predicate(sum, d);
        if (lane() >= 16) sum = plus(sum, lower);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// Halves: own group of four and three lower ones (zeros where there are none) from shared memory; the lower half by REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem16_redux(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + 2 * blockDim.x;
    const int base = 2 * first_of_warp() + lane() / 16 * 32 + lane() % 16;
    now[base] = next[base] = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        now[base + 16] = x;
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        __syncwarp();
        const Quad<T>* own = reinterpret_cast<const Quad<T>*>(now + base / 4 * 4 + 16);
        const T a = quad_sum(own[-3]), b = quad_sum(own[-2]), c = quad_sum(own[-1]);
        T sum = quad_prefix(own[0]);
        sum = plus(plus(sum, a), plus(b, c));
        if (lane() >= 16) sum = plus(sum, lower);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// Groups of eight from shared memory; the sums of the lower groups by three REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem8_redux(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + 2 * blockDim.x;
    const int base = 2 * first_of_warp() + lane() / 8 * 16 + lane() % 8;
    now[base] = next[base] = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        now[base + 8] = x;
        const T one = __reduce_add_sync(FULL_WARP, lane() < 8 ? x : 0);
        const T two = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        const T three = __reduce_add_sync(FULL_WARP, lane() < 24 ? x : 0);
        __syncwarp();
        const Quad<T>* own = reinterpret_cast<const Quad<T>*>(now + base / 4 * 4 + 8);
        T sum = plus(quad_prefix(own[0]), quad_sum(own[-1]));
        const int group = lane() / 8;
        sum = plus(sum, group == 0 ? 0 : group == 1 ? one : group == 2 ? two : three);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// Groups of eight by three shuffles; the others by three REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_redux3_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const T one = __reduce_add_sync(FULL_WARP, lane() < 8 ? x : 0);
        const T two = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        const T three = __reduce_add_sync(FULL_WARP, lane() < 24 ? x : 0);
        T sum = x;
        for (int d = 1; d < 8; d *= 2) {
            const T below = __shfl_up_sync(FULL_WARP, sum, d, 8);
            if (lane() % 8 >= d) sum = plus(sum, below);
        }
        const int group = lane() / 8;
        sum = plus(sum, group == 0 ? 0 : group == 1 ? one : group == 2 ? two : three);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// Groups of four from shared memory, two shuffles for groups of 16, one REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem4_shfl_redux(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[threadIdx.x] = x;
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        __syncwarp();
        const Quad<T> own = reinterpret_cast<const Quad<T>*>(now)[threadIdx.x / 4];
        const T all = quad_sum(own);
        T sum = quad_prefix(own);
#pragma unroll
        for (int d = 4; d < 16; d += 4) {
            const T below = __shfl_up_sync(FULL_WARP, all, d, 16);
            if (lane() % 16 >= d) sum = plus(sum, below);
        }
        if (lane() >= 16) sum = plus(sum, lower);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// ---- challengers: any type ----
// As smem8-shfl; the second chunk comes in two loads of 8 bytes, so that fewer additions wait for the last load.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem8_halves(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x / 4 * 4, other = mine ^ 4;
    const bool upper = lane() & 4;
    T x = values[thread()];
    REPEAT(iterations) {
        now[threadIdx.x] = x;
        __syncwarp();
        const Quad<T> own = load4(now + mine);
        const Two<T> a = load2(now + other);
        const Two<T> b = load2(now + other + 2);
        const T of_own = quad_sum(own), pa = plus(a.v[0], a.v[1]), pb = plus(b.v[0], b.v[1]);
        const T all = plus(plus(of_own, pa), pb);
        T sum = quad_prefix(own);
        if (upper) sum = plus(sum, plus(pa, pb));
#pragma unroll
        for (int d = 8; d < 32; d += 8) {
            const T below = __shfl_up_sync(FULL_WARP, all, d);
            if (lane() >= d) sum = plus(sum, below);
        }
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// Groups of four from shared memory; seven shuffles that do not wait for one another.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem4_shfl7(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[threadIdx.x] = x;
        __syncwarp();
        const Quad<T> own = reinterpret_cast<const Quad<T>*>(now)[threadIdx.x / 4];
        const T all = quad_sum(own);
        T sum = quad_prefix(own), second = 0;
#pragma unroll
        for (int d = 4; d < 32; d += 4) {
            const T below = __shfl_up_sync(FULL_WARP, all, d);
            if (lane() >= d) (d % 8 ? second : sum) = plus(d % 8 ? second : sum, below);
        }
        swap(now, next);
        x = advance(x, plus(sum, second));
    }
    result[thread()] = x;
}
// Groups of eight; the sum of a group by loads in a fixed order (its first lane's chunk, then the other one).
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem8_fixed(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int place = lane() % 8;
    T x = values[thread()];
    REPEAT(iterations) {
        now[threadIdx.x] = x;
        __syncwarp();
        const Quad<T> a = load4(now + threadIdx.x / 8 * 8);
        const Two<T> b = load2(now + threadIdx.x / 8 * 8 + 4);
        const Two<T> c = load2(now + threadIdx.x / 8 * 8 + 6);
        T all = quad_sum(a);
        all = plus(all, plus(b.v[0], b.v[1]));
        all = plus(all, plus(c.v[0], c.v[1]));
        const T v[8] = {a.v[0], a.v[1], a.v[2], a.v[3], b.v[0], b.v[1], c.v[0], c.v[1]};
        T sum = v[0];
#pragma unroll
        for (int i = 1; i < 8; ++i) if (place >= i) sum = plus(sum, v[i]);
#pragma unroll
        for (int d = 8; d < 32; d += 8) {
            const T below = __shfl_up_sync(FULL_WARP, all, d);
            if (lane() >= d) sum = plus(sum, below);
        }
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// One shuffle with a predicate, the others with comparisons: the predicate costs time of the exchange, the comparison a register.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_shfl_late(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int d = 16; d > 1; d /= 2) {  // far lanes first: sums over lanes that lie d apart
            const T below = __shfl_up_sync(FULL_WARP, sum, d);
            if (lane() >= d) sum = plus(sum, below);
        }
        sum = add_up_predicate(sum, 1);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// As shfl, with predicates that the compiler cannot turn into selections.
template <typename T>
__device__ void add_if(bool condition, T& sum, T below) {
    if constexpr (IS_INTEGER<T>)
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p add.s32 %0, %0, %1;\n\t}"
                     : "+r"(sum) : "r"(below), "r"(int(condition)));
    else
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p add.f32 %0, %0, %1;\n\t}"
                     : "+f"(sum) : "f"(below), "r"(int(condition)));
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_shfl_guarded(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) add_if(lane() >= d, sum, __shfl_up_sync(FULL_WARP, sum, d));
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// As x-redux-shfl, with guarded additions: a guard takes the place of a selection.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_redux_shfl_guarded(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        T sum = x;
#pragma unroll
        for (int d = 1; d < 16; d *= 2) add_if(lane() % 16 >= d, sum, __shfl_up_sync(FULL_WARP, sum, d, 16));
        add_if(lane() >= 16, sum, lower);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
// The sum of the lower half joins the lane's own value before the shuffles of the upper half's first lane: no addition at the end.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_redux_shfl_first(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const T lower = __reduce_add_sync(FULL_WARP, lane() < 16 ? x : 0);
        T sum = x;
#pragma unroll
        for (int d = 1; d < 8; d *= 2) add_if(lane() % 16 >= d, sum, __shfl_up_sync(FULL_WARP, sum, d, 16));
        T below = __shfl_up_sync(FULL_WARP, sum, 8, 16);
        add_if(lane() >= 16, sum, lower);
        add_if(lane() % 16 >= 8, sum, below);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
