// challenge reduce --dtype i32 --launch 'sms x 1024' --launch '2*sms x 1024'
//
// REDUX has one unit, with half a result per clock: some of the sums go elsewhere.
#include "recurrence.cuh"
#include "shflbench.cuh"

// The halves of sums over 4 lanes. Matrix B is x twice, as bytes; in the upper 8 rows of A are the weights of bytes 0 and
// 1, in the lower ones those of bytes 2 and 3. A weight of 256 is 128 + 128.
__device__ inline void bytes(int x, int (&d)[4]) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, "
        "{%9, %9, %9, %9};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(0x00008001u), "r"(0x80010000u), "r"(0x00008000u), "r"(0x80000000u), "r"(x), "r"(0));
}

__device__ inline int sum_by_matrix(int x) {
    int d[4], e[4];
    bytes(x, d);
    bytes(int(unsigned(d[0]) + unsigned(d[1]) + (unsigned(d[2]) + unsigned(d[3]) << 16)), e);
    return int(unsigned(e[0]) + (unsigned(e[2]) << 16));
}

__device__ inline int sum_by_shuffles(int x) {
    for (int distance = 16; distance > 0; distance /= 2) x = add(x, __shfl_xor_sync(0xffffffffu, x, distance));
    return x;
}

__device__ inline int sum_by_redux(int x) { return __reduce_add_sync(0xffffffffu, x); }

__global__ void LAUNCH_BOUNDS x_matrix(const int* values, int* result, int iterations) {
    int x = values[thread()];
    REPEAT(iterations) x = advance(x, sum_by_matrix(x));
    result[thread()] = x;
}

// Of four sums, one by matrix instructions.
__global__ void LAUNCH_BOUNDS x_redux3_matrix1(const int* values, int* result, int iterations) {
    int x = values[thread()];
    REPEAT(iterations) x = advance(x, iteration % 4 == 3 ? sum_by_matrix(x) : sum_by_redux(x));
    result[thread()] = x;
}

// Of four sums, one by shuffles.
__global__ void LAUNCH_BOUNDS x_redux3_shfl1(const int* values, int* result, int iterations) {
    int x = values[thread()];
    REPEAT(iterations) x = advance(x, iteration % 4 == 3 ? sum_by_shuffles(x) : sum_by_redux(x));
    result[thread()] = x;
}

// Of four sums, one by a matrix instruction, which adds 8 lanes, and two shuffles among the 4 lanes that have these.
__global__ void LAUNCH_BOUNDS x_redux3_both(const int* values, int* result, int iterations) {
    int x = values[thread()];
    REPEAT(iterations) {
        int sum;
        if (iteration % 4 == 3) {
            int d[4];
            bytes(x, d);
            sum = int(unsigned(d[0]) + unsigned(d[1]) + (unsigned(d[2]) + unsigned(d[3]) << 16));
            sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, 1));
            sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, 2));
        } else {
            sum = sum_by_redux(x);
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
