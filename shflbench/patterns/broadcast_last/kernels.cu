// The last lane whose predicate holds gives its value to all lanes; where it holds nowhere, each keeps its own.
// A lane mixes what it got into what it had, because values that are once the same stay the same.
#include "last.cuh"
#include "shflbench.cuh"

// A butterfly of maxima finds the last lane. Two barriers an exchange: the first between a slot's write and its read,
// the second between that read and the slot's next write. Values have slots of their own, so that the barrier between
// their write and read stands between the butterfly's last read and the next trip's first write as well, and the
// butterfly's barriers between the values' read and their next write.
template <typename T>
__global__ void broadcast_last_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        int last = candidate(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            candidates[mine] = last;
            __syncthreads();
            last = max(last, candidates[mine ^ distance]);
            if (distance > 1) __syncthreads();
        }
        slots[mine] = x;
        __syncthreads();
        x = mix(x, slots[first_of_warp() + source_lane(last)]);
    }
    result[thread()] = x;
}

// The values never leave the warp, so the warp is all that has to be synchronised.
template <typename T>
__global__ void broadcast_last_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        int last = candidate(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            candidates[mine] = last;
            __syncwarp();
            last = max(last, candidates[mine ^ distance]);
            if (distance > 1) __syncwarp();
        }
        slots[mine] = x;
        __syncwarp();
        x = mix(x, slots[first_of_warp() + source_lane(last)]);
    }
    result[thread()] = x;
}

// UNSAFE: trusts that a warp runs in lock step, which no GPU since Volta promises.
template <typename T>
__global__ void broadcast_last_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        int last = candidate(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            volatile_store(&candidates[mine], last);
            last = max(last, volatile_load(&candidates[mine ^ distance]));
        }
        volatile_store(&slots[mine], x);
        x = mix(x, volatile_load(&slots[first_of_warp() + source_lane(last)]));
    }
    result[thread()] = x;
}

// The same butterfly by shuffles.
template <typename T>
__global__ void broadcast_last_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        int last = candidate(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) last = max(last, shfl_xor(last, distance));
        x = mix(x, shfl(x, source_lane(last)));
    }
    result[thread()] = x;
}

// The highest bit that is set, or NONE. CUDA C++ has no function for the instruction.
__device__ int bfind(unsigned bits) {
    int highest;
    asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(bits));
    return highest;
}

// As in the GTC 2013 deck: one vote tells all lanes where the predicate holds.
template <typename T>
__global__ void broadcast_last_ballot(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const int last = bfind(__ballot_sync(FULL_WARP, holds(x)));
        x = mix(x, shfl(x, source_lane(last)));
    }
    result[thread()] = x;
}

// One instruction finds the largest of the warp's candidates.
template <typename T>
__global__ void broadcast_last_redux(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        const int last = __reduce_max_sync(FULL_WARP, candidate(x));
        x = mix(x, shfl(x, source_lane(last)));
    }
    result[thread()] = x;
}
