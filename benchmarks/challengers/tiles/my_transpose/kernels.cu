// Challengers of transpose.
#include "tile.cuh"

__device__ inline int opaque_one() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}
__device__ inline void exchange_if(int bit, float& a, float& b, int one) {
    int first = __float_as_int(a), second = __float_as_int(b), selected;
    asm("{\n\t"
        ".reg .pred exchanged;\n\t"
        "setp.ne.s32 exchanged, %2, 0;\n\t"
        "selp.b32 %0, %1, %3, exchanged;\n\t"
        "@exchanged mad.lo.s32 %1, %3, %4, 0;\n\t"
        "}"
        : "=&r"(selected), "+r"(second)
        : "r"(bit), "r"(first), "r"(one));
    a = __int_as_float(selected);
    b = __int_as_float(second);
}
template <int COUNT>
__device__ inline void exchange_registers(float (&x)[COUNT], int by, int one) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (!(i & bit)) exchange_if(by & bit, x[i], x[i | bit], one);
        }
    }
}

__device__ inline void put(unsigned at, float x) { asm volatile("st.shared.f32 [%0], %1;" :: "r"(at), "f"(x) : "memory"); }
__device__ inline void put(unsigned at, float x, float y) {
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" :: "r"(at), "f"(x), "f"(y) : "memory");
}
__device__ inline void put(unsigned at, float x, float y, float z, float w) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" :: "r"(at), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
__device__ inline void put_matrices(unsigned at, float x, float y, float z, float w) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"(at), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
__device__ inline float get(unsigned at) {
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at) : "memory");
    return x;
}
__device__ inline float4 get4(unsigned at) {
    float4 x;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "r"(at) : "memory");
    return x;
}

#define TILE_KERNEL(name, words, ...) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_transpose_##name(const T* values, T* result, int iterations) { \
        const unsigned slots = shared_address(shared<T>()) + threadIdx.x / WARP * (words) * 4; \
        const int one = opaque_one(), l = lane(); \
        (void)one, (void)slots; \
        Tile<T> tile(values); \
        auto& x = tile.word; \
        REPEAT(iterations) __VA_ARGS__ \
        tile.store(result); \
    }

#if OPTION_WORDS_2 || OPTION_WORDS_4 || OPTION_WORDS_8
// shfl, half of whose conditional moves are products.
TILE_KERNEL(x_shfl_mad, 0, {
    const int group = l / (32 / WORDS);
    exchange_registers(x, l % WORDS, one);
    EACH_WORD(i) x[i] = __shfl_sync(FULL_WARP, x[i], (l * WORDS + group) % 32 ^ i);
    exchange_registers(x, group, one);
})
#endif

#if OPTION_WORDS_2
__device__ inline int place(int s) { return (s % 2) * 32 + 2 * (s / 2 ^ s % 2 * 8); }
__device__ inline int word_at(int w) { return place(w % 32) + w / 32; }
TILE_KERNEL(x_store_wide, TILE, {
    put(slots + 4 * place(l), x[0], x[1]);
    __syncwarp();
    EACH_WORD(i) x[i] = get(slots + 4 * word_at(l * WORDS + i));
    __syncwarp();
})
// Each word is sent by one of two shuffles, of which a lane takes what it needs.
TILE_KERNEL(x_shfl_all, 0, {
    float from[2][2];
    EACH_WORD(i) {
        from[0][i] = __shfl_sync(FULL_WARP, x[0], 2 * l + i);
        from[1][i] = __shfl_sync(FULL_WARP, x[1], 2 * l + i);
    }
    EACH_WORD(i) x[i] = l & 16 ? from[1][i] : from[0][i];
})
#endif

