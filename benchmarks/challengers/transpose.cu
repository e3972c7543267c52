// Challengers of `transpose` for 8 words per lane. Word 8l + j of the tile comes from register l / 4 of lane 8 (l % 4) + j.
#include "stmatrix.cuh"
#include "tile.cuh"
#include "transpose.cuh"

static_assert(WORDS == 8);

__device__ inline int unknown_one() {  // 1, which the compiler does not know
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}

// Swaps two words if a bit is set: one select, and one predicated product with 1, by units that selects do not use.
__device__ inline void swap_if(int bit, float& a, float& b, int one) {
    int first = __float_as_int(a), second = __float_as_int(b), selected;
    asm("{\n\t.reg .pred swaps;\n\tsetp.ne.s32 swaps, %2, 0;\n\t"
        "selp.b32 %0, %1, %3, swaps;\n\t"
        "@swaps mad.lo.s32 %1, %3, %4, 0;\n\t}"
        : "=&r"(selected), "+r"(second) : "r"(bit), "r"(first), "r"(one));
    a = __int_as_float(selected);
    b = __int_as_float(second);
}
// Register i becomes register i ^ by, for the lowest `BITS` bits.
template <int COUNT>
__device__ inline void xor_registers(float (&x)[COUNT], int by, int one) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (!(i & bit)) swap_if(by & bit, x[i], x[i | bit], one);
        }
    }
}
// The same by selects only.
template <int COUNT>
__device__ inline void xor_selected(float (&x)[COUNT], int by) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (i & bit) continue;
            const float low = x[i], high = x[i | bit];
            x[i] = by & bit ? high : low;
            x[i | bit] = by & bit ? low : high;
        }
    }
}

// `shfl`, whose conditional swaps are one select and one predicated product.
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_shfl_mad(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
    const int one = unknown_one();
    const int from = lane() % 4 * 8 | lane() / 4;
    REPEAT(iterations) {
        xor_registers(tile.word, lane() % 8, one);
#pragma unroll
        for (int t = 0; t < 8; ++t) tile.word[t] = __shfl_sync(FULL_WARP, tile.word[t], from ^ t);
        xor_registers(tile.word, lane() / 4, one);
    }
    tile.store(result);
}

// Half of the words by shuffles, and the other half through shared memory: those for which bit 2 of the register they come
// from and of the one they go to differ.
template <bool PRODUCTS, typename T>
__device__ void half_and_half(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * 4;
    Tile<T> tile(values);
    const int one = PRODUCTS ? unknown_one() : 1;
    const int j = lane() % 8, q = lane() / 8, i = lane() / 4, in_row = lane() % 4;
    const int upper_from = j >> 2, upper_to = lane() >> 4;
    // The chunk of lane 16 (1 - upper_from) + 4k + q, in a place that uses all banks: 64 bytes further for each k
    const auto chunk = [](int of_lane) { return (of_lane ^ (of_lane >> 4) << 2) * 4; };
    T* to = slots + chunk(16 * (1 - upper_from) + q) + j % 4;
    const float4* own = reinterpret_cast<const float4*>(slots + chunk(lane()));
    // k moves bits 2 and 3 of the lane, and the xor with 4 of the chunk's number flips bit 2 where upper_from is 0.
    T* const to_k[2] = {slots + chunk(16 * (1 - upper_from) + q) + j % 4, slots + chunk(16 * (1 - upper_from) + 4 + q) + j % 4};
    (void)to;
    const int from = 8 * in_row | 4 * upper_to | i % 4;
    REPEAT(iterations) {
        T direct[4], stored[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            direct[k] = tile.word[k];
            stored[k] = tile.word[k + 4];
            if (PRODUCTS) swap_if(upper_from, direct[k], stored[k], one);
            else {
                direct[k] = upper_from ? tile.word[k + 4] : tile.word[k];
                stored[k] = upper_from ? tile.word[k] : tile.word[k + 4];
            }
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) to_k[k % 2][k / 2 * 32] = stored[k];
        if (PRODUCTS) xor_registers(direct, j % 4, one);
        else xor_selected(direct, j % 4);
#pragma unroll
        for (int t = 0; t < 4; ++t) direct[t] = __shfl_sync(FULL_WARP, direct[t], from ^ t);
        __syncwarp();
        const float4 loaded = *own;
        if (PRODUCTS) xor_registers(direct, i % 4, one);
        else xor_selected(direct, i % 4);
        const T load[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            tile.word[k] = direct[k];
            tile.word[k + 4] = load[k];
            if (PRODUCTS) swap_if(upper_to, tile.word[k], tile.word[k + 4], one);
            else {
                tile.word[k] = upper_to ? load[k] : direct[k];
                tile.word[k + 4] = upper_to ? direct[k] : load[k];
            }
        }
        __syncwarp();
    }
    tile.store(result);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_half(const T* values, T* result, int iterations) {
    half_and_half<false>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_half_mad(const T* values, T* result, int iterations) {
    half_and_half<true>(values, result, iterations);
}

// Single words are stored so that the words of four adjacent lanes lie side by side; `ldmatrix` loads four registers.
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_ldmatrix(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    // Chunk (i, j) has the words of register i of lanes 8q + j; it is at place 8i + (j ^ i).
    const int j = lane() % 8, q = lane() / 8;
    unsigned rows[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = lane() % 8, column = lane() / 8 + 4 * half;  // the chunk whose address this lane gives
        rows[half] = shared_address(slots + 32 * row + 4 * (column ^ row));
    }
    REPEAT(iterations) {
        EACH_WORD(i) slots[32 * i + 4 * (j ^ i) + q] = tile.word[i];
        __syncwarp();
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            unsigned bits[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3]) : "r"(rows[half]) : "memory");
#pragma unroll
            for (int k = 0; k < 4; ++k) tile.word[4 * half + k] = __uint_as_float(bits[k]);
        }
        __syncwarp();
    }
    tile.store(result);
}

