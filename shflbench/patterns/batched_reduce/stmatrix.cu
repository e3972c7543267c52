// The sums through shared memory with `stmatrix`, in a source of its own, which older GPUs need not compile.
#include "batch.cuh"
#include "copied/halving-stmatrix.cuh"
#include "copied/smem-stmatrix.cuh"
#include "shflbench.cuh"

// Tiles in shared memory as in `smem`, stored by instructions of four registers each, and read 16 bytes at a time. Two
// tiles take turns, so that one barrier of the warp per tile is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_smem_stmatrix(const T* values, T* result, int iterations) {
    constexpr int TILE = SUMS / OWN * (WARP + 4);
    Sum<T>*now = shared<Sum<T>>() + threadIdx.x / WARP * (2 * TILE), *next = now + TILE;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::smem_stmatrix::warp_sums(x, sums, now, next);
        batch.take(sums);
    }
    batch.store(result);
}

// One step of the halving exchange, then the same with half as many values.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_halving_stmatrix(const T* values, T* result, int iterations) {
    constexpr int TILE = SUMS / OWN / 2 * (WARP + 4);
    Sum<T>*now = shared<Sum<T>>() + threadIdx.x / WARP * (2 * TILE), *next = now + TILE;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::halving_stmatrix::warp_sums(x, sums, now, next);
        batch.take(sums);
    }
    batch.store(result);
}
