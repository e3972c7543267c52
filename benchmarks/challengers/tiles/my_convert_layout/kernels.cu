// Challengers of convert-layout.
#include "layout.cuh"
#include "shflbench.cuh"

constexpr int BITS = OPTION_BITS;
constexpr int MASK = (1 << BITS) - 1;

// 1, which the compiler must not know: it would replace products by selections, for which the integer unit is too slow.
__device__ inline int opaque_one() {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}

// Moves by the units that multiply, if the bit is set, or is not.
__device__ inline void move_if(int bit, int& to, int from, int one) {
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@p mad.lo.s32 %0, %2, %3, 0;\n\t}" : "+r"(to) : "r"(bit), "r"(from), "r"(one));
}
__device__ inline void move_unless(int bit, int& to, int from, int one) {
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %1, 0;\n\t@!p mad.lo.s32 %0, %2, %3, 0;\n\t}" : "+r"(to) : "r"(bit), "r"(from), "r"(one));
}

__device__ inline void exchange_if(int bit, int& a, int& b, int one) {
    int first = a, second = b, selected;
    asm("{\n\t"
        ".reg .pred exchanged;\n\t"
        "setp.ne.s32 exchanged, %2, 0;\n\t"
        "selp.b32 %0, %1, %3, exchanged;\n\t"
        "@exchanged mad.lo.s32 %1, %3, %4, 0;\n\t"
        "}"
        : "=&r"(selected), "+r"(second)
        : "r"(bit), "r"(first), "r"(one));
    a = selected;
    b = second;
}

// shfl-bits, where MADS of 4 of the words that a lane writes back move by products.
template <int COUNT, int UPTO, int QUARTERS>
__device__ inline void exchange_bits(int (&x)[COUNT], int one) {
    int n = 0;
#pragma unroll
    for (int bit = 1; bit < UPTO; bit *= 2) {
        const int upper = threadIdx.x & bit;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (i & bit) continue;
            int &low = x[i], &high = x[i | bit];
            const int got = __shfl_xor_sync(FULL_WARP, upper ? low : high, bit);
            const bool mads_low = (n % 4) < QUARTERS, mads_high = ((n + 1) % 4) < QUARTERS;
            if (mads_low) move_if(upper, low, got, one);
            else low = upper ? got : low;
            if (mads_high) move_unless(upper, high, got, one);
            else high = upper ? high : got;
            n += 2;
            if (n % 4 == 0) n += 1;
        }
    }
}

#define BITS_KERNEL(name, quarters) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_convert_layout_##name(const T* values, T* result, int iterations) { \
        const int one = opaque_one(); \
        Registers<T> own(values); \
        REPEAT(iterations) { \
            exchange_bits<32, 1 << BITS, quarters>(own.x, one); \
            own.advance(); \
        } \
        own.store(result); \
    }
BITS_KERNEL(x_bits_mad1, 1)
BITS_KERNEL(x_bits_mad2, 2)
BITS_KERNEL(x_bits_mad3, 3)
BITS_KERNEL(x_bits_mad4, 4)

__device__ inline void store_four(int4* chunk, int a, int b, int c, int d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :: "r"((unsigned)__cvta_generic_to_shared(chunk)), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

#if OPTION_BITS_3
// Words whose register and lane agree in the highest bit move by shuffles; the others through shared memory.
template <int QUARTERS, bool TWO>
__device__ inline void convert_half(int (&x)[32], int4* chunks, int one) {
    constexpr int B = 1 << (BITS - 1), LOW = B - 1;
    const int lane = threadIdx.x % 32;
    int d[16], o[16];
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        if (i & B) continue;
        const int k = (i & LOW) | (i & ~(2 * B - 1)) / 2;
        d[k] = x[i];
        o[k] = x[i | B];
        exchange_if(lane & B, d[k], o[k], one);
    }
    const auto place = [](int row, int four) { return row * 8 + (four ^ row % 4 * 2); };
#pragma unroll
    for (int i = 0; i < 16; i += 4) store_four(chunks + place(i + lane / 8, lane % 8), o[i], o[i + 1], o[i + 2], o[i + 3]);
    exchange_bits<16, B, QUARTERS>(d, one);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
        const int other = ((lane ^ B) & ~LOW) | (j & LOW), from = (j & ~LOW) | (lane & LOW);
        const int4 four = chunks[place(from, other / 4)];
        o[j] = four.x;
        o[j + 1] = four.y;
        o[j + 2] = four.z;
        o[j + 3] = four.w;
    }
    if (!TWO) __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
        if (i & B) continue;
        const int k = (i & LOW) | (i & ~(2 * B - 1)) / 2;
        exchange_if(lane & B, d[k], o[k], one);
        x[i] = d[k];
        x[i | B] = o[k];
    }
}

#define HALF_KERNEL(name, quarters) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_convert_layout_##name(const T* values, T* result, int iterations) { \
        int4* chunks = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 512); \
        const int one = opaque_one(); \
        Registers<T> own(values); \
        REPEAT(iterations) { \
            convert_half<quarters, false>(own.x, chunks, one); \
            own.advance(); \
        } \
        own.store(result); \
    }
HALF_KERNEL(x_half, 0)
HALF_KERNEL(x_half_mad2, 2)
// Two halves of shared memory in turn: one barrier of the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_convert_layout_x_half_double(const T* values, T* result, int iterations) {
    int4* now = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 1024), *next = now + 128;
    const int one = opaque_one();
    Registers<T> own(values);
    REPEAT(iterations) {
        convert_half<2, true>(own.x, now, one);
        int4* written = now;
        now = next;
        next = written;
        own.advance();
    }
    own.store(result);
}
#endif

