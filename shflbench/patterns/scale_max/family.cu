// The family of largest magnitudes: part of what a group's lanes have through shared memory, the rest by shuffles, or one
// instruction for all of it. Each member is one choice of the template's parameters.
#include "loads.cuh"
#include "shflbench.cuh"
#include "values.cuh"

enum class Maxima { INTEGERS, FLOATS, PAIRS };

// Adjacent lanes that have the values of a group.
template <typename T>
constexpr int LANES = OPTION_GROUP * int(sizeof(T)) / (4 * WORDS);

// The larger one of two keys, and the key of a word. Integers: the bits of a number without its sign, of bf16 above the other
// number of the word. Floats: signs do not count. Pairs: two numbers without their signs.
template <Maxima KIND>
__device__ unsigned larger(unsigned a, unsigned b) {
    if constexpr (KIND == Maxima::INTEGERS) return max(a, b);
    if constexpr (KIND == Maxima::FLOATS) {
        return __float_as_uint(fmaxf(fabsf(__uint_as_float(a)), fabsf(__uint_as_float(b))));
    }
    if constexpr (KIND == Maxima::PAIRS) {
        unsigned result;
        asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
        return result;
    }
}
template <typename T, Maxima KIND>
__device__ unsigned key_of(unsigned word) {
    constexpr bool IS_PAIR = sizeof(T) == 2;
    if constexpr (KIND == Maxima::PAIRS) return word & 0x7FFF7FFFu;
    if constexpr (KIND == Maxima::INTEGERS) {
        const unsigned magnitudes = word & (IS_PAIR ? 0x7FFF7FFFu : 0x7FFFFFFFu);
        return IS_PAIR ? max(magnitudes, magnitudes << 16) : magnitudes;
    }
    if constexpr (KIND == Maxima::FLOATS) return IS_PAIR ? larger<KIND>(word << 16, word & 0xFFFF0000u) : word;
}

// The bits of the largest magnitude, from the key of all values.
template <typename T, Maxima KIND>
__device__ unsigned bits_of(unsigned key) {
    if constexpr (KIND == Maxima::PAIRS) return max(key & 0xFFFFu, key >> 16);
    return sizeof(T) == 2 ? key >> 16 : key;
}

// The largest of keys that lie side by side, as a tree.
template <int COUNT, Maxima KIND>
__device__ unsigned largest_of(const unsigned* keys) {
    unsigned largest[COUNT];
    memcpy(largest, keys, sizeof largest);
#pragma unroll
    for (int width = 1; width < COUNT; width *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * width) largest[i] = larger<KIND>(largest[i], largest[i + width]);
    }
    return largest[0];
}

// Each lane gets the largest key of the lanes of its group whose numbers differ by multiples of FROM: by a butterfly, or, APART,
// from shuffles that do not wait for one another.
template <int LANES, int FROM, Maxima KIND, bool APART>
__device__ unsigned largest_of_shuffles(unsigned key) {
    constexpr int COUNT = LANES / FROM;
    if (APART) {
        unsigned keys[COUNT] = {key};
#pragma unroll
        for (int i = 1; i < COUNT; ++i) keys[i] = shfl_xor(key, i * FROM);
        return largest_of<COUNT, KIND>(keys);
    }
#pragma unroll
    for (int distance = FROM; distance < LANES; distance *= 2) key = larger<KIND>(key, shfl_xor(key, distance));
    return key;
}

// One instruction of the whole warp per group: lanes of other groups have zero.
template <int LANES>
__device__ unsigned largest_of_redux(unsigned key) {
    unsigned largest = 0;
#pragma unroll
    for (int group = 0; group < WARP / LANES; ++group) {
        const bool is_own = lane() / LANES == group;
        unsigned of_group;
        asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(of_group) : "r"(is_own ? key : 0));
        largest = is_own ? of_group : largest;
    }
    return largest;
}

// Each lane loads the keys of LOADED lanes if a group has all lanes of a warp, and the same share of a smaller group. Two buffers
// of a warp lie side by side, and serve in turn: one barrier per exchange.
template <typename T, int LOADED, int MOST_BITS, Maxima KIND, bool DOUBLE, bool APART, bool LATE, bool REDUX>
__global__ void LAUNCH_BOUNDS scale_max_member(const unsigned* states, unsigned* result, int iterations) {
    constexpr int PART = LOADED == 1 ? 1 : LANES<T> * LOADED / WARP;
    constexpr int BITS = MOST_BITS < 32 * PART ? MOST_BITS : 32 * PART;
    unsigned* const slots = shared<unsigned>() + first_of_warp() * (DOUBLE ? 2 : 1);
    int offset = 0;
    Values<T> values(states);
    REPEAT(iterations) {
        unsigned keys[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) keys[i] = key_of<T, KIND>(values.words[i]);
        unsigned key = largest_of<WORDS, KIND>(keys);
        if constexpr (REDUX) key = largest_of_redux<LANES<T>>(key);
        if constexpr (!REDUX && LATE) key = largest_of_shuffles<LANES<T>, PART, KIND, APART>(key);
        if constexpr (PART > 1) {
            unsigned* const buffer = slots + offset;
            buffer[lane()] = key;
            __syncwarp();  // all lanes have written
            unsigned loaded[PART];
            load_all<BITS>(loaded, buffer + lane() / PART * PART);
            key = largest_of<PART, KIND>(loaded);
            if (DOUBLE) offset ^= WARP;
            if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
        }
        if constexpr (!REDUX && !LATE) key = largest_of_shuffles<LANES<T>, PART, KIND, APART>(key);
        values.advance(bits_of<T, KIND>(key));
    }
    values.store(result);
}
