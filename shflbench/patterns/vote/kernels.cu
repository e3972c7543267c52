// All lanes get whether a predicate is true in all lanes, in any lane, or in which lanes.
#include "flags.cuh"
#include "shflbench.cuh"
#include "vote.cuh"

// Two barriers: the first between a flag's write and its reads, the second between those reads and the flag's
// next write.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_smem(const T* values, T* result, int iterations) {
    unsigned char* flags = flags_of_warp();
    const int mine = place();
    T x = values[thread()];
    REPEAT(iterations) {
        flags[mine] = flag(predicate(x));
        __syncthreads();
        const unsigned ballot = ballot_from(flags);
        __syncthreads();
        x = advance(x, outcome(ballot));
    }
    result[thread()] = x;
}

// The flags never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_smem_syncwarp(const T* values, T* result, int iterations) {
    unsigned char* flags = flags_of_warp();
    const int mine = place();
    T x = values[thread()];
    REPEAT(iterations) {
        flags[mine] = flag(predicate(x));
        __syncwarp();
        const unsigned ballot = ballot_from(flags);
        __syncwarp();
        x = advance(x, outcome(ballot));
    }
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_smem_unsafe(const T* values, T* result, int iterations) {
    volatile unsigned char* flags = flags_of_warp();
    const int mine = place();
    T x = values[thread()];
    REPEAT(iterations) {
        flags[mine] = flag(predicate(x));
        x = advance(x, outcome(ballot_from_volatile(flags_of_warp())));
    }
    result[thread()] = x;
}

// Five exchanges collect the lanes' bits.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_shfl(const T* values, T* result, int iterations) {
    const unsigned bit = 1u << lane();
    T x = values[thread()];
    REPEAT(iterations) {
        unsigned ballot = predicate(x) ? bit : 0;
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            ballot |= __shfl_xor_sync(FULL_WARP, ballot, distance);
        }
        x = advance(x, outcome(ballot));
    }
    result[thread()] = x;
}

// One instruction.
__device__ inline unsigned voted(bool predicate) {
#if OPTION_OP_ANY
    return __any_sync(FULL_WARP, predicate);
#elif OPTION_OP_BALLOT
    return __ballot_sync(FULL_WARP, predicate);
#else
    return __all_sync(FULL_WARP, predicate);
#endif
}

template <typename T>
__global__ void LAUNCH_BOUNDS vote_vote(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, voted(predicate(x)));
    result[thread()] = x;
}
