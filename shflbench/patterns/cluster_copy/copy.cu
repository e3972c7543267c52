//: global push-barrier pull-barrier push-mbarrier store-async store-async-arrivals bulk dtype=i32 bytes=16,64,256,1024,4096,16384 cluster=2,4
//: larger-block dtype=i32 bytes=16,64,256,1024,4096,16384 cluster=2,4
//: numbered red-async red-async-tests dtype=i32 bytes=16,64,256,1024,4096 cluster=2,4

//! *
// Blocks send {bytes} bytes to the block of the mirrored rank among {cluster}, and get as many from it, for grids and
// blocks along x. THREADS is the size of a block, whole warps and a power of two. A thread has `COUNT` words of its
//! global push-barrier pull-barrier push-mbarrier store-async store-async-arrivals bulk larger-block
// block, of 16 bytes: the word of its number, and those that lie a multiple of THREADS behind it. Of blocks with more
// threads than words, the first ones have one. All threads must call `exchange`, with the number of the call: 0, 1, 2
// and so on.
//! numbered
// block, of 4 bytes: the word of its number, and those that lie a multiple of THREADS behind it. Of blocks with more
// threads than words, the first `HAVING` ones have one. These call `exchange`, with the number of the call: 0, 1, 2 and
// so on. Other threads must not call it: their branch lies outside of a loop of exchanges.
//! red-async red-async-tests
// block, of 8 bytes, or of 4 if there are fewer words of 8 bytes than threads: the word of its number, and those that
// lie a multiple of THREADS behind it. Of blocks with more threads than words, the first `HAVING` ones have one. These
// call `exchange`. Other threads must not call it: their branch lies outside of a loop of exchanges.
template <bool IS_WIDE>
struct Types {
    using Word = unsigned;
    using Sum = unsigned;
};
template <>
struct Types<true> {
    using Word = uint2;
    using Sum = unsigned long long;
};

//! *
template <int THREADS>
struct Words {
    static_assert(THREADS % 32 == 0 && (THREADS & (THREADS - 1)) == 0);
    using Word = uint4;  //! global push-barrier pull-barrier push-mbarrier store-async store-async-arrivals bulk larger-block
    using Word = unsigned;  //! numbered
    using Word = typename Types<({bytes} / 8 >= THREADS)>::Word;  //! red-async red-async-tests
    using Sum = typename Types<({bytes} / 8 >= THREADS)>::Sum;  //! red-async red-async-tests
    static constexpr int ALL = {bytes} / int(sizeof(Word)), HAVING = ALL < THREADS ? ALL : THREADS;
    static constexpr int COUNT = ALL / HAVING, WARPS = (HAVING + 31) / 32;  // that have words
    Word word[COUNT];
};

//! global push-barrier pull-barrier push-mbarrier store-async store-async-arrivals bulk numbered red-async red-async-tests
// From sm_90 on. Call it in a kernel with __cluster_dims__({cluster}).
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

//! push-barrier pull-barrier push-mbarrier store-async store-async-arrivals bulk numbered red-async red-async-tests
__device__ inline void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ inline unsigned shared_place(const void* pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// Where the other block has what this one has in `own`.
__device__ inline unsigned in_other_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address) : "r"(shared_place(own)), "r"({cluster} - 1 - rank_in_cluster()));
    return address;
}

//! push-mbarrier store-async store-async-arrivals bulk red-async red-async-tests
// A barrier with its address in the other block.
struct Barrier {
    unsigned long long* own;
    unsigned there;
};

__device__ inline Barrier barrier_of(unsigned long long* own) { return {own, in_other_block(own)}; }

__device__ inline void init(unsigned long long* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_place(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void wait_at(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
//! push-mbarrier store-async store-async-arrivals bulk red-async
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_place(barrier)), "r"(parity) : "memory");
//! red-async-tests
        // A test returns at once: the thread polls, and is not suspended as by `try_wait`.
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_place(barrier)), "r"(parity) : "memory");
//! push-mbarrier store-async store-async-arrivals bulk red-async red-async-tests
    } while (!is_complete);
}

//! push-mbarrier store-async
// Tells the other block what the calling thread, and those that it knows of, have done before.
__device__ inline void arrive_there(unsigned barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(barrier) : "memory");
}

//! store-async-arrivals bulk
// The same, and the barrier expects bytes that the calling block sends.
__device__ inline void arrive_there_expecting(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}

//! store-async red-async red-async-tests
__device__ inline void expect(unsigned long long* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(shared_place(barrier)), "r"(bytes) : "memory");
}

//! store-async store-async-arrivals
__device__ inline void store_counted(unsigned to, uint4 word, unsigned barrier) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];"
                 :: "r"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w), "r"(barrier) : "memory");
}

