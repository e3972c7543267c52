// What synchronization, exchanges through memory and matrix fragments cost, after common.cuh: each primitive alone, and
// beside blocks that copy within the L2 cache.

constexpr unsigned STREAMED = 1u << 17;  // words of `memory` that are copied; primitives write behind them
constexpr unsigned DONE = (1u << 18) - 64, GONE = (1u << 18) - 32;  // words that count blocks, 0 between launches

__device__ inline unsigned cluster_index() {
#if __CUDA_ARCH__ >= 900
    unsigned index;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(index));
    return index;
#else
    return blockIdx.x;
#endif
}

__device__ inline unsigned cluster_blocks() {
#if __CUDA_ARCH__ >= 900
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
    return blocks;
#else
    return 1;
#endif
}

template <class Primitive>
__global__ void alone(unsigned* memory, int passes, unsigned zero) {
    Primitive::repeat(memory, passes, zero);
}

// The second half of the clusters copies words of the L2 cache until the first has done its passes: with two blocks per
// SM, the first halves of them get an SM each. All blocks have to be resident at once. The last block that copies resets
// the counts.
template <class Primitive>
__global__ void beside_copies(unsigned* memory, int passes, unsigned zero) {
    const unsigned half = gridDim.x / cluster_blocks() / 2, measured = half * cluster_blocks();
    unsigned* done = memory + DONE;
    unsigned* gone = memory + GONE;
    if (cluster_index() < half) {
        Primitive::repeat(memory, passes, zero);
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(done, 1);
        return;
    }
    unsigned at = 4 * (blockIdx.x * blockDim.x + threadIdx.x) % STREAMED;
    unsigned ended;
    do {
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
            uint4* words = reinterpret_cast<uint4*>(memory + at);
            __stcg(words, __ldcg(words));
            at = (at + 4 * gridDim.x * blockDim.x) % STREAMED;
        }
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(ended) : "l"(done) : "memory");
    } while (ended < measured);
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(gone, 1) == gridDim.x - measured - 1) *done = *gone = 0;
}

struct Shuffle {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 64;
        const unsigned from = (lane() + 1) % 32 + zero;
        unsigned x = lane();
        LOOP REPEATED x = __shfl_sync(FULL_WARP, x, from);
        keep(memory, x, zero);
    }
};

struct Vote {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        unsigned x = lane() + zero;
#define VOTE "vote.sync.any.pred p, p, -1;\n"
#define EIGHT_VOTES VOTE VOTE VOTE VOTE VOTE VOTE VOTE VOTE
        LOOP asm volatile("{ .reg .pred p;\nsetp.ne.u32 p, %0, 0;\n"
                          EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES EIGHT_VOTES
                          "@p add.u32 %0, %0, 1; }" : "+r"(x));
        keep(memory, x, zero);
    }
};

// The lanes of a warp hold one value or 32 different ones: the masks that a match returns are equal or different, too.
template <bool EQUAL>
struct MatchAny {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 4;
        unsigned x = EQUAL ? zero : lane();
        LOOP REPEATED asm volatile("match.any.sync.b32 %0, %0, -1;" : "+r"(x));
        keep(memory, x, zero);
    }
};

struct MatchAll {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        unsigned x = zero;
        LOOP REPEATED asm volatile("match.all.sync.b32 %0, %0, -1;" : "+r"(x));
        keep(memory, x, zero);
    }
};

#if __CUDA_ARCH__ >= 800
struct ReduxAdd {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        unsigned x = lane();
        LOOP REPEATED asm volatile("redux.sync.add.u32 %0, %0, -1;" : "+r"(x));
        keep(memory, x, zero);
    }
};

struct ReduxMin {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        unsigned x = lane();
        LOOP REPEATED asm volatile("redux.sync.min.u32 %0, %0, -1;" : "+r"(x));
        keep(memory, x, zero);
    }
};
#endif

// The word at an address is that address, so that each load depends on the one before.
struct SharedLoad {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 64;
        __shared__ unsigned words[WORDS];
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = shared_address(words + i);
        __syncthreads();
        unsigned x = shared_address(words + threadIdx.x);
        LOOP REPEATED asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory");
        keep(memory, x, zero);
    }
};

