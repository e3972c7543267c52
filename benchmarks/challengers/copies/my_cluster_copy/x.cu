// Challengers: exchanges without a message for the way back. What a thread sends next depends on what it has read, so that
// a slot of two is written again only after it was read.
#include "cluster.cuh"
#include "member.cuh"
#include "words.cuh"

// The same place in the shared memory of the other block, as a generic address: no special register is read per store.
__device__ inline unsigned long long generic_in_other(const void* own) {
    unsigned long long address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(BLOCKS - 1 - rank_in_cluster()));
    return address;
}

// Words of 32 bits with the number of the iteration, over as many threads as there are words: one store of 8 or 16 bytes per
// thread for up to 1024 bytes. POLLS loads are under way at a time.
template <int POLLS, typename T>
__device__ void numbered_words(const T* values, T* result, int iterations) {
    using Own = Part<unsigned>;
    constexpr int COUNT = Own::COUNT, THREADS = Own::THREADS;
    constexpr bool PAIRS = COUNT % 2 == 0;
    constexpr int STORES = PAIRS ? COUNT / 2 : COUNT, WIDTH = PAIRS ? 2 : 1;
    unsigned long long* const slots = shared<unsigned long long>();
    Own own;
    own.load(values);
    unsigned long long* const mine = slots + threadIdx.x * WIDTH;
    if (Own::has_words()) {
#pragma unroll
        for (int i = 0; i < 2 * COUNT; ++i) slots[i * THREADS + threadIdx.x] = ~0ull;
    }
    unsigned long long there = generic_in_other(mine);
    unsigned here = shared_address(mine);
    asm volatile("" : "+l"(there), "+r"(here));
    constexpr int STRIDE = THREADS * WIDTH * 8, BUFFER = STORES * STRIDE;
    cluster_sync();
    if (Own::has_words()) {
        REPEAT(iterations) {
            const int offset = iteration % 2 * BUFFER;
            const unsigned long long number = (unsigned long long)unsigned(iteration) << 32;
#pragma unroll
            for (int i = 0; i < STORES; ++i) {
                const unsigned long long to = there + offset + i * STRIDE;
                if constexpr (PAIRS) {
                    asm volatile("st.relaxed.cluster.v2.u64 [%0], {%1, %2};"
                                 :: "l"(to), "l"(number | own.words[2 * i]), "l"(number | own.words[2 * i + 1]) : "memory");
                } else {
                    asm volatile("st.relaxed.cluster.u64 [%0], %1;" :: "l"(to), "l"(number | own.words[i]) : "memory");
                }
            }
            unsigned got[COUNT];
            const auto load_numbered = [](unsigned long long& x, unsigned long long& y, unsigned from) {
                if constexpr (PAIRS) {
                    asm volatile("ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];"
                                 : "=l"(x), "=l"(y) : "r"(from) : "memory");
                } else {
                    asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(x) : "r"(from) : "memory");
                }
            };
#pragma unroll
            for (int i = 0; i < STORES; ++i) {
                const unsigned from = here + offset + i * STRIDE;
                unsigned long long x = 0, y = 0;
                while (true) {
                    load_numbered(x, y, from);
                    if constexpr (POLLS == 2) {
                        unsigned long long x2 = 0, y2 = 0;
                        load_numbered(x2, y2, from);
                        if (int(x >> 32) == iteration && (!PAIRS || int(y >> 32) == iteration)) break;
                        x = x2, y = y2;
                    }
                    if (int(x >> 32) == iteration && (!PAIRS || int(y >> 32) == iteration)) break;
                }
                if constexpr (PAIRS) got[2 * i] = unsigned(x), got[2 * i + 1] = unsigned(y);
                else got[i] = unsigned(x);
            }
            own.mix_with(got);
        }
    }
    __syncwarp();
    cluster_sync();
    own.store(result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_copy_x_numbered(const T* values, T* result, int iterations) {
    numbered_words<1>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_copy_x_numbered_polls(const T* values, T* result, int iterations) {
    numbered_words<2>(values, result, iterations);
}

// Waits at a barrier by a loop of tests, which never suspend the thread.
__device__ inline void wait_by_tests(unsigned barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(barrier), "r"(parity) : "memory");
    } while (!is_complete);
}
__device__ inline void wait_by_tries(unsigned barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(barrier), "r"(parity) : "memory");
    } while (!is_complete);
}

