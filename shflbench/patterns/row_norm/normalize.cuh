// RMSNorm and LayerNorm of rows, by any team of threads.
//
//     norm=rms    y = x / sqrt(mean(x²) + EPSILON) · weight
//     norm=layer  y = (x - mean(x)) / sqrt(mean((x - mean(x))²) + EPSILON) · weight + bias
//
// The factor is sqrt(LENGTH / (sum of squares + LENGTH · EPSILON)) in f32, root and quotient correctly rounded. LayerNorm
// reduces twice: the variance is that around the mean, which does not lose digits where the mean is large.
#pragma once
#include "rows.cuh"

constexpr float EPSILON = 1e-5f;

template <typename Team, typename T>
__device__ void normalize_rows(Team team, const T* x, const T* weight, const T* bias, T* y) {
    using Share = Row<T, Team::THREADS>;
    using Part = typename Share::Part;
    constexpr int N = Team::N, SIZE = Part::SIZE, GROUP = Share::GROUP;
    for_rows(team, x, [&](int first, Share (&rows)[N]) {
        float mean[N] = {}, scale[N];
#if OPTION_NORM_LAYER
#pragma unroll
        for (int n = 0; n < N; ++n) mean[n] = rows[n].fold(Sum(), [](float value) { return value; });
        team.all(mean, Sum());
#pragma unroll
        for (int n = 0; n < N; ++n) mean[n] *= 1.0f / LENGTH;
#endif
#pragma unroll
        for (int n = 0; n < N; ++n) {
            // In a row that is kept, the distances from the mean take the place of the elements.
            scale[n] = rows[n].fold(Sum(), [&](float& value) {
                const float distance = value - mean[n];
                if (Share::KEPT) value = distance;
                return distance * distance;
            });
        }
        team.all(scale, Sum());
#pragma unroll
        for (int n = 0; n < N; ++n) scale[n] = __fsqrt_rn(__fdiv_rn(LENGTH, __fadd_rn(scale[n], LENGTH * EPSILON)));

        static_assert(N == 1 || Share::KEPT, "a thread has either several rows in registers or a part of one");
        rows[0].each_group([&](int chunk, int part) {
            const int rank = rows[0].rank;
            Part weights[GROUP], biases[GROUP];
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                weights[g].load(weight, chunk + g, rank, ReadAgain());
#if OPTION_NORM_LAYER
                biases[g].load(bias, chunk + g, rank, ReadAgain());
#endif
            }
#pragma unroll
            for (int n = 0; n < N; ++n) {
#pragma unroll
                for (int g = 0; g < GROUP; ++g) {
                    Part result;
#pragma unroll
                    for (int i = 0; i < SIZE; ++i) {
                        const float value = rows[n].parts[part + g].x[i];
                        const float normal = __fmul_rn(Share::KEPT ? value : value - mean[n], scale[n]);
#if OPTION_NORM_LAYER
                        result.x[i] = __fmaf_rn(normal, weights[g].x[i], biases[g].x[i]);
#else
                        result.x[i] = __fmul_rn(normal, weights[g].x[i]);
#endif
                    }
                    result.store(y + size_t(first + n * Team::TEAMS) * LENGTH, chunk + g, rank);
                }
            }
        });
    });
}
