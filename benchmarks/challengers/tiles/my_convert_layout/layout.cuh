// The values of a lane in `convert-layout`: 32 elements, of whose number some bits are exchanged with bits of the lane. An
// element of 32 bits is a register; two of 16 bits or four of 8 bits lie in one.
#pragma once
#include "shflbench.cuh"

constexpr int ELEMENTS = 32;
template <typename T>
constexpr int PER_WORD = 4 / sizeof(T);
template <typename T>
constexpr int WORDS = ELEMENTS / PER_WORD<T>;

#define EACH_WORD(T, i) _Pragma("unroll") for (int i = 0; i < WORDS<T>; ++i)

template <typename T, bool IS_WORD = sizeof(T) == 4>
struct WordOf {
    using Type = unsigned;
};
template <typename T>
struct WordOf<T, true> {
    using Type = T;
};

template <typename T>
struct Registers {
    using Word = typename WordOf<T>::Type;
    Word x[WORDS<T>];

    // The warp's values of register i follow those of register i - 1.
    static __device__ int place(int i) { return (thread() - lane()) * WORDS<T> + i * WARP + lane(); }

    __device__ explicit Registers(const T* values) {
        EACH_WORD(T, i) x[i] = reinterpret_cast<const Word*>(values)[place(i)];
    }
    __device__ void store(T* result) const { EACH_WORD(T, i) reinterpret_cast<Word*>(result)[place(i)] = x[i]; }

    // Two conversions are the identity. The factor depends on the register, and what is added on the lane, so that a
    // conversion does not commute with this step: the result shows which iterations converted. Each factor is odd, so that no
    // difference is lost.
    __device__ void advance() {
        EACH_WORD(T, i) x[i] = Word(unsigned(x[i]) * (0x9E3779B1u + 2 * i) + lane());
    }
};

// The warp's part of shared memory: a row of words per lane.
template <typename T>
__device__ auto rows_of_warp() {
    return shared<typename Registers<T>::Word>() + threadIdx.x / WARP * WARP * WORDS<T>;
}