#if OPTION_WORDS_3
// Each register is one of three: a selection, then a product in a third of the lanes.
__device__ inline void rotate(float (&x)[3], int by, int one) {
    const float old[3] = {x[0], x[1], x[2]};
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        int y = __float_as_int(by == 1 ? old[(i + 2) % 3] : old[i]);
        asm("{\n\t.reg .pred p;\n\tsetp.eq.s32 p, %1, 2;\n\t@p mad.lo.s32 %0, %2, %3, 0;\n\t}"
            : "+r"(y) : "r"(by), "r"(__float_as_int(old[(i + 1) % 3])), "r"(one));
        x[i] = __int_as_float(y);
    }
}
TILE_KERNEL(x_shfl_mad, 0, {
    float y[3] = {x[0], x[2], x[1]};
    rotate(y, l % 3, one);
    EACH_WORD(i) x[i] = __shfl_sync(FULL_WARP, y[i], (l * 3 + i) % 32);
})
// The same without products, each register by two selections.
TILE_KERNEL(x_shfl_sel, 0, {
    const int by = l % 3;
    const float y[3] = {x[0], x[2], x[1]};
    float z[3];
    EACH_WORD(i) z[i] = by == 1 ? y[(i + 2) % 3] : by == 2 ? y[(i + 1) % 3] : y[i];
    EACH_WORD(i) x[i] = __shfl_sync(FULL_WARP, z[i], (l * 3 + i) % 32);
})
#endif

#if OPTION_WORDS_2 || OPTION_WORDS_3 || OPTION_WORDS_4 || OPTION_WORDS_8
// smem-syncwarp with addresses in registers alone.
__device__ inline int padded(int index) { return WORDS % 2 ? index : index + index / WARP; }
TILE_KERNEL(x_registers, PADDED, {
    EACH_WORD(i) put(slots + 4 * padded(i * WARP + l), x[i]);
    __syncwarp();
    EACH_WORD(i) x[i] = get(slots + 4 * padded(l * WORDS + i));
    __syncwarp();
})
#endif

#if OPTION_WORDS_3
// Words 0 and 1 of a lane by one store. A lane's pair is at 2 * lane, of the upper half of the warp its words change places.
__device__ inline int word_at(int w) {
    const int s = w % 32, i = w / 32;
    return i == 2 ? 64 + s : 2 * s + i;
}
TILE_KERNEL(x_store_wide, TILE, {
    put(slots + 8 * l, x[0], x[1]);
    put(slots + 4 * (64 + l), x[2]);
    __syncwarp();
    EACH_WORD(i) x[i] = get(slots + 4 * word_at(l * 3 + i));
    __syncwarp();
})
#endif

#if OPTION_WORDS_4
__device__ inline int place(int s) { return (s % 4) * 32 + (s / 4 ^ s % 4 * 2) * 4; }
__device__ inline int word_at(int w) { return place(w % 32) + w / 32; }
TILE_KERNEL(x_store_wide, TILE, {
    put(slots + 4 * place(l), x[0], x[1], x[2], x[3]);
    __syncwarp();
    EACH_WORD(i) x[i] = get(slots + 4 * word_at(l * WORDS + i));
    __syncwarp();
})
__device__ inline int place2(int s, int pair) { return (s % 4) * 32 + 2 * ((s / 4 * 2 + pair) ^ (s & 1) ^ (s & 2) * 4); }
TILE_KERNEL(x_store_pairs, TILE, {
    put(slots + 4 * place2(l, 0), x[0], x[1]);
    put(slots + 4 * place2(l, 1), x[2], x[3]);
    __syncwarp();
    EACH_WORD(i) {
        const int w = l * WORDS + i;
        x[i] = get(slots + 4 * (place2(w % 32, w / 64) + w / 32 % 2));
    }
    __syncwarp();
})
#endif

#if OPTION_WORDS_8
__device__ inline int place(int s, int group) { return (s % 8) * 32 + ((s / 8 * 2 + group) ^ s % 8) * 4; }
TILE_KERNEL(x_store_wide, TILE, {
    put(slots + 4 * place(l, 0), x[0], x[1], x[2], x[3]);
    put(slots + 4 * place(l, 1), x[4], x[5], x[6], x[7]);
    __syncwarp();
    EACH_WORD(i) {
        const int w = l * WORDS + i;
        x[i] = get(slots + 4 * (place(w % 32, w / 128) + w / 32 % 4));
    }
    __syncwarp();
})

