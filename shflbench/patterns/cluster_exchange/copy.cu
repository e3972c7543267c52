//: global barrier barrier-load mbarrier store-async larger-block larger-block-pairs dtype=i32,i64 cluster=2,4,8
//: red-async numbered barrier-relaxed dtype=i32 cluster=2,4,8

//! *
// Threads of {cluster} blocks exchange values with the block of the mirrored rank, for grids and blocks along x. THREADS
// is the size of a block. All threads must call `exchange`, with the number of the call: 0, 1, 2 and so on.  //! global barrier barrier-load mbarrier store-async numbered barrier-relaxed larger-block larger-block-pairs
// is the size of a block. All threads must call `exchange`.  //! red-async

//! global barrier barrier-load mbarrier store-async red-async numbered barrier-relaxed
// From sm_90 on. Call it in a kernel with __cluster_dims__({cluster}).
__device__ inline unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ inline void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

//! barrier barrier-load mbarrier store-async red-async numbered barrier-relaxed
// Where the other block has what this one has in `own`.
__device__ inline unsigned in_other_block(const void* own) {
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address) : "r"((unsigned)__cvta_generic_to_shared(own)), "r"({cluster} - 1 - rank_in_cluster()));
    return address;
}

//! mbarrier store-async red-async
__device__ inline void init(unsigned long long* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//! mbarrier store-async
__device__ inline void arrive_at(unsigned barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(barrier) : "memory");
}

//! mbarrier store-async red-async
__device__ inline void wait_at(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}

//! numbered barrier-relaxed
// The value and the number of its iteration in one word: whoever loads the number has the value, too.
__device__ inline void store_numbered(unsigned address, {T} x, int number) {
    const unsigned long long word = (unsigned long long)unsigned(number) << 32 | unsigned(x);
    asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" :: "r"(address), "l"(word) : "memory");
}

__device__ inline {T} load_numbered(const unsigned long long* slot, int number) {
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];"
                     : "=l"(word) : "r"((unsigned)__cvta_generic_to_shared(slot)) : "memory");
    } while (int(word >> 32) != number);
    return {T}(word);
}

//! global
// `slots` is global memory, 2 elements per thread of the grid.
template <int THREADS>
__device__ inline {T} exchange({T} x, {T}* slots, int number) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    const int own = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    const int other = own + ({cluster} - 1 - 2 * int(rank_in_cluster())) * THREADS;
    {T}* slot = slots + number % 2 * threads;
    slot[other] = x;
    sync_cluster();
    return slot[own];
}

//! barrier
// Call sync_cluster() before the first exchange, so that all blocks have started, and after the last one, so that none
// ends while another one stores.
//! barrier-load
// Call sync_cluster() after the last exchange, so that no block ends while another one loads.
//! barrier barrier-load
// `there` is in_other_block(&slots[0][threadIdx.x]).
template <int THREADS>
__device__ inline {T} exchange({T} x, {T} (&slots)[2][THREADS], unsigned there, int number) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    there += number % 2 * unsigned(sizeof slots[0]);
//! barrier
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(x) : "memory");  //! dtype=i32
    asm volatile("st.shared::cluster.u64 [%0], %1;" :: "r"(there), "l"(x) : "memory");  //! dtype=i64
    sync_cluster();
    return slots[number % 2][threadIdx.x];
//! barrier-load
    slots[number % 2][threadIdx.x] = x;
    sync_cluster();
    {T} got;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(there) : "memory");  //! dtype=i32
    asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(got) : "r"(there) : "memory");  //! dtype=i64
    return got;
//! barrier barrier-load
}

//! mbarrier
// Call `prepare` and sync_cluster() before the first exchange, and sync_cluster() after the last one, so that no block
// ends while another one stores. `slots` and `full` are shared memory.
struct Other {
    unsigned slot, full;  // of the other block
};

template <int THREADS>
__device__ inline Other prepare(const {T} (&slots)[2][THREADS], unsigned long long (&full)[2]) {
    static_assert(THREADS % 32 == 0);
    if (threadIdx.x < 2) init(&full[threadIdx.x], THREADS / 32);
    __syncwarp();
    return {in_other_block(&slots[0][threadIdx.x]), in_other_block(full)};
}

