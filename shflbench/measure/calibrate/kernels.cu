// The rates of units and the latencies of shuffles and of shared memory: what `shflbench calibrate` times, after common.cuh.
// A kernel has as many CHAINS as hide the latency of its instruction.

template <int CHAINS, int REPEAT>
__global__ void shuffle(unsigned* memory, int passes, unsigned zero) {
    unsigned x[CHAINS];
    const unsigned from = (lane() + 1) % 32 + zero;
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c;
    LOOP REPEATED x[c] = __shfl_sync(FULL_WARP, x[c], from);
    keep_all(memory, x, zero);
}

template <int CHAINS, int REPEAT>
__global__ void shuffle64(unsigned* memory, int passes, unsigned zero) {
    unsigned long long x[CHAINS];
    const unsigned from = (lane() + 1) % 32 + zero;
    for (int c = 0; c < CHAINS; ++c) x[c] = (1ull << 32) * lane() + c;
    LOOP REPEATED x[c] = __shfl_sync(FULL_WARP, x[c], from);
    unsigned long long sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum |= x[c];
    keep(memory, unsigned(sum) | unsigned(sum >> 32), zero);
}

// Each lane reads an address of its own, `stride` words apart: a stride of n words is an n-way conflict, for powers of
// two. The word at an address is that address, so that each load depends on the one before.
template <int CHAINS, int REPEAT>
__global__ void lds32(unsigned* memory, int passes, unsigned zero, int stride) {
    __shared__ unsigned words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = shared_address(words + i);
    __syncthreads();
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = shared_address(words + lane() * stride + c * 1024);
    LOOP REPEATED asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x[c])::"memory");
    keep_all(memory, x, zero);
}

template <int CHAINS, int REPEAT>
__global__ void lds64(unsigned* memory, int passes, unsigned zero) {
    __shared__ __align__(16) unsigned words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = zero;
    __syncthreads();
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = shared_address(words + 2 * lane() + c * 1024);
    LOOP REPEATED {
        unsigned a, b;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(x[c]) : "memory");
        x[c] += a + b;
    }
    keep_all(memory, x, zero);
}

template <int CHAINS, int REPEAT>
__global__ void lds128(unsigned* memory, int passes, unsigned zero) {
    __shared__ __align__(16) unsigned words[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = zero;
    __syncthreads();
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = shared_address(words + 4 * lane() + c * 1024);
    LOOP REPEATED {
        unsigned a, b, d, e;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                     : "r"(x[c])
                     : "memory");
        x[c] += a + b + d + e;
    }
    keep_all(memory, x, zero);
}

template <int CHAINS, int REPEAT>
__global__ void sts32(unsigned* memory, int passes, unsigned zero) {
    __shared__ unsigned words[WORDS];
    const unsigned to = shared_address(words + lane());
    LOOP REPEATED asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(to + 4096 * c), "r"(zero) : "memory");
    keep(memory, words[lane()], zero);
}

template <int CHAINS, int REPEAT>
__global__ void sts64(unsigned* memory, int passes, unsigned zero) {
    __shared__ __align__(16) unsigned words[WORDS];
    const unsigned to = shared_address(words + 2 * lane());
    LOOP REPEATED asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(to + 4096 * c), "r"(zero) : "memory");
    keep(memory, words[lane()], zero);
}

template <int CHAINS, int REPEAT>
__global__ void sts128(unsigned* memory, int passes, unsigned zero) {
    __shared__ __align__(16) unsigned words[WORDS];
    const unsigned to = shared_address(words + 4 * lane());
    LOOP REPEATED asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to + 4096 * c), "r"(zero)
                               : "memory");
    keep(memory, words[lane()], zero);
}

