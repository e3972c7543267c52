// What the kernels of `broadcast-last` share: the predicate, and the lane to take the value from.
#pragma once
#include "shflbench.cuh"

constexpr int NONE = -1;  // no lane: less than all lanes, so that the last of several lanes is the maximum

// Depends on the data: true for one value in 16, so that in one of eight iterations it is true in no lane of a warp
// ((15/16)^32 = 0.13). It tests bits 19 to 22: carries from the lower bits keep it changing (with few lower bits, one
// lane would soon be the source for ever), and the higher bits are equal in all floats from 1 to 2.
struct Holds {
    unsigned five;  // in bits 19 to 22. The compiler must not know it: from a register, one LOP3 sets the predicate.

    __device__ Holds() {
        asm volatile("{\n\t"
                     ".reg .u32 one;\n\t"
                     "min.u32 one, %1, 1;\n\t"
                     "mul.lo.u32 %0, one, 0x280000;\n\t"
                     "}"
                     : "=r"(five)
                     : "r"(gridDim.x));
    }
    template <typename T>
    __device__ bool operator()(T x) const {
        unsigned low_word;
        memcpy(&low_word, &x, sizeof low_word);
        return ((low_word ^ five) & 15u << 19) == 0;
    }
};

// If the predicate is true in no lane, each lane keeps its own value.
__device__ int source_lane(int last) { return last == NONE ? lane() : last; }