// half-shfl, which stores the words by stmatrix: the four lanes of a chunk store the words of one lane.
TILE_KERNEL(x_half_stmatrix, TILE / 2, {
    const int source = l / 4;
    float shuffled[4]; float stored[4];
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        shuffled[i] = x[i];
        stored[i] = x[i + 4];
        exchange_if(l & 4, shuffled[i], stored[i], one);
    }
    // Lane 8 * i + c has the place of the words that lanes 4 * c to 4 * c + 3 have in register i.
    const int four = l % 8 * 4;
    const int to = (4 - (four & 4) + l / 8) * 4 + four / 8;
    put_matrices(slots + 16 * to, stored[0], stored[1], stored[2], stored[3]);
    exchange_registers(shuffled, l % 4, one);
    _Pragma("unroll") for (int i = 0; i < 4; ++i) shuffled[i] = __shfl_sync(FULL_WARP, shuffled[i], (l % 4 * 8 + source) ^ i);
    __syncwarp();
    const float4 loaded = get4(slots + 16 * l);
    exchange_registers(shuffled, source % 4, one);
    const float late[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        x[i] = shuffled[i];
        x[i + 4] = late[i];
        exchange_if(source & 4, x[i], x[i + 4], one);
    }
    __syncwarp();
})
#endif

#if OPTION_WORDS_32
template <int COUNT>
__device__ inline void store_rows(unsigned slots, int first, const float (&o)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        const int row = first + i + lane() / 8;
        put_matrices(slots + 16 * (row * 8 + (lane() % 8 ^ row % 8)), o[i], o[i + 1], o[i + 2], o[i + 3]);
    }
}
template <int COUNT>
__device__ inline void load_rows(unsigned slots, int other, int row, float (&o)[COUNT]) {
#pragma unroll
    for (int j = 0; j < COUNT; j += 4) {
        const float4 four = get4(slots + 16 * (row * 8 + ((other + j / 4) ^ row % 8)));
        o[j] = four.x, o[j + 1] = four.y, o[j + 2] = four.z, o[j + 3] = four.w;
    }
}
// A quarter of the words by shuffles: those whose register and lane agree in the two highest bits.
__device__ inline void transpose_quarter(float (&x)[32], unsigned slots, int one) {
    const int l = lane();
    float a[16], o1[16], d[8], o2[8];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        a[i] = x[i];
        o1[i] = x[i + 16];
        exchange_if(l & 16, a[i], o1[i], one);
    }
    store_rows(slots, 0, o1);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        d[i] = a[i];
        o2[i] = a[i + 8];
        exchange_if(l & 8, d[i], o2[i], one);
    }
    store_rows(slots, 16, o2);
    exchange_registers(d, l & 7, one);
#pragma unroll
    for (int i = 1; i < 8; ++i) d[i] = __shfl_xor_sync(FULL_WARP, d[i], i);
    __syncwarp();
    load_rows(slots, ((l & 16) | (l & 8 ^ 8)) / 4, 16 + l % 8, o2);
    load_rows(slots, (l & 16 ^ 16) / 4, l % 16, o1);
    __syncwarp();
    exchange_registers(d, l & 7, one);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        exchange_if(l & 8, d[i], o2[i], one);
        a[i] = d[i];
        a[i + 8] = o2[i];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        exchange_if(l & 16, a[i], o1[i], one);
        x[i] = a[i];
        x[i + 16] = o1[i];
    }
}
#define QUARTER_KERNEL(name, blocks) \
    template <typename T> \
    __global__ void __launch_bounds__(256, blocks) my_transpose_##name(const T* values, T* result, int iterations) { \
        const unsigned slots = shared_address(shared<T>()) + threadIdx.x / WARP * 3072; \
        const int one = opaque_one(); \
        Tile<T> tile(values); \
        REPEAT(iterations) transpose_quarter(tile.word, slots, one); \
        tile.store(result); \
    }
QUARTER_KERNEL(x_quarter, 4)
QUARTER_KERNEL(x_quarter_3, 3)
// Half of the registers by stmatrix, half by stores of 4 bytes.
TILE_KERNEL(x_rows_mixed, TILE, {
    _Pragma("unroll") for (int i = 0; i < 32; i += 4) {
        if (i % 8) {
            _Pragma("unroll") for (int k = i; k < i + 4; ++k) put(slots + 4 * (k * 32 + ((l / 4 ^ k % 8) * 4 + l % 4)), x[k]);
        } else {
            const int row = i + l / 8;
            put_matrices(slots + 16 * (row * 8 + (l % 8 ^ row % 8)), x[i], x[i + 1], x[i + 2], x[i + 3]);
        }
    }
    __syncwarp();
    load_rows(slots, 0, l, x);
    __syncwarp();
})
// smem-stmatrix with addresses in registers alone.
TILE_KERNEL(x_stmatrix_registers, TILE, {
    store_rows(slots, 0, x);
    __syncwarp();
    load_rows(slots, 0, l, x);
    __syncwarp();
})
#endif
