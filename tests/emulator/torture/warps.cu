// What lanes tell one another: shuffles of every mode and width, votes, matches, reductions, and who is there.
#include "torture.cuh"

// The value, and above it the predicate.
#define SHUFFLE(mode, x, from, clamp)                                                                                \
    [](Word value, Word operand, Word limits) {                                                                      \
        Word got, valid;                                                                                             \
        asm volatile("{ .reg .pred p; shfl.sync." mode ".b32 %0|p, %2, %3, %4, -1; selp.b32 %1, 1, 0, p; }"          \
                     : "=r"(got), "=r"(valid) : "r"(value), "r"(operand), "r"(limits));                              \
        return Wide(valid) << 32 | got;                                                                              \
    }(x, from, clamp)
KERNEL(shuffles) {
    OPERANDS
    PUT(SHUFFLE("up", a, b, c)); PUT(SHUFFLE("down", a, b, c)); PUT(SHUFFLE("bfly", a, b, c)); PUT(SHUFFLE("idx", a, b, c));
    PUT(SHUFFLE("up", a, b & 7, 0)); PUT(SHUFFLE("down", a, b & 7, 31)); PUT(SHUFFLE("bfly", a, b & 7, 0x181f)); PUT(SHUFFLE("idx", a, b, 0x1c1f));
    PUT(__shfl_sync(ALL, a, b)); PUT(__shfl_sync(ALL, a, b, 16)); PUT(__shfl_sync(ALL, a, b, 8)); PUT(__shfl_sync(ALL, a, b, 4)); PUT(__shfl_sync(ALL, a, b, 2));
    PUT(__shfl_up_sync(ALL, a, 1)); PUT(__shfl_up_sync(ALL, a, 5, 16)); PUT(__shfl_up_sync(ALL, a, 3, 8)); PUT(__shfl_up_sync(ALL, a, 2, 4)); PUT(__shfl_up_sync(ALL, a, 1, 2));
    PUT(__shfl_down_sync(ALL, a, 1)); PUT(__shfl_down_sync(ALL, a, 5, 16)); PUT(__shfl_down_sync(ALL, a, 3, 8)); PUT(__shfl_down_sync(ALL, a, 2, 4)); PUT(__shfl_down_sync(ALL, a, 1, 2));
    PUT(__shfl_xor_sync(ALL, a, 31)); PUT(__shfl_xor_sync(ALL, a, 17, 16)); PUT(__shfl_xor_sync(ALL, a, 5, 8)); PUT(__shfl_xor_sync(ALL, a, 3, 4)); PUT(__shfl_xor_sync(ALL, a, 1, 2));
    const Wide wide = Wide(b) << 32 | a;
    PUT(__shfl_sync(ALL, wide, 9)); PUT(__shfl_up_sync(ALL, Long(wide), 4)); PUT(__shfl_down_sync(ALL, __longlong_as_double(wide), 6)); PUT(__shfl_xor_sync(ALL, __uint_as_float(a), 8));
    if (lane() & 1) { PUT(__shfl_sync(0xaaaaaaaau, a, (lane() + 2) & 31)); PUT(__shfl_xor_sync(0xaaaaaaaau, b, 4)); }
    if (lane() < 12) { PUT(__shfl_sync(0xfffu, a, 11 - lane())); PUT(__shfl_sync(0xfffu, wide, 3)); }
}

KERNEL(votes) {
    OPERANDS
    PUT(__ballot_sync(ALL, a & 1)); PUT(__any_sync(ALL, a == 0)); PUT(__all_sync(ALL, a < 0xf0000000u)); PUT(__uni_sync(ALL, b & 0x80000000u));
    PUT(__match_any_sync(ALL, a & 3)); PUT(__match_any_sync(ALL, Wide(b & 1) << 40 | (a & 2)));
    int same; PUT(__match_all_sync(ALL, b >> 30, &same)); PUT(same); PUT(__match_all_sync(ALL, Long(threadIdx.x / 64), &same)); PUT(same);
    if (a & 4) PUT(__popc(__ballot_sync(__activemask(), true)) > 0);
    __syncwarp();
    if (lane() % 3 == 0) { PUT(__ballot_sync(0x49249249u, b & 1)); PUT(__match_any_sync(0x49249249u, c & 1)); PUT(__any_sync(0x49249249u, c & 2)); }
    PUT(__syncthreads_count(a & 1)); PUT(__syncthreads_and(a != 3)); PUT(__syncthreads_or(a == 3));
#if __CUDA_ARCH__ >= 800
    PUT(__reduce_add_sync(ALL, a)); PUT(__reduce_add_sync(ALL, int(b))); PUT(__reduce_min_sync(ALL, a)); PUT(__reduce_min_sync(ALL, int(a)));
    PUT(__reduce_max_sync(ALL, a)); PUT(__reduce_max_sync(ALL, int(a))); PUT(__reduce_and_sync(ALL, a | 0xf0)); PUT(__reduce_or_sync(ALL, a & b & c)); PUT(__reduce_xor_sync(ALL, a));
    if (lane() & 1) { PUT(__reduce_add_sync(0xaaaaaaaau, a)); PUT(__reduce_max_sync(0xaaaaaaaau, int(b))); }
#endif
    Word below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below)); PUT(below); asm("mov.u32 %0, %%lanemask_ge;" : "=r"(below)); PUT(below);
    asm("mov.u32 %0, %%laneid;" : "=r"(below)); PUT(below); asm("mov.u32 %0, %%lanemask_eq;" : "=r"(below)); PUT(below);
}

