// All lanes get whether a predicate is true in all lanes, in any lane, or in which lanes.
#include "copied/ballot-min.cuh"
#include "copied/ballot-shift.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem.cuh"
#include "copied/vote.cuh"
#include "flags.cuh"
#include "shflbench.cuh"
#include "vote.cuh"

// Two barriers: the first between a flag's write and its reads, the second between those reads and the flag's
// next write.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_smem(const T* values, T* result, int iterations) {
    uint4* flags = shared<uint4>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::WARP_VOTE(predicate(x), flags));
    result[thread()] = x;
}

// The flags never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_smem_syncwarp(const T* values, T* result, int iterations) {
    uint4* flags = shared<uint4>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::WARP_VOTE(predicate(x), flags));
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
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::WARP_VOTE(predicate(x)));
    result[thread()] = x;
}

// One instruction.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_vote(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::vote::WARP_VOTE(predicate(x)));
    result[thread()] = x;
}

// The smaller one of the ballot and 1: a number, by a register in place of a predicate.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_ballot_min(const T* values, T* result, int iterations) {
    const unsigned change = opaque_change();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::ballot_min::warp_any(predicate(x)), change);
    result[thread()] = x;
}

// 1, shifted by the ballot of the lanes whose predicate is false: 0 unless there are none.
template <typename T>
__global__ void LAUNCH_BOUNDS vote_ballot_shift(const T* values, T* result, int iterations) {
    const unsigned change = opaque_change();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::ballot_shift::warp_all(predicate(x)), change);
    result[thread()] = x;
}
