// All lanes get the value of the last lane whose predicate is true; if there is none, each keeps its own. A lane
// mixes the received value with its own, because lanes with equal values would stay equal.
#include "copied/ballot-clamp-float.cuh"
#include "copied/ballot-clamp.cuh"
#include "copied/ballot-float.cuh"
#include "copied/ballot-own.cuh"
#include "copied/ballot-smem.cuh"
#include "copied/ballot.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem.cuh"
#include "last.cuh"
#include "shflbench.cuh"

// A butterfly of maxima finds the last lane. Two barriers per exchange: the first between a slot's write and its read,
// the second between that read and the slot's next write. The values have their own slots, so that the barrier between
// their write and read also separates the last read of the butterfly from the first write of the next iteration, and
// the barriers of the butterfly separate the read of the values from their next write.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::smem::last_where(x, holds(x), slots, candidates));
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::smem_syncwarp::last_where(x, holds(x), slots, candidates));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* candidates = reinterpret_cast<int*>(slots + blockDim.x);
    const int mine = threadIdx.x;
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) {
        int last = holds(x) ? lane() : NONE;
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
__global__ void LAUNCH_BOUNDS broadcast_last_shfl(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::shfl::last_where(x, holds(x)));
    result[thread()] = x;
}

// As in the GTC 2013 deck: after one vote all lanes know where the predicate is true.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot::last_where(x, holds(x)));
    result[thread()] = x;
}

// The same without the instruction that finds the highest bit, which has a quarter of the rate of others.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot_float(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot_float::last_where(x, holds(x)));
    result[thread()] = x;
}

// The same without a selection if no lane holds: the exponent then is that of the lane itself.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot_own(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot_own::last_where(x, holds(x)));
    result[thread()] = x;
}

// The shuffle itself returns the lane's own value if no lane holds: the lane that it would read is then above the clamp.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot_clamp(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot_clamp::last_where(x, holds(x)));
    result[thread()] = x;
}

// The same without the instruction that finds the highest bit.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot_clamp_float(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot_clamp_float::last_where(x, holds(x)));
    result[thread()] = x;
}

// After the vote, the last lane knows that it is the last: it alone stores, and all lanes load. Two buffers, one barrier per
// iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_ballot_smem(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x / WARP;
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::ballot_smem::last_where(x, holds(x), now, next));
    result[thread()] = x;
}