// 256 votes on predicates that votes gave: the compiler merges votes on the same predicate, and a ballot would need a
// comparison for the next one.
#define VOTE(predicate) "vote.sync.any.pred " predicate ", " predicate ", -1;\n"
#define FOUR_VOTES VOTE("p0") VOTE("p1") VOTE("p2") VOTE("p3")
#define SIXTEEN_VOTES FOUR_VOTES FOUR_VOTES FOUR_VOTES FOUR_VOTES
#define VOTES SIXTEEN_VOTES SIXTEEN_VOTES SIXTEEN_VOTES SIXTEEN_VOTES

__global__ void vote(unsigned* memory, int passes, unsigned zero) {
    unsigned x = lane() + zero;
    LOOP asm volatile(
        "{ .reg .pred p<4>;\n"
        "setp.ne.u32 p0, %0, 0; setp.ne.u32 p1, %0, 1; setp.ne.u32 p2, %0, 2; setp.ne.u32 p3, %0, 3;\n"
        VOTES VOTES VOTES VOTES
        "@p0 add.u32 %0, %0, 1; @p1 add.u32 %0, %0, 2; @p2 add.u32 %0, %0, 1; @p3 add.u32 %0, %0, 1; }"
        : "+r"(x));
    keep(memory, x, zero);
}

#if __CUDA_ARCH__ >= 800
enum Operation { ADD, MIN, XOR, UNSIGNED_MIN };

template <Operation OPERATION>
__device__ inline unsigned reduce(unsigned x) {
    if (OPERATION == ADD) return __reduce_add_sync(FULL_WARP, x);
    if (OPERATION == MIN) return __reduce_min_sync(FULL_WARP, int(x));
    if (OPERATION == XOR) return __reduce_xor_sync(FULL_WARP, x);
    return __reduce_min_sync(FULL_WARP, x);
}

template <Operation OPERATION, int CHAINS, int REPEAT>
__global__ void redux(unsigned* memory, int passes, unsigned zero) {
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c;
    LOOP REPEATED x[c] = reduce<OPERATION>(x[c]) + lane();
    keep_all(memory, x, zero);
}
#endif

// The lanes of a warp hold `distinct` different values.
template <int CHAINS, int REPEAT>
__global__ void match(unsigned* memory, int passes, unsigned zero, int distinct) {
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() % distinct;
    LOOP REPEATED x[c] ^= __match_any_sync(FULL_WARP, x[c]) & zero;
    keep_all(memory, x, zero);
}

template <int REPEAT>
__global__ void barrier(unsigned* memory, int passes, unsigned zero) {
    constexpr int CHAINS = 1;
    LOOP REPEATED __syncthreads();
    keep(memory, passes, zero);
}

template <int REPEAT>
__global__ void syncwarp(unsigned* memory, int passes, unsigned zero) {
    constexpr int CHAINS = 1;
    LOOP REPEATED __syncwarp();
    keep(memory, passes, zero);
}

// Lanes add at addresses that are `stride` words apart: 0, all at one address; 1, each at its own.
template <int CHAINS, int REPEAT>
__global__ void atomic_shared(unsigned* memory, int passes, unsigned zero, int stride) {
    __shared__ unsigned words[WORDS];
    const unsigned at = shared_address(words + lane() * stride);
    LOOP REPEATED asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at + 4096 * c), "r"(lane()) : "memory");
    keep(memory, words[lane()], zero);
}

// Each addition of a pass is at words of its own, for all of the L2 cache to take part: 9 MB on an H200. In 0.5 MB, two
// processes differ by 8%, in 9 MB still by 4%: the figure is the median of several such buffers.
template <int CHAINS, int REPEAT>
__global__ void atomic_global(unsigned* memory, int passes, unsigned zero, int stride) {
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned* at = memory + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    LOOP REPEATED asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at + (r * CHAINS + c) * threads * stride), "r"(zero)
                               : "memory");
}

// One lane of each warp adds, all at one address.
template <int CHAINS, int REPEAT>
__global__ void atomic_global_lane(unsigned* memory, int passes, unsigned zero) {
    if (lane() != 0) return;
    LOOP REPEATED asm volatile("red.global.add.u32 [%0], %1;" ::"l"(memory + c * zero), "r"(zero) : "memory");
}

