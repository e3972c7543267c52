// Loads from shared memory that the compiler does not merge.
#pragma once
#include "shflbench.cuh"
template <typename T> struct alignas(16) Quad { T v[4]; };
template <typename T> struct alignas(8) Two { T v[2]; };
__device__ inline Quad<float> load4(const float* p) {
    Quad<float> q;
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(q.v[0]), "=f"(q.v[1]), "=f"(q.v[2]), "=f"(q.v[3]) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline Quad<int> load4(const int* p) {
    Quad<int> q;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(q.v[0]), "=r"(q.v[1]), "=r"(q.v[2]), "=r"(q.v[3]) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline Two<float> load2(const float* p) {
    Two<float> q;
    asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(q.v[0]), "=f"(q.v[1]) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline Two<int> load2(const int* p) {
    Two<int> q;
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(q.v[0]), "=r"(q.v[1]) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline float load1(const float* p) {
    float q;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(q) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline int load1(const int* p) {
    int q;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(q) : "r"(shared_address(p)) : "memory");
    return q;
}
__device__ inline float plus(float a, float b) { return a + b; }
__device__ inline int plus(int a, int b) { return int(unsigned(a) + unsigned(b)); }
template <typename T>
__device__ T quad_sum(Quad<T> q) { return plus(plus(q.v[0], q.v[1]), plus(q.v[2], q.v[3])); }