template <int THREADS>
__device__ inline {T}
exchange({T} x, {T} (&slots)[2][THREADS], unsigned long long (&full)[2], Other other, int number) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    const unsigned slot = number % 2, there = other.slot + slot * unsigned(sizeof slots[0]);
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(x) : "memory");  //! dtype=i32
    asm volatile("st.shared::cluster.u64 [%0], %1;" :: "r"(there), "l"(x) : "memory");  //! dtype=i64
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive_at(other.full + slot * unsigned(sizeof full[0]));
    wait_at(&full[slot], number / 2 % 2);
    return slots[slot][threadIdx.x];
}

//! store-async
// Call `prepare` and sync_cluster() before the first exchange, and sync_cluster() after the last one, so that no block
// ends while another one stores. `slots`, `full` and `empty` are shared memory. By `empty`, a block says that it has
// read its slots.
struct Other {
    unsigned slot, full, empty;  // of the other block
};

template <int THREADS>
__device__ inline Other
prepare(const {T} (&slots)[2][THREADS], unsigned long long (&full)[2], unsigned long long (&empty)[2]) {
    static_assert(THREADS % 32 == 0);
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], THREADS / 32);
    }
    __syncwarp();
    return {in_other_block(&slots[0][threadIdx.x]), in_other_block(full), in_other_block(empty)};
}

template <int THREADS>
__device__ inline {T} exchange(
    {T} x, {T} (&slots)[2][THREADS], unsigned long long (&full)[2], unsigned long long (&empty)[2],
    Other other, int number
) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    const unsigned slot = number % 2, turn = number / 2;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                     :: "r"((unsigned)__cvta_generic_to_shared(&full[slot])), "r"(int(sizeof slots[0])) : "memory");
    }
    if (turn > 0) wait_at(&empty[slot], (turn - 1) % 2);
    const unsigned there = other.slot + slot * unsigned(sizeof slots[0]);
    const unsigned full_there = other.full + slot * unsigned(sizeof full[0]);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"  //! dtype=i32
                 :: "r"(there), "r"(x), "r"(full_there) : "memory");  //! dtype=i32
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];"  //! dtype=i64
                 :: "r"(there), "r"(int(x)), "r"(int(x >> 32)), "r"(full_there) : "memory");  //! dtype=i64
    wait_at(&full[slot], turn % 2);
    const {T} got = slots[slot][threadIdx.x];
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive_at(other.empty + slot * unsigned(sizeof empty[0]));
    return got;
}

//! red-async
// Call `prepare` for both slots and sync_cluster() before the first exchange, and __syncwarp() and sync_cluster() after
// the last one, so that no block ends while another one adds. `slots` and `full` are shared memory, with a barrier per
// warp and slot. A slot is never cleared: what has come is what it has grown by. No barrier says that a slot has been
// read, because what a thread adds next depends on what it has read.
struct Slot {
    unsigned *own, before;
    unsigned long long* full;
    unsigned parity, there, full_there;  // the last two: of the other block
};

// Lets the barrier of a warp expect what its 32 lanes get.
__device__ inline void expect(unsigned long long* barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(int(32 * sizeof(unsigned))) : "memory");
}

template <int THREADS>
__device__ inline Slot prepare(unsigned (&slots)[THREADS], unsigned long long (&full)[THREADS / 32]) {
    static_assert(THREADS % 32 == 0);
    unsigned* const own = &slots[threadIdx.x];
    unsigned long long* const of_warp = &full[threadIdx.x / 32];
    *own = 0;
    if (threadIdx.x % 32 == 0) {
        init(of_warp, 1);
        expect(of_warp);
    }
    __syncwarp();
    return {own, 0, of_warp, 0, in_other_block(own), in_other_block(of_warp)};
}

// Swaps the slots: pass the same two to every call.
template <int THREADS>
__device__ inline {T} exchange({T} x, Slot& now, Slot& next) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 :: "r"(now.there), "r"(x), "r"(now.full_there) : "memory");
    wait_at(now.full, now.parity);
    if (threadIdx.x % 32 == 0) expect(now.full);
    unsigned sum;
    asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];"
                 : "=r"(sum) : "r"((unsigned)__cvta_generic_to_shared(now.own)) : "memory");
    const {T} got = sum - now.before;
    now.before = sum;
    now.parity ^= 1;
    const Slot used = now;
    now = next;
    next = used;
    return got;
}