//! push-barrier push-mbarrier
__device__ inline void store_there(unsigned to, uint4 word) {
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
                 :: "r"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w) : "memory");
}

//! global
// The count of a block, in a line of 128 bytes that no other block polls.
__device__ inline unsigned* count_of(unsigned* counts, int block) { return counts + size_t(block) * 32; }

// `slots` is global memory aligned to 16 bytes, twice {bytes} bytes per block of the grid, and `counts` 32 numbers per
// block, aligned to 128 bytes. Counts are zero before the first exchange, and each block sets its own to zero after the
// last one, by thread 0.
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, unsigned* counts, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    const int block = blockIdx.x, other = block + {cluster} - 1 - 2 * int(rank_in_cluster());
    uint4* const of_number = slots + size_t(number % 2) * gridDim.x * Own::ALL;
    uint4 *const there = of_number + size_t(other) * Own::ALL, *const here = of_number + size_t(block) * Own::ALL;
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) there[i * THREADS + threadIdx.x] = own.word[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(count_of(counts, other)) : "memory");
        int count;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(count) : "l"(count_of(counts, block)) : "memory");
        } while (count <= number);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS + threadIdx.x];
    }
}

//! push-barrier pull-barrier
// `slots` is shared memory, twice {bytes} bytes, aligned to 16 bytes. Call sync_cluster() before the first exchange,
// so that all blocks have started, and after the last one, so that none ends while another one uses its memory.
template <int THREADS>
__device__ inline void exchange(const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, int number) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    uint4* const here = slots + number % 2 * Own::ALL + threadIdx.x;
    const unsigned there = in_other_block(here);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
//! push-barrier
        if (threadIdx.x < Own::HAVING) store_there(there + i * THREADS * 16, own.word[i]);
//! pull-barrier
        if (threadIdx.x < Own::HAVING) here[i * THREADS] = own.word[i];
//! push-barrier pull-barrier
    }
    sync_cluster();
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
//! push-barrier
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS];
//! pull-barrier
        if (threadIdx.x >= Own::HAVING) continue;
        uint4& word = got.word[i];
        asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                     : "r"(there + i * THREADS * 16) : "memory");
//! push-barrier pull-barrier
    }
}

//! push-mbarrier store-async store-async-arrivals
// `slots` is shared memory, twice {bytes} bytes, aligned to 16 bytes, and so are the barriers that `prepare` gets.
// Call it
//! bulk
// `slots` is shared memory, four times {bytes} bytes, aligned to 16 bytes, and so are the barriers that `prepare`
// gets. Call it
//! push-mbarrier store-async store-async-arrivals bulk
// and sync_cluster() before the first exchange, and __syncwarp() and sync_cluster() after the last one, so that no
// block ends while another one uses its memory.
//! push-mbarrier store-async-arrivals bulk
template <int THREADS>
__device__ inline Barrier prepare(unsigned long long (&full)[2]) {
    if (threadIdx.x < 2) init(&full[threadIdx.x], Words<THREADS>::WARPS);  //! push-mbarrier store-async-arrivals
    if (threadIdx.x < 2) init(&full[threadIdx.x], 1);  //! bulk
    __syncwarp();
    return barrier_of(full);
}

//! store-async
struct Barriers {
    Barrier full, empty;
};

template <int THREADS>
__device__ inline Barriers prepare(unsigned long long (&full)[2], unsigned long long (&empty)[2]) {
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], Words<THREADS>::WARPS);
    }
    __syncwarp();
    return {barrier_of(full), barrier_of(empty)};
}

//! push-mbarrier
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, Barrier full, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    if (threadIdx.x / 32 >= Own::WARPS) return;
    const unsigned slot = number % 2, turn = number / 2;
    uint4* const here = slots + slot * Own::ALL + threadIdx.x;
    const unsigned there = in_other_block(here);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) store_there(there + i * THREADS * 16, own.word[i]);
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive_there(full.there + slot * 8);
    wait_at(&full.own[slot], turn % 2);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS];
    }
}

//! store-async
// By `empty`, a block says that it has read its slots.
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, Barriers both, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    if (threadIdx.x / 32 >= Own::WARPS) return;
    const unsigned slot = number % 2, turn = number / 2;
    uint4* const here = slots + slot * Own::ALL + threadIdx.x;
    const unsigned there = in_other_block(here);
    if (threadIdx.x == 0) expect(&both.full.own[slot], {bytes});
    // Threads without words send nothing: they might come so late that they would miss a phase.
    if (turn > 0 && threadIdx.x < Own::HAVING) wait_at(&both.empty.own[slot], (turn - 1) % 2);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) store_counted(there + i * THREADS * 16, own.word[i], both.full.there + slot * 8);
    }
    wait_at(&both.full.own[slot], turn % 2);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS];
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive_there(both.empty.there + slot * 8);
}