struct Words {
    unsigned a, b, c, d;
};

__device__ inline Words read_l1(const uint4* from) {
    Words w;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)
                 : "l"(from)
                 : "memory");
    return w;
}

__device__ inline Words read_l2(const uint4* from) {
    Words w;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)
                 : "l"(from)
                 : "memory");
    return w;
}

// All warps read the same 16 KiB again and again, which each L1 holds.
template <int CHAINS, int REPEAT>
__global__ void l1_read(unsigned* memory, int passes, unsigned zero) {
    const uint4* from = reinterpret_cast<const uint4*>(memory) + threadIdx.x % 128;
    unsigned seen = 0;
    unsigned at = 0;
    LOOP {
        REPEATED {
            const Words w = read_l1(from + at + 128 * c);
            seen |= w.a | w.b | w.c | w.d;
        }
        at = seen & zero;
    }
    keep(memory, seen, zero);
}

// All threads together read `mask` + 1 words of 16 bytes from one end to the other, past the L1.
template <int CHAINS, int REPEAT>
__global__ void read(const uint4* words, int passes, unsigned zero, unsigned mask, unsigned* memory) {
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, seen = 0;
    LOOP {
        REPEATED {
            const Words w = read_l2(words + (at & mask));
            seen |= w.a | w.b | w.c | w.d;
            at += threads;
        }
    }
    keep(memory, seen, zero);
}

template <int CHAINS, int REPEAT>
__global__ void copy(const uint4* words, int passes, uint4* to, unsigned mask) {
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    LOOP {
        uint4 w[CHAINS];
        #pragma unroll
        for (int c = 0; c < CHAINS; ++c) w[c] = __ldcg(words + ((at + c * threads) & mask));
        #pragma unroll
        for (int c = 0; c < CHAINS; ++c) to[(at + c * threads) & mask] = w[c];
        at += CHAINS * threads;
    }
}

__global__ void empty(unsigned*, int) {}

// Two registers are read, not three: with three, a multiply-add of 64 bits reached 92% of its rate on an H200.
template <int CHAINS, int REPEAT>
__global__ void fp32(unsigned* memory, int passes, unsigned zero) {
    float x[CHAINS];
    const float a = zero;
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c;
    LOOP REPEATED x[c] = fmaf(x[c], a, x[c]);
    float sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    keep(memory, __float_as_uint(sum), zero);
}

template <int CHAINS, int REPEAT>
__global__ void fp64(unsigned* memory, int passes, unsigned zero) {
    double x[CHAINS];
    const double a = zero;
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c;
    LOOP REPEATED x[c] = fma(x[c], a, x[c]);
    double sum = 0;
    for (int c = 0; c < CHAINS; ++c) sum += x[c];
    keep(memory, unsigned(__double2hiint(sum)) | unsigned(__double2loint(sum)), zero);
}

// Sums of three terms, because the compiler turns some of those of two into IMAD, which another unit executes.
template <int CHAINS, int REPEAT>
__global__ void int32_add(unsigned* memory, int passes, unsigned zero) {
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c + zero;
    LOOP REPEATED asm volatile("{ .reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t; }"
                               : "+r"(x[c])
                               : "r"(x[(c + 1) % CHAINS]), "r"(x[(c + 2) % CHAINS]));
    keep_all(memory, x, zero);
}

template <int CHAINS, int REPEAT>
__global__ void int32_logic(unsigned* memory, int passes, unsigned zero) {
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c + zero;
    LOOP REPEATED x[c] ^= x[(c + 1) % CHAINS] & x[(c + 2) % CHAINS];
    keep_all(memory, x, zero);
}

// A loop of one dependent multiply-add: what a pass through a loop costs at least.
__global__ void loop_pass(unsigned* memory, int passes, unsigned zero) {
    float x = lane();
    const float a = 1.0f + zero, b = zero;
    LOOP x = fmaf(x, a, b);
    keep(memory, __float_as_uint(x), zero);
}
