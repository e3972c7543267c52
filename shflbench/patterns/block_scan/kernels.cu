// Each thread gets the sum of its own value and those of the lower threads of its block. `finish_scan` turns it into an
// exclusive sum.
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// Over distances that double, each thread adds the sum of a lower thread so far. Two buffers, one barrier per exchange:
// while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + BLOCK;
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < BLOCK; distance *= 2) {
            now[mine] = sum;
            __syncthreads();
            if (mine >= distance) sum = add(sum, now[mine - distance]);
            swap(now, next);
        }
        x = advance(x, finish_scan(x, sum, [&](T inclusive) {
            now[mine] = inclusive;
            __syncthreads();
            const T below = mine > 0 ? now[mine - 1] : T(0);
            swap(now, next);
            return below;
        }));
    }
    result[thread()] = x;
}

// One unused slot after every 128 bytes, so that threads which access every second, fourth, … slot use different banks.
template <typename T>
__device__ int padded(int index) { return index + index / int(128 / sizeof(T)); }

// A tree in shared memory with 2·BLOCK additions instead of log2(BLOCK)·BLOCK. On the way up, the last slot of each
// span of slots gets the sum of the span. On the way down, it gets the sum of all slots below the span: the lower half
// of a span has that sum below it, the upper half that of the lower half in addition.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_tree(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[padded<T>(mine)] = x;
        for (int half = 1; half < BLOCK / 2; half *= 2) {
            __syncthreads();
            if (mine < BLOCK / 2 / half) {
                T* lower = &slots[padded<T>((2 * mine + 1) * half - 1)];
                T* upper = &slots[padded<T>((2 * mine + 2) * half - 1)];
                *upper = add(*upper, *lower);
            }
        }
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            __syncthreads();
            if (mine < BLOCK / 2 / half) {
                T* lower = &slots[padded<T>((2 * mine + 1) * half - 1)];
                T* upper = &slots[padded<T>((2 * mine + 2) * half - 1)];
                const T below = half == BLOCK / 2 ? T(0) : *upper;
                const T of_lower = *lower;
                *lower = below;
                *upper = add(below, of_lower);
            }
        }
        __syncthreads();
        const T below = slots[padded<T>(mine)];  // no other thread writes this slot before the next barrier
        x = advance(x, EXCLUSIVE ? below : add(below, x));
    }
    result[thread()] = x;
}

// The slots of a warp, one per lane, with half as many zeros below them: a lane that adds the slot 16 below its own, or
// a closer one, needs no condition. All threads of the block must call it.
template <typename T>
__device__ T* slots_of_warp() {
    T* slots = shared<T>() + first_of_warp() / 2 * 3 + WARP / 2;
    if (lane() < WARP / 2) slots[lane() - WARP / 2] = 0;
    __syncthreads();
    return slots;
}

// The inclusive sums of the first COUNT lanes of a warp, through slots of the warp.
template <int COUNT, typename T>
__device__ T scan_of_warp(T sum, T* slots) {
    for (int distance = 1; distance < COUNT; distance *= 2) {
        slots[lane()] = sum;
        __syncwarp();
        sum = add(sum, slots[lane() - distance]);
        __syncwarp();
    }
    return sum;
}

// Scans within the warps, then the first warp scans the warps' sums; synchronizing a warp is enough for both. Two
// barriers, around the second scan: `sums` is written again after the second barrier, `below` after the next first.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_syncwarp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    T* slots = slots_of_warp<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = scan_of_warp<WARP>(x, slots);
        if (lane() == WARP - 1) sums[warp()] = sum;
        sum = finish_scan(x, sum, [=](T inclusive) {
            slots[lane()] = inclusive;
            __syncwarp();
            const T shifted = slots[lane() - 1];
            __syncwarp();
            return shifted;
        });
        __syncthreads();
        if (warp() == 0) {
            const T of_warps = scan_of_warp<WARPS>(lane() < WARPS ? sums[lane()] : T(0), slots);
            if (lane() < WARPS) below[1 + lane()] = of_warps;
        }
        __syncthreads();
        x = advance(x, add(below[warp()], sum));
    }
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <int COUNT, typename T>
__device__ T scan_of_warp_unsafe(T sum, volatile T* slots) {
    for (int distance = 1; distance < COUNT; distance *= 2) {
        slots[lane()] = sum;
        sum = add(sum, T(slots[lane() - distance]));
    }
    return sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_unsafe(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    volatile T* slots = slots_of_warp<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = scan_of_warp_unsafe<WARP>(x, slots);
        if (lane() == WARP - 1) sums[warp()] = sum;
        sum = finish_scan(x, sum, [=](T inclusive) {
            slots[lane()] = inclusive;
            return T(slots[lane() - 1]);
        });
        __syncthreads();
        if (warp() == 0) {
            const T of_warps = scan_of_warp_unsafe<WARPS>(lane() < WARPS ? sums[lane()] : T(0), slots);
            if (lane() < WARPS) below[1 + lane()] = of_warps;
        }
        __syncthreads();
        x = advance(x, add(below[warp()], sum));
    }
    result[thread()] = x;
}

