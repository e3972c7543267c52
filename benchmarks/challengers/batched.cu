// Challengers of `batched-reduce`: SUMS sums over the 32 lanes of a warp at once.
#include "batch.cuh"
#include "shflbench.cuh"
#include "stmatrix.cuh"

constexpr int COUNT = SUMS / OWN;     // sums of a part: at most 32
constexpr int READERS = WARP / COUNT; // lanes that add up the values of one sum
static_assert(SUMS >= 16);

template <int N>
__device__ float tree(const float* x) {
    if constexpr (N == 1) return x[0];
    else return tree<N / 2>(x) + tree<N / 2>(x + N / 2);
}

// After STEPS halvings over the upper bits of the lane, a lane has R partial sums per part. Line i of the tile has register i
// of all lanes. Lane l reads 16 bytes at a time: sum l % COUNT is in line l % COUNT % R, in the columns of the lanes whose
// upper bits are l % COUNT / R. Lines begin in different groups of four banks.
template <int STEPS>
struct Lines {
    static constexpr int R = COUNT >> STEPS;
    static constexpr int WORDS = R * (WARP + 4) + 4;
    static __device__ int line(int i) { return i * WARP + 4 * (R >= 8 ? i : i % 2 + i / 2 * 4); }
    static __device__ const float* first(const float* tile) {
        const int j = lane() % COUNT;
        return tile + line(j % R) + j / R * (WARP >> STEPS) + lane() / COUNT * R;
    }
    static __device__ float sum(const float* first) {
        float part[R / 4];
        EACH(t, R / 4) {
            const float4 x = reinterpret_cast<const float4*>(first)[t];
            part[t] = (x.x + x.y) + (x.z + x.w);
        }
        float own = tree<R / 4>(part);
#pragma unroll
        for (int distance = COUNT; distance < WARP; distance *= 2) own += shfl_xor(own, distance);
        return own;
    }
};

// STEPS halvings of the sums of all parts, over the upper bits of the lane: SUMS >> STEPS remain, those of a part side by side.
template <int STEPS>
__device__ void halve(float (&sum)[SUMS]) {
#pragma unroll
    for (int step = 1; step <= STEPS; ++step) {
        const int distance = WARP >> step, kept = COUNT >> step;
        const bool upper = lane() & distance;
        EACH(part, OWN) EACH(i, COUNT / 2) {
            if (i >= kept) break;
            float &low = sum[part * COUNT + i], &high = sum[part * COUNT + kept + i];
            low = (upper ? high : low) + shfl_xor(upper ? low : high, distance);
        }
    }
}

// Two tiles in turn: one __syncwarp() per part.
template <int STEPS, bool MATRIX, typename T>
__device__ void through_tile(const T* values, T* result, int iterations) {
    using L = Lines<STEPS>;
    static_assert(L::R >= 4);
    float* tiles[2];
    tiles[0] = shared<float>() + threadIdx.x / WARP * (2 * L::WORDS);
    tiles[1] = tiles[0] + L::WORDS;
    const int first = int(L::first(nullptr) - static_cast<const float*>(nullptr));
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> sum[SUMS], own[OWN];
        batch.unpack(sum);
        halve<STEPS>(sum);
        EACH(part, OWN) {
            float* tile = tiles[(OWN == 2 ? part : iteration) % 2];
            if (MATRIX) {
                EACH(i, L::R / 4) {
                    // lane 8 * r + c has the address of chunk c of register r
                    store_four(tile + L::line(4 * i + lane() / 8) + lane() % 8 * 4, sum + part * COUNT + 4 * i);
                }
            } else {
                EACH(i, L::R) tile[L::line(i) + lane()] = sum[part * COUNT + i];
            }
            __syncwarp();
            own[part] = L::sum(tile + first);
        }
        batch.take_own(own);
    }
    batch.store(result);
}

// Rows that begin in different groups of banks, so that a lane reads 16 bytes at a time, and a tree of additions.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_wide_tree(const T* values, T* result, int iterations) {
    through_tile<0, false>(values, result, iterations);
}
// The same, stored by stmatrix: four registers per instruction.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_stmatrix(const T* values, T* result, int iterations) {
    through_tile<0, true>(values, result, iterations);
}
// One step of halving, then the tile: half of its passes, and half of the selects of halving.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_halve_tile(const T* values, T* result, int iterations) {
    through_tile<1, true>(values, result, iterations);
}
// Two steps of halving, then the tile.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_halve2_tile(const T* values, T* result, int iterations) {
    through_tile<2, true>(values, result, iterations);
}

