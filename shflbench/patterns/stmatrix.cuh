// Stores of 32-bit registers of a warp by `stmatrix`: the words of four adjacent lanes lie side by side. From sm_90 on.
#pragma once
#include "shflbench.cuh"

// Registers 0 to 3 of lane l become word l % 4 of chunk l / 4, of 16 bytes: lane 8 * i + j has the address of chunk j of
// register i.
template <typename T>
__device__ void store_four(void* chunk, const T* x) {
    unsigned bits[4];
    static_assert(sizeof(T) == 4);
    memcpy(bits, x, sizeof bits);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(shared_address(chunk)), "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]) : "memory");
}