//! numbered barrier-relaxed
// Call `prepare`, which returns `there`, and sync_cluster() before the first exchange, so that slots are empty before
// another block stores, and __syncwarp() and sync_cluster() after the last one, so that no block ends while another one
// stores.
template <int THREADS>
__device__ inline unsigned prepare(unsigned long long (&slots)[2][THREADS]) {
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = ~0ull;  // no number of an exchange
    return in_other_block(&slots[0][threadIdx.x]);
}

template <int THREADS>
__device__ inline {T} exchange({T} x, unsigned long long (&slots)[2][THREADS], unsigned there, int number) {
    assert(blockDim.x == THREADS && blockDim.y * blockDim.z == 1);
    store_numbered(there + number % 2 * unsigned(sizeof slots[0]), x, number);
//! barrier-relaxed
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    const {T} got = load_numbered(&slots[number % 2][threadIdx.x], number);
    __syncwarp();
    return got;
//! numbered
    return load_numbered(&slots[number % 2][threadIdx.x], number);
//! numbered barrier-relaxed
}

//! larger-block
// In one block of {cluster} times THREADS threads.
template <int THREADS>
__device__ inline {T} exchange({T} x, {T} (&slots)[2][{cluster} * THREADS], int number) {
    assert(blockDim.x == {cluster} * THREADS && blockDim.y * blockDim.z == 1);
    const int other = ({cluster} - 1 - int(threadIdx.x) / THREADS) * THREADS + threadIdx.x % THREADS;
    slots[number % 2][threadIdx.x] = x;
    __syncthreads();
    return slots[number % 2][other];
}

//! larger-block-pairs
// In one block of {cluster} times THREADS threads. Only two warps that exchange values meet, at a barrier of their own.  //! cluster=2
// In one block of {cluster} times THREADS threads. Only two ranks that exchange values meet, at a barrier of their own.  //! cluster=4,8
// Named barriers from 0 on, one per pair, must not be used otherwise between the first exchange and the last one, nor
// __syncthreads(), whose barrier is 0. Numbers of barriers are constants: for one that is known only at run time, each
// block reserves all 16 barriers that it may have, and fewer blocks fit on an SM.
template <int THREADS>
struct Pairs {
    static_assert(THREADS % 32 == 0 && THREADS <= 512);
    static constexpr int RANKS = {cluster}, COUNT = THREADS / 32, MEET = 64;  //! cluster=2
    static constexpr int RANKS = {cluster}, COUNT = {cluster} / 2, MEET = 2 * THREADS;  //! cluster=4,8
    // The pair of the calling warp.
    __device__ static int own() {
        return threadIdx.x % THREADS / 32;  //! cluster=2
//! larger-block-pairs cluster=4,8
        const int rank = threadIdx.x / THREADS;
        return rank < RANKS / 2 ? rank : RANKS - 1 - rank;
//! larger-block-pairs
    }
};

template <int NUMBER>
struct Pair {};

// Calls `use` with the Pair of the calling warp. All exchanges are within one call.
template <int THREADS, int NUMBER = 0, typename Use>
__device__ inline void as_pair(Use use) {
    if constexpr (NUMBER + 1 < Pairs<THREADS>::COUNT) {
        if (Pairs<THREADS>::own() != NUMBER) return as_pair<THREADS, NUMBER + 1>(use);
    }
    use(Pair<NUMBER>());
}

template <int THREADS, int NUMBER>
__device__ inline {T} exchange({T} x, {T} (&slots)[2][{cluster} * THREADS], Pair<NUMBER>, int number) {
    assert(blockDim.x == {cluster} * THREADS && blockDim.y * blockDim.z == 1);
    const int other = ({cluster} - 1 - int(threadIdx.x) / THREADS) * THREADS + threadIdx.x % THREADS;
    slots[number % 2][threadIdx.x] = x;
    asm volatile("bar.sync %0, %1;" :: "n"(NUMBER), "n"(Pairs<THREADS>::MEET) : "memory");
    return slots[number % 2][other];
}
