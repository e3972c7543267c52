// The elements of a warp in `top-k`.
#pragma once
#include "shflbench.cuh"

constexpr int ELEMENTS = OPTION_ELEMENTS, COUNT = OPTION_K;
constexpr int PER_LANE = ELEMENTS / WARP;

#define EACH_ELEMENT(i) _Pragma("unroll") for (int i = 0; i < PER_LANE; ++i)

struct Elements {
    int x[PER_LANE];

    // Element i of a warp's lanes follows element i - 1.
    static __device__ int place(int i) { return (thread() - lane()) * PER_LANE + i * WARP + lane(); }

    __device__ explicit Elements(const int* values) { EACH_ELEMENT(i) x[i] = values[place(i)]; }
    __device__ void store(int* result) const { EACH_ELEMENT(i) result[place(i)] = x[i]; }

    // New elements in random order, which depend on what the lane got: the halves of that number are swapped, so that each
    // bit changes high bits of the product. The lowest ten bits become the element's number: no two elements are equal.
    __device__ void advance(int got) {
        const unsigned swapped = __byte_perm(got, 0, 0x1032);
        EACH_ELEMENT(i) x[i] = ((unsigned(x[i]) ^ swapped) * 0x9E3779B1u & ~1023u) | (i * WARP + lane());
    }
};
