// The values of a lane in `convert-layout`: 32 registers, of whose number BITS bits are exchanged with bits of the lane.
#pragma once
#include "shflbench.cuh"

constexpr int BITS = OPTION_BITS;
constexpr int SIDE = 1 << BITS;  // lanes of a group, and registers that they exchange with one another
constexpr int REGISTERS = 32;

#define EACH_REGISTER(i) _Pragma("unroll") for (int i = 0; i < REGISTERS; ++i)

// The lane whose register `i` comes to this lane, and the number of the register there.
__device__ inline int lane_of(int i) { return (lane() & ~(SIDE - 1)) | (i & (SIDE - 1)); }
__device__ inline int register_of(int i) { return (i & ~(SIDE - 1)) | (lane() & (SIDE - 1)); }

template <typename T>
struct Registers {
    T x[REGISTERS];

    // The warp's values of register i follow those of register i - 1.
    static __device__ int place(int i) { return (thread() - lane()) * REGISTERS + i * WARP + lane(); }

    __device__ explicit Registers(const T* values) { EACH_REGISTER(i) x[i] = values[place(i)]; }
    __device__ void store(T* result) const { EACH_REGISTER(i) result[place(i)] = x[i]; }

    // Two conversions are the identity. The factor depends on the register, and what is added on the lane, so that a
    // conversion does not commute with this step: the result shows which iterations converted. Each factor is odd, so that no
    // difference is lost.
    __device__ void advance() {
        EACH_REGISTER(i) x[i] = T(unsigned(x[i]) * (0x9E3779B1u + 2 * i) + lane());
    }
};
