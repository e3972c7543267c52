// challenge reduce --dtype f32 --launch 'sms x 32' --launch 'sms x 64' --launch 'sms x 128' --launch 'sms x 256' --launch 'sms x 512' --launch 'sms x 1024' --launch '2*sms x 1024'
//
// The sum of a warp by matrix instructions: a float is the sum of three bf16 (exactly) or of two tf32 (to 2^-23).
#include "matrix_sums.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Two matrix instructions, no shuffle, no memory. All bits of the values:
__global__ void LAUNCH_BOUNDS x_bf16_bf16(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum<matrix::BF16>(x));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_bf16_parallel(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum<matrix::BF16_PARALLEL>(x));
    result[thread()] = x;
}

// Nearly all bits:
__global__ void LAUNCH_BOUNDS x_tf32_tf32(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum<matrix::TF32>(x));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_tf32n_tf32n(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum<matrix::TF32_NEAREST>(x));
    result[thread()] = x;
}

// One matrix instruction, and two shuffles.
__global__ void LAUNCH_BOUNDS x_bf16_shfl(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum_shfl<matrix::BF16>(x));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_tf32_shfl(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum_shfl<matrix::TF32>(x));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_tf32n_shfl(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, matrix::warp_sum_shfl<matrix::TF32_NEAREST>(x));
    result[thread()] = x;
}

// Of four sums, one by five shuffles, whose unit has work to spare, and which need fewer instructions.
__global__ void LAUNCH_BOUNDS x_bf16_shfl_mixed(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, iteration % 4 == 3 ? matrix::butterfly(x) : matrix::warp_sum_shfl<matrix::BF16>(x));
    result[thread()] = x;
}

// In double precision, whose matrix instructions need no parts: a value per lane is an operand.
__device__ inline double2 of_columns(double a, double b) {
    double2 d;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=d"(d.x), "=d"(d.y) : "d"(a), "d"(b), "d"(0.0));
    return d;
}

__global__ void LAUNCH_BOUNDS x_f64(const float* values, float* result, int iterations) {
    float x = values[thread()];
    REPEAT(iterations) {
        const double2 sums = of_columns(1.0, double(x));
        x = advance(x, float(of_columns(1.0, sums.x + sums.y).x));
    }
    result[thread()] = x;
}

// Of doubles, the first matrix instruction; then shuffles of floats.
__global__ void LAUNCH_BOUNDS x_f64_shfl(const float* values, float* result, int iterations) {
    float x = values[thread()];
    REPEAT(iterations) {
        const double2 sums = of_columns(1.0, double(x));
        x = advance(x, matrix::sum_of_four_by_shuffles(float(sums.x + sums.y)));
    }
    result[thread()] = x;
}

// Every other sum in double precision, the others by tf32 and shuffles: conversions have a unit of their own.
__global__ void LAUNCH_BOUNDS x_f64_tf32(const float* values, float* result, int iterations) {
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) {
        float sum;
        if (iteration % 2) {
            const double2 sums = of_columns(1.0, double(x));
            sum = float(of_columns(1.0, sums.x + sums.y).x);
        } else {
            sum = matrix::warp_sum_shfl<matrix::TF32_NEAREST>(x);
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