//! store-async-arrivals
// A lane per warp announces the bytes of its warp. As its arrival releases, it says also that the warp has read the
// slots of the exchange before: these are written again after the next one.
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, Barrier full, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    if (threadIdx.x / 32 >= Own::WARPS) return;
    const unsigned slot = number % 2, turn = number / 2;
    uint4* const here = slots + slot * Own::ALL + threadIdx.x;
    const unsigned there = in_other_block(here);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) store_counted(there + i * THREADS * 16, own.word[i], full.there + slot * 8);
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive_there_expecting(full.there + slot * 8, {bytes} / Own::WARPS);
    wait_at(&full.own[slot], turn % 2);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS];
    }
}

//! bulk
// Thread 0 announces the bytes of the copy. As its arrival releases, it says also that the block has read the slots
// of the exchange before: these are written again after the next one. What was sent lies behind the two slots.
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, Barrier full, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    const unsigned slot = number % 2, turn = number / 2;
    uint4 *const here = slots + slot * Own::ALL, *const sent = here + 2 * Own::ALL;
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) sent[i * THREADS + threadIdx.x] = own.word[i];
    }
    // Copies that start later have what was written, and replace what was read.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :: "r"(in_other_block(here)), "r"(shared_place(sent)), "n"({bytes}), "r"(full.there + slot * 8)
                     : "memory");
        arrive_there_expecting(full.there + slot * 8, {bytes});  // its fence does not hold up the copy
    }
    if (threadIdx.x / 32 < Own::WARPS) wait_at(&full.own[slot], turn % 2);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (threadIdx.x < Own::HAVING) got.word[i] = here[i * THREADS + threadIdx.x];
    }
}

//! numbered
// A word with the number of its exchange in 64 bits: whoever loads the number has the word, too. `slots` is shared
// memory, four times {bytes} bytes, aligned to 16 bytes. Call `prepare`, once, and sync_cluster() before the first
// exchange, and __syncwarp() and sync_cluster() after the last one, so that no block ends while another one stores.
template <int THREADS>
struct Slots {
    static constexpr int COUNT = Words<THREADS>::COUNT, WIDTH = COUNT % 2 ? 1 : 2;  // words that are stored at once
    static constexpr int STRIDE = Words<THREADS>::HAVING * WIDTH;  // from what a thread stores at once to the next
    unsigned here;
    // A generic address, which is computed once: a store to an address within the cluster would compute it each time.
    unsigned long long there;
};

template <int THREADS>
__device__ inline Slots<THREADS> prepare(unsigned long long* slots) {
    using Own = Words<THREADS>;
    unsigned long long* const here = slots + threadIdx.x % Own::HAVING * Slots<THREADS>::WIDTH;
    unsigned long long there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"({cluster} - 1 - rank_in_cluster()));
    if (threadIdx.x < Own::HAVING) {
#pragma unroll
        for (int i = 0; i < 2 * Own::COUNT; ++i) slots[i * Own::HAVING + threadIdx.x] = ~0ull;  // no number
    }
    return {shared_place(here), there};
}

// One or two words with their number.
template <int WIDTH>
struct Numbered {
    unsigned long long word[WIDTH];

    __device__ void store(unsigned long long to) const {
        if constexpr (WIDTH == 2) {
            asm volatile("st.relaxed.cluster.v2.u64 [%0], {%1, %2};" :: "l"(to), "l"(word[0]), "l"(word[1]) : "memory");
        } else {
            asm volatile("st.relaxed.cluster.u64 [%0], %1;" :: "l"(to), "l"(word[0]) : "memory");
        }
    }
    __device__ void load(unsigned from) {
        if constexpr (WIDTH == 2) {
            asm volatile("ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];"
                         : "=l"(word[0]), "=l"(word[1]) : "r"(from) : "memory");
        } else {
            asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(word[0]) : "r"(from) : "memory");
        }
    }
    __device__ bool has(int number) const {
        return int(word[0] >> 32) == number && int(word[WIDTH - 1] >> 32) == number;
    }
};

// Two loads are under way at a time.
template <int WIDTH>
__device__ inline Numbered<WIDTH> poll(unsigned from, int number) {
    Numbered<WIDTH> first, second;
    do {
        first.load(from);
        second.load(from);
        if (first.has(number)) return first;
    } while (!second.has(number));
    return second;
}

template <int THREADS>
__device__ inline void exchange(const Words<THREADS>& own, Words<THREADS>& got, Slots<THREADS> slots, int number) {
    using Own = Words<THREADS>;
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1 && threadIdx.x < Own::HAVING);
    using All = Slots<THREADS>;
    const unsigned first = number % 2 * Own::ALL * 8;  // bytes
    const unsigned long long high = (unsigned long long)unsigned(number) << 32;
