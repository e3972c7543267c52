// Lane l with element e gets what lane e had in element l, as far as their lowest bits go: as many as the option says.
#include "copied/half-shfl.cuh"
#include "copied/shfl-bits.cuh"
#include "copied/shfl-rounds.cuh"
#include "copied/smem.cuh"
#include "copied/smem-stmatrix.cuh"
#include "copied/smem-wide.cuh"
#include "layout.cuh"
#include "shflbench.cuh"

// A row of words per lane, which change places within it so that 32 lanes use all banks, both when they write and when they
// read: of 32-bit elements, word r of row l lies at r ^ l.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem(const T* values, T* result, int iterations) {
    auto* rows = rows_of_warp<T>();
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::smem::convert(own.x, rows);
        own.advance();
    }
    own.store(result);
}

// The same with stores of four words, which stay together: they change places as a whole. Lanes that store together, 8 with
// 16 bytes each, use all banks; so do those that load, but for bits = 1, where two lanes share each bank.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem_wide(const T* values, T* result, int iterations) {
    auto* rows = rows_of_warp<T>();
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::smem_wide::convert(own.x, rows);
        own.advance();
    }
    own.store(result);
}

// `stmatrix` puts a register of four adjacent lanes side by side, which is what a load of four words needs for bits > 1. The
// eight chunks of a register change places, so that 8 lanes that load together use all banks.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem_stmatrix(const T* values, T* result, int iterations) {
    auto* rows = rows_of_warp<T>();
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::smem_stmatrix::convert(own.x, rows);
        own.advance();
    }
    own.store(result);
}

#if OPTION_BITS_3 || OPTION_BITS_4
// Half of the words by shuffles, and the other half through shared memory: those whose lane and register differ in the highest
// of the exchanged bits. Fewer accesses than with shared memory alone, and fewer shuffles than without.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_half_shfl(const T* values, T* result, int iterations) {
    auto* slots = shared<T>() + threadIdx.x / WARP * (WARP * ELEMENTS / 2);
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::half_shfl::convert(own.x, slots);
        own.advance();
    }
    own.store(result);
}
#endif

// Bit by bit: a lane keeps half of its elements, and exchanges the others with the lane that differs in this bit. Within two
// registers, it sends every second part of each as one register.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_shfl_bits(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::shfl_bits::convert(own.x);
        own.advance();
    }
    own.store(result);
}

// Partner by partner: in round k, lanes l and l ^ k exchange one register each, which both have put in the same place.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_shfl_rounds(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
        shflbench::shfl_rounds::convert(own.x);
        own.advance();
    }
    own.store(result);
}
