// Lane l with element e gets what lane e had in element l, as far as their lowest BITS bits go.
#include "layout.cuh"
#include "shflbench.cuh"
#include "stmatrix.cuh"

// A row of words per lane, which change places within it so that 32 lanes use all banks, both when they write and when they
// read: of 32-bit elements, word r of row l lies at r ^ l.
template <typename T>
__device__ int place_of_word(int lane, int word) { return lane * WORDS<T> + (word ^ lane / PER_WORD<T>); }
template <typename T>
__device__ T load_element(const typename Registers<T>::Word* rows, int lane, int element) {
    const auto* word = rows + place_of_word<T>(lane, element / PER_WORD<T>);
    return reinterpret_cast<const T*>(word)[element % PER_WORD<T>];
}
template <typename T>
__device__ auto gather(const typename Registers<T>::Word* rows, int i) {
    if constexpr (PER_WORD<T> == 1) {
        return load_element<T>(rows, lane_of(i), element_of(i));
    } else {
        constexpr unsigned BITS_OF_ELEMENT = 8 * sizeof(T), LOWEST = (1u << BITS_OF_ELEMENT) - 1;
        unsigned word = 0;
#pragma unroll
        for (int part = 0; part < PER_WORD<T>; ++part) {
            const int element = i * PER_WORD<T> + part;
            word |= (load_element<T>(rows, lane_of(element), element_of(element)) & LOWEST) << part * BITS_OF_ELEMENT;
        }
        return word;
    }
}
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem(const T* values, T* result, int iterations) {
    auto* rows = shared<typename Registers<T>::Word>() + threadIdx.x / WARP * WARP * WORDS<T>;
    Registers<T> own(values);
    REPEAT(iterations) {
        EACH_WORD(T, i) rows[place_of_word<T>(lane(), i)] = own.x[i];
        __syncwarp();
        EACH_WORD(T, i) own.x[i] = gather<T>(rows, i);
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// The same with stores of four words, which stay together: they change places as a whole. Lanes that store together, 8 with
// 16 bytes each, use all banks; so do those that load, but for BITS = 1, where two lanes share each bank.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
    T word[4];
};
__device__ inline int place_of_four(int lane, int four) { return four ^ (lane & 7) ^ lane / 8 << (BITS > 2); }
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem_wide(const T* values, T* result, int iterations) {
    T* rows = shared<T>() + threadIdx.x / WARP * WARP * ELEMENTS;
    Registers<T> own(values);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < ELEMENTS; i += 4) {
            const Four<T> four = {own.x[i], own.x[i + 1], own.x[i + 2], own.x[i + 3]};
            reinterpret_cast<Four<T>*>(rows + lane() * ELEMENTS)[place_of_four(lane(), i / 4)] = four;
        }
        __syncwarp();
        EACH_WORD(T, i) {
            const int from = element_of(i);
            own.x[i] = rows[lane_of(i) * ELEMENTS + place_of_four(lane_of(i), from / 4) * 4 + from % 4];
        }
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// `stmatrix` puts a register of four adjacent lanes side by side, which is what a load of four words needs for BITS > 1. The
// eight chunks of a register change places, so that 8 lanes that load together use all banks.
__device__ inline int place_of_chunk(int element, int four_lanes) {
    return element * (WARP / 4) + (four_lanes ^ (BITS == 2 ? element % 4 * 2 : element % 8));
}
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_smem_stmatrix(const T* values, T* result, int iterations) {
    auto* chunks = shared<Four<T>>() + threadIdx.x / WARP * WARP * ELEMENTS / 4;
    Registers<T> own(values);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < ELEMENTS; i += 4) store_four(chunks + place_of_chunk(i + lane() / 8, lane() % 8), own.x + i);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < ELEMENTS; i += 4) {
            const Four<T> four = chunks[place_of_chunk(element_of(i), lane_of(i) / 4)];
#pragma unroll
            for (int k = 0; k < 4; ++k) own.x[i + k] = four.word[k];
        }
        __syncwarp();
        own.advance();
    }
    own.store(result);
}

// Bit by bit: a lane keeps half of its elements, and exchanges the others with the lane that differs in this bit.
template <typename T>
__device__ void exchange_words(T* words, int distance, int bit) {
    const bool upper = lane() & bit;
    const T low = words[0], high = words[distance], got = shfl_xor(upper ? low : high, bit);
    words[0] = upper ? got : low;
    words[distance] = upper ? high : got;
}

// The same within two registers: a lane sends every second part of each, of PART bytes, as one register.
struct Permutations {
    unsigned sent, first, second;
};
template <int PART>
__device__ Permutations permutations(bool upper) {
    if (PART == 2) return upper ? Permutations{0x5410, 0x3254, 0x3276} : Permutations{0x7632, 0x5410, 0x7610};
    return upper ? Permutations{0x6420, 0x3514, 0x3716} : Permutations{0x7531, 0x5240, 0x7260};
}
template <int PART>
__device__ void exchange_parts(unsigned* words, int bit) {
    const Permutations by = permutations<PART>(lane() & bit);
    const unsigned got = shfl_xor(__byte_perm(words[0], words[1], by.sent), bit);
    words[0] = __byte_perm(words[0], got, by.first);
    words[1] = __byte_perm(words[1], got, by.second);
}

template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_shfl_bits(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
#pragma unroll
        for (int bit = 1; bit < SIDE; bit *= 2) {
            const int distance = bit / PER_WORD<T>;  // of the registers of two elements whose numbers differ in this bit
            EACH_WORD(T, i) {
                if (distance > 0) {
                    if (!(i & distance)) exchange_words(own.x + i, distance, bit);
                } else if constexpr (sizeof(T) < 4) {
                    if (i % 2) continue;
                    if (bit * sizeof(T) == 2) exchange_parts<2>(own.x + i, bit);
                    else exchange_parts<1>(own.x + i, bit);
                }
            }
        }
        own.advance();
    }
    own.store(result);
}

// Register i of each lane changes places with register i ^ l of the same SIDE registers, where l are the bits of the lane.
template <typename T>
__device__ void xor_registers(T (&x)[ELEMENTS]) {
#pragma unroll
    for (int bit = 1; bit < SIDE; bit *= 2) {
        EACH_WORD(T, i) {
            if (i & bit) continue;
            const T low = x[i], high = x[i | bit];
            x[i] = lane() & bit ? high : low;
            x[i | bit] = lane() & bit ? low : high;
        }
    }
}

// Partner by partner: in round k, lanes l and l ^ k exchange one register each, which both have put in the same place.
template <typename T>
__global__ void LAUNCH_BOUNDS convert_layout_shfl_rounds(const T* values, T* result, int iterations) {
    Registers<T> own(values);
    REPEAT(iterations) {
        xor_registers(own.x);
        EACH_WORD(T, i) {
            if (i % SIDE) own.x[i] = shfl_xor(own.x[i], i % SIDE);
        }
        xor_registers(own.x);
        own.advance();
    }
    own.store(result);
}