// An exchange with another lane of the warp; with __syncwarp after the store and after the load, or with neither.
template <bool SYNCED>
struct SharedExchange {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        __shared__ unsigned words[WORDS];
        const unsigned to = shared_address(words + threadIdx.x), from = shared_address(words + (threadIdx.x ^ 1));
        unsigned x = lane();
        LOOP REPEATED {
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(x) : "memory");
            if (SYNCED) __syncwarp();
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(from) : "memory");
            if (SYNCED) __syncwarp();
        }
        keep(memory, x, zero);
    }
};

enum SharedOperation { ATOMIC_ADD, ATOMIC_EXCHANGE, ATOMIC_CAS };

// Each lane changes a word of its own, and uses the old value next.
template <SharedOperation OPERATION>
struct SharedAtomic {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        __shared__ unsigned words[WORDS];
        words[threadIdx.x] = zero;
        const unsigned at = shared_address(words + threadIdx.x);
        unsigned x = lane(), other;
        asm volatile("mov.u32 %0, %1;" : "=r"(other) : "r"(zero));
        LOOP REPEATED {
            if (OPERATION == ATOMIC_ADD)
                asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(x) : "r"(at) : "memory");
            if (OPERATION == ATOMIC_EXCHANGE)
                asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(x) : "r"(at) : "memory");
            if (OPERATION == ATOMIC_CAS)
                asm volatile("atom.shared.cas.b32 %0, [%1], %0, %2;" : "+r"(x) : "r"(at), "r"(other) : "memory");
        }
        keep(memory, x, zero);
    }
};

// A ring of 16 addresses, 16 KiB apart, to average over the slices of the L2 cache; a sector of each per block.
constexpr int RING = 16, RING_STRIDE = 4096;

__device__ inline unsigned* ring_word(unsigned* memory, int place) {
    return memory + STREAMED + place % RING * RING_STRIDE + 8 * blockIdx.x % RING_STRIDE;
}

__device__ inline unsigned long long open_ring(unsigned* memory) {
    if (threadIdx.x < RING)
        *reinterpret_cast<unsigned**>(ring_word(memory, threadIdx.x)) = ring_word(memory, threadIdx.x + 1);
    __syncthreads();
    return reinterpret_cast<unsigned long long>(ring_word(memory, 0));
}

struct L1Load {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = RING;
        unsigned long long at = open_ring(memory);
        LOOP REPEATED asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
        keep(memory, unsigned(at), zero);
    }
};

struct L2Load {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = RING;
        unsigned long long at = open_ring(memory);
        LOOP REPEATED asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
        keep(memory, unsigned(at), zero);
    }
};

// One lane per warp exchanges words of its block; the compiler would sum additions of several lanes.
struct GlobalAtomic {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = RING;
        unsigned x = zero;
        if (lane() == 0) {
            unsigned* words = ring_word(memory, 0);
            LOOP REPEATED asm volatile("atom.global.exch.b32 %0, [%1], %0;"
                                       : "+r"(x)
                                       : "l"(words + r * RING_STRIDE)
                                       : "memory");
        }
        keep(memory, x, zero);
    }
};

// Barriers with numbers, each of 4 warps: one whose number the code has, or as many as a block has such groups.
template <bool ONE>
struct NamedBarrier {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        const unsigned number = 1 + threadIdx.x / 128;
        LOOP REPEATED {
            if (ONE) asm volatile("bar.sync 1, 128;" ::: "memory");
            else asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory");
        }
        keep(memory, passes, zero);
    }
};

struct BarrierOr {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 16;
        int x = zero;
        LOOP REPEATED x = __syncthreads_or(x);
        keep(memory, x, zero);
    }
};

// A release waits for stores, an acquire invalidates the L1; the others do both.
enum Scope { BLOCK, CLUSTER, GPU, GPU_RELEASE, GPU_ACQUIRE, SYSTEM };

