// SUMS sums over the 32 lanes of a warp at once.
#include "batch.cuh"
#include "copied/butterflies.cuh"
#include "copied/halving.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

// A butterfly for each sum; every lane gets all sums.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_butterflies(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::butterflies::warp_sums(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}

// The halving exchange: in each step, a lane keeps half of its sums, and sends the others to a lane that keeps those.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_halving(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::halving::warp_sums(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}

// A tile in shared memory, with a row of 32 values and a padding word per sum, for 32 sums at a time. The lanes of a row
// read different banks. With fewer sums than lanes, several lanes share a row.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_smem(const T* values, T* result, int iterations) {
    constexpr int ROWS = SUMS / OWN, ROW = WARP + 1, TILE = (ROWS * ROW + 3) / 4 * 4;
    Sum<T>* tile = shared<Sum<T>>() + threadIdx.x / WARP * TILE;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::smem::warp_sums(x, sums, tile);
        batch.take(sums);
    }
    batch.store(result);
}
