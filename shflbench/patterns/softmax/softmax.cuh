// The softmax of rows, by any team of threads: y = exp(x - max) / sum(exp(x - max)). The largest element is
// subtracted so that nothing overflows.
#pragma once
#include "rows.cuh"

// e^x: one multiplication and one instruction. PTX ISA, ex2: the relative error of 2^t is at most 2^-22; e^0 is 1.
__device__ inline float exponential(float x) {
    constexpr float LOG2_E = 1.44269504f;
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(__fmul_rn(x, LOG2_E)));
    return result;
}

template <typename Team, typename T>
__device__ void softmax_rows(Team team, const T* x, T* y) {
    using Share = Row<T, Team::THREADS>;
    using Part = typename Share::Part;
    constexpr int N = Team::N;
    for_rows(team, x, [&](int first, Share (&rows)[N]) {
        float largest[N], scale[N];
#pragma unroll
        for (int n = 0; n < N; ++n) largest[n] = rows[n].fold(Max(), [](float value) { return value; });
        team.all(largest, Max());
#pragma unroll
        for (int n = 0; n < N; ++n) {
            // The exponentials of a row in registers take the place of its elements; of another row they are calculated
            // again.
            scale[n] = rows[n].fold(Sum(), [&](float& value) {
                const float power = exponential(__fadd_rn(value, -largest[n]));
                if (Share::KEPT) value = power;
                return power;
            });
        }
        team.all(scale, Sum());
#pragma unroll
        for (int n = 0; n < N; ++n) scale[n] = __frcp_rn(scale[n]);
#pragma unroll
        for (int n = 0; n < N; ++n) {
            T* const to = y + size_t(first + n * Team::TEAMS) * LENGTH;
            rows[n].each_group([&](int chunk, int part) {
#pragma unroll
                for (int g = 0; g < Share::GROUP; ++g) {
                    Part result;
#pragma unroll
                    for (int i = 0; i < Part::SIZE; ++i) {
                        const float value = rows[n].parts[part + g].x[i];
                        const float power = Share::KEPT ? value : exponential(__fadd_rn(value, -largest[n]));
                        result.x[i] = __fmul_rn(power, scale[n]);
                    }
                    result.store(to, chunk + g, rows[n].rank);
                }
            });
        }
    });
}
