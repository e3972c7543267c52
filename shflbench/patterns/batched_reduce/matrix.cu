// SUMS sums over the 32 lanes of a warp at once, by matrix units: `mma.sync.m16n8k16`, which adds in f32.
//
// The values are matrix B, as they lie in registers: a word of lane 4 * group + member holds two values, at the column
// `group`, and at the rows 2 * member and 2 * member + 1 (the lower 8 rows in one register, the upper 8 in another). Each
// row of matrix A has ones where the rows of B hold one and the same value. So each row of the product has one sum over
// the four members of each group, and the product lies in registers such that the 8 groups of a row are in 4 lanes, two
// in each. An addition, and shuffles among 4 lanes, add these.
//
// Sum j becomes a row of lanes 4 * (j / 4) to 4 * (j / 4) + 3: the row j / 4 for an even j, that plus 8 for an odd j;
// j / 2 % 2 selects one of two products. The exchange of the 4 lanes then leaves sum j in lane j.
#include "batch.cuh"
#include "copied/mma.cuh"
#include "copied/mma-split.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_mma(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sums[RESULTS];
        shflbench::mma::warp_sums(batch.word, sums);
        batch.take(sums);
    }
    batch.store(result);
}

// A number in f32 is the sum of three bf16: the nearest one, the nearest one to the rest, and what is left.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_mma_split(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::mma_split::warp_sums(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}