#pragma unroll
    for (int i = 0; i < Own::COUNT; i += All::WIDTH) {
        Numbered<All::WIDTH> words;
        for (int k = 0; k < All::WIDTH; ++k) words.word[k] = high | own.word[i + k];
        words.store(slots.there + first + i / All::WIDTH * All::STRIDE * 8);
    }
#pragma unroll
    for (int i = 0; i < Own::COUNT; i += All::WIDTH) {
        const auto words = poll<All::WIDTH>(slots.here + first + i / All::WIDTH * All::STRIDE * 8, number);
        for (int k = 0; k < All::WIDTH; ++k) got.word[i + k] = unsigned(words.word[k]);
    }
}

//! red-async red-async-tests
// Additions of words to slots that are never cleared: what has come is what a slot has grown by. `slots` is shared
// memory, twice {bytes} bytes, aligned to 8 bytes, and `full` a barrier per warp with words, twice. Call `prepare` for
// both halves, once, and sync_cluster() before the first exchange, and __syncwarp() and sync_cluster() after the last
// one, so that no block ends while another one adds. No barrier says that a slot has been read, because what a thread
// adds next depends on what it has read there.
template <int THREADS>
struct Slots {
    static constexpr int OF_WARP = {bytes} / Words<THREADS>::WARPS;  // bytes
    Barrier full;
    unsigned parity, here, there;
    typename Words<THREADS>::Sum before[Words<THREADS>::COUNT];  // what its slots were when the thread has read them
};

template <int THREADS>
__device__ inline Slots<THREADS> prepare(typename Words<THREADS>::Word* slots, unsigned long long* full) {
    using Own = Words<THREADS>;
    typename Own::Word* const own = slots + threadIdx.x % Own::HAVING;
    Slots<THREADS> result{barrier_of(full + threadIdx.x % Own::HAVING / 32), 0, shared_place(own), in_other_block(own)};
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        result.before[i] = 0;
        if (threadIdx.x < Own::HAVING) own[i * Own::HAVING] = {};
    }
    if (threadIdx.x % 32 == 0 && threadIdx.x < Own::HAVING) {
        init(result.full.own, 1);
        expect(result.full.own, Slots<THREADS>::OF_WARP);
    }
    __syncwarp();
    return result;
}

__device__ inline void add_counted(unsigned to, unsigned word, unsigned barrier) {
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 :: "r"(to), "r"(word), "r"(barrier) : "memory");
}
__device__ inline void add_counted(unsigned to, uint2 word, unsigned barrier) {
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
                 :: "r"(to), "l"((unsigned long long)word.y << 32 | word.x), "r"(barrier) : "memory");
}

// What a slot has grown by since `before`, which becomes its sum.
__device__ inline unsigned growth(unsigned slot, unsigned& before) {
    unsigned sum;
    asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(sum) : "r"(slot) : "memory");
    const unsigned grown = sum - before;
    before = sum;
    return grown;
}
__device__ inline uint2 growth(unsigned slot, unsigned long long& before) {
    unsigned long long sum;
    asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(sum) : "r"(slot) : "memory");
    const unsigned long long grown = sum - before;
    before = sum;
    return {unsigned(grown), unsigned(grown >> 32)};
}

// Swaps the slots: pass the same two to every call.
template <int THREADS>
__device__ inline void exchange(
    const Words<THREADS>& own, Words<THREADS>& got, Slots<THREADS>& now, Slots<THREADS>& next
) {
    using Own = Words<THREADS>;
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1 && threadIdx.x < Own::HAVING);
    constexpr int STRIDE = Own::HAVING * int(sizeof(typename Own::Word));
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) add_counted(now.there + i * STRIDE, own.word[i], now.full.there);
    wait_at(now.full.own, now.parity);
    if (threadIdx.x % 32 == 0) expect(now.full.own, Slots<THREADS>::OF_WARP);
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) got.word[i] = growth(now.here + i * STRIDE, now.before[i]);
    now.parity ^= 1;
    const Slots<THREADS> used = now;
    now = next;
    next = used;
}

//! larger-block
// In one block of {cluster} times THREADS threads. `slots` is shared memory, twice {cluster} times {bytes} bytes,
// aligned to 16 bytes.
template <int THREADS>
__device__ inline void exchange(const Words<THREADS>& own, Words<THREADS>& got, uint4* slots, int number) {
    assert(blockDim.x == {cluster} * THREADS && blockDim.y * blockDim.z == 1);
    using Own = Words<THREADS>;
    const int rank = threadIdx.x / THREADS, thread = threadIdx.x % THREADS;
    uint4* const of_number = slots + number % 2 * {cluster} * Own::ALL + thread;
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (thread < Own::HAVING) of_number[rank * Own::ALL + i * THREADS] = own.word[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (thread < Own::HAVING) got.word[i] = of_number[({cluster} - 1 - rank) * Own::ALL + i * THREADS];
    }
}
