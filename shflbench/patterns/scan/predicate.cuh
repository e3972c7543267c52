// The value plus that of the lane `distance` below, if there is one. PTX can use the predicate that a shuffle
// sets, C++ cannot. If there is no such lane, a shuffle returns the lane's own value.
#pragma once
#include "shflbench.cuh"

__device__ inline float add_from_below(float value, int distance) {
    float sum;
    asm volatile(
        "{\n\t"
        ".reg .pred exists;\n\t"
        "shfl.sync.up.b32 %0|exists, %1, %2, 0, 0xffffffff;\n\t"
        "@exists add.f32 %0, %0, %1;\n\t"
        "}"
        : "=&f"(sum)
        : "f"(value), "r"(distance));
    return sum;
}

__device__ inline int add_from_below(int value, int distance) {
    int sum;
    asm volatile(
        "{\n\t"
        ".reg .pred exists;\n\t"
        "shfl.sync.up.b32 %0|exists, %1, %2, 0, 0xffffffff;\n\t"
        "@exists add.s32 %0, %0, %1;\n\t"
        "}"
        : "=&r"(sum)
        : "r"(value), "r"(distance));
    return sum;
}

// A 64-bit value takes two shuffles, whose predicates are equal.
__device__ inline double add_from_below(double value, int distance) {
    double sum;
    asm volatile(
        "{\n\t"
        ".reg .b32 low, high;\n\t"
        ".reg .pred exists;\n\t"
        "mov.b64 {low, high}, %1;\n\t"
        "shfl.sync.up.b32 low, low, %2, 0, 0xffffffff;\n\t"
        "shfl.sync.up.b32 high|exists, high, %2, 0, 0xffffffff;\n\t"
        "mov.b64 %0, {low, high};\n\t"
        "@exists add.f64 %0, %0, %1;\n\t"
        "}"
        : "=&d"(sum)
        : "d"(value), "r"(distance));
    return sum;
}

__device__ inline long long add_from_below(long long value, int distance) {
    long long sum;
    asm volatile(
        "{\n\t"
        ".reg .b32 low, high;\n\t"
        ".reg .pred exists;\n\t"
        "mov.b64 {low, high}, %1;\n\t"
        "shfl.sync.up.b32 low, low, %2, 0, 0xffffffff;\n\t"
        "shfl.sync.up.b32 high|exists, high, %2, 0, 0xffffffff;\n\t"
        "mov.b64 %0, {low, high};\n\t"
        "@exists add.s64 %0, %0, %1;\n\t"
        "}"
        : "=&l"(sum)
        : "l"(value), "r"(distance));
    return sum;
}