// Halving with one select per exchange: a lane adds what it keeps by two FFMA with factors 0 and 1, one of which adds +0. The
// select of what is kept and the addition become two instructions of the FMA pipe, which has twice the rate of selects.
// Finite values only: 0 * infinity is NaN. -0 + 0 is +0.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_halving_fma(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    float of_even[5], of_odd[5];
    EACH(step, 5) {
        of_odd[step] = lane() >> step & 1 ? 1.0f : 0.0f;
        of_even[step] = 1.0f - of_odd[step];
    }
    REPEAT(iterations) {
        Sum<T> sum[SUMS];
        batch.unpack(sum);
#pragma unroll
        for (int step = 0; step < 5; ++step) {
            const int distance = 1 << step;
            const bool upper = lane() & distance;
            if (SUMS <= distance) sum[0] = add(sum[0], shfl_xor(sum[0], distance));
            EACH(i, SUMS / 2) {
                if (i >= SUMS / 2 / distance) break;
                const Sum<T> even = sum[2 * i], odd = sum[2 * i + 1];
                const Sum<T> got = shfl_xor(upper ? even : odd, distance);
                sum[i] = fmaf(odd, of_odd[step], fmaf(even, of_even[step], got));
            }
        }
        Sum<T> own[OWN];
        EACH(part, OWN) own[part] = sum[part];
        batch.take_own(own);
    }
    batch.store(result);
}

// Halving without selects: register r of a part has the value of sum r ^ lane (of the lane's bits below COUNT). In the step
// of bit b, all lanes keep the registers without bit b and send the others: lane ^ bit has in register r | bit the value of
// sum r ^ lane. Values are loaded and stored in the usual order; their registers change places before and after the loop, as
// in a program that calculates or loads them in this order.
template <typename T>
__device__ void change_places(Batch<T>& batch) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
        EACH(r, SUMS) {
            if (r & bit) continue;
            const unsigned low = batch.word[r], high = batch.word[r | bit];
            batch.word[r] = lane() & bit ? high : low;
            batch.word[r | bit] = lane() & bit ? low : high;
        }
    }
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_halving_xor(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    change_places(batch);
    REPEAT(iterations) {
        Sum<T> sum[SUMS];
        batch.unpack(sum);
#pragma unroll
        for (int bit = WARP / 2; bit > 0; bit /= 2) {
            EACH(part, OWN) {
                Sum<T>* of_part = sum + part * COUNT;
                EACH(r, COUNT / 2) {
                    if (r >= bit || bit >= COUNT) break;
                    of_part[r] = add(of_part[r], shfl_xor(of_part[r | bit], bit));
                }
            }
        }
        Sum<T> own[OWN];
        EACH(part, OWN) {
            own[part] = sum[part * COUNT];
#pragma unroll
            for (int distance = COUNT; distance < WARP; distance *= 2) own[part] = add(own[part], shfl_xor(own[part], distance));
        }
        batch.take_own(own);
    }
    change_places(batch);
    batch.store(result);
}

// The same order of registers, halved once by shuffles; then the tile.
template <typename T>
__global__ void LAUNCH_BOUNDS my_batched_x_halving_xor_tile(const T* values, T* result, int iterations) {
    // Only the top bit changes places: registers r and r + COUNT / 2 of lanes 16 to 31.
    using L = Lines<1>;
    float* tiles[2];
    tiles[0] = shared<float>() + threadIdx.x / WARP * (2 * L::WORDS);
    tiles[1] = tiles[0] + L::WORDS;
    const int first = int(L::first(nullptr) - static_cast<const float*>(nullptr));
    Batch<T> batch(values);
    const auto change_top = [&] {
        EACH(part, OWN) EACH(r, COUNT / 2) {
            unsigned &low = batch.word[part * COUNT + r], &high = batch.word[part * COUNT + COUNT / 2 + r];
            if (lane() & 16) swap(low, high);
        }
    };
    change_top();
    REPEAT(iterations) {
        Sum<T> sum[SUMS], own[OWN];
        batch.unpack(sum);
        EACH(part, OWN) {
            Sum<T>* of_part = sum + part * COUNT;
            EACH(r, COUNT / 2) of_part[r] = add(of_part[r], shfl_xor(of_part[COUNT / 2 + r], 16));
            float* tile = tiles[(OWN == 2 ? part : iteration) % 2];
            EACH(i, L::R / 4) store_four(tile + L::line(4 * i + lane() / 8) + lane() % 8 * 4, of_part + 4 * i);
            __syncwarp();
            own[part] = L::sum(tile + first);
        }
        batch.take_own(own);
    }
    change_top();
    batch.store(result);
}