// Atomics on a place of the thread's own, so that what they return does not depend on the order of threads.
KERNEL(atomics) {
    OPERANDS
    __shared__ Word words[128];
    __shared__ Wide longs[128];
    __shared__ float floats[128];
    __shared__ double doubles[128];
    Word* w = words + threadIdx.x;
    int* i = reinterpret_cast<int*>(w);
    Wide* l = longs + threadIdx.x;
    Long* s = reinterpret_cast<Long*>(l);
    const Wide wide = Wide(b) << 32 | a, other = Wide(c) << 32 | b;
    *w = a; *l = wide; floats[threadIdx.x] = int(a) * 0x1p-10f; doubles[threadIdx.x] = int(b) * 0x1p-20;
    PUT(atomicAdd(w, b)); PUT(atomicSub(w, c)); PUT(atomicMin(w, b)); PUT(atomicMax(w, c)); PUT(atomicMin(i, int(b))); PUT(atomicMax(i, int(c)));
    PUT(atomicAnd(w, b | 0xff)); PUT(atomicOr(w, c)); PUT(atomicXor(w, b)); PUT(atomicExch(w, a)); PUT(atomicInc(w, b)); PUT(atomicInc(w, c)); PUT(atomicDec(w, b)); PUT(atomicDec(w, 5u));
    PUT(atomicCAS(w, b & 1 ? *w : 1, c)); PUT(*w);
    PUT(atomicAdd(l, other)); PUT(atomicMin(l, other)); PUT(atomicMax(s, Long(other))); PUT(atomicAnd(l, other | 0xff)); PUT(atomicOr(l, Wide(a))); PUT(atomicXor(l, other)); PUT(atomicExch(l, wide));
    PUT(atomicMax(l, other)); PUT(atomicMin(s, Long(other))); PUT(atomicCAS(l, b & 2 ? *l : 1, other)); PUT(*l);
    PUT(atomicAdd(floats + threadIdx.x, int(c) * 0x1p-12f)); PUT(atomicExch(floats + threadIdx.x, 2.5f)); PUT(atomicAdd(doubles + threadIdx.x, int(c) * 0x1p-14)); PUT(doubles[threadIdx.x]); PUT(floats[threadIdx.x]);
    // Without a result, on one place for all: sums and extremes come out the same in any order.
    __shared__ Word shared[4];
    if (threadIdx.x < 4) shared[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(shared, a); atomicXor(shared + 1, b); atomicMax(shared + 2, c); atomicOr(shared + 3, 1u << lane());
    __syncthreads();
    PUT(shared[threadIdx.x & 3]);
}

__constant__ short table[16] = {3, -1, 4, -1, 5, -9, 2, 6, 5, -3, 5, 8, 9, -7, 9, 3};

KERNEL(memories) {
    OPERANDS
    __shared__ __align__(16) unsigned char bytes[128 * 16];
    uint4* quads = reinterpret_cast<uint4*>(bytes);
    quads[threadIdx.x] = make_uint4(a, b, c, a ^ b);
    __syncthreads();
    const int other = (threadIdx.x * 37 + (a & 31)) & 127;
    const uint4 quad = quads[other];
    PUT(quad.x); PUT(quad.y + quad.z); PUT(quad.w); PUT(reinterpret_cast<uint2*>(bytes)[other].y); PUT(reinterpret_cast<Wide*>(bytes)[other]);
    PUT(Word(bytes[other])); PUT(int(reinterpret_cast<signed char*>(bytes)[other])); PUT(int(reinterpret_cast<short*>(bytes)[other])); PUT(reinterpret_cast<unsigned short*>(bytes)[other]);
    PUT(reinterpret_cast<double2*>(bytes)[other].x); PUT(int(table[a & 15])); PUT(table[(b & 7) + 2] * 3);
    __syncthreads();
    reinterpret_cast<unsigned short*>(bytes)[threadIdx.x] = a;
    bytes[512 + threadIdx.x] = b;
    __syncthreads();
    PUT(reinterpret_cast<Word*>(bytes)[other & 63]); PUT(reinterpret_cast<Word*>(bytes)[128 + (other & 31)]);
    Word own[8];
    for (int place = 0; place < 8; ++place) own[place] = a * place + b;
    own[c & 7] ^= a; own[a & 7] += own[b & 7];
    PUT(own[(a >> 3) & 7]); PUT(own[(b >> 4) & 7]);
    const Word* either = a & 1 ? reinterpret_cast<Word*>(bytes) : third;  // a generic address
    PUT(either[other & 63]); PUT(__ldg(second + other)); PUT(__ldcg(first + other)); PUT(*const_cast<const volatile Word*>(third + other));
    PUT(__isShared(either)); PUT(__isGlobal(either));
    PUT(blockDim.x * gridDim.x + blockIdx.x); PUT(__ldg(reinterpret_cast<const uint2*>(second) + (other & 63)).y);
}