// Additions as in `red-async`, of 32 bits where that leaves a word to each thread; loads as wide as the words of a thread.
template <typename Word, bool TESTS, typename T>
__device__ void added_words(const T* values, T* result, int iterations) {
    using Own = Part<Word>;
    constexpr bool WIDE = sizeof(Word) == 8;
    constexpr int COUNT = Own::COUNT, THREADS = Own::THREADS, WARPS = (THREADS + WARP - 1) / WARP;
    constexpr int LANES = THREADS < WARP ? THREADS : WARP, BYTES_OF_WARP = LANES * COUNT * int(sizeof(Word));
    __shared__ unsigned long long full[2 * BLOCK / WARP];
    Word* const slots = shared<Word>();
    const int warp = threadIdx.x / WARP;
    unsigned long long* const mine = full + 2 * warp;
    Own own;
    own.load(values);
    Word before[2][COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        before[0][i] = before[1][i] = Word{};
        if (Own::has_words()) slots[i * THREADS + threadIdx.x] = slots[Own::ALL + i * THREADS + threadIdx.x] = Word{};
    }
    if (lane() == 0 && warp < WARPS) {
        for (int i = 0; i < 2; ++i) {
            init(&mine[i], 1);
            publish_init();
            arrive_expecting(&mine[i], BYTES_OF_WARP);
        }
    }
    __syncwarp();
    Word* const here = slots + threadIdx.x;
    unsigned there = address_in(BLOCKS - 1 - rank_in_cluster(), here), from = shared_address(here);
    unsigned barrier_there = address_in(BLOCKS - 1 - rank_in_cluster(), mine), barrier = shared_address(mine);
    asm volatile("" : "+r"(there), "+r"(barrier_there), "+r"(barrier), "+r"(from));
    cluster_sync();
    if (Own::has_words()) {
        REPEAT(iterations) {
            const int slot = iteration % 2, first = slot * Own::ALL;
            if (Own::has_words()) {
#pragma unroll
                for (int i = 0; i < COUNT; ++i) {
                    const unsigned to = there + (first + i * THREADS) * int(sizeof(Word));
                    if constexpr (WIDE) {
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
                                     :: "r"(to), "l"((unsigned long long)own.words[i].y << 32 | own.words[i].x),
                                        "r"(barrier_there + slot * 8) : "memory");
                    } else {
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                                     :: "r"(to), "r"(own.words[i]), "r"(barrier_there + slot * 8) : "memory");
                    }
                }
            }
            if constexpr (TESTS) wait_by_tests(barrier + slot * 8, iteration / 2 % 2);
            else wait_by_tries(barrier + slot * 8, iteration / 2 % 2);
            if (lane() == 0) arrive_expecting(&mine[slot], BYTES_OF_WARP);
            if (Own::has_words()) {
                Word got[COUNT];
#pragma unroll
                for (int i = 0; i < COUNT; ++i) {
                    const unsigned at = from + (first + i * THREADS) * int(sizeof(Word));
                    if constexpr (WIDE) {
                        unsigned long long sum, old = (unsigned long long)before[slot][i].y << 32 | before[slot][i].x;
                        asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(sum) : "r"(at) : "memory");
                        got[i] = {unsigned(sum - old), unsigned((sum - old) >> 32)};
                        before[slot][i] = {unsigned(sum), unsigned(sum >> 32)};
                    } else {
                        unsigned sum;
                        asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(sum) : "r"(at) : "memory");
                        got[i] = sum - before[slot][i];
                        before[slot][i] = sum;
                    }
                }
                own.mix_with(got);
            }
        }
    }
    __syncwarp();
    cluster_sync();
    own.store(result);
}
using Added = WordType<BYTES >= 8 * BLOCK ? 64 : 32>::type;

template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_copy_x_added(const T* values, T* result, int iterations) {
    added_words<Added, false>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_copy_x_added_tests(const T* values, T* result, int iterations) {
    added_words<Added, true>(values, result, iterations);
}