template <Scope SCOPE>
__device__ inline void fence() {
    if (SCOPE == BLOCK) asm volatile("fence.acq_rel.cta;" ::: "memory");
#if __CUDA_ARCH__ >= 900
    if (SCOPE == CLUSTER) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    if (SCOPE == GPU_RELEASE) asm volatile("fence.release.gpu;" ::: "memory");
    if (SCOPE == GPU_ACQUIRE) asm volatile("fence.acquire.gpu;" ::: "memory");
#endif
    if (SCOPE == GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (SCOPE == SYSTEM) asm volatile("fence.acq_rel.sys;" ::: "memory");
}

// A fence after STORES stores of each lane to global memory, to lines that no other warp writes.
template <Scope SCOPE, int STORES>
struct Fence {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 4;
        const unsigned threads = gridDim.x * blockDim.x;
        unsigned* words = memory + STREAMED + blockIdx.x * blockDim.x + threadIdx.x;
        LOOP REPEATED {
            #pragma unroll
            for (int i = 0; i < STORES; ++i)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(words + i * threads), "r"(zero) : "memory");
            fence<SCOPE>();
        }
        keep(memory, passes, zero);
    }
};

// Read 4 KiB per warp, which its L1 holds unless a fence of the GPU has invalidated it.
template <bool FENCED>
struct L1Pass {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        const unsigned* words = memory + STREAMED + 4 * lane();
        unsigned seen = 0, at = 0;
        LOOP {
            if (FENCED) fence<GPU>();
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                unsigned a, b, c, d;
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "l"(words + at + 128 * i)
                             : "memory");
                seen |= a | b | c | d;
            }
            at = seen & zero;
        }
        keep(memory, seen, zero);
    }
};

#if __CUDA_ARCH__ >= 750
// Rows of one address: each loaded word is that address.
struct LoadMatrix {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 32;
        __shared__ __align__(16) unsigned words[4];
        if (threadIdx.x < 4) words[threadIdx.x] = shared_address(words);
        __syncthreads();
        unsigned x = shared_address(words);
        LOOP REPEATED asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(x)::"memory");
        keep(memory, x, zero);
    }
};

struct LoadMatrices {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 4, REPEAT = 4;
        __shared__ __align__(16) unsigned words[WORDS];
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = zero;
        __syncthreads();
        unsigned x[CHAINS];
        for (int c = 0; c < CHAINS; ++c) x[c] = shared_address(words + 4 * lane() + c * 1024);
        LOOP REPEATED {
            unsigned a, b, d, e;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                         : "r"(x[c])
                         : "memory");
            x[c] += a + b + d + e;
        }
        keep_all(memory, x, zero);
    }
};

template <int CHAINS, int REPEAT>
struct MoveMatrix {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        unsigned x[CHAINS];
        for (int c = 0; c < CHAINS; ++c) x[c] = lane() + c;
        LOOP REPEATED asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(x[c]));
        keep_all(memory, x, zero);
    }
};
#endif

#if __CUDA_ARCH__ >= 800
// Products of 16×16 and 16×8 matrices of 16 bits, which are added to sums of 32 bits.
template <int CHAINS, int REPEAT>
struct Multiply {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        float x[CHAINS][4];
        for (int c = 0; c < CHAINS; ++c)
            for (int i = 0; i < 4; ++i) x[c][i] = zero;
        LOOP REPEATED asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
            : "+f"(x[c][0]), "+f"(x[c][1]), "+f"(x[c][2]), "+f"(x[c][3])
            : "r"(zero));
        float sum = 0;
        for (int c = 0; c < CHAINS; ++c) sum += x[c][0] + x[c][1] + x[c][2] + x[c][3];
        keep(memory, __float_as_uint(sum), zero);
    }
};
#endif

#if __CUDA_ARCH__ >= 900
struct StoreMatrices {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 4, REPEAT = 4;
        __shared__ __align__(16) unsigned words[WORDS];
        const unsigned to = shared_address(words + 4 * lane());
        LOOP REPEATED asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(to + 4096 * c),
                                   "r"(zero)
                                   : "memory");
        keep(memory, words[lane()], zero);
    }
};

__device__ inline void open_barrier(unsigned barrier, unsigned arrivals) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
}