#if OPTION_BITS_5
template <int FIRST, int COUNT>
__device__ inline void load_rows(int (&x)[COUNT], const int4* chunks, int other, int row) {
#pragma unroll
    for (int j = 0; j < COUNT; j += 4) {
        const int4 four = chunks[row * 8 + ((other + j / 4) ^ row % 8)];
        x[j] = four.x;
        x[j + 1] = four.y;
        x[j + 2] = four.z;
        x[j + 3] = four.w;
    }
}

template <int COUNT>
__device__ inline void exchange_registers(int (&x)[COUNT], int one) {
#pragma unroll
    for (int bit = 1; bit < COUNT; bit *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (!(i & bit)) exchange_if(threadIdx.x & bit, x[i], x[i | bit], one);
        }
    }
}

// A quarter of the words by shuffles: those whose register and lane agree in the two highest bits.
__device__ inline void convert_quarter(int (&x)[32], int4* chunks, int one) {
    const int lane = threadIdx.x % 32;
    int a[16], o1[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        a[i] = x[i];
        o1[i] = x[i + 16];
        exchange_if(lane & 16, a[i], o1[i], one);
    }
    const auto store = [&](int first, const int* o, int count) {
#pragma unroll
        for (int i = 0; i < count; i += 4) {
            const int row = first + i + lane / 8;
            store_four(chunks + row * 8 + (lane % 8 ^ row % 8), o[i], o[i + 1], o[i + 2], o[i + 3]);
        }
    };
    store(0, o1, 16);
    int d[8], o2[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        d[i] = a[i];
        o2[i] = a[i + 8];
        exchange_if(lane & 8, d[i], o2[i], one);
    }
    store(16, o2, 8);
    exchange_registers(d, one);
#pragma unroll
    for (int i = 1; i < 8; ++i) d[i] = __shfl_xor_sync(FULL_WARP, d[i], i);
    __syncwarp();
    load_rows<0>(o2, chunks, ((lane & 16) | (lane & 8 ^ 8)) / 4, 16 + lane % 8);
    load_rows<0>(o1, chunks, (lane & 16 ^ 16) / 4, lane % 16);
    __syncwarp();
    exchange_registers(d, one);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        exchange_if(lane & 8, d[i], o2[i], one);
        a[i] = d[i];
        a[i + 8] = o2[i];
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        exchange_if(lane & 16, a[i], o1[i], one);
        x[i] = a[i];
        x[i + 16] = o1[i];
    }
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_convert_layout_x_quarter(const T* values, T* result, int iterations) {
    int4* chunks = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 768);
    const int one = opaque_one();
    Registers<T> own(values);
    REPEAT(iterations) {
        convert_quarter(own.x, chunks, one);
        own.advance();
    }
    own.store(result);
}
#endif

#if !OPTION_BITS_1
// smem-stmatrix with two tiles in turn, and no barrier after the loads.
__device__ inline int place_of_chunk(int i, int four_lanes) {
    return i * 8 + (BITS == 2 ? four_lanes ^ i % 4 * 2 : four_lanes ^ i % 8);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_convert_layout_x_stmatrix_double(const T* values, T* result, int iterations) {
    int4* now = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 2048), *next = now + 256;
    Registers<T> own(values);
    const int lane = threadIdx.x % 32;
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < 32; i += 4) {
            store_four(now + place_of_chunk(i + lane / 8, lane % 8), own.x[i], own.x[i + 1], own.x[i + 2], own.x[i + 3]);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 32; i += 4) {
            const int other = (lane & ~MASK) | (i & MASK), from = (i & ~MASK) | (lane & MASK);
            const int4 four = now[place_of_chunk(from, other / 4)];
            own.x[i] = four.x;
            own.x[i + 1] = four.y;
            own.x[i + 2] = four.z;
            own.x[i + 3] = four.w;
        }
        int4* written = now;
        now = next;
        next = written;
        own.advance();
    }
    own.store(result);
}

// Words that four lanes load later are stored one by one, each by all lanes side by side (STS of 4 bytes); of each 8 rows,
// the first MATRICES ones by stmatrix.
template <int MATRICES>
__device__ inline void convert_rows(int (&x)[32], int4* chunks) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 32; i += 4) {
        if (i % 8 < MATRICES) {
            store_four(chunks + place_of_chunk(i + lane / 8, lane % 8), x[i], x[i + 1], x[i + 2], x[i + 3]);
        } else {
#pragma unroll
            for (int k = 0; k < 4; ++k) reinterpret_cast<int*>(chunks + place_of_chunk(i + k, lane / 4))[lane % 4] = x[i + k];
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 32; i += 4) {
        const int other = (lane & ~MASK) | (i & MASK), from = (i & ~MASK) | (lane & MASK);
        const int4 four = chunks[place_of_chunk(from, other / 4)];
        x[i] = four.x;
        x[i + 1] = four.y;
        x[i + 2] = four.z;
        x[i + 3] = four.w;
    }
    __syncwarp();
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_convert_layout_x_rows_wide(const T* values, T* result, int iterations) {
    int4* chunks = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 1024);
    Registers<T> own(values);
    REPEAT(iterations) {
        convert_rows<0>(own.x, chunks);
        own.advance();
    }
    own.store(result);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_convert_layout_x_rows_mixed(const T* values, T* result, int iterations) {
    int4* chunks = reinterpret_cast<int4*>(shared<int>() + threadIdx.x / WARP * 1024);
    Registers<T> own(values);
    REPEAT(iterations) {
        convert_rows<4>(own.x, chunks);
        own.advance();
    }
    own.store(result);
}
#endif
