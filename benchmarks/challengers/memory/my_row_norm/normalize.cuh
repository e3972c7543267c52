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

// Lanes of a warp that have several rows: in each step of the butterfly a lane passes on half of its sums, until it has
// the sum of one row. It finishes this one only, and further shuffles distribute the results.
template <int LANES_OF_ROW, int ROWS>
struct HalvingTeam : LaneTeam<LANES_OF_ROW, ROWS> {
    static constexpr int THREADS = LANES_OF_ROW;
    static_assert(ROWS > 1 && ROWS <= THREADS);
    template <typename Finish>
    __device__ void sum(float (&x)[ROWS], Finish finish) {
#pragma unroll
        for (int step = 1; step < ROWS; step *= 2) {
            const int half = ROWS / 2 / step, distance = THREADS / 2 / step;
            const bool upper = lane() & distance;
#pragma unroll
            for (int n = 0; n < ROWS / 2; ++n) {
                if (n >= half) continue;
                const float other = shfl_xor(upper ? x[n] : x[n + half], distance);
                x[n] = (upper ? x[n + half] : x[n]) + other;
            }
        }
#pragma unroll
        for (int distance = THREADS / ROWS / 2; distance > 0; distance /= 2) x[0] += shfl_xor(x[0], distance);
        const float finished = finish(x[0]);
#pragma unroll
        for (int n = 0; n < ROWS; ++n) x[n] = __shfl_sync(FULL_WARP, finished, n * (THREADS / ROWS), THREADS);
    }
};
template <typename Team>
constexpr bool HALVES = false;
template <int LANES_OF_ROW, int ROWS>
constexpr bool HALVES<HalvingTeam<LANES_OF_ROW, ROWS>> = true;

// Sums x over the team's threads, and gives each of them finish(sum).
template <typename Team, int N, typename Finish>
__device__ void finished_sums(Team& team, float (&x)[N], Finish finish) {
    if constexpr (HALVES<Team>) {
        team.sum(x, finish);
    } else {
        team.all(x, Sum());
#pragma unroll
        for (int n = 0; n < N; ++n) x[n] = finish(x[n]);
    }
}

template <typename Team, typename T>
__device__ void normalize_rows(Team team, const T* x, const T* weight, const T* bias, T* y) {
    using Share = Row<T, Team::THREADS>;
    using Part = typename Share::Part;
    constexpr int N = Team::N, SIZE = Part::SIZE, GROUP = Share::GROUP;
    static_assert(!HALVES<Team> || Share::CHUNKS == GROUP, "all weights are in registers");
    for_rows(team, x, [&](int first, Share (&rows)[N]) {
        float mean[N] = {}, scale[N];
        Part weights[GROUP], biases[GROUP];
        const auto load_weights = [&](int chunk) {
#pragma unroll
            for (int g = 0; g < GROUP; ++g) {
                weights[g].load(weight, chunk + g, rows[0].rank, ReadAgain());
#if OPTION_NORM_LAYER
                biases[g].load(bias, chunk + g, rows[0].rank, ReadAgain());
#endif
            }
        };
        if (HALVES<Team>) load_weights(0);  // before it waits for the rows
#if OPTION_NORM_LAYER
#pragma unroll
        for (int n = 0; n < N; ++n) mean[n] = rows[n].fold(Sum(), [](float value) { return value; });
        finished_sums(team, mean, [](float sum) { return sum * (1.0f / LENGTH); });
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
        finished_sums(team, scale, [](float squares) {
            return __fsqrt_rn(__fdiv_rn(LENGTH, __fadd_rn(squares, LENGTH * EPSILON)));
        });

        static_assert(N == 1 || Share::KEPT, "a thread has either several rows in registers or a part of one");
        rows[0].each_group([&](int chunk, int part) {
            if (!HALVES<Team>) load_weights(chunk);
            const int rank = rows[0].rank;
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
