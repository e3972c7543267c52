// SUMS sums over the 32 lanes of a warp at once.
#include "batch.cuh"
#include "shflbench.cuh"

// A butterfly for each sum; every lane gets all sums.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_butterflies(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sum[SUMS];
        batch.unpack(sum);
        EACH(j, SUMS) {
#pragma unroll
            for (int distance = 1; distance < WARP; distance *= 2) sum[j] = add(sum[j], shfl_xor(sum[j], distance));
        }
        batch.take_all(sum);
    }
    batch.store(result);
}

// The halving exchange: in each step, a lane keeps half of its sums, and sends the others to a lane that keeps those.
// Before the step of `distance`, sum[i] is that of number lane % distance + distance * i, over `distance` lanes.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_halving(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sum[SUMS];
        batch.unpack(sum);
#pragma unroll
        for (int distance = 1; distance < WARP; distance *= 2) {
            const bool upper = lane() & distance;
            if (SUMS <= distance) sum[0] = add(sum[0], shfl_xor(sum[0], distance));
            EACH(i, SUMS / 2) {
                if (i >= SUMS / 2 / distance) break;
                const Sum<T> even = sum[2 * i], odd = sum[2 * i + 1];
                sum[i] = add(upper ? odd : even, shfl_xor(upper ? even : odd, distance));
            }
        }
        Sum<T> own[OWN];
        EACH(part, OWN) own[part] = sum[part];
        batch.take_own(own);
    }
    batch.store(result);
}

// A tile in shared memory, with a row of 32 values and a padding word per sum, for 32 sums at a time. The lanes of a row
// read different banks. With fewer sums than lanes, several lanes share a row.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_smem(const T* values, T* result, int iterations) {
    constexpr int ROWS = SUMS / OWN, ROW = WARP + 1, TILE = (ROWS * ROW + 3) / 4 * 4;
    Sum<T>* tile = shared<Sum<T>>() + threadIdx.x / WARP * TILE;
    const Sum<T>* row = tile + lane() % ROWS * ROW + lane() / ROWS * ROWS;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sum[SUMS], own[OWN];
        batch.unpack(sum);
        EACH(part, OWN) {
            EACH(j, ROWS) tile[j * ROW + lane()] = sum[part * ROWS + j];
            __syncwarp();
            own[part] = row[0];
            EACH(i, ROWS - 1) own[part] = add(own[part], row[i + 1]);
            __syncwarp();
#pragma unroll
            for (int distance = ROWS; distance < WARP; distance *= 2) {
                own[part] = add(own[part], shfl_xor(own[part], distance));
            }
        }
        if (ALL && SUMS > 1) {  // lanes above SUMS write slots that no lane reads
            EACH(part, OWN) tile[part * WARP + lane()] = own[part];
            __syncwarp();
            EACH(j, SUMS) sum[j] = tile[j];
            __syncwarp();
            batch.take_all(sum);
        } else {
            batch.take_own(own);
        }
    }
    batch.store(result);
}

// One instruction for each sum, of integers.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_redux(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sum[SUMS];
        batch.unpack(sum);
        EACH(j, SUMS) sum[j] = T(__reduce_add_sync(FULL_WARP, unsigned(sum[j])));
        batch.take_all(sum);
    }
    batch.store(result);
}