// Stores of 16 bytes of a lane, loads of single words.
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_store_128(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    // Registers 4c to 4c + 3 of lane 8q + j are chunk j ^ (q + 4c) of row q + 4c.
    const int j = lane() % 8, q = lane() / 8;
    float4* to[2];
#pragma unroll
    for (int c = 0; c < 2; ++c) {
        const int row = q + 4 * c;
        to[c] = reinterpret_cast<float4*>(slots + 32 * row + 4 * (j ^ row));
    }
    const int row = lane() % 4 + 4 * (lane() / 16);
    const T* from = slots + 32 * row + lane() / 4 % 4;
    REPEAT(iterations) {
        *to[0] = {tile.word[0], tile.word[1], tile.word[2], tile.word[3]};
        *to[1] = {tile.word[4], tile.word[5], tile.word[6], tile.word[7]};
        __syncwarp();
        EACH_WORD(k) tile.word[k] = from[4 * (k ^ row)];
        __syncwarp();
    }
    tile.store(result);
}

// Two buffers, so that no barrier follows the loads.
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_stmatrix_double(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp() * WORDS, *next = now + blockDim.x * WORDS;
    Tile<T> tile(values);
    const auto place = [](int index) { return index ^ index / WARP % 2 * 4; };
    REPEAT(iterations) {
        store_four(now + place(lane() / 8 * WARP + lane() % 8 * 4), tile.word);
        store_four(now + place((4 + lane() / 8) * WARP + lane() % 8 * 4), tile.word + 4);
        __syncwarp();
        const float4 low = *reinterpret_cast<const float4*>(now + place(lane() * 8));
        const float4 high = *reinterpret_cast<const float4*>(now + place(lane() * 8 + 4));
        const T loaded[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        EACH_WORD(k) tile.word[k] = loaded[k];
        swap(now, next);
    }
    tile.store(result);
}

// Of each eight warps, three transpose by shuffles, and the others through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS my_transpose_x_warps(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    const int one = unknown_one();
    const int from = lane() % 4 * 8 | lane() / 4;
    const auto place = [](int index) { return index ^ index / WARP % 2 * 4; };
    const bool shuffles = __shfl_sync(FULL_WARP, threadIdx.x / WARP + blockIdx.x, 0) % 8 < 3;
    REPEAT(iterations) {
        if (shuffles) {
            xor_registers(tile.word, lane() % 8, one);
#pragma unroll
            for (int t = 0; t < 8; ++t) tile.word[t] = __shfl_sync(FULL_WARP, tile.word[t], from ^ t);
            xor_registers(tile.word, lane() / 4, one);
        } else {
            store_four(slots + place(lane() / 8 * WARP + lane() % 8 * 4), tile.word);
            store_four(slots + place((4 + lane() / 8) * WARP + lane() % 8 * 4), tile.word + 4);
            __syncwarp();
            const float4 low = *reinterpret_cast<const float4*>(slots + place(lane() * 8));
            const float4 high = *reinterpret_cast<const float4*>(slots + place(lane() * 8 + 4));
            const T loaded[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            EACH_WORD(k) tile.word[k] = loaded[k];
            __syncwarp();
        }
    }
    tile.store(result);
}
