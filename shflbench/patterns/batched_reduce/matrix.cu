// SUMS sums over the 32 lanes of a warp at once, by matrix units.
#include "matrix.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_mma(const T* values, T* result, int iterations) {
    constexpr int COUNT = SUMS / OWN;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> own[OWN];
        EACH(part, OWN) {
            MatrixSums<Matrix<T>, COUNT> sums;
            sums.add(batch.word + part * WARP / 2);
            own[part] = sums.own();
        }
        batch.take_own(own);
    }
    batch.store(result);
}

// A number in f32 is the sum of three bf16: the nearest one, the nearest one to the rest, and what is left.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_mma_split(const T* values, T* result, int iterations) {
    constexpr int COUNT = SUMS / OWN, PAIRS = (COUNT + 1) / 2;
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> rest[SUMS], own[OWN];
        batch.unpack(rest);
        EACH(part, OWN) {
            MatrixSums<Matrix<Bfloat16>, COUNT> sums;
            EACH(digit, 3) {
                unsigned pair[PAIRS];
                EACH(i, PAIRS) {
                    T &even = rest[part * COUNT + 2 * i], &odd = rest[part * COUNT + (2 * i + 1) % COUNT];
                    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair[i]) : "f"(odd), "f"(even));
                    even -= __uint_as_float(pair[i] << 16);
                    if (COUNT > 1) odd -= __uint_as_float(pair[i] & 0xFFFF0000u);
                }
                sums.add(pair);
            }
            own[part] = sums.own();
        }
        batch.take_own(own);
    }
    batch.store(result);
}