// The inclusive sums of the first COUNT lanes of a warp, by shuffles.
template <int COUNT, typename T>
__device__ T scan_of_warp(T sum) {
    for (int distance = 1; distance < COUNT; distance *= 2) {
        const T below = __shfl_up_sync(FULL_WARP, sum, distance);
        if (lane() >= distance) sum = add(sum, below);
    }
    return sum;
}

// The sum within the warp, inclusive or exclusive, from the inclusive one.
template <typename T>
__device__ T finish_scan(T x, T sum) {
    return finish_scan(x, sum, [](T inclusive) {
        const T below = __shfl_up_sync(FULL_WARP, inclusive, 1);
        return lane() > 0 ? below : T(0);
    });
}

// The sum of the sums of all lower warps, in all lanes of the calling warp.
template <typename T>
__device__ T sum_of_lower_warps(const T* sums) {
    const int other = lane() % WARPS;
    T sum = other < warp() ? sums[other] : T(0);
    for (int distance = WARPS / 2; distance > 0; distance /= 2) {
        sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    }
    return sum;
}

// Scans within the warps; then each warp adds the sums of the lower warps. One barrier between the writes of the warps'
// sums and their reads, one between those reads and the next writes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = scan_of_warp<WARP>(x);
        if (lane() == WARP - 1) sums[warp()] = sum;
        __syncthreads();
        const T below = sum_of_lower_warps(sums);
        __syncthreads();
        x = advance(x, add(below, finish_scan(x, sum)));
    }
    result[thread()] = x;
}

// Only the first warp scans the warps' sums; all threads read the results from shared memory. No further barrier is
// needed: `sums` is written again after the second barrier, `below` after the next first.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_first_warp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = scan_of_warp<WARP>(x);
        if (lane() == WARP - 1) sums[warp()] = sum;
        sum = finish_scan(x, sum);
        __syncthreads();
        if (warp() == 0) {
            const T of_warps = scan_of_warp<WARPS>(lane() < WARPS ? sums[lane()] : T(0));
            if (lane() < WARPS) below[1 + lane()] = of_warps;
        }
        __syncthreads();
        x = advance(x, add(below[warp()], sum));
    }
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other. It cannot write the
// first again before the next barrier, at which all warps have read it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_once(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = scan_of_warp<WARP>(x);
        if (lane() == WARP - 1) now[warp()] = sum;
        __syncthreads();
        const T below = sum_of_lower_warps(now);
        swap(now, next);
        x = advance(x, add(below, finish_scan(x, sum)));
    }
    result[thread()] = x;
}

// Slots for the warps' sums, at least as many as one load reads.
template <typename T>
constexpr int SUMS = WARPS > Wide<T>::COUNT ? WARPS : Wide<T>::COUNT;

// The sum of the sums of all lower warps, in each thread, which loads up to eight of all sums, 16 bytes at a time; shuffles add
// up what the lanes of a warp of a large block have loaded.
template <typename T>
__device__ T load_lower_warps(const T* sums) {
    constexpr int PART = WARPS < 8 ? WARPS : 8, PARTS = WARPS / PART;
    const int first = lane() % PARTS * PART;
    T even = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < PART; i += Wide<T>::COUNT) {
        const Wide<T> wide = reinterpret_cast<const Wide<T>*>(sums + first)[i / Wide<T>::COUNT];
#pragma unroll
        for (int j = 0; j < Wide<T>::COUNT && i + j < WARPS - 1; ++j) {  // no warp adds the sum of the last one
            T& sum = j % 2 ? odd : even;
            sum = add(sum, first + i + j < warp() ? wide.values[j] : T(0));
        }
    }
    T sum = add(even, odd);
#pragma unroll
    for (int distance = PARTS / 2; distance > 0; distance /= 2) {
        sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    }
    return sum;
}

// As the kernel before, but wide loads and additions under conditions replace the second stage of shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][SUMS<T>];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = scan_of_warp<WARP>(x);
        if (lane() == WARP - 1) now[warp()] = sum;
        __syncthreads();
        const T below = load_lower_warps(now);
        swap(now, next);
        x = advance(x, add(below, finish_scan(x, sum)));
    }
    result[thread()] = x;
}

// The same, with scans within the warps by groups of eight lanes through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem8_shfl_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK], sums[2][SUMS<T>];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        const T sum = prefix_sum_by_groups<EXCLUSIVE>(&slots[first_of_warp()]);
        if (lane() == WARP - 1) now[warp()] = EXCLUSIVE ? add(sum, x) : sum;
        __syncthreads();  // also between the reads of the slots and their next writes
        const T below = load_lower_warps(now);
        swap(now, next);
        x = advance(x, add(below, sum));
    }
    result[thread()] = x;
}