__device__ inline void wait_for(unsigned barrier, unsigned parity) {
    asm volatile("{ .reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra WAIT; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

// All threads of a block arrive, or one of each warp; all wait.
template <bool EACH>
struct Mbarrier {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 4;
        __shared__ __align__(8) unsigned long long words[1];
        const unsigned barrier = shared_address(words);
        open_barrier(barrier, EACH ? blockDim.x : blockDim.x / 32);
        LOOP REPEATED {
            if (EACH || lane() == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
            wait_for(barrier, r % 2);
            __syncwarp();  // no lane is a phase behind the one that arrives
        }
        keep(memory, passes, zero);
    }
};

__device__ inline void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

template <bool RELAXED>
struct ClusterBarrier {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 4;
        LOOP REPEATED {
            if (RELAXED)
                asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;");
            else
                wait_for_cluster();
        }
        keep(memory, passes, zero);
    }
};

// The address of a word of the next block of the cluster.
__device__ inline unsigned next_block_address(unsigned address) {
    unsigned rank, remote;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"((rank + 1) % cluster_blocks()));
    return remote;
}

// Words of 64 bits of the next block: at each address is the generic address of the same word of that block.
template <int CHAINS, int REPEAT>
struct RemoteLoad {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        __shared__ unsigned long long words[WORDS];
        unsigned rank;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            asm("mapa.u64 %0, %1, %2;" : "=l"(words[i]) : "l"(words + i), "r"(rank));
        wait_for_cluster();
        unsigned long long x[CHAINS], sum = 0;
        const unsigned next = (rank + 1) % cluster_blocks();
        for (int c = 0; c < CHAINS; ++c)
            asm("mapa.u64 %0, %1, %2;" : "=l"(x[c]) : "l"(words + threadIdx.x % 1024 + c * 1024), "r"(next));
        LOOP REPEATED asm volatile("ld.u64 %0, [%0];" : "+l"(x[c])::"memory");
        for (int c = 0; c < CHAINS; ++c) sum |= x[c];
        keep(memory, unsigned(sum), zero);
        wait_for_cluster();
    }
};

struct RemoteStore {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 4, REPEAT = 4;
        __shared__ unsigned words[WORDS];
        wait_for_cluster();
        const unsigned to = next_block_address(shared_address(words + threadIdx.x % 1024));
        LOOP REPEATED asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(to + 4096 * c), "r"(zero) : "memory");
        wait_for_cluster();
        keep(memory, words[lane()], zero);
    }
};

enum Message { ASYNC_STORE, ASYNC_ADD, REMOTE_ARRIVAL };

// The first warp of each block sends to the next block and waits for what the block before sends: 4 bytes per lane, or
// one arrival.
template <Message MESSAGE>
struct Handover {
    static __device__ void repeat(unsigned* memory, int passes, unsigned zero) {
        constexpr int CHAINS = 1, REPEAT = 4;
        __shared__ unsigned words[32];
        __shared__ __align__(8) unsigned long long barriers[1];
        const unsigned barrier = shared_address(barriers), remote_barrier = next_block_address(barrier);
        const unsigned remote = next_block_address(shared_address(words + lane()));
        // The arrival of the block itself, with or without bytes, keeps the phase open: no block is two phases ahead.
        open_barrier(barrier, MESSAGE == REMOTE_ARRIVAL ? 2 : 1);
        wait_for_cluster();
        if (threadIdx.x < 32) {
            LOOP REPEATED {
                if (MESSAGE == REMOTE_ARRIVAL) {
                    if (lane() == 0)
                        asm volatile(
                            "mbarrier.arrive.relaxed.cta.shared.b64 _, [%0];\n"
                            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%1];" ::"r"(barrier),
                            "r"(remote_barrier)
                            : "memory");
                } else {
                    if (lane() == 0)
                        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(barrier) : "memory");
                    if (MESSAGE == ASYNC_STORE)
                        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote),
                                     "r"(zero), "r"(remote_barrier)
                                     : "memory");
                    else
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                                         remote),
                                     "r"(zero), "r"(remote_barrier)
                                     : "memory");
                }
                wait_for(barrier, r % 2);
                __syncwarp();  // no lane is a phase behind the one that arrives
            }
        }
        wait_for_cluster();
        keep(memory, words[lane()], zero);
    }
};
#endif
